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

/// The page that an agent means. A session of the same id that another origin made is another page, unless it is of a
/// tab that the hub drives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedPage {
    /// Its session.
    pub session: SessionId,
    /// The origin that held the session then.
    pub origin: Arc<str>,
}

impl UsedPage {
    /// Whether it is this session.
    pub fn is(&self, held: &dyn Candidate) -> bool {
        self.session == *held.id() && (held.is_driven() || *self.origin == *held.origin())
    }
}

/// One connection of an agent.
#[derive(Debug, Default)]
pub struct Agent {
    /// Who it is across connections; empty when it did not say.
    pub name: Arc<str>,
    /// What its token allows; here only whose pages exist for it.
    pub scope: Scope,
    /// The page its calls go to, as it named it.
    pub target: Option<Box<str>>,
    /// The page that the target meant first; it means no page of another origin later.
    pub target_page: Option<UsedPage>,
    /// The frame its calls are evaluated in.
    pub frame: Option<Box<str>>,
    /// How long its calls may take.
    pub timeout_ms: Option<u64>,
    /// The page it used last on this connection.
    pub last_used: Option<UsedPage>,
    /// The session it joined.
    pub joined: Option<UsedPage>,
    /// Sessions where calls of it may be under way.
    pub asked: BTreeSet<SessionId>,
    /// Its answers without ids.
    pub order: InOrder<Ending>,
    /// Its calls that are under way.
    pub in_flight: usize,
    /// Whether something of it was passed on to another hub.
    pub passed: bool,
    /// It is connected to another hub.
    pub guest: bool,
    /// How often it may ask, when less than every agent may.
    pub rate: Option<Rate>,
    /// How often it asks.
    pace: Pace,
}

/// What every agent may ask.
const RATE_MAX: Rate = Rate { per_s: AGENT_CALLS_PER_S_MAX, burst: AGENT_CALLS_MAX };

impl Agent {
    /// Under which name its results are kept. Agents without a name share a shelf, but not with those of another token.
    pub fn shelf_name(&self) -> Arc<str> {
        match self.scope.name() {
            Some(token) if self.name.is_empty() => format!("{token}:").into(),
            Some(_) | None => self.name.clone(),
        }
    }

    /// Takes so many more calls, or says why not: too many under way, or too many at once.
    pub fn admit(&mut self, now: Millis, count: usize) -> Result<(), Error> {
        if self.in_flight + count > AGENT_CALLS_MAX {
            let message = format!("{AGENT_CALLS_MAX} calls of this agent are already under way");
            return Err(Error::new(Code::CONNECTION, message).hint("wait for some of them to end"));
        }
        let rate = self.rate.unwrap_or(RATE_MAX);
        self.pace.take(now, count, rate).map_err(|retry_after_ms| too_often(rate, retry_after_ms))
    }
}

/// The refusal of a call of an agent that asks more often than it may.
pub fn too_often(rate: Rate, retry_after_ms: Millis) -> Error {
    let Rate { per_s, burst } = rate;
    let error = Error::new(Code::CONNECTION, format!("more than {per_s} calls a second, after a burst of {burst}"));
    Error { kind: Kind::TooOften { retry_after_ms }, ..error.hint(format!("ask again in {retry_after_ms} ms")) }
}

/// What outlives an agent's connections.
#[derive(Debug, Default)]
pub struct Memory {
    /// The page it used last.
    pub last_used: Option<UsedPage>,
    /// Its kept results.
    pub shelf: Shelf,
    /// When it was last there.
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
