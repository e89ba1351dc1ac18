//! Interests in topics: those of connections here, reported to other hubs, and those of other hubs, so that no message
//! is sent to a hub without a listener.

use crate::elsewhere::{Audience, ChangedInterest, HeardBy, HubInterests, Interest};
use crate::policy::topic_fits;
use eye_protocol::limits::OWN_TOPIC_PREFIX;
use eye_protocol::scope::Scope;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Interests kept of one hub. A hub with more is sent every message.
const INTERESTS_MAX: usize = 10_000;

#[derive(Debug, Default)]
pub(super) struct Interests {
    /// Whether other hubs want to know the interests here.
    wanted: bool,
    /// The interests of connections here, and how many connections have each.
    own: FxHashMap<Interest, usize>,
    changed: Vec<ChangedInterest>,
    /// The hubs and their kinds of listener, by pattern.
    hubs_by_pattern: FxHashMap<Box<str>, FxHashSet<(Arc<str>, HeardBy)>>,
    by_hub: FxHashMap<Arc<str>, OfHub>,
}

#[derive(Debug, Default)]
struct OfHub {
    interests: FxHashSet<Interest>,
    /// Whether the hub has more interests than are kept, and is sent every message.
    everything: bool,
}

/// The parts of a message that decide which listeners receive it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Publication<'a> {
    pub topic: &'a str,
    pub audience: &'a Audience,
    /// The publisher's origin, if it is a page.
    pub origin: Option<&'a str>,
    /// What the publisher's token allows.
    pub scope: &'a Scope,
}

impl Publication<'_> {
    /// Whether the message is for this kind of listener.
    fn is_for(&self, listener: &HeardBy) -> bool {
        let reaches = |origin: &str| self.scope.sees_all() || self.scope.sees(origin);
        match (listener, self.audience) {
            (HeardBy::Agent, _) => self.scope.sees_all(),
            (HeardBy::AgentOf(origin), _) => self.scope.sees_all() && self.origin == Some(origin),
            (HeardBy::Page(_) | HeardBy::Sharing(_), Audience::Agents) => false,
            (HeardBy::Page(origin), Audience::Origin(wanted)) => origin == wanted && reaches(origin),
            (HeardBy::Page(origin) | HeardBy::Sharing(origin), Audience::Everyone)
            | (HeardBy::Sharing(origin), Audience::Origin(_)) => reaches(origin),
        }
    }
}

/// The topics that two patterns have in common, as a pattern.
pub(super) fn common(one: &str, other: &str) -> Option<Box<str>> {
    let beginning = |pattern: &str| pattern.strip_suffix('*').map(str::to_owned);
    match (beginning(one), beginning(other)) {
        (None, _) => topic_fits(other, one).then(|| one.into()),
        (_, None) => topic_fits(one, other).then(|| other.into()),
        (Some(a), Some(b)) if a.starts_with(&b) => Some(one.into()),
        (Some(a), Some(b)) => b.starts_with(&a).then(|| other.into()),
    }
}

impl Interests {
    /// No interests yet; other hubs want to know them.
    pub fn wanted() -> Self {
        Self { wanted: true, ..Self::default() }
    }

    /// Adds an interest of a connection here.
    pub fn add(&mut self, interest: Interest) {
        // Topics under our own prefix stay within a hub.
        if !self.wanted || interest.pattern.starts_with(OWN_TOPIC_PREFIX) {
            return;
        }
        let count = self.own.entry(interest.clone()).or_default();
        *count += 1;
        if *count == 1 {
            self.changed.push((interest, true));
        }
    }

    /// Removes an interest of a connection here.
    pub fn remove(&mut self, interest: Interest) {
        let Some(count) = self.own.get_mut(&interest) else { return };
        *count -= 1;
        if *count == 0 {
            self.own.remove(&interest);
            self.changed.push((interest, false));
        }
    }

    /// Whether there are changes to report to other hubs.
    pub fn has_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// The changes since the last call.
    pub fn take_changed(&mut self) -> Vec<ChangedInterest> {
        std::mem::take(&mut self.changed)
    }

