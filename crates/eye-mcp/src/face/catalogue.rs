//! Gathers everything that one client can call: eye's verbs, the tools of pages, and those of upstreams. The pages'
//! part is cached until it changes (`keeping`).

use super::called::CalledIn;
use super::client::Client;
use super::hold::hold;
use super::keeping::{Held, Pages};
use super::members::renamed;
use super::verbs;
use crate::CallContext;
use crate::catalogue::{DiscoverError, Discovered, Entry, Provider, Standing, Unresolved, prefixed};
use crate::gateway::{More, search};
use crate::limits::DISCOVERY;
use crate::status::ServerState;
use eye_protocol::local::LocalHub;
use eye_protocol::operations::Class;
use eye_protocol::rpc::json;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// The prefix of a page's provider name.
const PAGE: &str = "page:";
/// Result pages of one list that are requested from an upstream.
const LIST_PAGES_MAX: usize = 100;

#[derive(Deserialize)]
struct Sessions {
    sessions: Vec<Value>,
}

#[derive(Deserialize)]
struct Tools {
    tools: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

impl Client {
    /// Everything that the client can call now.
    pub(super) async fn catalogue(&self) -> Held {
        // The cache is shared by all clients; a client that sees only some pages gathers its own list.
        let revision = self.shared.hub().filter(|_| self.allowed.sees_all()).map(LocalHub::revision);
        let pages = if let Some(pages) = revision.and_then(|revision| self.shared.keeping().get(revision)) {
            pages
        } else {
            let pages = Arc::new(self.pages().await);
            if let Some(revision) = revision {
                self.shared.keeping().set(revision, pages.clone());
            }
            pages
        };
        let catalogue = match self.upstreams() {
            Ok(upstreams) => upstreams.catalogue(&pages.more),
            // A token that does not cover servers sees neither their tools nor their commands.
            Err(_) => Arc::new(pages.more.catalogue()),
        };
        Held { catalogue, pages }
    }

    /// Resolves a name. Upstreams that were never listed are listed before the name counts as unknown.
    pub(super) async fn resolve(&self, name: &str) -> Result<(Held, Arc<Entry>), Unresolved> {
        let held = self.catalogue().await;
        if let Err(refusal) = self.allowed.check(Class::Servers) {
            // A server that the token does not cover is not started for it.
            let entry = held.catalogue.resolve(name).cloned().map_err(|unresolved| match &unresolved {
                Unresolved::Unknown { .. } if self.scope.server_of(name).is_some() => Unresolved::Refused(refusal),
                _ => unresolved.beside(self.unlisted()),
            })?;
            self.stays_in_its_page(name, &held, &entry)?;
            return Ok((held, entry));
        }
        let pages = held.pages;
        let (catalogue, entry) = self.scope.resolve_asking(name, &pages.more).await?;
        let held = Held { catalogue, pages };
        self.stays_in_its_page(name, &held, &entry)?;
        Ok((held, entry))
    }

    /// A bare name never moves to another page silently: the client may mean the page that it called before.
    fn stays_in_its_page(&self, name: &str, held: &Held, entry: &Entry) -> Result<(), Unresolved> {
        let Some(session) = held.session(&entry.server).filter(|_| name == &*entry.name) else { return Ok(()) };
        match hold(&self.called).elsewhere(name, session) {
            Some(before) => Err(Unresolved::Moved {
                name: name.to_owned(),
                before: before.provider.clone(),
                now: entry.server.to_string(),
            }),
            None => Ok(()),
        }
    }

    /// Remembers the page in which the client called a tool.
    pub(super) fn calls_in(&self, tool: &str, provider: &str, session: &str) {
        let page = CalledIn { provider: provider.to_owned(), session: session.to_owned() };
        hold(&self.called).remember(tool, page);
    }

    /// Searches without waiting for servers: a server that is still starting is only mentioned.
    pub(super) async fn discover(&self, query: &str) -> Result<Discovered, DiscoverError> {
        self.learn(DISCOVERY).await;
        let held = self.catalogue().await;
        match self.upstreams() {
            Ok(upstreams) => upstreams.discover(query, &held.pages.more).await,
            Err(_) => search(held.catalogue, query, self.unlisted()).await,
        }
    }

    /// A note that tools of servers are missing, if the client's token does not cover them.
    fn unlisted(&self) -> Vec<String> {
        match self.allowed.check(Class::Servers) {
            Err(refusal) if !self.scope.servers().is_empty() => {
                vec![format!("tools of MCP servers are left out: {}", refusal.message)]
            }
            Ok(()) | Err(_) => Vec::new(),
        }
    }

    /// Lists upstreams that were never listed, if the client's token covers servers.
    pub(super) async fn learn(&self, patience: Duration) {
        if let Ok(upstreams) = self.upstreams() {
            upstreams.learn(patience).await;
        }
    }

