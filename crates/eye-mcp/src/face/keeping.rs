//! What is kept of everything that can be called, until a page changes. Gathering it is the business of `catalogue`.

use super::hold::hold;
use crate::catalogue::Catalogue;
use crate::gateway::More;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Everything that can be called now.
#[derive(Clone, Debug)]
pub struct Held {
    /// To search in.
    pub catalogue: Arc<Catalogue>,
    pub(super) pages: Arc<Pages>,
}

impl Held {
    /// The session of a provider that is a page.
    pub fn session(&self, server: &str) -> Option<&str> {
        self.pages.sessions.get(server).map(String::as_str)
    }
}

/// The pages' and the verbs' part of it.
#[derive(Debug)]
pub struct Pages {
    pub(super) more: Arc<More>,
    pub(super) sessions: HashMap<String, String>,
}

/// What is kept of it until a page changes; the gateway keeps its own part.
#[derive(Debug, Default)]
pub struct Keeping(Mutex<Option<(u64, Arc<Pages>)>>);

impl Keeping {
    /// What was gathered at this revision of the hub's lists, if that is kept.
    pub(super) fn get(&self, revision: u64) -> Option<Arc<Pages>> {
        hold(&self.0).as_ref().filter(|(of, _)| *of == revision).map(|(_, pages)| pages.clone())
    }

    /// Keeps what was gathered. The revision was read before that, so that a change meanwhile makes it stale.
    pub(super) fn set(&self, revision: u64, pages: Arc<Pages>) {
        *hold(&self.0) = Some((revision, pages));
    }
}
