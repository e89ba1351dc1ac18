//! A session's state: taken from its page, given to agents, repaired when a change was missed.

use crate::calls::Call;
use crate::document::{Document, Meter, Unfit};
use crate::effect::Effect;
use crate::ids::{CallId, Conn, Millis};
use crate::input::Input;
use crate::session::{Session, answer_page, shut_down};
use crate::session_event::{Outcome, StateNews};
use crate::snapshots::Published;
use crate::state::{State, StateQuery, When};
use crate::task::{Asker, Reply, Task};
use crate::then::Then;
use crate::work::{Done, StateAnswer, Work};
use eye_protocol::limits::{LASTING_STATE_BYTES_MAX, LIGHT_BYTES_MAX, LIGHT_STEPS_MAX, STATE_ASK_MS};
use eye_protocol::state::{Change, WholeState};
use eye_protocol::{Code, Ending, Error, Value};

const FALLBACK: &str = "using cached state: the page did not answer, so it may be stale";

impl Session {
    /// A page publishes a whole document, which replaces the one before.
    pub(crate) fn publish_state(&mut self, when: When, page: Conn, whole: WholeState, out: &mut Vec<Outcome>) {
        self.published.wall_ms = when.wall_ms;
        let WholeState { state, revision: page_revision } = whole;
        if state.len() > LIGHT_BYTES_MAX {
            let then = Then::Publish { page, page_revision, when };
            self.begin(Work::Parse(state), then, out);
        } else {
            let document = Document::parse(&state, || {});
            let _ = self.take_state(page, page_revision, when, document, state, out);
        }
    }

    /// Replaces the known state by a document that was parsed.
    fn take_state(
        &mut self,
        page: Conn,
        page_revision: u64,
        when: When,
        document: Result<Document, Error>,
        text: Box<str>,
        out: &mut Vec<Outcome>,
    ) -> Result<(), Error> {
        self.published.healing = false;
        let before = self.published.state.as_ref();
        let known = before.map(State::revision);
        let mut state = State::new(document?, page_revision, when, before);
        if self.page() != Some(page) {
            // The page left while the document was parsed.
            state.grow_stale();
        }
        self.has_state_here();
        let revision = state.revision();
        let before = self.published.state.replace(state).and_then(|mut before| before.drop_document());
        if let Some(before) = before.filter(|before| before.text_bytes() > LIGHT_BYTES_MAX) {
            out.push(Outcome::Effect(Effect::Free(Box::new(before))));
        }
        if known != Some(revision) {
            out.push(Outcome::State { revision, news: StateNews::Whole(text) });
        }
        self.offered(out);
        Ok(())
    }

    /// A page publishes a change. If it does not fit, the session requests the whole state.
    pub(crate) fn change_state(&mut self, when: When, page: Conn, change: Change, out: &mut Vec<Outcome>) {
        self.published.wall_ms = when.wall_ms;
        let Change { patch, revision: page_revision } = change;
        let state = self.published.state.as_mut().filter(|state| state.is_followed_by(page_revision));
        let fits = match state.and_then(State::document_mut) {
            None => Err(Unfit::Wrong),
            Some(_) if patch.len() > LIGHT_BYTES_MAX => Err(Unfit::TooMuchWork),
            Some(document) => document.patch(&patch, &mut Meter::new(LIGHT_STEPS_MAX)),
        };
        let lent = match fits {
            Err(Unfit::TooMuchWork) => self.published.state.as_mut().and_then(State::lend),
            Ok(()) | Err(Unfit::Wrong | Unfit::TooLarge) => None,
        };
        match lent {
            Some(document) => {
                self.begin(Work::Patch(document, patch), Then::Change { page, page_revision, when }, out);
            }
            None => self.changed_state(when, patch, page_revision, fits, out),
        }
    }

    /// Handles a change that was applied, or that did not fit.
    fn changed_state(
        &mut self,
        when: When,
        patch: Box<str>,
        page_revision: u64,
        fits: Result<(), Unfit>,
        out: &mut Vec<Outcome>,
    ) {
        match (fits, &mut self.published.state) {
            (Ok(()), Some(state)) => {
                state.changed(&patch, page_revision, when);
                out.push(Outcome::State { revision: state.revision(), news: StateNews::Patch(patch) });
            }
            _ if self.published.healing => {}
            _ => {
                self.published.healing = true;
                self.ask_page(when.now, None, StateQuery::default(), out);
            }
        }
    }

