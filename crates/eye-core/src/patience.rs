//! The timeout of a request that is held back before it is dispatched, and what is left of it afterwards.

use crate::ids::{Conn, Millis};
use crate::input::Input;
use crate::switchboard::Switchboard;
use crate::task::Task;
use eye_protocol::limits::{CALL_TIMEOUT_DEFAULT_MS, CALL_TIMEOUT_MAX_MS};

impl Switchboard {
    /// The timeout of an agent's calls, if the agent set one.
    pub fn agent_timeout_ms(&self, agent: Conn) -> Option<Millis> {
        self.agents.get(&agent)?.timeout_ms
    }

    /// The timeout of a request: its own, its agent's, its tool's, or the default. Of several calls in one request the
    /// shortest counts.
    pub fn patience_ms(&self, agent: Conn, input: &Input) -> Millis {
        let own = match input {
            Input::Ask { timeout_ms, .. } | Input::ReadMail { timeout_ms, .. } => *timeout_ms,
            Input::AskBatch { tasks, .. } => tasks.iter().filter_map(|(_, timeout_ms)| *timeout_ms).min(),
            _ => None,
        };
        let of_tool = || match input {
            Input::Ask { task: Task::Tool { name, .. }, page, .. } => {
                let session = self.sessions.get(&self.find(agent, page.as_deref()).ok()?)?;
                session.toolbox().get(name).ok()?.timeout_ms
            }
            _ => None,
        };
        own.or_else(|| self.agent_timeout_ms(agent))
            .or_else(of_tool)
            .unwrap_or(CALL_TIMEOUT_DEFAULT_MS)
            .min(CALL_TIMEOUT_MAX_MS)
    }
}

impl Input {
    /// Binds a request to the page that it means, so that it goes there even if its agent has chosen another page
    /// meanwhile.
    pub fn bind(&mut self, session: &str) {
        if let Self::Ask { page, .. }
        | Self::AskBatch { page, .. }
        | Self::GetState { page, .. }
        | Self::Snapshot { page, .. }
        | Self::Watch { page, .. }
        | Self::ReadMail { page, .. }
        | Self::Tools { page, .. }
        | Self::Info { session: page, .. } = self
        {
            *page = Some(session.into());
        }
    }

    /// Subtracts the time that a request has waited from its timeout; `left_ms` is what is left of the whole.
    pub fn has_waited(&mut self, waited_ms: Millis, left_ms: Millis) {
        let rest = |timeout_ms: Millis| timeout_ms.saturating_sub(waited_ms).max(1);
        match self {
            Self::Ask { timeout_ms, .. } => *timeout_ms = Some(left_ms.max(1)),
            Self::AskBatch { tasks, .. } => {
                for (_, timeout_ms) in tasks {
                    *timeout_ms = Some(timeout_ms.map_or(left_ms.max(1), rest));
                }
            }
            Self::ReadMail { timeout_ms, .. } => *timeout_ms = timeout_ms.map(rest),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Mode, Reply, ReplyForm, Terms};
    use eye_protocol::messages::Hello;

    fn eval(timeout_ms: Option<u64>) -> Input {
        let task = Task::Eval { code: "1".into(), frame: None, terms: Terms::default() };
        Input::Ask { agent: Conn(1), form: None, task, page: None, timeout_ms, mode: Mode::Answer }
    }

    fn batch(timeouts_ms: [Option<u64>; 2]) -> Input {
        let tasks = timeouts_ms.map(|timeout_ms| (Task::State, timeout_ms)).to_vec();
        let reply = Reply { agent: Conn(1), form: ReplyForm::Rpc("1".into()) };
        Input::AskBatch { reply, tasks, page: None }
    }

    #[test]
    fn a_request_is_as_patient_as_it_its_agent_or_the_default_says() {
        let mut board = Switchboard::default();
        assert_eq!(board.patience_ms(Conn(1), &eval(None)), CALL_TIMEOUT_DEFAULT_MS);
        board.on(0, Input::AgentJoined { agent: Conn(1) }, &mut Vec::new());
        let hello = Box::new(Hello { timeout: Some(700), ..Hello::default() });
        board.on(0, Input::AgentHello { agent: Conn(1), hello }, &mut Vec::new());
        assert_eq!(board.patience_ms(Conn(1), &eval(None)), 700);
        assert_eq!(board.patience_ms(Conn(1), &eval(Some(5))), 5);
        assert_eq!(board.patience_ms(Conn(1), &eval(Some(u64::MAX))), CALL_TIMEOUT_MAX_MS);
        assert_eq!(board.patience_ms(Conn(1), &batch([Some(9), Some(3)])), 3);
        assert_eq!(board.patience_ms(Conn(1), &batch([None, None])), 700);
    }

    #[test]
    fn what_a_request_has_waited_is_taken_from_its_time() {
        let mut one = eval(None);
        one.has_waited(10, 20);
        assert!(matches!(one, Input::Ask { timeout_ms: Some(20), .. }));
        one.has_waited(30, 0);
        assert!(matches!(one, Input::Ask { timeout_ms: Some(1), .. }), "0 would be none");
        let mut both = batch([Some(100), None]);
        both.has_waited(30, 70);
        let Input::AskBatch { tasks, .. } = &both else { panic!() };
        assert_eq!(tasks.iter().map(|(_, ms)| *ms).collect::<Vec<_>>(), [Some(70), Some(70)]);
        one.bind("shop");
        assert!(matches!(one, Input::Ask { page: Some(page), .. } if &*page == "shop"));
    }
}
