//! What is known of an agent: per connection, and, under its name, across connections.

use crate::candidate::Candidate;
use crate::ids::Millis;
use crate::kept::Shelf;
use crate::order::InOrder;
use crate::pace::Pace;
use crate::rate::Rate;
use eye_protocol::error::Kind;
use eye_protocol::limits::{AGENT_CALLS_MAX, AGENT_CALLS_PER_S_MAX};
use eye_protocol::scope::Scope;
use eye_protocol::{Code, Ending, Error, SessionId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The page that an agent uses. A session of the same id that another origin made is another page, unless it is of a
/// tab that the hub drives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedPage {
    pub session: SessionId,
    /// The origin that held the session when the agent used it.
    pub origin: Arc<str>,
}

impl UsedPage {
    /// Whether `held` is this page.
    pub fn is(&self, held: &dyn Candidate) -> bool {
        self.session == *held.id() && self.is_of(held)
    }

    /// The same for a session of this id.
    pub fn is_of(&self, held: &dyn Candidate) -> bool {
        let (own, origin): (&str, &str) = (&self.origin, held.origin());
        // Nearly always the same text in the same place.
        held.is_driven() || std::ptr::eq(own, origin) || own == origin
    }
}

/// One connection of an agent.
#[derive(Debug, Default)]
pub struct Agent {
    /// Identifies the agent across connections, prefixed with the name of its token. Empty when the agent gave none.
    pub name: Arc<str>,
    /// What its token allows. Used here only to decide which pages the agent sees.
    pub scope: Scope,
    /// The page that its calls go to, in the agent's own words.
    pub target: Option<Box<str>>,
    /// The page that `target` first resolved to. The target never resolves to a page of another origin later.
    pub target_page: Option<UsedPage>,
    /// The session that `target` certainly means, and the switchboard's number of namings when it was found.
    resolved: Option<(u64, SessionId)>,
    /// The frame its calls are evaluated in, if a call names none.
    pub frame: Option<Box<str>>,
    /// Timeout of its calls, if a call names none.
    pub timeout_ms: Option<u64>,
    /// The page it used last on this connection.
    pub last_used: Option<UsedPage>,
    pub joined: Option<UsedPage>,
    /// Sessions in which calls of this agent may be under way.
    pub called: BTreeSet<SessionId>,
    /// Holds back answers without ids until they are in order.
    pub order: InOrder<Ending>,
    pub in_flight: usize,
    /// Whether any of its requests was passed on to another hub.
    pub passed: bool,
    /// Whether it is connected to another hub, which passes its requests on to this one.
    pub guest: bool,
    /// Its rate limit, when lower than every agent's.
    pub rate: Option<Rate>,
    pace: Pace,
}

/// The rate limit of every agent.
const RATE_MAX: Rate = Rate { per_s: AGENT_CALLS_PER_S_MAX, burst: AGENT_CALLS_MAX };

impl Agent {
    /// The name under which its results are kept. Agents without a name share a shelf, but not with those of another
    /// token.
    pub fn shelf_name(&self) -> Arc<str> {
        match self.scope.name() {
            Some(token) if self.name.is_empty() => format!("{token}:").into(),
            Some(_) | None => self.name.clone(),
        }
    }

    /// The session that its target certainly means, if that was found since names last changed.
    pub fn resolved(&self, namings: u64) -> Option<&SessionId> {
        self.target.as_ref().and(self.resolved.as_ref()).filter(|(at, _)| *at == namings).map(|(_, session)| session)
    }

    /// Remembers what its target means until names change.
    pub fn resolve(&mut self, namings: u64, session: SessionId) {
        self.resolved = Some((namings, session));
    }

    /// Whether this is the page it used last on this connection.
    pub fn used_last(&self, held: &dyn Candidate) -> bool {
        self.last_used.as_ref().is_some_and(|page| page.is(held))
    }

    /// Admits `count` more calls, or returns why not: too many under way, or too many at once.
    pub fn admit(&mut self, now: Millis, count: usize) -> Result<(), Error> {
        if self.in_flight + count > AGENT_CALLS_MAX {
            let message = format!("{AGENT_CALLS_MAX} calls of this agent are already under way");
            return Err(Error::new(Code::CONNECTION, message).hint("wait for some of them to end"));
        }
        let rate = self.rate.unwrap_or(RATE_MAX);
        self.pace.take(now, count, rate).map_err(|retry_after_ms| too_often(rate, retry_after_ms))
    }
}

/// The refusal of a call that exceeds the rate limit.
pub fn too_often(rate: Rate, retry_after_ms: Millis) -> Error {
    let Rate { per_s, burst } = rate;
    let error = Error::new(Code::CONNECTION, format!("more than {per_s} calls a second, after a burst of {burst}"));
    Error { kind: Kind::TooOften { retry_after_ms }, ..error.hint(format!("ask again in {retry_after_ms} ms")) }
}

/// What is kept of an agent beyond its connections.
#[derive(Debug, Default)]
pub struct Memory {
    pub last_used: Option<UsedPage>,
    pub shelf: Shelf,
    /// When it was last used. When there are too many, the one that was idle longest is forgotten: one that keeps no
    /// results, if there is any.
    pub seen_at: Millis,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_refused_and_a_burst_is_not() {
        let mut agent = Agent::default();
        assert_eq!(agent.admit(0, AGENT_CALLS_MAX), Ok(()));
        assert!(agent.admit(0, AGENT_CALLS_MAX).unwrap_err().message.contains("calls a second"));
        assert_eq!(agent.admit(1_000, AGENT_CALLS_MAX), Ok(()));
        agent.in_flight = AGENT_CALLS_MAX - 1;
        assert_eq!(agent.admit(9_000, 1), Ok(()));
        assert!(agent.admit(9_000, 2).unwrap_err().message.contains("under way"));
    }
}
