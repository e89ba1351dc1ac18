//! Who a person has paused: agents by name, pages by session, or everything.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Names that can be paused at one time.
const PAUSED_LEN_MAX: usize = 256;

/// What is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum What {
    /// An agent, by its name.
    Agent,
    /// A page, by its session.
    Page,
    /// Every agent in every page.
    All,
}

/// What is paused now. Kept while the hub lives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pauses {
    /// Everything.
    pub all: bool,
    /// Agents, by name.
    pub agents: BTreeSet<Box<str>>,
    /// Pages, by session.
    pub pages: BTreeSet<Box<str>>,
    /// The hub is being stopped: everything is paused, and nothing waits for that to end.
    #[serde(skip)]
    pub ending: bool,
}

impl Pauses {
    /// Whether anything is paused. Asked with every call, so it is cheap.
    pub fn any(&self) -> bool {
        self.all || !self.agents.is_empty() || !self.pages.is_empty()
    }

    /// The hub is being stopped. Everything counts as paused, so that [`Self::any`] asks for nothing more.
    pub fn end(&mut self) {
        (self.all, self.ending) = (true, true);
    }

    /// Pauses, or lets go on. `false`: too much is paused already.
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

    /// Why an agent may not ask this page now, if so.
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