    /// Answers a request for the state: from what is known, or after asking the page.
    pub(crate) fn want_state(
        &mut self,
        now: Millis,
        reply: Reply,
        fresh: bool,
        query: StateQuery,
        out: &mut Vec<Outcome>,
    ) {
        let known = self.published.state.as_ref().is_some_and(State::is_known);
        if known && !fresh && !self.published.ask_first {
            self.read_state(now, reply, query, false, None, out);
        } else if self.page().is_some() {
            self.ask_page(now, Some(reply), query, out);
        } else {
            self.tell_known_state(now, Some(reply), query, out);
        }
    }

    /// Reads the known state, here or on a worker.
    fn read_state(
        &mut self,
        now: Millis,
        reply: Reply,
        query: StateQuery,
        from_page: bool,
        warning: Option<&'static str>,
        out: &mut Vec<Outcome>,
    ) {
        if self.is_working() {
            let page = Some(self.id().as_str().into());
            out.push(Outcome::Later(Input::GetState { reply, page, fresh: false, query }));
            return;
        }
        if let Some(name) = query.keep {
            self.keep(reply, name, out);
            return;
        }
        let Some(state) = &mut self.published.state else { return };
        if !state.is_light(&query)
            && let Some(document) = state.lend()
        {
            let work = Work::Read(document, query.path);
            self.begin(work, Then::Read { reply, from_page, warning }, out);
            return;
        }
        let result = state.read(now, &query, from_page, warning);
        out.push(Outcome::Effect(Effect::Result { reply, result }));
    }

    /// Work of this session is done: continues what waited for it.
    pub(crate) fn worked(&mut self, now: Millis, done: Done, then: Then, room_bytes: usize, out: &mut Vec<Outcome>) {
        match (then, done) {
            (Then::Publish { page, page_revision, when }, Done::Parsed(document, text)) => {
                // A page gets no report on its state; an agent that requested the state does.
                let _ = self.take_state(page, page_revision, when, document, text, out);
            }
            (Then::Tell { page, when, reply, query }, Done::StateAnswer(answer)) => {
                self.take_state_answer(page, When { now, ..when }, answer, reply, query, out);
            }
            (Then::Change { page, page_revision, when }, Done::Patched(document, fits, patch)) => {
                let expected = self.published.state.as_mut().is_some_and(|state| state.take_back(Some(document)));
                if expected && self.page() == Some(page) {
                    self.changed_state(when, patch, page_revision, fits, out);
                }
            }
            (Then::Read { reply, from_page, warning }, Done::Read(document, text)) => {
                let gone = Error::new(Code::SESSION, "the state is not at hand").hint("ask again");
                let result = match &mut self.published.state {
                    Some(state) => {
                        state.take_back(Some(document));
                        text.map(|text| state.answer(now, Some(text), None, from_page, warning))
                    }
                    None => Err(gone),
                };
                out.push(Outcome::Effect(Effect::Result { reply, result }));
            }
            (Then::Save { reply, name }, Done::Read(document, text)) => {
                let result = match &mut self.published.state {
                    Some(state) => {
                        state.take_back(Some(document));
                        let (revision, wall_ms, at) = (state.revision(), self.published.wall_ms, state.changed_at());
                        let of = Published { revision, wall_ms, at };
                        text.map(|text| self.published.snapshots.keep(name, text, of))
                    }
                    None => Err(Error::new(Code::SESSION, "the state is not at hand").hint("save it again")),
                };
                out.push(Outcome::Effect(Effect::Result { reply, result }));
            }
            (Then::HandOver(handover), Done::Read(document, text)) => {
                self.hand_over(handover, document, text.ok(), out);
            }
            (Then::Write, Done::Read(document, text)) => {
                let expected = self.published.state.as_mut().is_some_and(|state| state.take_back(Some(document)));
                if expected && let Ok(text) = text {
                    self.write_state(now, Some(text), out);
                }
            }
            (Then::TakeOver(handed), Done::Parsed(document, _)) => {
                self.take_old_state(now, &handed, document.ok(), out);
            }
            (Then::Offer { page, id }, Done::Compiled(prepared)) => {
                if self.page() == Some(page) {
                    self.take_tools(page, id, prepared, room_bytes, out);
                }
            }
            (then, _) => self.work_failed(then, out),
        }
    }

    /// Work was given up: the hub is ending, or the worker broke.
    fn work_failed(&mut self, then: Then, out: &mut Vec<Outcome>) {
        if let Some(state) = &mut self.published.state {
            state.take_back(None);
        }
        self.published.healing = false;
        let error = Error::new(Code::INTERNAL, "this could not be worked out").hint("ask again");
        match then {
            Then::Tell { reply: Some(reply), .. } | Then::Read { reply, .. } | Then::Save { reply, .. } => {
                out.push(Outcome::Effect(Effect::Result { reply, result: Err(error) }));
            }
            Then::Offer { page, id } => answer_page(page, id, Err(error), out),
            // The rest of what was kept is handed over without the state.
            Then::HandOver(handover) => out.push(Outcome::Effect(Effect::HandOver(handover))),
            Then::Publish { .. }
            | Then::Tell { reply: None, .. }
            | Then::Change { .. }
            | Then::Write
            | Then::TakeOver(_)
            | Then::Ask(_) => {}
        }
    }

