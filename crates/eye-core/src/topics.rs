//! Topics: which connections and hubs listen, and the messages that wait for their first listener.

mod interests;
mod queue;

use crate::elsewhere::{Audience, ChangedInterest, HeardBy, HubInterests, Interest};
use crate::ids::{Conn, Millis};
use crate::policy::topic_fits;
use crate::session::Session;
use eye_protocol::limits::{OWN_TOPIC_PREFIX, SUBSCRIPTIONS_MAX, TOPIC_QUEUE_BYTES_MAX, TOPIC_QUEUE_LEN_MAX};
use eye_protocol::scope::Scope;
use eye_protocol::{Code, Error};
pub(crate) use interests::Publication;
use interests::{Interests, common};
use queue::Queue;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A message without a subscriber so far.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub topic: Box<str>,
    pub params: Arc<str>,
    pub publisher: Conn,
    /// The publisher's origin, if it is a page.
    pub origin: Option<Box<str>>,
    /// What the publisher's token allows. Kept here, because it still applies when the publisher has left.
    pub scope: Scope,
    pub audience: Audience,
}

impl Audience {
    /// Whether a listener is in the audience: an agent (`None`), or a page.
    pub(crate) fn holds(&self, topic: &str, page: Option<&Session>) -> bool {
        match (self, page) {
            (_, None) | (Self::Everyone, _) => true,
            (Self::Origin(origin), Some(page)) => **origin == *page.origin() || page.shares(topic),
            (Self::Agents, Some(_)) => false,
        }
    }
}

/// A connection that listens.
#[derive(Debug, Default)]
struct Listener {
    /// As which kinds of listener it counts; a pattern limits a kind to the topics that fit it.
    as_whom: Vec<(HeardBy, Option<Box<str>>)>,
    /// The topics and prefixes that it subscribed to.
    patterns: Vec<Box<str>>,
}

impl Listener {
    fn interests(&self) -> impl Iterator<Item = Interest> {
        self.patterns.iter().flat_map(|pattern| self.interests_in(pattern))
    }

    fn interests_in(&self, pattern: &str) -> impl Iterator<Item = Interest> {
        self.as_whom.iter().filter_map(move |(listener, only)| {
            let pattern = only.as_ref().map_or_else(|| Some(pattern.into()), |only| common(only, pattern))?;
            Some(Interest { pattern, listener: listener.clone() })
        })
    }
}

/// All topics of one hub.
#[derive(Debug, Default)]
pub(crate) struct Topics {
    subscriptions: FxHashMap<Conn, Listener>,
    waiting: Queue<Waiting>,
    interests: Interests,
}

impl Topics {
    /// All listeners of a topic except the publisher, in the order in which they connected.
    pub fn listeners(&self, topic: &str, publisher: Conn) -> Vec<Conn> {
        let matches = |patterns: &[Box<str>]| patterns.iter().any(|pattern| topic_fits(pattern, topic));
        let mut conns: Vec<Conn> = self
            .subscriptions
            .iter()
            .filter(|(conn, listener)| **conn != publisher && matches(&listener.patterns))
            .map(|(conn, _)| *conn)
            .collect();
        conns.sort_unstable();
        conns
    }

