//! What is kept of everything that can be called, until a page changes. Gathering it is the business of `catalogue`.

use super::hold::hold;
use super::hub::Counter;
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
#[derive(Debug)]
pub struct Keeping(Mutex<Kept>);

#[derive(Debug)]
struct Kept {
    hub: Counter,
    pages: Option<Arc<Pages>>,
}

impl Keeping {
    /// Nothing yet; `hub` counts up when a page changes.
    pub fn new(hub: Counter) -> Self {
        Self(Mutex::new(Kept { hub, pages: None }))
    }

    pub(super) fn get(&self) -> Option<Arc<Pages>> {
        let mut kept = hold(&self.0);
        if kept.hub.has_changed().unwrap_or(true) {
            kept.hub.mark_unchanged();
            kept.pages = None;
        }
        kept.pages.clone()
    }

    pub(super) fn set(&self, pages: Arc<Pages>) {
        hold(&self.0).pages = Some(pages);
    }
}
