//! States that outlive their hubs. A hub writes the states of the sessions that it holds, and reads any state. Each
//! state is stored with the claim that it was written under, so that an older one never replaces a newer one.

use super::event::{Action, StatesAction};
use super::state::Core;
use eye_core::Input;
use eye_core::lasting::{Found, Lasting, Recalled};
use eye_protocol::SessionId;

impl Core {
    /// Handles an operation on a state or letter that outlives its hub.
    pub(super) fn lasting(&mut self, lasting: Lasting, out: &mut Vec<Action>) {
        let is_up = self.up_since.is_some();
        match lasting {
            Lasting::Write(state) => {
                let session = state.session.clone();
                let own = self.directory.own.get_mut(&session).filter(|own| own.row.origin == state.origin);
                // Before the directory is read it is not known which hub holds the session. The local hub sends the
                // state again after that.
                if let Some(own) = own.filter(|_| is_up && self.directory.is_read) {
                    own.state = Some(state);
                    self.write_state(&session, out);
                }
            }
            Lasting::Recall(session) if is_up => {
                out.push(Action::States(StatesAction::Get { session, with_letters: false }));
            }
            // The row of its page follows.
            Lasting::CameBack(session) if is_up => drop(self.directory.came_back.insert(session)),
            Lasting::Recall(session) | Lasting::CameBack(session) => {
                let recalled = Recalled { session, found: Found::Unknown, letters: Some(Vec::new()) };
                out.push(Action::Feed(Input::Recalled(Box::new(recalled))));
            }
            Lasting::Forget(session) => {
                if is_up && !self.directory.holds(&session) {
                    out.push(Action::States(StatesAction::Remove(session)));
                }
            }
            Lasting::Given(given) if is_up => out.push(Action::States(StatesAction::Given(given))),
            // They are removed when the link is back: the local hub then sends again what it still keeps.
            Lasting::Given(given) => out.push(Action::Feed(Input::MailGiven(given))),
            Lasting::Letter(letter) if is_up => out.push(Action::States(StatesAction::Letter(letter))),
            Lasting::Mail { session, letters } if is_up => {
                out.push(Action::States(StatesAction::Mail { session, letters }));
            }
            Lasting::Letter(_) | Lasting::Mail { .. } => {}
        }
    }

