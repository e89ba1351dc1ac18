//! What waits for a browser: commands for their answers, sessions for their events. Pure bookkeeping: messages in, endings out.
//!
//! A command ends once, by whatever comes first: its answer, a dialog, a crash, a detach, the end of the pipe. Its deadline is its
//! asker's.

use super::message::{AttachedToTarget, DetachedFromTarget, DialogOpening, Event, Failure, Incoming, TargetInfo};
use crate::error::{CommandError, Dialog};
use crate::limits::EVENTS_LEN_MAX;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// What a command came to.
pub type Outcome = Result<Box<RawValue>, CommandError>;

/// A session that a message began.
#[derive(Debug)]
pub struct Begun {
    /// Its id.
    pub id: Box<str>,
    /// Its events.
    pub events: mpsc::Receiver<Event>,
    /// What it is of.
    pub target: TargetInfo,
    /// Whether it waits.
    pub waiting: bool,
    /// Where it was found.
    pub parent: Option<Box<str>>,
}

/// Commands and sessions.
#[derive(Debug, Default)]
pub struct State {
    last_id: u64,
    pending: HashMap<u64, Pending>,
    sessions: HashMap<Box<str>, Known>,
    ended: Option<Arc<str>>,
}

#[derive(Debug)]
struct Pending {
    session: Option<Box<str>>,
    stopped_by_dialogs: bool,
    answer: oneshot::Sender<Outcome>,
}

#[derive(Debug)]
struct Known {
    events: mpsc::Sender<Event>,
    dialog: Option<Dialog>,
    crashed: bool,
}

/// Commands that need the page's own thread, which a dialog stops.
const STOPPED_BY_DIALOGS: [&str; 8] = [
    "Runtime.evaluate",
    "Runtime.callFunctionOn",
    "Page.captureScreenshot",
    "Page.printToPDF",
    "Page.getFrameTree",
    "Page.getLayoutMetrics",
    "Input.",
    "DOM.",
];

/// Commands that a crashed page still answers.
const AFTER_A_CRASH: [&str; 3] = ["Page.reload", "Page.navigate", "Page.close"];

fn any(list: &[&str], method: &str) -> bool {
    list.iter().any(|one| if one.ends_with('.') { method.starts_with(one) } else { *one == method })
}

impl State {
    /// Notes a command of a session, or of the browser itself. The id goes with it; the receiver gets its end.
    pub fn begin(
        &mut self,
        session: Option<&str>,
        method: &str,
    ) -> Result<(u64, oneshot::Receiver<Outcome>), CommandError> {
        if let Some(why) = &self.ended {
            return Err(CommandError::Ended(why.clone()));
        }
        let stopped_by_dialogs = any(&STOPPED_BY_DIALOGS, method);
        if let Some(id) = session {
            let known = self.sessions.get(id).ok_or(CommandError::Detached)?;
            if known.crashed && !any(&AFTER_A_CRASH, method) {
                return Err(CommandError::Crashed);
            }
            if let Some(dialog) = known.dialog.as_ref().filter(|_| stopped_by_dialogs) {
                return Err(CommandError::Dialog(dialog.clone()));
            }
        }
        self.last_id += 1;
        let (answer, outcome) = oneshot::channel();
        self.pending.insert(self.last_id, Pending { session: session.map(Into::into), stopped_by_dialogs, answer });
        Ok((self.last_id, outcome))
    }

    /// A command that is not waited for any more.
    pub fn forget(&mut self, id: u64) {
        self.pending.remove(&id);
    }

    /// The dialog that a session shows.
    pub fn dialog(&self, session: &str) -> Option<Dialog> {
        self.sessions.get(session)?.dialog.clone()
    }

    /// Why the browser is gone.
    pub fn ended(&self) -> Option<Arc<str>> {
        self.ended.clone()
    }