    /// Updates the interests of another hub. Returns the new ones.
    pub fn receive(&mut self, hub: &Arc<str>, interests: HubInterests) -> Vec<Interest> {
        let changes = match interests {
            HubInterests::Gone => {
                self.forget(hub);
                return Vec::new();
            }
            HubInterests::All(all) => {
                self.forget(hub);
                all.into_iter().map(|interest| (interest, true)).collect()
            }
            HubInterests::Changed(changes) => changes,
        };
        let mut new = Vec::new();
        for (interest, is_there) in changes {
            let of_hub = self.by_hub.entry(hub.clone()).or_default();
            if of_hub.everything {
                break;
            }
            if is_there && of_hub.interests.len() >= INTERESTS_MAX {
                self.forget(hub);
                self.everything(hub);
                return Vec::new();
            }
            if is_there {
                if self.insert(hub, &interest) {
                    new.push(interest);
                }
            } else if of_hub.interests.remove(&interest) {
                self.remove_pattern(hub, interest);
            }
        }
        new
    }

    /// From now on the hub is sent every message.
    fn everything(&mut self, hub: &Arc<str>) {
        self.by_hub.entry(hub.clone()).or_default().everything = true;
    }

    fn insert(&mut self, hub: &Arc<str>, interest: &Interest) -> bool {
        let is_new = self.by_hub.entry(hub.clone()).or_default().interests.insert(interest.clone());
        let hubs = self.hubs_by_pattern.entry(interest.pattern.clone()).or_default();
        hubs.insert((hub.clone(), interest.listener.clone()));
        is_new
    }

    fn forget(&mut self, hub: &Arc<str>) {
        for interest in self.by_hub.remove(hub).map(|of_hub| of_hub.interests).unwrap_or_default() {
            self.remove_pattern(hub, interest);
        }
    }

    fn remove_pattern(&mut self, hub: &Arc<str>, Interest { pattern, listener }: Interest) {
        if let Some(hubs) = self.hubs_by_pattern.get_mut(&pattern) {
            hubs.remove(&(hub.clone(), listener));
            if hubs.is_empty() {
                self.hubs_by_pattern.remove(&pattern);
            }
        }
    }

