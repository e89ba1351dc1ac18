//! Requests of paused agents or to paused pages: they wait in a line until they may continue, at most until their own
//! timeout.

use super::auditing::{About, about, id_of};
use super::paused::{HeldRequest, Paused, TurnReceiver};
use super::state::{Hub, State};
use crate::audit::Noted;
use crate::console::{FACE, Waiting};
use crate::dialect::FromAgent;
use eye_core::{Conn, Effect, Input, Millis, Reply, ReplyForm, Snapshotting};
use eye_protocol::compact::Form;
use eye_protocol::rpc::json;
use eye_protocol::{Code, Error};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

/// How long a request to the gateway waits if neither it nor its agent sets a timeout: the default duration of such a
/// request.
const GATEWAY_MS: Millis = 2 * 60_000;
/// Memory that a waiting request takes besides its text.
const WAITING_BYTES: usize = 512;
/// Requests to the gateway and to browsers that only list something, or end something.
const NOT_WORK: [&str; 6] =
    ["gateway/servers", "gateway/discover", "gateway/logs", "gateway/waiting", "browser/list", "browser/stop"];

impl Hub {
    /// Returns a request that may run; queues one that must wait. Called while something is paused.
    pub(crate) fn unless_paused(
        &self,
        state: &mut State,
        conn: Conn,
        noted: Option<Noted>,
        mut one: FromAgent,
    ) -> Option<(Option<Noted>, FromAgent)> {
        let by_person = state.peers.get(&conn).is_some_and(|peer| peer.face == FACE);
        if by_person || !is_work(&one) {
            return Some((noted, one));
        }
        let meant = match &one {
            FromAgent::Input(input) => match about(input) {
                About::Page(page) => state.board.meant(conn, page),
                About::Nothing => None,
            },
            _ => None,
        };
        let page: Option<Box<str>> = meant.map(|(session, _)| session.as_str().into());
        let name: Box<str> = state.board.agent_name(conn).into();
        let in_order = is_bare(&one);
        let paused = state.desk.pauses.refuses(&name, page.as_deref()).is_some();
        let behind = in_order && state.line.has_in_order(conn);
        if !paused && !behind {
            return Some((noted, one));
        }
        let patience_ms = patience_ms(state, conn, &one);
        if let (FromAgent::Input(input), Some(page)) = (&mut one, &page) {
            input.bind(page);
        }
        let (noted, begun) = match noted {
            Some(noted) if noted.id.is_some() => (None, self.begin(state, conn, noted, &one)),
            noted => (noted, None),
        };
        let len_bytes = WAITING_BYTES + len_bytes(&one);
        let work = Paused::HeldRequest(Box::new(HeldRequest { one, begun, noted }));
        let (since, until) = self.until(patience_ms);
        let waiting = Waiting { agent: conn, name, page, since, until, len_bytes, in_order, work };
        // An answer that is matched by order must come after those of earlier requests, so it waits even now.
        if state.desk.pauses.ending && !in_order {
            self.end_waiting(state, waiting, super::draining::stopping());
        } else {
            self.wait(state, waiting);
        }
        None
    }

    /// Feeds an event of another hub's agent.
    pub(crate) fn feed_foreign(&self, state: &mut State, input: Input) {
        if let Input::Cancel { agent, id } = &input {
            self.cancel_paused(state, *agent, id);
        }
        let Some(conn) = input.conn().filter(|_| state.desk.pauses.any()) else { return self.feed(state, input) };
        if let Some((_, FromAgent::Input(input))) = self.unless_paused(state, conn, None, FromAgent::Input(input)) {
            self.feed(state, input);
        }
    }

    /// Queues an MCP connection's request to a server. `None`: its agent is not paused.
    pub(super) fn take_turn(&self, conn: Conn, patience_ms: Millis) -> Option<(Option<u64>, TurnReceiver)> {
        let mut state = self.hold();
        let state = &mut *state;
        if !state.desk.pauses.any() {
            return None;
        }
        let name: Box<str> = state.board.agent_name(conn).into();
        state.desk.pauses.refuses(&name, None)?;
        let (sender, receiver) = oneshot::channel();
        let (since, until) = self.until(patience_ms);
        let (page, len_bytes, work) = (None, WAITING_BYTES, Paused::Turn(sender));
        let waiting = Waiting { agent: conn, name, page, since, until, len_bytes, in_order: false, work };
        Some((self.wait(state, waiting), receiver))
    }

    /// An MCP connection no longer wants its request.
    pub(super) fn leave_turn(&self, number: u64) {
        let mut state = self.hold();
        if !state.line.take(|at, _| at == number).is_empty() {
            state.desk.version += 1;
        }
    }