    /// Takes one message. Gives the session that it began.
    pub fn take(&mut self, message: &Incoming<'_>) -> Option<Begun> {
        if let Some(id) = message.id {
            if let Some(pending) = self.pending.remove(&id) {
                // It may have been given up.
                let _ = pending.answer.send(outcome(message));
            }
            return None;
        }
        let (method, params) = (message.method.as_deref()?, message.params?);
        let session = message.session.as_deref();
        let begun = match (method, session) {
            ("Target.attachedToTarget", _) => self.attached(session, params),
            ("Target.detachedFromTarget", _) => {
                if let Ok(DetachedFromTarget { session_id }) = serde_json::from_str(params.get()) {
                    self.detach(&session_id);
                }
                None
            }
            ("Page.javascriptDialogOpening", Some(session)) => {
                self.dialog_opens(session, params);
                None
            }
            ("Page.javascriptDialogClosed", Some(session)) => {
                if let Some(known) = self.sessions.get_mut(session) {
                    known.dialog = None;
                }
                None
            }
            ("Inspector.targetCrashed", Some(session)) => {
                if let Some(known) = self.sessions.get_mut(session) {
                    known.crashed = true;
                    known.dialog = None;
                }
                self.end_of(session, |_| true, &CommandError::Crashed);
                None
            }
            ("Inspector.targetReloadedAfterCrash" | "Page.frameNavigated", Some(session)) => {
                if let Some(known) = self.sessions.get_mut(session) {
                    known.crashed = false;
                }
                None
            }
            _ => None,
        };
        if let Some(session) = session {
            self.pass(session, method, params);
        }
        begun
    }

    /// The pipe ended: everything ends.
    pub fn end(&mut self, why: &Arc<str>) {
        self.ended.get_or_insert_with(|| why.clone());
        for (_, pending) in self.pending.drain() {
            let _ = pending.answer.send(Err(CommandError::Ended(why.clone())));
        }
        // Their receivers see the end of their events.
        self.sessions.clear();
    }

    fn attached(&mut self, parent: Option<&str>, params: &RawValue) -> Option<Begun> {
        let AttachedToTarget { session_id, target_info, waiting_for_debugger } =
            serde_json::from_str(params.get()).ok()?;
        let (sender, events) = mpsc::channel(EVENTS_LEN_MAX);
        let id: Box<str> = session_id.into();
        self.sessions.insert(id.clone(), Known { events: sender, dialog: None, crashed: false });
        Some(Begun { id, events, target: target_info, waiting: waiting_for_debugger, parent: parent.map(Into::into) })
    }

    fn detach(&mut self, session: &str) {
        self.sessions.remove(session);
        self.end_of(session, |_| true, &CommandError::Detached);
    }

    fn dialog_opens(&mut self, session: &str, params: &RawValue) {
        let Ok(DialogOpening { message, kind, default_prompt }) = serde_json::from_str(params.get()) else { return };
        let dialog = Dialog { kind, message, suggestion: default_prompt };
        if let Some(known) = self.sessions.get_mut(session) {
            known.dialog = Some(dialog.clone());
        }
        self.end_of(session, |pending| pending.stopped_by_dialogs, &CommandError::Dialog(dialog));
    }

    fn end_of(&mut self, session: &str, which: impl Fn(&Pending) -> bool, why: &CommandError) {
        let of = |pending: &Pending| pending.session.as_deref() == Some(session) && which(pending);
        let ids: Vec<u64> = self.pending.iter().filter(|(_, one)| of(one)).map(|(id, _)| *id).collect();
        for id in ids {
            if let Some(pending) = self.pending.remove(&id) {
                let _ = pending.answer.send(Err(why.clone()));
            }
        }
    }

    /// Hands an event to its session's reader. One that does not keep up loses its session.
    fn pass(&mut self, session: &str, method: &str, params: &RawValue) {
        let Some(known) = self.sessions.get(session) else { return };
        let event = Event { method: method.into(), params: params.to_owned() };
        if known.events.try_send(event).is_err() {
            self.detach(session);
        }
    }
}

