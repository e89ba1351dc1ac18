//! Decisions that wait for a person, over all projects with agents: project entries without consent, and tools that
//! differ from what was approved. A decision is bound, by a hash, to what the person was shown.

use super::handle::Gateway;
use crate::config::{Consents, consent_file};
use crate::error::RpcError;
use crate::upstream::{Unapproved, Upstream};
use eye_protocol::{Code, Error};
use ring::digest::{SHA256, digest};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of SHA-256 in the hash of what was shown.
const HASH_BYTES: usize = 16;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Waiting {
    /// An entry of a project's config without consent.
    Entry {
        server: String,
        /// The project's folder, as consents name it.
        folder: PathBuf,
        /// The hash that consent is bound to.
        seen: String,
        /// What would run: the command's words, or the URL.
        command: Vec<String>,
        /// The entry as the project's file has it.
        entry: Value,
        /// Whether it replaces parts of the user's own entry.
        #[serde(rename = "overOwn")]
        over_own: bool,
    },
    /// Unapproved tools of a server.
    Tools {
        server: String,
        /// The folder of the server's project.
        folder: PathBuf,
        /// The hash that approval is bound to.
        seen: String,
        /// The tools and their differences.
        tools: Vec<Unapproved>,
    },
}

impl Gateway {
    pub fn waiting(&self) -> Vec<Waiting> {
        let mut all: Vec<Waiting> = Vec::new();
        for scope in self.live() {
            let folder = scope.project_folder();
            for entry in scope.untrusted() {
                let one = Waiting::Entry {
                    server: entry.name,
                    folder: folder.clone(),
                    seen: entry.hash,
                    command: entry.entry.shown(),
                    entry: serde_json::to_value(&entry.layer).unwrap_or_default(),
                    over_own: entry.over_own,
                };
                if !all.contains(&one) {
                    all.push(one);
                }
            }
            for upstream in scope.upstreams() {
                let tools = upstream.unapproved();
                let (server, seen) = (upstream.spec.name.to_string(), hash(&tools));
                let known = |one: &Waiting| matches!(one, Waiting::Tools { server: of, seen: as_seen, .. } if *of == server && *as_seen == seen);
                if !tools.is_empty() && !all.iter().any(known) {
                    all.push(Waiting::Tools { server, folder: folder.clone(), seen, tools: tools.to_vec() });
                }
            }
        }
        all
    }

    /// Approves the tools of a server if they are still those that were shown. Returns their number.
    pub fn approve_shown(&self, server: &str, seen: &str) -> Result<usize, RpcError> {
        let shown = |upstream: &Arc<Upstream>| *upstream.spec.name == *server && hash(&upstream.unapproved()) == seen;
        let mut count = 0;
        for upstream in self.live().iter().flat_map(|scope| scope.upstreams()).filter(shown) {
            let failed = |error| Error::new(Code::INTERNAL, format!("the approval cannot be kept: {error}"));
            count = count.max(upstream.approve().map_err(failed)?);
        }
        if count == 0 {
            return Err(other_now(server).into());
        }
        self.look();
        Ok(count)
    }

    /// Records consent to a project's entry if it is still the one that was shown.
    pub fn trust_shown(&self, server: &str, folder: &Path, seen: &str) -> Result<(), RpcError> {
        let shown = self.waiting().into_iter().any(|one| {
            matches!(one, Waiting::Entry { server: of, folder: at, seen: hash, .. } if of == server && at == folder && hash == seen)
        });
        let file = self.user_config().filter(|_| shown).map(|config| consent_file(&config));
        let file = file.ok_or_else(|| other_now(server))?;
        let failed =
            |error: &dyn std::fmt::Display| Error::new(Code::INTERNAL, format!("the consent cannot be kept: {error}"));
        let mut consents = Consents::read(&file).map_err(|error| failed(&error))?;
        consents.give(folder, server, seen);
        consents.write(&file).map_err(|error| failed(&error))?;
        self.look();
        Ok(())
    }
}

fn other_now(server: &str) -> Error {
    Error::new(Code::DENIED, format!("what is new of {server} is not what was shown")).hint("look at it again")
}

fn hash(tools: &[Unapproved]) -> String {
    let text = serde_json::to_string(tools).unwrap_or_default();
    digest(&SHA256, text.as_bytes()).as_ref()[..HASH_BYTES].iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