    /// Runs the requests that no pause holds back any more, in order of arrival.
    pub(crate) fn let_go_on(&self, state: &mut State) {
        let released = state.line.take_released(&state.desk.pauses);
        for Waiting { agent, since, until, work, .. } in released {
            let now = self.now();
            match work {
                Paused::Turn(sender) => {
                    // The receiver may be gone.
                    let _ = sender.send(Ok(()));
                }
                Paused::HeldRequest(request) => {
                    let HeldRequest { mut one, begun, noted } = *request;
                    let begun = begun.or_else(|| noted.and_then(|noted| self.begin(state, agent, noted, &one)));
                    let waited_ms = now.saturating_sub(since);
                    match &mut one {
                        FromAgent::Input(input) => input.has_waited(waited_ms, until.saturating_sub(now)),
                        FromAgent::Gateway { params, .. } => shorten(params, waited_ms),
                        _ => {}
                    }
                    let foreign = state.peers.get(&agent).is_some_and(|peer| peer.foreign);
                    match one {
                        FromAgent::Input(input) if foreign => self.feed(state, input),
                        one => self.execute(state, agent, one),
                    }
                    self.begun(state, agent, begun);
                }
            }
        }
    }

    /// Ends requests that have waited as long as they may.
    pub(crate) fn end_paused(&self, state: &mut State) {
        if state.line.is_empty() {
            return;
        }
        let now = self.now();
        for waiting in state.line.take(|_, one| one.until <= now) {
            let reason = reason(state, &waiting);
            let waited_ms = waiting.until.saturating_sub(waiting.since);
            let seconds = f64::from(u32::try_from(waited_ms).unwrap_or(u32::MAX)) / 1000.0;
            let error = Error::new(Code::TIMEOUT, format!("{reason}; the call waited {seconds} s for them"));
            self.end_waiting(state, waiting, error.hint("wait until they let it go on, or ask with a longer timeout"));
        }
    }

    /// Cancels an agent's waiting request.
    pub(crate) fn cancel_paused(&self, state: &mut State, agent: Conn, id: &str) {
        if state.line.is_empty() {
            return;
        }
        for waiting in state.line.take(|_, one| one.agent == agent && is_under(&one.work, id)) {
            self.end_waiting(state, waiting, Error::new(Code::CANCELLED, "the call was cancelled"));
        }
    }

    /// Drops the waiting requests of an agent that left.
    pub(crate) fn paused_left(&self, state: &mut State, conn: Conn) {
        if state.line.is_empty() {
            return;
        }
        for waiting in state.line.take(|_, one| one.agent == conn) {
            state.desk.version += 1;
            if let Paused::HeldRequest(request) = waiting.work
                && let Some(noted) = request.noted
            {
                let gone = Error::new(Code::CANCELLED, "its agent is gone");
                self.begin(state, conn, noted, &FromAgent::Dropped(gone));
            }
        }
    }

    /// Ends all waiting requests before the hub stops.
    pub(crate) fn end_all_paused(&self, state: &mut State) {
        for waiting in state.line.take(|_, _| true) {
            self.end_waiting(state, waiting, Error::new(Code::CONNECTION, "the hub shuts down").hint("ask again"));
        }
    }

    fn until(&self, patience_ms: Millis) -> (Millis, Millis) {
        let now = self.now();
        (now, now.saturating_add(patience_ms))
    }

    /// Queues a request. `None`: it was refused because too much waits.
    fn wait(&self, state: &mut State, waiting: Waiting<Paused>) -> Option<u64> {
        match state.line.push(waiting) {
            Ok(number) => {
                state.desk.version += 1;
                self.arm(state);
                Some(number)
            }
            Err(waiting) => {
                let error = Error::new(Code::DENIED, reason(state, &waiting));
                self.end_waiting(state, waiting, error.hint("too many calls wait for them already: ask again later"));
                None
            }
        }
    }

    /// Ends a waiting request with an error, in the form of the request.
    fn end_waiting(&self, state: &mut State, waiting: Waiting<Paused>, error: Error) {
        state.desk.version += 1;
        match waiting.work {
            Paused::Turn(sender) => {
                let _ = sender.send(Err(error));
            }
            Paused::HeldRequest(request) => match ending(waiting.agent, &request.one, error) {
                Ok(effect) => self.apply(state, effect),
                Err(error) => {
                    request.noted.and_then(|noted| self.begin(state, waiting.agent, noted, &FromAgent::Dropped(error)));
                }
            },
        }
    }
}

/// Why a request waits.
fn reason(state: &State, waiting: &Waiting<Paused>) -> String {
    let reason = state.desk.pauses.refuses(&waiting.name, waiting.page.as_deref());
    reason.unwrap_or_else(|| "a person has paused a page, and an earlier answer is due first".into())
}