fn outcome(message: &Incoming<'_>) -> Outcome {
    match (&message.error, message.result) {
        (Some(Failure { code, message, data }), _) => {
            let message = match data {
                Some(data) => format!("{message}: {data}"),
                None => message.clone(),
            };
            Err(CommandError::Refused { code: *code, message })
        }
        (None, Some(result)) => Ok(result.to_owned()),
        (None, None) => Ok(RawValue::NULL.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(state: &mut State, text: &str) -> Option<Begun> {
        state.take(&serde_json::from_str(text).unwrap())
    }

    fn attached(state: &mut State, id: &str) -> Begun {
        let info = r#"{"targetId":"T","type":"page","title":"","url":"","attached":true}"#;
        let params = format!(r#"{{"sessionId":"{id}","targetInfo":{info},"waitingForDebugger":true}}"#);
        take(state, &format!(r#"{{"method":"Target.attachedToTarget","params":{params}}}"#)).unwrap()
    }

    fn ended(outcome: &mut oneshot::Receiver<Outcome>) -> CommandError {
        outcome.try_recv().unwrap().unwrap_err()
    }

    #[test]
    fn a_dialog_ends_what_needs_the_page_and_refuses_more_until_it_is_closed() {
        let mut state = State::default();
        let _events = attached(&mut state, "S").events;
        let (_, mut evaluating) = state.begin(Some("S"), "Runtime.evaluate").unwrap();
        let (_, mut handling) = state.begin(Some("S"), "Page.handleJavaScriptDialog").unwrap();
        let opening = r#"{"url":"u","message":"Sure?","type":"confirm","hasBrowserHandler":false}"#;
        take(&mut state, &format!(r#"{{"method":"Page.javascriptDialogOpening","params":{opening},"sessionId":"S"}}"#));
        let dialog = Dialog { kind: "confirm".into(), message: "Sure?".into(), suggestion: String::new() };
        assert_eq!(ended(&mut evaluating), CommandError::Dialog(dialog.clone()));
        assert!(handling.try_recv().is_err());
        assert_eq!(state.begin(Some("S"), "Input.insertText").unwrap_err(), CommandError::Dialog(dialog));
        assert!(state.begin(None, "Target.getTargets").is_ok());
        take(&mut state, r#"{"method":"Page.javascriptDialogClosed","params":{"result":true},"sessionId":"S"}"#);
        assert!(state.begin(Some("S"), "Input.insertText").is_ok());
    }

    #[test]
    fn a_crash_ends_everything_of_its_page_and_a_reload_revives_it() {
        let mut state = State::default();
        let (_one, _two) = (attached(&mut state, "S"), attached(&mut state, "other"));
        let (_, mut evaluating) = state.begin(Some("S"), "Runtime.evaluate").unwrap();
        let (_, mut elsewhere) = state.begin(Some("other"), "Runtime.evaluate").unwrap();
        take(&mut state, r#"{"method":"Inspector.targetCrashed","params":{},"sessionId":"S"}"#);
        assert_eq!(ended(&mut evaluating), CommandError::Crashed);
        assert!(elsewhere.try_recv().is_err());
        assert_eq!(state.begin(Some("S"), "Runtime.evaluate").unwrap_err(), CommandError::Crashed);
        assert!(state.begin(Some("S"), "Page.reload").is_ok());
        take(&mut state, r#"{"method":"Inspector.targetReloadedAfterCrash","params":{},"sessionId":"S"}"#);
        assert!(state.begin(Some("S"), "Runtime.evaluate").is_ok());
    }

    #[test]
    fn detached_sessions_and_ended_pipes_end_their_commands() {
        let mut state = State::default();
        let mut begun = attached(&mut state, "S");
        let (_, mut closing) = state.begin(Some("S"), "Page.navigate").unwrap();
        let (_, mut listing) = state.begin(None, "Target.getTargets").unwrap();
        take(&mut state, r#"{"method":"Target.detachedFromTarget","params":{"sessionId":"S","targetId":"T"}}"#);
        assert_eq!(ended(&mut closing), CommandError::Detached);
        assert!(begun.events.try_recv().is_err_and(|error| error == mpsc::error::TryRecvError::Disconnected));
        let why: Arc<str> = "exit status 1".into();
        state.end(&why);
        assert_eq!(ended(&mut listing), CommandError::Ended(why.clone()));
        assert_eq!(state.begin(None, "Target.getTargets").unwrap_err(), CommandError::Ended(why));
        assert!(state.pending.is_empty());
    }

    #[test]
    fn a_session_whose_events_are_not_read_is_detached_at_the_limit() {
        let mut state = State::default();
        let _events = attached(&mut state, "S").events;
        let (_, mut evaluating) = state.begin(Some("S"), "Runtime.evaluate").unwrap();
        let event = r#"{"method":"Runtime.consoleAPICalled","params":{},"sessionId":"S"}"#;
        for _ in 0..EVENTS_LEN_MAX {
            take(&mut state, event);
        }
        assert!(evaluating.try_recv().is_err());
        take(&mut state, event);
        assert_eq!(ended(&mut evaluating), CommandError::Detached);
    }
}