    /// The hubs with a listener for a message, each once.
    pub fn hubs(&self, message: Publication<'_>) -> Vec<Arc<str>> {
        if self.by_hub.is_empty() {
            return Vec::new();
        }
        let everything = self.by_hub.iter().filter(|(_, of_hub)| of_hub.everything).map(|(hub, _)| hub.clone());
        let mut found: Vec<Arc<str>> = everything.collect();
        let mut look = |pattern: &str| {
            let hubs = self.hubs_by_pattern.get(pattern).into_iter().flatten();
            found.extend(hubs.filter(|(_, listener)| message.is_for(listener)).map(|(hub, _)| hub.clone()));
        };
        let topic = message.topic;
        look(topic);
        let mut pattern = String::with_capacity(topic.len() + 1);
        for (at, _) in topic.char_indices().chain([(topic.len(), ' ')]) {
            pattern.clear();
            pattern.push_str(&topic[..at]);
            pattern.push('*');
            look(&pattern);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether a queued message is for one of these interests.
    pub fn wants(interests: &[Interest], message: Publication<'_>) -> bool {
        interests.iter().any(|one| topic_fits(&one.pattern, message.topic) && message.is_for(&one.listener))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eye_protocol::scope::Limits;

    fn of(pattern: &str, listener: HeardBy) -> Interest {
        Interest { pattern: pattern.into(), listener }
    }

    fn page(pattern: &str, origin: &str) -> Interest {
        of(pattern, HeardBy::Page(origin.into()))
    }

    fn agent(pattern: &str) -> Interest {
        of(pattern, HeardBy::Agent)
    }

    /// The hubs that receive what a page of an origin publishes to its own origin.
    fn hubs_of(interests: &Interests, topic: &str, origin: &str) -> String {
        let audience = Audience::Origin(origin.into());
        interests.hubs(Publication { topic, audience: &audience, origin: Some(origin), scope: &Scope::ALL }).join(" ")
    }

    #[test]
    fn hubs_are_found_by_topic_by_beginning_and_by_who_listens() {
        let mut interests = Interests::default();
        for (hub, all) in [
            ("b", vec![page("chat", "o"), agent("ü*")]),
            ("c", vec![agent("ch*"), page("*", "p")]),
            ("d", vec![of("news", HeardBy::Sharing("p".into())), of("chat", HeardBy::AgentOf("o".into()))]),
        ] {
            interests.receive(&hub.into(), HubInterests::All(all));
        }
        let of_page = |topic: &str, origin: &str| hubs_of(&interests, topic, origin);
        assert_eq!(of_page("chat", "o"), "b c d");
        assert_eq!(of_page("chat", "p"), "c");
        assert_eq!(of_page("chats", "o"), "c");
        assert_eq!(of_page("über", "o"), "b");
        assert_eq!(of_page("x", "o"), "");
        assert_eq!(of_page("x", "p"), "c");
        assert_eq!(of_page("news", "o"), "d");
        let of_agent = |topic: &str, audience: &Audience, scope: &Scope| {
            interests.hubs(Publication { topic, audience, origin: None, scope }).join(" ")
        };
        assert_eq!(of_agent("chat", &Audience::Agents, &Scope::ALL), "c");
        assert_eq!(of_agent("news", &Audience::Agents, &Scope::ALL), "");
        assert_eq!(of_agent("news", &Audience::Everyone, &Scope::ALL), "c d");
        // An agent with a limited token reaches pages of its origins alone.
        let pages = vec!["p".into()];
        let limits = Limits { id: "1".into(), name: "ci".into(), may: Vec::new(), pages, void: None };
        assert_eq!(of_agent("chat", &Audience::Everyone, &Scope::limited(limits)), "c");
    }

    #[test]
    fn patterns_have_in_common_the_narrower_one() {
        for (one, other, both) in [
            ("*", "news", Some("news")),
            ("news", "n*", Some("news")),
            ("ne*", "n*", Some("ne*")),
            ("n*", "ne*", Some("ne*")),
            ("news", "news", Some("news")),
            ("news", "new", None),
            ("a*", "b*", None),
            ("a", "b*", None),
        ] {
            assert_eq!(common(one, other).as_deref(), both, "{one} {other}");
        }
    }

    #[test]
    fn what_is_heard_no_more_is_not_sent() {
        let (mut interests, b) = (Interests::default(), Arc::from("b"));
        interests.receive(&b, HubInterests::All(vec![agent("a"), agent("b")]));
        interests.receive(&b, HubInterests::Changed(vec![(agent("a"), false), (agent("c"), true)]));
        let interested = |interests: &Interests| {
            let topics = ["a", "b", "c"].into_iter();
            topics.filter(|topic| !hubs_of(interests, topic, "o").is_empty()).collect::<String>()
        };
        assert_eq!(interested(&interests), "bc");
        interests.receive(&b, HubInterests::Gone);
        assert_eq!(interested(&interests), "");
        assert!(interests.hubs_by_pattern.is_empty() && interests.by_hub.is_empty());
    }

    #[test]
    fn a_hub_that_listens_to_too_much_is_sent_everything_and_no_more_is_kept() {
        let (mut interests, b) = (Interests::default(), Arc::from("b"));
        for number in 0..INTERESTS_MAX + 5 {
            interests.receive(&b, HubInterests::Changed(vec![(page(&number.to_string(), "p"), true)]));
        }
        assert_eq!((interests.hubs_by_pattern.len(), interests.by_hub[&b].interests.len()), (0, 0));
        assert_eq!(hubs_of(&interests, "anything", "o"), "b");
        interests.receive(&b, HubInterests::All(vec![agent("a")]));
        assert_eq!(hubs_of(&interests, "anything", "o"), "");
    }

    #[test]
    fn others_hear_of_the_first_listener_and_of_the_last() {
        let mut interests = Interests::wanted();
        interests.add(agent("a"));
        interests.add(agent("a"));
        assert_eq!(interests.take_changed(), [(agent("a"), true)]);
        interests.remove(agent("a"));
        assert_eq!(interests.take_changed(), []);
        interests.remove(agent("a"));
        assert_eq!(interests.take_changed(), [(agent("a"), false)]);
    }
}