    /// Queues a message for its first listener, until a time.
    pub fn queue(&mut self, until: Millis, waiting: Waiting) -> Result<(), &'static str> {
        let (len, bytes) = self.waiting.size();
        let own_bytes = waiting.params.len();
        if len >= TOPIC_QUEUE_LEN_MAX || bytes + own_bytes > TOPIC_QUEUE_BYTES_MAX {
            return Err("too much waits already");
        }
        self.waiting.push(until, own_bytes, waiting);
        Ok(())
    }

    /// When the next queued message expires.
    pub fn next_wake(&self) -> Option<Millis> {
        self.waiting.next_due()
    }

    /// How many messages wait, and how many were looked at so far.
    #[cfg(test)]
    pub fn waiting_and_looked_at(&self) -> (usize, u64) {
        (self.waiting.size().0, self.waiting.looked_at())
    }

    /// Drops the messages that have expired.
    pub fn tick(&mut self, now: Millis) {
        self.waiting.expire(now);
    }

    /// Removes a connection that is gone.
    pub fn forget(&mut self, conn: Conn) {
        if let Some(listener) = self.subscriptions.remove(&conn) {
            listener.interests().for_each(|interest| self.interests.remove(interest));
        }
    }

    /// Changes as which kinds of listener a connection counts: its token has changed, or the topics that it shares.
    pub fn listens_as(&mut self, conn: Conn, as_whom: Vec<(HeardBy, Option<Box<str>>)>) {
        let Some(listener) = self.subscriptions.get_mut(&conn).filter(|listener| listener.as_whom != as_whom) else {
            return;
        };
        let before: Vec<Interest> = listener.interests().collect();
        listener.as_whom = as_whom;
        listener.interests().for_each(|interest| self.interests.add(interest));
        for interest in before {
            self.interests.remove(interest);
        }
    }

    /// Subscribes a connection to a topic. Returns the messages that waited for it.
    pub fn subscribe(
        &mut self,
        conn: Conn,
        page: Option<&Session>,
        topic: &str,
    ) -> Result<Vec<(Millis, Waiting)>, Error> {
        let own = self.subscriptions.entry(conn).or_default();
        if !own.patterns.iter().any(|pattern| **pattern == *topic) {
            if own.patterns.len() >= SUBSCRIPTIONS_MAX {
                let message = format!("{SUBSCRIPTIONS_MAX} topics are already subscribed to");
                return Err(Error::new(Code::PARAMS, message).hint("one that ends in `*` stands for many"));
            }
            own.patterns.push(topic.into());
            own.interests_in(topic).for_each(|interest| self.interests.add(interest));
        }
        let waited = self.waiting.take_where(|waiting| {
            waiting.publisher != conn
                && topic_fits(topic, &waiting.topic)
                && waiting.audience.holds(&waiting.topic, page)
        });
        Ok(waited.into_iter().map(|(until, _, waiting)| (until, waiting)).collect())
    }

    /// Unsubscribes a connection from a topic.
    pub fn unsubscribe(&mut self, conn: Conn, topic: &str) {
        if let Some(own) = self.subscriptions.get_mut(&conn) {
            if own.patterns.iter().any(|pattern| **pattern == *topic) {
                own.patterns.retain(|pattern| **pattern != *topic);
                own.interests_in(topic).for_each(|interest| self.interests.remove(interest));
            }
            if own.patterns.is_empty() {
                self.subscriptions.remove(&conn);
            }
        }
    }

    /// A connection is about to subscribe.
    pub fn begins(&mut self, conn: Conn) {
        self.subscriptions.entry(conn).or_default();
    }

    /// The hubs that may have a listener for a message.
    pub fn hubs(&self, publication: Publication<'_>) -> Vec<Arc<str>> {
        self.interests.hubs(publication)
    }

    /// Updates the interests of another hub. Returns the messages that waited for the new ones, and until when they
    /// wait.
    pub fn receive_elsewhere(&mut self, hub: &Arc<str>, interests: HubInterests) -> Vec<(Millis, Waiting)> {
        let new = self.interests.receive(hub, interests);
        if new.is_empty() {
            return Vec::new();
        }
        let waited = self.waiting.take_where(|waiting| {
            let Waiting { topic, origin, scope, audience, .. } = waiting;
            let publication = Publication { topic, audience, origin: origin.as_deref(), scope };
            !topic.starts_with(OWN_TOPIC_PREFIX) && Interests::wants(&new, publication)
        });
        waited.into_iter().map(|(until, _, waiting)| (until, waiting)).collect()
    }

    /// From now on interests are noted for other hubs; all of them at first.
    pub fn want_interests(&mut self) {
        self.interests = Interests::wanted();
        let all = self.subscriptions.values().flat_map(Listener::interests);
        all.for_each(|interest| self.interests.add(interest));
    }

    pub fn has_changed_interests(&self) -> bool {
        self.interests.has_changed()
    }

    pub fn take_changed_interests(&mut self) -> Vec<ChangedInterest> {
        self.interests.take_changed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_that_is_subscribed_already_is_taken_at_the_limit() {
        let mut topics = Topics::default();
        for number in 0..SUBSCRIPTIONS_MAX {
            assert!(topics.subscribe(Conn(1), None, &format!("t{number}")).is_ok());
        }
        assert_eq!(topics.subscribe(Conn(1), None, "one-more").unwrap_err().code, Code::PARAMS);
        assert!(topics.subscribe(Conn(1), None, "t0").is_ok());
        assert!(topics.subscribe(Conn(2), None, "one-more").is_ok());
    }
}
