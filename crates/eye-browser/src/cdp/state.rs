//! The pending commands and the sessions of a browser. Pure bookkeeping: messages in, endings out.
//!
//! A command ends once, with whatever comes first: its answer, a dialog, a crash, a detach, or the end of the pipe. The
//! caller keeps the deadline.

use super::message::{AttachedToTarget, DetachedFromTarget, DialogOpening, Event, Failure, Incoming, TargetInfo};
use crate::error::{CommandError, Dialog};
use crate::limits::{EVENTS_LEN_MAX, NOTED_LEN_MAX};
use serde_json::value::RawValue;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// The ending of a command.
pub type Outcome = Result<Box<RawValue>, CommandError>;

/// A session that a message began.
#[derive(Debug)]
pub struct Begun {
    pub id: Box<str>,
    pub events: mpsc::Receiver<Event>,
    pub target: TargetInfo,
    /// Whether the target waits for `Runtime.runIfWaitingForDebugger`.
    pub waiting: bool,
    /// The session that reported it.
    pub parent: Option<Box<str>>,
}

/// The pending commands and the sessions of a browser.
#[derive(Debug, Default)]
pub struct State {
    last_id: u64,
    pending: HashMap<u64, Pending>,
    sessions: HashMap<Box<str>, Known>,
    /// Pending commands whose results are reported as events, oldest first.
    noted: VecDeque<u64>,
    ended: Option<Arc<str>>,
}

#[derive(Debug)]
struct Pending {
    session: Option<Box<str>>,
    stopped_by_dialogs: bool,
    answer: Answer,
}

/// Where the ending of a command goes.
#[derive(Debug)]
enum Answer {
    /// To the caller that waits for it.
    Waited(oneshot::Sender<Outcome>),
    /// To the session's events. A dialog, crash or detach does not end it, because no caller waits.
    Noted { method: &'static str, note: i64 },
}

impl Pending {
    fn end(self, outcome: Outcome) {
        if let Answer::Waited(waiting) = self.answer {
            // Fails if the caller no longer waits.
            let _ = waiting.send(outcome);
        }
    }
}

#[derive(Debug)]
struct Known {
    events: mpsc::Sender<Event>,
    dialog: Option<Dialog>,
    crashed: bool,
    /// The session that reported it.
    parent: Option<Box<str>>,
}

/// Commands that need the page's main thread, which a dialog blocks.
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
    /// Registers a command of a session, or of the browser itself. Returns its id, and the receiver of its ending.
    pub fn begin(
        &mut self,
        session: Option<&str>,
        method: &str,
    ) -> Result<(u64, oneshot::Receiver<Outcome>), CommandError> {
        let stopped_by_dialogs = self.check(session, method)?;
        let (answer, outcome) = oneshot::channel();
        let pending = Pending { session: session.map(Into::into), stopped_by_dialogs, answer: Answer::Waited(answer) };
        Ok((self.add(pending), outcome))
    }

    /// Registers a command whose result is reported as an event of its session.
    pub fn note(&mut self, session: &str, method: &'static str, note: i64) -> Result<u64, CommandError> {
        self.check(Some(session), method)?;
        if self.noted.len() >= NOTED_LEN_MAX
            && let Some(oldest) = self.noted.pop_front()
        {
            self.pending.remove(&oldest);
        }
        let answer = Answer::Noted { method, note };
        let id = self.add(Pending { session: Some(session.into()), stopped_by_dialogs: false, answer });
        self.noted.push_back(id);
        Ok(id)
    }

    fn add(&mut self, pending: Pending) -> u64 {
        self.last_id += 1;
        self.pending.insert(self.last_id, pending);
        self.last_id
    }

    /// Checks whether a command can be sent. Returns whether a dialog blocks it.
    fn check(&self, session: Option<&str>, method: &str) -> Result<bool, CommandError> {
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
        Ok(stopped_by_dialogs)
    }

    /// Removes a command that the caller no longer waits for.
    pub fn forget(&mut self, id: u64) {
        self.pending.remove(&id);
    }

    /// The dialog that a session shows.
    pub fn dialog(&self, session: &str) -> Option<Dialog> {
        self.sessions.get(session)?.dialog.clone()
    }

    /// Why the browser ended, once it has.
    pub fn ended(&self) -> Option<Arc<str>> {
        self.ended.clone()
    }

