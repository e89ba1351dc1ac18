//! Looks at the frames that an outline of a driven tab names. Such a frame is a session of its own (`TAB.f2`). It is
//! asked once the tab's outline is there, for a short time, and only if the agent may see it.

use crate::effect::Effect;
use crate::framed::{FrameLines, Framed, LATE, REFUSED, UNSEEN};
use crate::ids::{Conn, Millis};
use crate::session::Session;
use crate::session_event::SessionCall;
use crate::switchboard::Switchboard;
use crate::task::{Asker, Reply, Task, Terms};
use eye_protocol::rpc::json;
use eye_protocol::scope::Scope;
use eye_protocol::{Code, Ending, Error, SessionId, Value};
use serde_json::json;

/// How long the frames of one outline may take together, counted from the page's own answer.
const FRAMES_MS: Millis = 1_000;
/// A longer answer is not an outline, and is passed on unchanged.
const OUTLINE_BYTES_MAX: usize = 1 << 20;

/// Verbs whose answer is the outline of a page.
const OUTLINES: [&str; 4] = ["page/look", "page/goto", "page/back", "page/forward"];

impl Switchboard {
    /// The asker of an agent's call. An outline of a driven tab gets the lines of its frames before it goes to the
    /// agent.
    pub(crate) fn asker_of(&mut self, reply: Reply, session: &SessionId, task: &Task) -> Asker {
        let Task::Verb { method, params, .. } = task else { return Asker::Agent(reply) };
        let driven = self.sessions.get(session).is_some_and(Session::is_driven);
        if !driven || !OUTLINES.contains(&&**method) {
            return Asker::Agent(reply);
        }
        let options: serde_json::Value = serde_json::from_str(params).unwrap_or_default();
        // Changes are reported of one document only.
        if options["since"] == true {
            return Asker::Agent(reply);
        }
        let all = options["all"] == true;
        self.last_batch += 1;
        let params = json(&json!({ "agent": options["agent"], "all": all })).into();
        let framed = Framed::new(reply.clone(), session.clone(), params, all);
        self.framed.insert(self.last_batch, framed);
        Asker::Framed { reply, outline: self.last_batch, at: 0 }
    }

    /// A part of an outline has come to an end.
    pub(crate) fn part_ended(
        &mut self,
        now: Millis,
        (outline, at): (u64, usize),
        ending: Ending,
        delta: Option<Box<str>>,
        out: &mut Vec<Effect>,
    ) {
        let Some(framed) = self.framed.get_mut(&outline) else { return };
        let lines = match ending {
            Ok(Value::Text(text)) if text.len() <= OUTLINE_BYTES_MAX => FrameLines::Text(text),
            ending @ Err(Error { code: Code::CANCELLED, .. }) => return self.end_framed(outline, ending, delta, out),
            ending if at == 0 => return self.end_framed(outline, ending, delta, out),
            Err(Error { code: Code::TIMEOUT, .. }) => FrameLines::Note(LATE),
            Ok(_) | Err(_) => FrameLines::Note(REFUSED),
        };
        if at == 0 {
            framed.delta = delta;
            framed.until = now.saturating_add(FRAMES_MS);
        }
        let first = framed.parts.len();
        framed.add_lines(at, lines);
        let agent = framed.reply.agent;
        // This part counts as ended only after all frames that it names are asked: one of them may be refused at once.
        for frame in first..self.framed.get(&outline).map_or(0, |framed| framed.parts.len()) {
            self.ask_frame(now, agent, (outline, frame), out);
        }
        let Some(framed) = self.framed.get_mut(&outline) else { return };
        framed.left -= 1;
        if framed.left == 0 {
            let (text, delta) = (framed.text(), framed.delta.take());
            self.end_framed(outline, Ok(Value::Text(text)), delta, out);
        }
    }

    fn ask_frame(&mut self, now: Millis, agent: Conn, (outline, at): (u64, usize), out: &mut Vec<Effect>) {
        let Some(framed) = self.framed.get_mut(&outline) else { return };
        let session = SessionId::parse(&format!("{}.{}", framed.tab, framed.parts[at].label));
        let held = session.as_ref().and_then(|session| self.sessions.get_mut(session));
        let known = self.agents.get_mut(&agent);
        let (Some(session), Some(held), Some(known)) = (session, held, known) else {
            framed.left -= 1;
            return;
        };
        if !known.scope.sees(held.origin()) {
            framed.parts[at].lines = FrameLines::Note(UNSEEN);
            framed.left -= 1;
            return;
        }
        held.note_asked(now, &known.name);
        known.called.insert(session.clone());
        known.in_flight += 1;
        let (method, terms) = ("page/look".into(), Terms::default());
        let task = Task::Verb { method, params: framed.params.clone(), again: false, terms };
        let asker = Asker::Framed { reply: framed.reply.clone(), outline, at };
        let timeout_ms = Some(framed.until.saturating_sub(now));
        self.ask_session(now, &session, SessionCall { asker, task, timeout_ms, unfit: None }, out);
    }

    fn end_framed(&mut self, outline: u64, ending: Ending, delta: Option<Box<str>>, out: &mut Vec<Effect>) {
        if let Some(framed) = self.framed.remove(&outline) {
            self.ended(framed.reply, ending, delta, out);
        }
    }

    /// An agent left. With an error it is still connected, and its outlines end with that error.
    pub(crate) fn framed_left(&mut self, agent: Conn, error: Option<&Error>, out: &mut Vec<Effect>) {
        let its = self.framed.iter().filter(|(_, framed)| framed.reply.agent == agent);
        for outline in its.map(|(outline, _)| *outline).collect::<Vec<_>>() {
            if let (Some(framed), Some(error)) = (self.framed.remove(&outline), error) {
                self.ended(framed.reply, Err(error.clone()), None, out);
            }
        }
    }
}

/// The origins that an answer about a whole driven tab may show, when the agent's token does not cover all origins: the
/// driver hides other frames and their requests.
pub(crate) fn shown<'a>(scope: &'a Scope, method: &str) -> Option<&'a [Box<str>]> {
    let pages = &scope.limits()?.pages;
    (matches!(method, "page/shot" | "page/pdf" | "page/net") && !pages.is_empty()).then_some(pages)
}
