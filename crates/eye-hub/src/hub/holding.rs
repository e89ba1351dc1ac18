//! Calls of tools with irreversible effects: while a console is open, they wait until a person allows them.

use super::auditing::id_of;
use super::confirmable::Confirmable;
use super::state::{Hub, State};
use crate::console::{HELD_MS, Held};
use crate::dialect::wall_ms;
use eye_core::{Effect, Input, Reply, ReplyForm, Task};
use eye_protocol::{Code, Error, Kind};

impl Hub {
    /// Feeds an agent's request. While a console is open, a tool call that needs a person waits for one.
    pub(crate) fn feed_request(&self, state: &mut State, input: Input) {
        if let Input::Cancel { agent, id } = &input {
            self.cancel_paused(state, *agent, id);
            let cancelled = state.desk.take_held(|held| held.agent == *agent && waits_as(held, id));
            for held in cancelled {
                self.refuse_held(state, held, Error::new(Code::CANCELLED, "the call was cancelled"));
            }
        }
        state.confirmable = if state.desk.is_watched() { confirmable(state, &input) } else { None };
        self.feed(state, input);
        state.confirmable = None;
    }

    /// Holds back the refusal of a call that lacks only a person's consent, and shows the call to consoles instead.
    pub(crate) fn unless_held(&self, state: &mut State, effect: Effect) -> Option<Effect> {
        let Some(call) = &state.confirmable else { return Some(effect) };
        let waits = match &effect {
            Effect::Ended { reply, ending: Err(error), .. } => error.kind == Kind::Unconfirmed && *reply == call.reply,
            _ => false,
        };
        if !waits {
            return Some(effect);
        }
        let (Some(id), Some(call)) = (state.desk.next_held(), state.confirmable.take()) else { return Some(effect) };
        let Confirmable { reply, page, tool, arguments, again } = *call;
        let name = state.board.agent_name(reply.agent).into();
        let (at_ms, until) = (wall_ms(), self.now() + HELD_MS);
        let agent = reply.agent;
        state.desk.held.push(Held { id, agent, name, page, tool, arguments, at_ms, until, again, refusal: effect });
        None
    }

    /// Applies a person's decision on a waiting call. `false`: it no longer waits.
    pub(crate) fn decide_held(&self, state: &mut State, id: u32, allow: bool) -> bool {
        let Some(held) = state.desk.take_held(|held| held.id == id).pop() else { return false };
        if allow {
            self.feed(state, held.again);
        } else {
            let error = Error::new(Code::DENIED, format!("a person refused the call of {}", held.tool));
            self.refuse_held(state, held, error.hint("ask them before you try again"));
        }
        true
    }

    /// Ends calls that have waited too long, or all of them if no console is open.
    pub(crate) fn end_held(&self, state: &mut State) {
        if state.desk.held.is_empty() {
            return;
        }
        let (now, watched) = (self.now(), state.desk.is_watched());
        for held in state.desk.take_held(|held| !watched || held.until <= now) {
            self.apply(state, held.refusal);
        }
    }

    fn refuse_held(&self, state: &mut State, held: Held, error: Error) {
        if let Effect::Ended { reply, .. } = held.refusal {
            self.apply(state, Effect::Ended { reply, ending: Err(error), delta: None });
        }
    }
}

fn confirmable(state: &State, input: &Input) -> Option<Box<Confirmable>> {
    let Input::Ask { agent, form: Some(form), task, page, timeout_ms, mode } = input else { return None };
    let Task::Tool { name, arguments, confirmed: false, terms } = task else { return None };
    let (session, _) = state.board.meant(*agent, page.as_deref())?;
    let page: Box<str> = session.as_str().into();
    let task = Task::Tool { name: name.clone(), arguments: arguments.clone(), confirmed: true, terms: *terms };
    let (form, timeout_ms, mode) = (form.clone(), *timeout_ms, mode.clone());
    let reply = Reply { agent: *agent, form: form.clone() };
    let again = Input::Ask { agent: *agent, form: Some(form), task, page: Some(page.clone()), timeout_ms, mode };
    Some(Box::new(Confirmable { reply, page, tool: name.clone(), arguments: arguments.clone(), again }))
}

fn waits_as(held: &Held, id: &str) -> bool {
    matches!(&held.refusal, Effect::Ended { reply: Reply { form: form @ (ReplyForm::Rpc(_) | ReplyForm::Tool(_)), .. }, .. } if id_of(form) == id)
}