    async fn pages(&self) -> Pages {
        let mut rows = self.rows().await;
        for row in &mut rows {
            // The cache is shared by all clients; the current page is one agent's.
            row.as_object_mut().map(|row| row.remove("current"));
        }
        let mut entries: Vec<Arc<Entry>> = verbs::entries().to_vec();
        let mut providers = vec![Provider {
            name: verbs::SERVER.into(),
            description: Some("eye's own verbs, for pages".into()),
            instructions: None,
            command: Vec::new(),
            available: true,
        }];
        let mut sessions = HashMap::new();
        for (server, id, row) in named_pages(&rows) {
            let mine = self.tools_of(&server, &id).await;
            if mine.is_empty() {
                continue;
            }
            providers.push(Provider {
                name: server.clone(),
                description: row["title"].as_str().map(str::to_owned),
                instructions: None,
                command: Vec::new(),
                available: row["state"] == "connected",
            });
            entries.extend(mine);
            sessions.insert(server, id);
        }
        Pages { more: Arc::new(More { entries, providers, pages: rows }), sessions }
    }

    /// The pages that are connected, or expected back.
    pub(super) async fn rows(&self) -> Vec<Value> {
        let Ok(list) = self.link.request("session/list", "{}", None).await else { return Vec::new() };
        let Ok(Sessions { mut sessions }) = serde_json::from_str(list.get()) else { return Vec::new() };
        // A page that is away may be reloading or closed: it counts only for the agent whose current page it is.
        sessions.retain(|row| row["state"] == "connected" || (row["state"] == "away" && row["current"] == true));
        sessions.sort_by(|a, b| a["id"].as_str().cmp(&b["id"].as_str()));
        sessions
    }

    async fn tools_of(&self, server: &str, id: &str) -> Vec<Arc<Entry>> {
        let params = format!(r#"{{"page":{}}}"#, json(id));
        let Ok(list) = self.link.request("tools/list", &params, None).await else { return Vec::new() };
        let Ok(Tools { tools }) = serde_json::from_str(list.get()) else { return Vec::new() };
        let entry = |tool: Box<RawValue>| {
            let Named { name } = serde_json::from_str(tool.get()).ok()?;
            Some(Arc::new(Entry::new(server, name, tool, Standing::Ready)))
        };
        tools.into_iter().filter_map(entry).collect()
    }

    /// The prompts of running upstreams, each under its prefixed name. Starts no upstream.
    pub(super) async fn prompts(&self) -> Vec<Box<RawValue>> {
        let mut all = Vec::new();
        for (server, name, raw) in self.upstream_prompts().await {
            all.extend(renamed(raw.get(), "name", &prefixed(&server, &name)));
        }
        all
    }

    /// The upstream of a prompt, and the prompt's name there.
    pub(super) async fn prompt_owner(&self, name: &str) -> Option<(String, String)> {
        let all = self.upstream_prompts().await;
        let found = all.into_iter().find(|(server, own, _)| prefixed(server, own) == name || own == name);
        found.map(|(server, own, _)| (server, own))
    }

    async fn upstream_prompts(&self) -> Vec<(String, String, Box<RawValue>)> {
        let mut all = Vec::new();
        for server in self.running() {
            for raw in self.list_of(&server, "prompts/list", "prompts").await {
                if let Ok(Named { name }) = serde_json::from_str(raw.get()) {
                    all.push((server.clone(), name, raw));
                }
            }
        }
        all
    }

    pub(super) fn running(&self) -> Vec<String> {
        let servers = self.scope.servers().into_iter();
        servers.filter(|status| status.state == ServerState::Ready).map(|status| status.name).collect()
    }

    /// A whole list of an upstream, over all its pages; an error cuts it short.
    pub(super) async fn list_of(&self, server: &str, method: &str, member: &str) -> Vec<Box<RawValue>> {
        let mut all = Vec::new();
        let mut cursor: Option<String> = None;
        for _ in 0..LIST_PAGES_MAX {
            let params = cursor.as_ref().map_or_else(|| "{}".to_owned(), |at| format!(r#"{{"cursor":{}}}"#, json(at)));
            let params = RawValue::from_string(params).ok();
            let Ok(upstreams) = self.upstreams() else { break };
            let Ok(page) = upstreams.request(server, method, params, CallContext::default()).await else { break };
            let Ok(mut page) = serde_json::from_str::<HashMap<String, Box<RawValue>>>(page.get()) else { break };
            let items = page.remove(member).and_then(|raw| serde_json::from_str::<Vec<Box<RawValue>>>(raw.get()).ok());
            all.extend(items.unwrap_or_default());
            cursor = page.remove("nextCursor").and_then(|raw| serde_json::from_str(raw.get()).ok());
            if cursor.is_none() {
                break;
            }
        }
        all
    }
}

/// Pages with their provider names: by alias where it is unique, else by id.
fn named_pages(rows: &[Value]) -> Vec<(String, String, &Value)> {
    let mut seen = HashSet::new();
    let twice: HashSet<&str> =
        rows.iter().filter_map(|row| row["alias"].as_str()).filter(|alias| !seen.insert(*alias)).collect();
    let named = |row| {
        let row: &Value = row;
        let id = row["id"].as_str()?;
        let name = row["alias"].as_str().filter(|alias| !twice.contains(alias)).unwrap_or(id);
        Some((format!("{PAGE}{name}"), id.to_owned(), row))
    };
    rows.iter().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pages_of_the_same_alias_are_named_by_their_ids() {
        let rows = [json!({"id":"a","alias":"shop"}), json!({"id":"b","alias":"shop"}), json!({"id":"c","alias":"x"})];
        let names: Vec<String> = named_pages(&rows).into_iter().map(|(name, _, _)| name).collect();
        assert_eq!(names, ["page:a", "page:b", "page:x"]);
    }
}
