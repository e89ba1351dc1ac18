//! The list of pages that other hubs hold, and lookups of pages that are not listed.

use crate::elsewhere::{Listed, PageElsewhere};
use crate::ids::Millis;
use crate::lookups::Lookups;
use crate::watch_requests::WatchRequests;
use eye_protocol::SessionId;
use eye_protocol::limits::{LOOKED_UP_MS, RECALLS_LEN_MAX};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The pages that other hubs hold.
#[derive(Debug, Default)]
pub(crate) struct Elsewhere {
    pub pages: FxHashMap<SessionId, Arc<PageElsewhere>>,
    aliases: Words,
    names: Words,
    /// Whether other hubs hold pages that are not listed here.
    pub partial: bool,
    /// Requests that wait for unlisted pages, by the word that names the page.
    pub lookups: Lookups<Box<str>>,
    /// Words that were looked up, and until when that is valid.
    looked_up: FxHashMap<Box<str>, Millis>,
    /// The hubs at which agents here watch the states of pages.
    pub watched: FxHashMap<SessionId, Arc<str>>,
    /// Requests to watch that other hubs have not answered.
    pub watch_requests: WatchRequests,
    /// Whether other hubs want the rows of pages here.
    pub wanted: bool,
    /// Sessions here whose rows may have changed.
    pub changed: FxHashSet<SessionId>,
}

impl Elsewhere {
    pub fn get(&self, session: &SessionId) -> Option<&PageElsewhere> {
        self.pages.get(session).map(|page| &**page)
    }

    pub fn change(&mut self, listed: Listed) {
        let id = match &listed {
            Listed::There(page) => page.id.clone(),
            Listed::Gone(id) | Listed::LeftOut(id) => id.clone(),
            Listed::All(all) => {
                self.partial = !all;
                return;
            }
            Listed::Unwatched(_) => return,
        };
        if let Some(before) = self.pages.remove(&id) {
            self.aliases.remove(before.alias.as_deref(), &id);
            self.names.remove(before.name.as_deref(), &id);
        }
        if let Listed::There(page) = listed {
            self.aliases.insert(page.alias.as_deref(), &id);
            self.names.insert(page.name.as_deref(), &id);
            self.pages.insert(id, page);
        }
    }

    /// Notes that a word was looked up: the pages that it may mean are listed.
    pub fn is_looked_up(&mut self, now: Millis, word: &str) {
        if self.looked_up.len() >= RECALLS_LEN_MAX {
            self.looked_up.retain(|_, until| now < *until);
        }
        if self.looked_up.len() < RECALLS_LEN_MAX {
            self.looked_up.insert(word.into(), now + LOOKED_UP_MS);
        }
    }

    /// Whether a word was looked up a moment ago.
    pub fn was_looked_up(&self, now: Millis, word: &str) -> bool {
        self.looked_up.get(word).is_some_and(|until| now < *until)
    }

    /// The pages to which a person gave this name: several if it was given at two hubs.
    pub fn called(&self, name: &str) -> impl Iterator<Item = &PageElsewhere> + Clone {
        self.names.of(name).filter_map(|id| self.get(id))
    }

    /// Whether a page of another origin has this word as its alias.
    pub fn has_rival(&self, word: &str, origin: Option<&str>) -> bool {
        let rivals = self.aliases.of(word).filter_map(|id| self.pages.get(id));
        rivals.into_iter().any(|rival| Some(&*rival.origin) != origin)
    }
}

/// Sessions by alias or by name.
#[derive(Debug, Default)]
struct Words(FxHashMap<Box<str>, FxHashSet<SessionId>>);

impl Words {
    fn of(&self, word: &str) -> impl Iterator<Item = &SessionId> + Clone {
        self.0.get(word).into_iter().flatten()
    }

    fn insert(&mut self, word: Option<&str>, session: &SessionId) {
        if let Some(word) = word {
            self.0.entry(word.into()).or_default().insert(session.clone());
        }
    }

    fn remove(&mut self, word: Option<&str>, session: &SessionId) {
        let Some(word) = word else { return };
        if let Some(sessions) = self.0.get_mut(word) {
            sessions.remove(session);
            if sessions.is_empty() {
                self.0.remove(word);
            }
        }
    }
}