    /// Handles a message. Returns the session that it began.
    pub fn take(&mut self, message: &Incoming<'_>) -> Option<Begun> {
        if let Some(id) = message.id {
            match self.pending.remove(&id) {
                Some(Pending { answer: Answer::Noted { method, note }, session: Some(session), .. }) => {
                    self.noted.retain(|noted| *noted != id);
                    if let (Some(result), None) = (message.result, &message.error) {
                        let event = Event { method: method.into(), params: result.to_owned(), note: Some(note) };
                        self.pass(&session, event);
                    }
                }
                Some(pending) => pending.end(outcome(message)),
                None => {}
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
            self.pass(session, Event { method: method.to_owned().into(), params: params.to_owned(), note: None });
        }
        begun
    }

    /// The pipe ended: ends all commands and sessions.
    pub fn end(&mut self, why: &Arc<str>) {
        self.ended.get_or_insert_with(|| why.clone());
        for (_, pending) in self.pending.drain() {
            pending.end(Err(CommandError::Ended(why.clone())));
        }
        // Closes the event channels of all sessions.
        self.sessions.clear();
    }

    fn attached(&mut self, parent: Option<&str>, params: &RawValue) -> Option<Begun> {
        let AttachedToTarget { session_id, target_info, waiting_for_debugger } =
            serde_json::from_str(params.get()).ok()?;
        let (sender, events) = mpsc::channel(EVENTS_LEN_MAX);
        let id: Box<str> = session_id.into();
        let parent: Option<Box<str>> = parent.map(Into::into);
        let known = Known { events: sender, dialog: None, crashed: false, parent: parent.clone() };
        self.sessions.insert(id.clone(), known);
        Some(Begun { id, events, target: target_info, waiting: waiting_for_debugger, parent })
    }

    /// Ends a session and those inside it: the browser does not report their end, because it reported them in that
    /// session.
    fn detach(&mut self, session: &str) {
        let mut ending: Vec<Box<str>> = vec![session.into()];
        while let Some(session) = ending.pop() {
            let inside = |known: &Known| known.parent.as_ref() == Some(&session);
            ending.extend(self.sessions.iter().filter(|(_, known)| inside(known)).map(|(id, _)| id.clone()));
            self.sessions.remove(&session);
            self.end_of(&session, |_| true, &CommandError::Detached);
        }
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
                pending.end(Err(why.clone()));
            }
        }
    }

    /// Passes an event to the reader of its session. A reader that does not keep up loses the session.
    fn pass(&mut self, session: &str, event: Event) {
        let Some(known) = self.sessions.get(session) else { return };
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
    fn a_noted_result_is_an_event_in_its_place_whatever_dialogs_there_were() {
        let mut state = State::default();
        let mut events = attached(&mut state, "S").events;
        let first = state.note("S", "Runtime.evaluate", 7).unwrap();
        let second = state.note("S", "Runtime.evaluate", 8).unwrap();
        let opening = r#"{"url":"u","message":"Sure?","type":"confirm","hasBrowserHandler":false}"#;
        take(&mut state, &format!(r#"{{"method":"Page.javascriptDialogOpening","params":{opening},"sessionId":"S"}}"#));
        assert!(state.note("S", "Runtime.evaluate", 9).is_err());
        take(&mut state, r#"{"method":"Page.javascriptDialogClosed","params":{"result":true},"sessionId":"S"}"#);
        take(&mut state, &format!(r#"{{"id":{second},"error":{{"code":-32000,"message":"gone"}},"sessionId":"S"}}"#));
        take(&mut state, &format!(r#"{{"id":{first},"result":{{"result":{{}}}},"sessionId":"S"}}"#));
        take(&mut state, r#"{"method":"Runtime.executionContextsCleared","params":{},"sessionId":"S"}"#);
        let received: Vec<_> =
            std::iter::from_fn(|| events.try_recv().ok().map(|event| (event.method, event.note))).collect();
        let methods: Vec<_> = received.iter().map(|(method, note)| (&**method, *note)).collect();
        let own = [("Page.javascriptDialogOpening", None), ("Page.javascriptDialogClosed", None)];
        assert_eq!(methods[..2], own);
        assert_eq!(methods[2..], [("Runtime.evaluate", Some(7)), ("Runtime.executionContextsCleared", None)]);
        for note in 0..=i64::try_from(NOTED_LEN_MAX).unwrap() {
            state.note("S", "Runtime.evaluate", note).unwrap();
        }
        assert_eq!((state.pending.len(), state.noted.len()), (NOTED_LEN_MAX, NOTED_LEN_MAX));
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
    fn a_session_ends_with_the_one_in_which_it_was_found() {
        let mut state = State::default();
        let _outer = attached(&mut state, "S");
        let info = r#"{"targetId":"F","type":"iframe","title":"","url":"","attached":true}"#;
        let mut inside = |parent: &str, id: &str| {
            let params = format!(r#"{{"sessionId":"{id}","targetInfo":{info},"waitingForDebugger":true}}"#);
            let method = r#""method":"Target.attachedToTarget""#;
            take(&mut state, &format!(r#"{{{method},"params":{params},"sessionId":"{parent}"}}"#)).unwrap()
        };
        let (_inner, mut innermost) = (inside("S", "inner"), inside("inner", "innermost"));
        let (_, mut evaluating) = state.begin(Some("innermost"), "Runtime.evaluate").unwrap();
        take(&mut state, r#"{"method":"Target.detachedFromTarget","params":{"sessionId":"inner"},"sessionId":"S"}"#);
        assert_eq!(ended(&mut evaluating), CommandError::Detached);
        assert!(innermost.events.try_recv().is_err_and(|error| error == mpsc::error::TryRecvError::Disconnected));
        assert!(state.begin(Some("S"), "Runtime.evaluate").is_ok());
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
