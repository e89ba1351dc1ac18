//! What a person has paused: agents by name, pages by session, or everything.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Most paused agents, and most paused pages.
const PAUSED_LEN_MAX: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum What {
    /// Paused by name.
    Agent,
    /// Paused by session.
    Page,
    /// Every agent and every page.
    All,
}

/// All pauses. Kept while the hub runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pauses {
    /// Everything is paused.
    pub all: bool,
    /// By name.
    pub agents: BTreeSet<Box<str>>,
    /// By session.
    pub pages: BTreeSet<Box<str>>,
    /// The hub is stopping: everything is refused, and no call waits for that to end.
    #[serde(skip)]
    pub ending: bool,
}

impl Pauses {
    /// Whether anything is paused. Cheap, because every call checks it.
    pub fn any(&self) -> bool {
        self.all || !self.agents.is_empty() || !self.pages.is_empty()
    }

    /// The hub is stopping. Sets `all`, so that [`Self::any`] needs no further check.
    pub fn end(&mut self) {
        (self.all, self.ending) = (true, true);
    }

    /// Pauses or resumes. `false`: too many names are paused already.
    pub fn set(&mut self, what: What, name: &str, paused: bool) -> bool {
        let names = match what {
            What::All => {
                self.all = paused || self.ending;
                return true;
            }
            What::Agent => &mut self.agents,
            What::Page => &mut self.pages,
        };
        if !paused {
            names.remove(name);
            return true;
        }
        if names.len() >= PAUSED_LEN_MAX && !names.contains(name) {
            return false;
        }
        names.insert(name.into());
        true
    }

    /// Why this agent may not call this page now; `None`: it may.
    pub fn refuses(&self, agent: &str, page: Option<&str>) -> Option<String> {
        if self.ending {
            return Some("the hub is being stopped".into());
        }
        if self.all {
            return Some("a person has paused all agents".into());
        }
        if self.agents.contains(agent) {
            return Some("a person has paused this agent".into());
        }
        let page = page.filter(|page| self.pages.contains(*page))?;
        Some(format!("a person has paused the page {page}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_paused_is_refused_and_nothing_else() {
        let mut pauses = Pauses::default();
        assert!(!pauses.any());
        assert!(pauses.set(What::Agent, "a", true) && pauses.set(What::Page, "p", true));
        assert!(pauses.any());
        assert_eq!(pauses.refuses("a", None).as_deref(), Some("a person has paused this agent"));
        assert_eq!(pauses.refuses("b", Some("p")).as_deref(), Some("a person has paused the page p"));
        assert_eq!(pauses.refuses("b", Some("q")), None);
        assert!(pauses.set(What::All, "", true));
        assert!(pauses.refuses("b", None).is_some());
        assert!(pauses.set(What::All, "", false) && pauses.set(What::Agent, "a", false));
        assert_eq!(pauses.refuses("a", None), None);
    }

    #[test]
    fn only_so_many_are_paused() {
        let mut pauses = Pauses::default();
        for at in 0..PAUSED_LEN_MAX {
            assert!(pauses.set(What::Agent, &at.to_string(), true));
        }
        assert!(pauses.set(What::Agent, "0", true), "again");
        assert!(!pauses.set(What::Agent, "one more", true));
    }
}