    fn ask_page(&mut self, now: Millis, reply: Option<Reply>, query: StateQuery, out: &mut Vec<Outcome>) {
        if self.is_over() {
            out.extend(reply.map(|reply| Outcome::Effect(Effect::Result { reply, result: Err(shut_down()) })));
            return;
        }
        let Some(page) = self.page() else { return };
        let asker = Asker::State { reply, query };
        let deadline = now.saturating_add(STATE_ASK_MS);
        let call = self.calls().add(Call::sent(asker, now, deadline));
        out.push(Outcome::Effect(Effect::Send { page, call: Some(call), task: Task::State }));
    }

    /// The page answered the request for its state.
    pub(crate) fn page_answered_state(&mut self, now: Millis, call: CallId, ending: Ending, out: &mut Vec<Outcome>) {
        let Some(known) = self.calls().remove(call) else { return };
        let Asker::State { reply, query } = known.asker else { return };
        let (Some(page), when) = (self.page(), When { now, wall_ms: self.published.wall_ms }) else { return };
        let answer = match ending {
            Ok(Value::Json(text)) if text.len() > LIGHT_BYTES_MAX => {
                return self.begin(Work::StateAnswer(text), Then::Tell { page, when, reply, query }, out);
            }
            Ok(Value::Json(text)) => StateAnswer::parse(&text, || {}),
            Ok(_) => Err(Error::new(Code::INTERNAL, "the page told a malformed state")),
            Err(error) if error.code == Code::METHOD => {
                Err(Error::new(Code::SESSION, "the page publishes no state")
                    .hint("let it call `eye.state(() => ({ … }))`"))
            }
            Err(error) => Err(error),
        };
        self.take_state_answer(page, when, answer, reply, query, out);
    }

    fn take_state_answer(
        &mut self,
        page: Conn,
        when: When,
        answer: Result<StateAnswer, Error>,
        reply: Option<Reply>,
        query: StateQuery,
        out: &mut Vec<Outcome>,
    ) {
        match answer {
            Ok(StateAnswer { document, text, revision }) => {
                let taken = self.take_state(page, revision, when, document, text, out);
                self.tell_taken_state(when.now, reply, query, taken, out);
            }
            Err(_) if query.keep.is_some() && self.published.state.as_ref().is_some_and(State::is_known) => {
                self.tell_known_state(when.now, reply, query, out);
            }
            Err(error) => {
                self.published.healing = false;
                out.extend(reply.map(|reply| Outcome::Effect(Effect::Result { reply, result: Err(error) })));
            }
        }
    }

    /// Answers the agent for which the page was asked for its state.
    fn tell_taken_state(
        &mut self,
        now: Millis,
        reply: Option<Reply>,
        query: StateQuery,
        taken: Result<(), Error>,
        out: &mut Vec<Outcome>,
    ) {
        let Some(reply) = reply else { return };
        match taken {
            Ok(()) => self.read_state(now, reply, query, true, None, out),
            Err(error) => out.push(Outcome::Effect(Effect::Result { reply, result: Err(error) })),
        }
    }

    /// The page could not be asked, or did not answer: answers from what is known, with a warning.
    pub(crate) fn tell_known_state(
        &mut self,
        now: Millis,
        reply: Option<Reply>,
        query: StateQuery,
        out: &mut Vec<Outcome>,
    ) {
        self.published.healing = false;
        let Some(reply) = reply else { return };
        if self.published.state.as_ref().is_some_and(State::is_known) {
            self.read_state(now, reply, query, false, Some(FALLBACK), out);
            return;
        }
        let error = if self.page().is_none() && self.was_too_large() {
            let kib = LASTING_STATE_BYTES_MAX >> 10;
            let message = format!("the last state of the page was larger than {kib} KiB, and ended with its hub");
            Error::new(Code::SESSION, message).hint("open the page again, or let it publish less")
        } else if self.page().is_some() {
            Error::new(Code::TIMEOUT, "Unable to retrieve state: State query timeout")
                .hint("the page is connected and did not answer; it may be frozen or in the background")
        } else {
            Error::new(Code::SESSION, "Unable to retrieve state: Browser not connected")
                .hint("Browser may be disconnected; open the page again")
        };
        out.push(Outcome::Effect(Effect::Result { reply, result: Err(error) }));
    }
}
