//! Caches the pages' part of the catalogue until a page changes. Gathering it is the business of `catalogue`.

use super::hold::hold;
use crate::catalogue::Catalogue;
use crate::gateway::More;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Everything that a client can call now.
#[derive(Clone, Debug)]
pub struct Held {
    pub catalogue: Arc<Catalogue>,
    pub(super) pages: Arc<Pages>,
}

impl Held {
    /// The session of a provider that is a page.
    pub fn session(&self, server: &str) -> Option<&str> {
        self.pages.sessions.get(server).map(String::as_str)
    }
}

/// The part of the catalogue from pages and verbs.
#[derive(Debug)]
pub struct Pages {
    pub(super) more: Arc<More>,
    pub(super) sessions: HashMap<String, String>,
}

/// The cache of this part, with the hub revision it belongs to; the gateway caches its own part.
#[derive(Debug, Default)]
pub struct Keeping(Mutex<Option<(u64, Arc<Pages>)>>);

impl Keeping {
    /// The cached part, if it was gathered at this revision of the hub's lists.
    pub(super) fn get(&self, revision: u64) -> Option<Arc<Pages>> {
        hold(&self.0).as_ref().filter(|(of, _)| *of == revision).map(|(_, pages)| pages.clone())
    }

    /// Caches a part. `revision` must be read before gathering, so that a change in between makes the entry stale.
    pub(super) fn set(&self, revision: u64, pages: Arc<Pages>) {
        *hold(&self.0) = Some((revision, pages));
    }
}