    /// Writes the state of a session, if the directory says that this hub holds it.
    pub(super) fn write_state(&mut self, session: &SessionId, out: &mut Vec<Action>) {
        let is_ready = self.up_since.is_some() && self.directory.is_read;
        let entry = self.directory.entries.get(session).filter(|entry| is_ready && entry.life == self.life);
        let Some((entry, own)) = entry.zip(self.directory.own.get_mut(session)) else { return };
        if entry.epoch == own.row.epoch
            && let Some(state) = own.state.take()
        {
            out.push(Action::States(StatesAction::Put { state, epoch: entry.epoch }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::claiming::cast_row::{ORIGIN, page};
    use crate::core::{Event, Life};
    use crate::row::Row;
    use eye_core::elsewhere::RowHere;
    use eye_core::handover::HandedState;
    use eye_core::lasting::{GivenMail, LastingState};
    use eye_core::{Conn, Reply, ReplyForm};
    use eye_protocol::messages::Presence;

    fn id() -> SessionId {
        SessionId::parse("s1").unwrap()
    }

    fn state(origin: &str, revision: u64) -> Event {
        let state = HandedState { text: Some("1".into()), revision, age_ms: 0, wall_ms: 1 };
        Event::Lasting(Lasting::Write(Box::new(LastingState {
            session: id(),
            origin: origin.into(),
            name: None,
            alias: None,
            title: "t".into(),
            url: "u".into(),
            state,
        })))
    }

    fn row(life: &str, epoch: u64) -> Row {
        let life: Life = life.into();
        Row { epoch, ..Row::of(page("s1", Presence::Connected), None, &life, &life) }
    }

    fn joined() -> Event {
        let row = page("s1", Presence::Connected);
        Event::Rows(vec![(id(), Some(RowHere { row, last_ref: None, page: None }))])
    }

    fn stored(epoch: u64) -> Event {
        Event::Stored { session: id(), row: Some(row("a", epoch)), revision: Some(9) }
    }

    /// The states that hub `a` writes: the claim and the revision of each.
    fn written(events: impl IntoIterator<Item = Event>) -> Vec<(u64, u64)> {
        let (mut core, mut out) = (Core::new("a".into(), "a".into()), Vec::new());
        for event in events {
            core.on(1, event, &mut out);
        }
        let put = |action| match action {
            Action::States(StatesAction::Put { state, epoch }) => Some((epoch, state.state.revision)),
            _ => None,
        };
        out.into_iter().filter_map(put).collect()
    }

    #[test]
    fn a_state_is_written_when_the_claim_is_and_not_before() {
        let read = || [Event::Up, Event::Reading, Event::Read];
        let all = |more: Vec<Event>| written(read().into_iter().chain(more));
        assert_eq!(all(vec![joined(), state(ORIGIN, 1)]), []);
        assert_eq!(all(vec![joined(), state(ORIGIN, 1), state(ORIGIN, 2), stored(1)]), [(1, 2)], "the last of them");
        assert_eq!(all(vec![joined(), stored(1), state(ORIGIN, 1), state(ORIGIN, 2)]), [(1, 1), (1, 2)]);
        assert_eq!(all(vec![state(ORIGIN, 1)]), [], "another hub's, or no hub's");
        assert_eq!(all(vec![joined(), stored(1), state("http://localhost:9", 1)]), [], "another origin's");
        let lost = Event::Entry { session: id(), row: Some(row("b", 2)), revision: 12 };
        assert_eq!(all(vec![joined(), stored(1), lost, state(ORIGIN, 1)]), [], "another hub has claimed it since");
        assert_eq!(all(vec![joined(), stored(1), Event::Down, state(ORIGIN, 1)]), [], "without a link");
        assert_eq!(all(vec![joined(), state(ORIGIN, 1), Event::Down, stored(1)]), [], "it is given out again");
    }

    #[test]
    fn a_hub_that_has_not_read_the_directory_writes_nothing_and_asks_for_all_states_when_it_has() {
        let events = vec![joined(), state(ORIGIN, 1), Event::Up, Event::Reading, state(ORIGIN, 2)];
        assert_eq!(written(events), []);
        let (mut core, mut out) = (Core::new("a".into(), "a".into()), Vec::new());
        for event in [joined(), Event::Up, Event::Reading, Event::Read] {
            core.on(1, event, &mut out);
        }
        assert!(out.iter().any(|action| matches!(action, Action::Feed(Input::StatesWanted))), "{out:?}");
    }

    #[test]
    fn letters_that_an_agent_gets_are_removed_first_where_there_is_a_link() {
        let reply = Reply { agent: Conn(1), form: ReplyForm::Rpc("1".into()) };
        let given = || Box::new(GivenMail { session: id(), reply: reply.clone(), result: "[]".into() });
        let (mut core, mut out) = (Core::new("a".into(), "a".into()), Vec::new());
        core.on(1, Event::Lasting(Lasting::Given(given())), &mut out);
        assert!(matches!(&out[..], [Action::Feed(Input::MailGiven(_))]), "{out:?}");
        core.on(1, Event::Up, &mut out);
        out.clear();
        core.on(1, Event::Lasting(Lasting::Given(given())), &mut out);
        assert!(matches!(&out[..], [Action::States(StatesAction::Given(_))]), "{out:?}");
        core.on(1, Event::MailGiven(given()), &mut out);
        assert!(matches!(&out[1..], [Action::Feed(Input::MailGiven(_))]), "{out:?}");
    }

    #[test]
    fn a_recall_is_answered_at_once_where_there_is_no_link() {
        let act = |is_up: bool, lasting| {
            let (mut core, mut out) = (Core::new("a".into(), "a".into()), Vec::new());
            if is_up {
                core.on(1, Event::Up, &mut out);
            }
            core.on(1, Event::Lasting(lasting), &mut out);
            out
        };
        let (recall, came_back) = (|| Lasting::Recall(id()), || Lasting::CameBack(id()));
        assert!(matches!(&act(true, recall())[..], [Action::States(StatesAction::Get { with_letters: false, .. })]));
        assert!(act(true, came_back()).is_empty(), "its claim comes first");
        let found = |action: &Action| match action {
            Action::Feed(Input::Recalled(recalled)) => recalled.found.clone(),
            other => panic!("{other:?}"),
        };
        for lasting in [recall(), came_back()] {
            assert_eq!(act(false, lasting).iter().map(found).collect::<Vec<_>>(), [Found::Unknown]);
        }
    }
}
