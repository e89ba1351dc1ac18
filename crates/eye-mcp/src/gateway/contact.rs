//! Starts and lists the upstreams of a scope on demand, and reports which of them are not available.

use super::scope::{More, Scope};
use crate::catalogue::{Catalogue, Entry, Unresolved, prefixed, shown};
use crate::limits::{LEARN, NOTES_MAX};
use crate::status::ServerState;
use crate::upstream::{Upstream, short_reason};
use eye_protocol::{Code, Error};
use std::sync::Arc;
use std::time::Duration;

/// Characters of a reason that are shown.
const REASON_CHARS_MAX: usize = 160;
/// Characters of a name that are shown in a list of names.
const NAME_CHARS_MAX: usize = 60;
/// Names of untrusted servers that are shown.
const NAMES_SHOWN_MAX: usize = 5;

impl Scope {
    /// Starts upstreams whose tools are unknown or that are down, all at once, and waits up to `wait`. Slow ones go on
    /// starting after that.
    pub async fn learn(&self, wait: Duration) {
        let unknown = self.upstreams().into_iter().filter(|upstream| match upstream.state() {
            ServerState::Configured | ServerState::Starting => !upstream.is_listed(),
            ServerState::Failed { .. } => upstream.may_try_again(),
            ServerState::Known | ServerState::Ready | ServerState::Disabled | ServerState::Untrusted => false,
        });
        Self::all_ready(unknown.collect(), wait).await;
    }

    /// Starts upstreams that are not running, all at once, and waits up to `wait`.
    pub async fn wake(&self, wait: Duration) {
        let resting = self.upstreams().into_iter().filter(|upstream| {
            matches!(upstream.state(), ServerState::Configured | ServerState::Known | ServerState::Starting)
        });
        Self::all_ready(resting.collect(), wait).await;
    }

    async fn all_ready(upstreams: Vec<Arc<Upstream>>, wait: Duration) {
        let start = |upstream: Arc<Upstream>| tokio::spawn(async move { upstream.ready().await.map(|_| ()) });
        let starting: Vec<_> = upstreams.into_iter().map(start).collect();
        let _ = tokio::time::timeout(wait, async {
            for start in starting {
                let _ = start.await;
            }
        })
        .await;
    }

    /// A line for each server whose tools may be missing from an answer, because it is starting or down.
    pub fn notes(&self) -> Vec<String> {
        let listed = |name: &str| self.upstream(name).is_ok_and(|upstream| upstream.is_listed());
        let mut notes = Vec::new();
        for server in self.servers() {
            let name = shown(&server.name, REASON_CHARS_MAX);
            match &server.state {
                _ if server.wants_login => notes.push(format!("{name} wants a login: eye servers login {name}")),
                ServerState::Configured | ServerState::Starting if !listed(&server.name) => {
                    notes.push(format!("{name} is starting; ask again for its tools"));
                }
                ServerState::Failed { why } => {
                    notes.push(format!("{name} is down: {}", shown(&short_reason(why), REASON_CHARS_MAX)));
                }
                ServerState::Configured
                | ServerState::Starting
                | ServerState::Known
                | ServerState::Ready
                | ServerState::Disabled
                | ServerState::Untrusted => {}
            }
        }
        notes.extend(self.upstreams().iter().filter_map(|upstream| upstream.approval_note()));
        let untrusted = self.servers().into_iter().filter(|server| server.state == ServerState::Untrusted);
        let untrusted: Vec<String> = untrusted.map(|server| shown(&server.name, NAME_CHARS_MAX)).collect();
        if !untrusted.is_empty() {
            let names = untrusted.iter().take(NAMES_SHOWN_MAX).cloned().collect::<Vec<_>>().join(", ");
            let more = untrusted.len().saturating_sub(NAMES_SHOWN_MAX);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            notes.push(format!("of this project, not trusted and not running: {names}{more}: eye servers trust"));
        }
        if notes.len() > NOTES_MAX {
            let more = notes.len() - NOTES_MAX;
            notes.truncate(NOTES_MAX);
            notes.push(format!("{more} more servers are starting or down: eye servers"));
        }
        notes
    }

    /// Approves the current tools of a server. Returns how many were not approved before.
    pub fn approve(&self, server: &str) -> Result<usize, crate::RpcError> {
        let failed = |error| Error::new(Code::INTERNAL, format!("the approval cannot be kept: {error}"));
        Ok(self.upstream(server)?.approve().map_err(failed)?)
    }

    /// The server's stderr, and the reason if it is down.
    pub fn log_of(&self, server: &str) -> Result<String, crate::RpcError> {
        let upstream = self.upstream(server)?;
        let stderr = upstream.stderr();
        Ok(match upstream.state() {
            ServerState::Failed { why } => format!("{stderr}\n[down: {}]", short_reason(&why)).trim().to_owned(),
            ServerState::Configured
            | ServerState::Known
            | ServerState::Starting
            | ServerState::Ready
            | ServerState::Disabled
            | ServerState::Untrusted => stderr,
        })
    }

    /// Resolves a name. Servers that were never listed or are down are started before the name counts as unknown; the
    /// error lists those that are not available.
    pub async fn resolve_asking(
        &self,
        name: &str,
        more: &Arc<More>,
    ) -> Result<(Arc<Catalogue>, Arc<Entry>), Unresolved> {
        let known = |catalogue: Arc<Catalogue>| {
            let entry = catalogue.resolve(name)?.clone();
            Ok((catalogue, entry))
        };
        let first = known(self.catalogue(more));
        let Err(Unresolved::Unknown { .. }) = first else { return first };
        if let Some(server) = self.server_of(name) {
            let started = tokio::time::timeout(LEARN, self.start(&server)).await;
            return known(self.catalogue(more)).map_err(|unresolved| match started {
                Ok(Ok(())) => unresolved.beside(self.notes()),
                Ok(Err(error)) => Unresolved::Down { name: name.to_owned(), hint: error.hint(), why: error.message },
                Err(_) => Unresolved::Down {
                    name: name.to_owned(),
                    why: format!("the server {server} is still starting after {} s", LEARN.as_secs()),
                    hint: None,
                },
            });
        }
        let mut changes = self.changes();
        let learning = self.learn(LEARN);
        tokio::pin!(learning);
        loop {
            tokio::select! {
                () = &mut learning => break,
                // A server that hangs must not delay a call of another that has come up.
                change = changes.recv() => if change.is_none() || self.catalogue(more).resolve(name).is_ok() {
                    break;
                },
            }
        }
        known(self.catalogue(more)).map_err(|unresolved| unresolved.beside(self.notes()))
    }

    /// The server that a qualified or prefixed name refers to.
    pub fn server_of(&self, name: &str) -> Option<String> {
        let servers = self.servers().into_iter().map(|server| server.name);
        servers
            .filter(|server| {
                let bare = name.strip_prefix(server.as_str()).and_then(|rest| rest.strip_prefix("::"));
                // A prefixed name begins the same for every tool of a server.
                let stem = prefixed(server, "");
                bare.is_some() || (stem.ends_with("__") && name.starts_with(&stem))
            })
            .max_by_key(String::len)
    }
}
