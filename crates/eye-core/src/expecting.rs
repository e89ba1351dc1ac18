//! Requests that wait for what a page is expected to offer: held back before they are handled, and ended when they are
//! cancelled.

use crate::effect::Effect;
use crate::ids::{Conn, Millis};
use crate::input::Input;
use crate::session::Wanted;
use crate::switchboard::Switchboard;
use crate::task::{Reply, Task, ToolQuery};
use eye_protocol::{Code, Error, SessionId};

impl Switchboard {
    /// Lets a request wait if its page is expected to offer what the request needs. `Some`: the request need not wait.
    pub(crate) fn unless_expected(&mut self, now: Millis, input: Input) -> Option<Input> {
        let Some((agent, page)) = self.may_wait(&input) else { return Some(input) };
        let Ok(session) = self.find(agent, page) else { return Some(input) };
        let Some(held) = self.sessions.get_mut(&session) else { return Some(input) };
        if !wanted(&input).into_iter().any(|wanted| held.expects(now, agent, wanted)) {
            return Some(input);
        }
        if let Some(input) = held.wait_for_offer(input) {
            return Some(input);
        }
        self.waiting.insert(agent);
        self.used(now, agent, &session);
        self.arm(&session);
        None
    }

    /// The agent and page of a request that may have to wait. Code and verbs wait only behind requests that wait
    /// already.
    pub(crate) fn may_wait<'a>(&self, input: &'a Input) -> Option<(Conn, Option<&'a str>)> {
        match input {
            Input::Ask { agent, page, task: Task::Tool { .. }, .. } => Some((*agent, page.as_deref())),
            Input::Ask { agent, page, .. } if self.waiting.contains(agent) => Some((*agent, page.as_deref())),
            Input::AskBatch { reply, page, .. }
            | Input::Tools { reply, page, .. }
            | Input::GetState { reply, page, .. }
            | Input::Snapshot { reply, page, .. }
            | Input::ReadMail { reply, page, .. } => Some((reply.agent, page.as_deref())),
            _ => None,
        }
    }

    /// Cancels a waiting request.
    pub(crate) fn cancel_waiting(&mut self, session: &SessionId, reply: &Reply, out: &mut Vec<Effect>) {
        let Some(request) = self.sessions.get_mut(session).and_then(|held| held.take_waiting(reply)) else { return };
        self.refuse(&request, &Error::new(Code::CANCELLED, "cancelled"), out);
    }
}

/// What a request needs of its page.
fn wanted(input: &Input) -> Vec<Wanted<'_>> {
    match input {
        Input::Ask { task, .. } => vec![of_task(task)],
        Input::AskBatch { tasks, .. } => tasks.iter().map(|(task, _)| of_task(task)).collect(),
        Input::Tools { query: ToolQuery::Get(name), .. } => vec![Wanted::Tool(name)],
        Input::Tools { query: ToolQuery::List(_), .. } => vec![Wanted::Tools],
        Input::GetState { .. } => vec![Wanted::State],
        Input::Snapshot { .. } | Input::ReadMail { .. } => vec![Wanted::Kept],
        _ => Vec::new(),
    }
}

fn of_task(task: &Task) -> Wanted<'_> {
    match task {
        Task::Tool { name, .. } => Wanted::Tool(name),
        Task::Eval { .. } | Task::Verb { .. } | Task::State => Wanted::Order,
    }
}