/// Whether a request acts on or reads a page, a topic or a server. Requests that only list are not held back.
fn is_work(one: &FromAgent) -> bool {
    match one {
        FromAgent::Input(Input::Snapshot { wanted, .. }) => !matches!(wanted, Snapshotting::List),
        FromAgent::Input(input) => matches!(
            input,
            Input::Ask { .. }
                | Input::AskBatch { .. }
                | Input::GetState { .. }
                | Input::Watch { wanted: true, .. }
                | Input::ReadMail { .. }
                | Input::Publish { .. }
        ),
        FromAgent::Gateway { method, .. } => !NOT_WORK.contains(&method.as_str()),
        FromAgent::Hello { .. }
        | FromAgent::Refused { .. }
        | FromAgent::Dropped(_)
        | FromAgent::Audit { .. }
        | FromAgent::Console { .. }
        | FromAgent::Reply(_)
        | FromAgent::Provide
        | FromAgent::Status(_)
        | FromAgent::Serve { .. }
        | FromAgent::Stop { .. } => false,
    }
}

/// Whether the agent matches the answer by order.
fn is_bare(one: &FromAgent) -> bool {
    matches!(one, FromAgent::Input(Input::Ask { form: Some(ReplyForm::Compact(Form::Bare)), .. }))
}

fn len_bytes(one: &FromAgent) -> usize {
    match one {
        FromAgent::Input(input) => input.len_bytes(),
        FromAgent::Gateway { params, .. } => params.len(),
        _ => 0,
    }
}

fn patience_ms(state: &State, conn: Conn, one: &FromAgent) -> Millis {
    #[derive(Deserialize)]
    struct Timed {
        timeout: Option<u64>,
    }
    match one {
        FromAgent::Gateway { params, .. } => {
            let own = serde_json::from_str(params).ok().and_then(|Timed { timeout }| timeout);
            own.or_else(|| state.board.agent_timeout_ms(conn)).unwrap_or(GATEWAY_MS)
        }
        FromAgent::Input(input) => state.board.patience_ms(conn, input),
        _ => 0,
    }
}

/// Subtracts the waited time from the timeout of a request to the gateway.
fn shorten(params: &mut String, waited_ms: Millis) {
    let Ok(mut members) = serde_json::from_str::<IndexMap<String, Box<RawValue>>>(params) else { return };
    let Some(timeout) = members.get_mut("timeout") else { return };
    let Ok(timeout_ms) = serde_json::from_str::<Millis>(timeout.get()) else { return };
    let left_ms = timeout_ms.saturating_sub(waited_ms).max(1);
    if let Ok(left) = RawValue::from_string(left_ms.to_string()) {
        *timeout = left;
        *params = json(&members);
    }
}

/// Whether a request has this id, which is JSON text.
fn is_under(work: &Paused, id: &str) -> bool {
    let Paused::HeldRequest(request) = work else { return false };
    match reply_to(&request.one) {
        Some(ReplyForm::Line(own)) => own.as_str() == id.trim_matches('"'),
        Some(form @ (ReplyForm::Rpc(_) | ReplyForm::Tool(_) | ReplyForm::Compact(_))) => id_of(&form) == id,
        Some(ReplyForm::Place(_)) | None => false,
    }
}

/// The form of the answer; `None`: the request has no answer.
fn reply_to(one: &FromAgent) -> Option<ReplyForm> {
    match one {
        FromAgent::Input(Input::Ask { form, .. }) => form.clone(),
        FromAgent::Input(
            Input::AskBatch { reply, .. }
            | Input::GetState { reply, .. }
            | Input::Snapshot { reply, .. }
            | Input::Watch { reply, .. }
            | Input::ReadMail { reply, .. },
        ) => Some(reply.form.clone()),
        FromAgent::Input(Input::Publish { id, .. }) => id.clone().map(ReplyForm::Rpc),
        FromAgent::Gateway { id, .. } => Some(ReplyForm::Rpc(id.clone())),
        _ => None,
    }
}

/// The effect that ends a request with an error. `Err`: the request has no answer.
fn ending(agent: Conn, one: &FromAgent, error: Error) -> Result<Effect, Error> {
    let Some(form) = reply_to(one) else { return Err(error) };
    let reply = Reply { agent, form };
    Ok(match one {
        FromAgent::Input(Input::Ask { .. }) => Effect::Ended { reply, ending: Err(error), delta: None },
        _ => Effect::Result { reply, result: Err(error) },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_waited_is_taken_from_the_timeout_of_a_request_to_the_gateway() {
        let shortened = |text: &str, waited_ms: Millis| {
            let mut params = text.to_owned();
            shorten(&mut params, waited_ms);
            params
        };
        let params = r#"{"name":"t","timeout":500,"arguments":{"b":1,"a":2.0}}"#;
        assert_eq!(shortened(params, 100), r#"{"name":"t","timeout":400,"arguments":{"b":1,"a":2.0}}"#);
        assert_eq!(shortened(r#"{"timeout":5}"#, 100), r#"{"timeout":1}"#);
        for other in [r#"{"name":"t"}"#, r#"{"timeout":"soon"}"#, "no object"] {
            assert_eq!(shortened(other, 100), other);
        }
    }
}
