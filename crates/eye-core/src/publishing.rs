//! A session's state: taken from its page, told to whoever asks, healed when a change was missed.

use crate::calls::{Call, Phase};
use crate::event::{Asker, Effect, Millis, Reply, Task};
use crate::session::Session;
use crate::session_event::Outcome;
use crate::state::{State, StateQuery, When};
use eye_protocol::limits::STATE_ASK_MS;
use eye_protocol::state::{Change, Whole};
use eye_protocol::{Code, Ending, Error, Value};

const FALLBACK: &str = "using cached state: the page did not answer, so it may be stale";

impl Session {
    /// Takes a whole document, whatever came before.
    pub(crate) fn take_state(&mut self, when: When, whole: &Whole, out: &mut Vec<Outcome>) {
        self.published.healing = false;
        self.published.wall_ms = when.wall_ms;
        if let Ok(state) = State::new(&whole.state, whole.revision, when, self.published.state.as_ref()) {
            out.push(Outcome::State { revision: state.revision(), patch: None });
            self.published.state = Some(state);
        }
    }

    /// Takes a change; one that does not fit makes the session ask for the whole.
    pub(crate) fn change_state(&mut self, when: When, change: &Change, out: &mut Vec<Outcome>) {
        self.published.wall_ms = when.wall_ms;
        let known = self.published.state.as_mut();
        // Patched in the filter: what does not fit is not taken.
        let taken = known.and_then(|state| state.patch(&change.patch, change.revision, when).is_ok().then_some(state));
        if let Some(state) = taken {
            out.push(Outcome::State { revision: state.revision(), patch: Some(change.patch.get().into()) });
        } else if !self.published.healing {
            self.published.healing = true;
            self.ask_page(when.now, None, StateQuery::default(), out);
        }
    }

    /// Tells the state: what is known, or what the page says when it is asked first.
    pub(crate) fn want_state(
        &mut self,
        now: Millis,
        reply: Reply,
        fresh: bool,
        query: StateQuery,
        out: &mut Vec<Outcome>,
    ) {
        match &self.published.state {
            Some(state) if !fresh => {
                let result = state.read(now, &query, false, None);
                out.push(Outcome::Effect(Effect::Result { reply, result }));
            }
            _ if self.page().is_some() => self.ask_page(now, Some(reply), query, out),
            _ => self.tell_known_state(now, Some(reply), &query, out),
        }
    }

    fn ask_page(&mut self, now: Millis, reply: Option<Reply>, query: StateQuery, out: &mut Vec<Outcome>) {
        let Some(page) = self.page() else { return };
        let asker = Asker::State { reply, query };
        let deadline = now.saturating_add(STATE_ASK_MS);
        let call =
            Call { asker, asked_at: now, deadline, tool: false, delta_since: None, again: None, phase: Phase::Sent };
        let call = self.calls().add(call);
        out.push(Outcome::Effect(Effect::Send { page, call: Some(call), task: Task::State }));
    }

    /// The page answered that it was asked for its state.
    pub(crate) fn page_told_state(&mut self, now: Millis, call: u32, ending: Ending, out: &mut Vec<Outcome>) {
        let told = match ending {
            Ok(Value::Json(text)) => serde_json::from_str::<Whole>(&text)
                .map_err(|error| Error::new(Code::INTERNAL, format!("the page told a malformed state: {error}"))),
            Ok(_) => Err(Error::new(Code::INTERNAL, "the page told a malformed state")),
            Err(error) if error.code == Code::METHOD => {
                Err(Error::new(Code::SESSION, "the page publishes no state")
                    .hint("let it call `eye.state(() => ({ … }))`"))
            }
            Err(error) => Err(error),
        };
        let Some(known) = self.calls().remove(call) else { return };
        let Asker::State { reply, query } = known.asker else { return };
        self.published.healing = false;
        let result = match told {
            Ok(whole) => {
                let before = self.published.state.as_ref();
                match State::new(&whole.state, whole.revision, self.when(now), before) {
                    Ok(state) => {
                        let result = state.read(now, &query, true, None);
                        if before.map(State::revision) != Some(state.revision()) {
                            out.push(Outcome::State { revision: state.revision(), patch: None });
                        }
                        self.published.state = Some(state);
                        result
                    }
                    Err(error) => Err(error),
                }
            }
            Err(error) => Err(error),
        };
        out.extend(reply.map(|reply| Outcome::Effect(Effect::Result { reply, result })));
    }

    /// The page could not be asked, or did not answer: what is known is told with a warning.
    pub(crate) fn tell_known_state(
        &mut self,
        now: Millis,
        reply: Option<Reply>,
        query: &StateQuery,
        out: &mut Vec<Outcome>,
    ) {
        self.published.healing = false;
        let Some(reply) = reply else { return };
        let result = match &self.published.state {
            Some(state) => state.read(now, query, false, Some(FALLBACK)),
            None => Err(Error::new(Code::SESSION, "Unable to retrieve state: Browser not connected")
                .hint("Browser may be disconnected; open the page again")),
        };
        out.push(Outcome::Effect(Effect::Result { reply, result }));
    }

    fn when(&self, now: Millis) -> When {
        When { now, wall_ms: self.published.wall_ms }
    }
}
