//! Notifies clients of changes: legacy clients of all lists and of the resources that they subscribed to, modern ones
//! of what their filter selects.

use super::call::Call;
use super::client::Client;
use super::limits::CHANGES_PAUSE;
use super::offers::Change;
use super::{message, resources};
use crate::RpcError;
use crate::context::ChangeKind;
use crate::gateway::Changes;
use eye_protocol::local::LocalHub;
use eye_protocol::rpc::json;
use serde::{Deserialize, Serialize};
use std::sync::atomic::Ordering;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::time::{Instant, sleep_until};

const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// The sources of changes.
struct Sources<'a> {
    hub: &'a dyn LocalHub,
    /// The last revision of the hub that was handled.
    seen: u64,
    gateway: Changes,
    provider: Option<broadcast::Receiver<Change>>,
}

impl Client {
    /// Turns the events of the hub, the gateway and the provider into changes, until the link to the hub closes. One
    /// task per client is enough: further calls wait forever.
    pub(super) async fn pump(&self) {
        if self.pumping.swap(true, Ordering::Relaxed) {
            return std::future::pending().await;
        }
        let Some(hub) = self.shared.hub() else { return };
        let provider = self.shared.offers().map(|offers| offers.changes());
        let mut sources = Sources { hub, seen: hub.revision(), gateway: self.scope.changes(), provider };
        while let Some(mut changed) = self.next(&mut sources).await {
            // Changes that come together are sent once.
            let pause = sleep_until(Instant::now() + CHANGES_PAUSE);
            tokio::pin!(pause);
            loop {
                tokio::select! {
                    () = &mut pause => break,
                    more = self.next(&mut sources) => match more {
                        Some(more) => changed.extend(more),
                        None => return,
                    },
                }
            }
            let mut reported: Vec<Change> = Vec::new();
            for change in changed {
                if !reported.contains(&change) {
                    reported.push(change.clone());
                    self.tell(change);
                }
            }
        }
    }

    async fn next(&self, sources: &mut Sources<'_>) -> Option<Vec<Change>> {
        loop {
            tokio::select! {
                revision = sources.hub.changed(sources.seen) => {
                    sources.seen = revision;
                    // The sparse list does not depend on pages.
                    return Some(if self.full { vec![Change::Resources, Change::Tools] } else { vec![Change::Resources] });
                }
                change = sources.gateway.recv() => return Some(self.of_gateway(change?.kind)),
                Some(change) = next_change(&mut sources.provider) => return Some(vec![change]),
                news = self.link.news() => {
                    let news = news?;
                    if let Some(uri) = changed_state(&news) {
                        return Some(vec![Change::Resource(uri)]);
                    }
                }
            }
        }
    }

    fn of_gateway(&self, kind: ChangeKind) -> Vec<Change> {
        match kind {
            // The sparse list does not depend on upstreams.
            ChangeKind::Tools if self.full => vec![Change::Tools],
            ChangeKind::Tools => Vec::new(),
            // After a lagged receiver, `Servers` stands for any change.
            ChangeKind::Servers => {
                let tools = self.full.then_some(Change::Tools);
                tools.into_iter().chain([Change::Prompts, Change::Resources]).collect()
            }
            ChangeKind::Resource(uri) => vec![Change::Resource(uri.into())],
            ChangeKind::Resources => vec![Change::Resources],
            ChangeKind::Prompts => vec![Change::Prompts],
        }
    }
}

async fn next_change(provider: &mut Option<broadcast::Receiver<Change>>) -> Option<Change> {
    match provider {
        Some(provider) => provider.recv().await.ok(),
        None => std::future::pending().await,
    }
}

fn changed_state(news: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct News {
        method: String,
        params: Params,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params {
        session_id: String,
    }
    let News { method, params } = serde_json::from_str(news).ok()?;
    (method == "state/changed").then(|| resources::state_uri(&params.session_id))
}

/// A change as a notification: the method, and members of its params as JSON text.
fn notification_of(change: &Change) -> (&'static str, String) {
    match change {
        Change::Tools => ("notifications/tools/list_changed", String::new()),
        Change::Prompts => ("notifications/prompts/list_changed", String::new()),
        Change::Resources => ("notifications/resources/list_changed", String::new()),
        Change::Resource(uri) => ("notifications/resources/updated", format!(r#""uri":{}"#, json(uri))),
    }
}

/// The notification of a change for a legacy client, if it subscribed to it.
pub fn to_legacy(client: &Client, change: &Change) -> Option<String> {
    let (method, params) = notification_of(change);
    client.follows(change).then(|| message::notification(method, &format!("{{{params}}}")))
}

/// The changes that a modern client wants.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct Filter {
    #[serde(skip_serializing_if = "is_false")]
    tools_list_changed: bool,
    #[serde(skip_serializing_if = "is_false")]
    prompts_list_changed: bool,
    #[serde(skip_serializing_if = "is_false")]
    resources_list_changed: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resource_subscriptions: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl Filter {
    fn wants(&self, change: &Change) -> bool {
        match change {
            Change::Tools => self.tools_list_changed,
            Change::Prompts => self.prompts_list_changed,
            Change::Resources => self.resources_list_changed,
            Change::Resource(uri) => self.resource_subscriptions.contains(uri),
        }
    }
}

/// `subscriptions/listen`: runs until the client cancels it or the hub ends, then returns a result.
pub async fn listen(call: &Call) -> Result<String, RpcError> {
    #[derive(Deserialize)]
    struct Listen {
        #[serde(default)]
        notifications: Filter,
    }
    let Listen { notifications: mut filter } = call.params()?;
    let mut changes = call.client.changes();
    let mut accepted = Vec::new();
    for uri in std::mem::take(&mut filter.resource_subscriptions) {
        // A resource that cannot be watched is left out of the acknowledged subscriptions.
        if call.client.shared.offers().is_some() || resources::watch(call, &uri).await.is_ok() {
            accepted.push(uri);
        }
    }
    filter.resource_subscriptions = accepted;
    let id = call.request.id.get().to_owned();
    let tag = format!(r#""_meta":{{"{SUBSCRIPTION_ID}":{id}}}"#);
    let acknowledged = format!(r#"{{"notifications":{},{tag}}}"#, json(&filter));
    call.notify("notifications/subscriptions/acknowledged", &acknowledged).await;
    let pass_changes = async {
        loop {
            match changes.recv().await {
                Ok(change) if filter.wants(&change) => {
                    let (method, params) = notification_of(&change);
                    let comma = if params.is_empty() { "" } else { "," };
                    call.notify(method, &format!("{{{params}{comma}{tag}}}")).await;
                }
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            }
        }
    };
    tokio::select! {
        () = pass_changes => {}
        () = call.client.pump() => {}
        () = call.client.shared.closing().cancelled() => {}
    }
    let info = call.client.shared.server_info();
    Ok(format!(
        r#"{{"resultType":"complete","_meta":{{"{SUBSCRIPTION_ID}":{id},"io.modelcontextprotocol/serverInfo":{info}}}}}"#
    ))
}
