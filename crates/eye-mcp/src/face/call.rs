//! One request in progress: its content, and the way back to the client that sent it.

use super::ask_hub::AskHub;
use super::client::{Client, LEVELS};
use super::era::{Era, Meta, invalid_params, missing_capability};
use super::limits::INPUT;
use super::message::{self, Request};
use super::offers::Offers;
use super::outcome::Outcome;
use crate::{NoticeSink, RpcError};
use eye_protocol::local::{Later, LocalEval, LocalValue, ProgressSink};
use eye_protocol::operations::Class;
use eye_protocol::rpc::json;
use eye_protocol::{Code, Error};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// The queue of messages to a client that belong to one request.
#[derive(Clone, Debug)]
pub struct Outlet(pub(super) mpsc::Sender<Outgoing>);

#[derive(Debug)]
pub enum Outgoing {
    /// A message, as JSON text.
    Message(String),
    /// Ends the stream here; the client may resume it (legacy HTTP).
    Pause,
}

/// Why a request has no result.
#[derive(Clone, Debug)]
pub enum Stop {
    Error(RpcError),
    /// The client must answer a question first.
    Input(Outcome),
}

impl From<RpcError> for Stop {
    fn from(error: RpcError) -> Self {
        Self::Error(error)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error.into())
    }
}

/// The embedding program, which answers requests about its own offers.
pub trait Provider: Offers {
    /// Answers a request about something of its own; `None` if the request is not.
    fn serve<'a>(&'a self, call: &'a Call) -> Option<Later<'a, Result<Outcome, Stop>>>;
}

/// One request in progress, with its client and the way back.
#[derive(Clone, Debug)]
pub struct Call {
    pub(super) client: Arc<Client>,
    /// Tried before the face answers itself.
    pub(super) provider: Option<Arc<dyn Provider>>,
    pub(super) era: Era,
    pub(super) request: Request,
    pub(super) meta: Meta,
    pub(super) outlet: Outlet,
}

impl Call {
    pub fn method(&self) -> &str {
        &self.request.method
    }

    pub fn era(&self) -> Era {
        self.era
    }

    /// The params as they came; `{}` if absent.
    pub fn raw_params(&self) -> &str {
        self.request.params.as_deref().map_or("{}", RawValue::get)
    }

    pub fn params<'a, T: Deserialize<'a>>(&'a self) -> Result<T, RpcError> {
        serde_json::from_str(self.raw_params()).map_err(|error| invalid_params(format!("invalid params: {error}")))
    }

    /// Sends a notification to the client while the request is in progress. `params` is JSON text.
    pub async fn notify(&self, method: &str, params: &str) {
        // A client that is gone cannot receive it; that is not an error.
        let _ = self.outlet.0.send(Outgoing::Message(message::notification(method, params))).await;
    }

