//! Remembers which hub last held a session whose entry is gone: that hub may still keep data of the session.

use super::event::Life;
use eye_protocol::SessionId;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The number of sessions to remember. The oldest is forgotten first.
const LEN_MAX: usize = 10_000;

/// The last holders of sessions whose entries are gone.
#[derive(Debug, Default)]
pub(super) struct Former {
    lives: FxHashMap<SessionId, (Life, u64)>,
    /// Sessions in the order in which they were noted. A session that was noted again keeps its older places too.
    order: VecDeque<(u64, SessionId)>,
    noted: u64,
}

impl Former {
    pub fn note(&mut self, session: SessionId, life: Life) {
        self.noted += 1;
        self.order.push_back((self.noted, session.clone()));
        self.lives.insert(session, (life, self.noted));
        if self.order.len() > LEN_MAX
            && let Some((at, session)) = self.order.pop_front()
            && self.lives.get(&session).is_some_and(|(_, noted)| *noted == at)
        {
            self.lives.remove(&session);
        }
    }

    pub fn is(&self, session: &SessionId, life: &str) -> bool {
        self.lives.get(session).is_some_and(|(known, _)| **known == *life)
    }

    pub fn take(&mut self, session: &SessionId) -> Option<Life> {
        self.lives.remove(session).map(|(life, _)| life)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> SessionId {
        SessionId::parse(&format!("s{number}")).unwrap()
    }

    #[test]
    fn the_last_hub_is_remembered_of_so_many_sessions_and_no_more() {
        let mut former = Former::default();
        former.note(id(0), "a".into());
        former.note(id(0), "b".into());
        for number in 1..LEN_MAX {
            former.note(id(number), "a".into());
        }
        assert!(former.is(&id(0), "b") && !former.is(&id(0), "a"));
        former.note(id(LEN_MAX), "a".into());
        assert_eq!(former.take(&id(0)), None);
        assert_eq!((former.lives.len(), former.order.len()), (LEN_MAX, LEN_MAX));
        assert_eq!(former.take(&id(1)), Some("a".into()));
    }
}