    /// Sends progress to the client, if the request had a progress token.
    pub async fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        let Some(token) = &self.meta.progress_token else { return };
        let total = total.map_or(String::new(), |total| format!(r#","total":{total}"#));
        let message = message.map_or(String::new(), |message| format!(r#","message":{}"#, json(message)));
        let params = format!(r#"{{"progressToken":{token},"progress":{progress}{total}{message}}}"#);
        self.notify("notifications/progress", &params).await;
    }

    /// Sends a log message to the client, if it wants this level.
    pub async fn log(&self, level: &str, data: &str) {
        if wants_level(&self.client, self.era, self.meta.log_level.as_deref(), level) {
            self.notify("notifications/message", &format!(r#"{{"level":"{level}","data":{}}}"#, json(data))).await;
        }
    }

    /// Ends the stream of this answer; the client reconnects for the rest. Has an effect in the legacy era only.
    pub async fn pause(&self) {
        if self.era == Era::Legacy {
            let _ = self.outlet.0.send(Outgoing::Pause).await;
        }
    }

    /// Whether the client declared this capability.
    pub fn can(&self, capability: &str) -> bool {
        match self.era {
            Era::Legacy => {
                self.client.agreed().is_some_and(|agreed| agreed.capabilities.get(capability).is_some_and(not_null))
            }
            Era::Modern => {
                let declared = self.meta.capabilities.as_ref();
                let declared: Option<serde_json::Value> = declared.and_then(|raw| serde_json::from_str(raw.get()).ok());
                declared.is_some_and(|all| all.get(capability).is_some_and(not_null))
            }
        }
    }

    /// The client's response to a request of an earlier [`Outcome::Input`].
    pub fn input(&self, key: &str) -> Option<Box<RawValue>> {
        #[derive(Deserialize)]
        struct Inputs {
            #[serde(rename = "inputResponses")]
            responses: Option<IndexMap<String, Box<RawValue>>>,
        }
        serde_json::from_str::<Inputs>(self.raw_params()).ok()?.responses?.shift_remove(key)
    }

    /// The state that the client sent back. An error if it is not ours or belongs to another method.
    pub fn state(&self) -> Result<Option<String>, RpcError> {
        #[derive(Deserialize)]
        struct State {
            #[serde(rename = "requestState")]
            state: Option<String>,
        }
        let State { state } = self.params()?;
        state.map(|sealed| self.client.shared.seal().open(&sealed, self.method())).transpose()
    }

    /// Seals a state for [`Outcome::Input`].
    pub fn sealed(&self, state: &str) -> String {
        self.client.shared.seal().close(state, self.method())
    }

    /// Asks the client's user or model: `sampling/createMessage`, `elicitation/create`, `roots/list`.
    ///
    /// A legacy client is asked while the request waits. A modern one is asked by the result, and repeats its request
    /// with the response: work done before this call is done twice.
    pub async fn ask(&self, key: &str, method: &str, params: &str) -> Result<Box<RawValue>, Stop> {
        let capability = method.split('/').next().unwrap_or(method);
        if !self.can(capability) {
            let error = match self.era {
                Era::Modern => missing_capability(capability),
                Era::Legacy => {
                    let message = format!("this needs a client that declares the capability `{capability}`");
                    Error::new(Code::REQUEST, message).into()
                }
            };
            return Err(Stop::Error(error));
        }
        match self.era {
            Era::Modern => self.input(key).ok_or_else(|| {
                let request = format!(r#"{{"method":{},"params":{params}}}"#, json(method));
                Stop::Input(Outcome::Input { requests: vec![(key.to_owned(), request)], state: None })
            }),
            Era::Legacy => ask_now(&self.client, &self.outlet, method, params).await.map_err(Stop::Error),
        }
    }

    /// Passes an upstream's progress on to the client.
    pub(super) fn progress_sink(&self) -> Option<NoticeSink> {
        self.meta.progress_token.as_ref()?;
        let outlet = self.outlet.clone();
        Some(NoticeSink::new(move |params| {
            // A client that is too slow misses some; the next report supersedes them.
            let text = message::notification("notifications/progress", params.get());
            let _ = outlet.0.try_send(Outgoing::Message(text));
        }))
    }

    /// Passes an upstream's log messages on to the client.
    pub(super) fn log_sink(&self) -> Option<NoticeSink> {
        #[derive(Deserialize)]
        struct Logged {
            level: String,
        }
        let (era, least) = (self.era, self.meta.log_level.clone());
        if era == Era::Modern && least.is_none() {
            return None;
        }
        let (client, outlet) = (self.client.clone(), self.outlet.clone());
        Some(NoticeSink::new(move |params| {
            let level = serde_json::from_str::<Logged>(params.get()).map(|logged| logged.level);
            if level.is_ok_and(|level| wants_level(&client, era, least.as_deref(), &level)) {
                let text = message::notification("notifications/message", params.get());
                let _ = outlet.0.try_send(Outgoing::Message(text));
            }
        }))
    }

    /// The state that the client sent back, if it is one of ours.
    pub(super) fn own_state(&self) -> Option<String> {
        self.state().ok().flatten()
    }

    async fn pass_progress(&self, progress: &str, token: &RawValue) {
        let Ok(mut params) = serde_json::from_str::<IndexMap<String, Box<RawValue>>>(progress) else { return };
        params.shift_remove("id");
        params.shift_insert(0, "progressToken".into(), token.to_owned());
        self.notify("notifications/progress", &json(&params)).await;
    }
}

/// Sends a request to a legacy client, and waits for the response.
pub(super) async fn ask_now(
    client: &Client,
    outlet: &Outlet,
    method: &str,
    params: &str,
) -> Result<Box<RawValue>, RpcError> {
    let (id, answer) = client.ask();
    let text = format!(r#"{{"jsonrpc":"2.0","id":"eye-{id}","method":{},"params":{params}}}"#, json(method));
    let _ = outlet.0.send(Outgoing::Message(text)).await;
    let waiting = PendingQuestion { client, id };
    let outcome = tokio::time::timeout(INPUT, answer).await;
    drop(waiting);
    match outcome {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(oneshot::error::RecvError { .. })) => Err(Error::new(Code::CONNECTION, "the client is gone").into()),
        Err(_) => Err(Error::new(Code::TIMEOUT, format!("the client did not answer {method}")).into()),
    }
}

/// Whether a client's notification means that its roots must be requested again.
pub(super) fn is_news_of_roots(method: &str) -> bool {
    matches!(method, "notifications/initialized" | "notifications/roots/list_changed")
}

/// Requests a client's roots, if it declares them, and passes them on to its servers. A server may open every folder
/// that is a root, so only a client with admin rights may name some.
pub(super) async fn learn_roots(client: &Client, outlet: &Outlet) {
    let capabilities = client.agreed().map(|agreed| &agreed.capabilities);
    if client.allowed.may(Class::Admin)
        && capabilities.and_then(|all| all.get("roots")).is_some_and(not_null)
        && let Ok(result) = ask_now(client, outlet, "roots/list", "{}").await
    {
        client.set_roots(result.get());
    }
}

/// Whether a client wants log messages of this level: a legacy client set its level once, a modern one sends it with
/// each request.
fn wants_level(client: &Client, era: Era, least: Option<&str>, level: &str) -> bool {
    let rank = |level: &str| LEVELS.iter().position(|known| *known == level);
    match era {
        Era::Legacy => client.wants_level(level),
        Era::Modern => least.and_then(rank).is_some_and(|least| rank(level) >= Some(least)),
    }
}

/// A request to a client. On drop the client forgets it, so that a late response is ignored.
struct PendingQuestion<'a> {
    client: &'a Client,
    id: u64,
}

impl Drop for PendingQuestion<'_> {
    fn drop(&mut self) {
        self.client.forget(self.id);
    }
}

fn not_null(value: &serde_json::Value) -> bool {
    !value.is_null()
}

impl AskHub for Call {
    async fn ask_hub(&self, method: &str, params: &str) -> Result<Box<RawValue>, Error> {
        self.with_progress(|sink| self.client.link.request(method, params, sink)).await
    }

    async fn eval(&self, eval: LocalEval<'_>) -> Result<LocalValue, Error> {
        self.with_progress(|sink| self.client.link.eval(eval, sink)).await
    }
}

impl Call {
    /// Makes a request to the hub, and passes its progress on to the client.
    async fn with_progress<T>(
        &self,
        request: impl FnOnce(Option<ProgressSink>) -> Later<'static, Result<T, Error>>,
    ) -> Result<T, Error> {
        let Some(token) = &self.meta.progress_token else {
            return request(None).await;
        };
        let (sender, mut reports) = mpsc::channel::<Box<str>>(64);
        // A client that is too slow misses some; the next report supersedes them.
        let sink = ProgressSink::new(move |progress| drop(sender.try_send(progress.into())));
        let mut answer = request(Some(sink));
        loop {
            tokio::select! {
                biased;
                outcome = &mut answer => {
                    while let Ok(progress) = reports.try_recv() {
                        self.pass_progress(&progress, token).await;
                    }
                    return outcome;
                }
                Some(progress) = reports.recv() => self.pass_progress(&progress, token).await,
            }
        }
    }
}
