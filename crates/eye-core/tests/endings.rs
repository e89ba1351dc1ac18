//! Whatever happens in whatever order, every call ends exactly once.

use eye_core::{Conn, Effect, Input, Mode, Newcomer, Policy, ReplyForm, Switchboard, Task, Terms};
use eye_protocol::messages::PageInfo;
use eye_protocol::{Code, Error, SessionId, Value};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, Debug)]
enum Step {
    Join { session: u8, foreign: bool },
    Leave { page: u8 },
    Answer { page: u8, call: u8 },
    Navigate { page: u8, call: u8 },
    Ask { agent: u8, session: u8, brief: bool },
    Cancel { agent: u8, ask: u8 },
    AgentGone { agent: u8 },
    Revoked { agent: u8 },
    Wait { ms: u16 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        2 => (0..3_u8, prop::bool::weighted(0.1)).prop_map(|(session, foreign)| Step::Join { session, foreign }),
        1 => (0..12_u8).prop_map(|page| Step::Leave { page }),
        4 => (0..12_u8, 1..12_u8).prop_map(|(page, call)| Step::Answer { page, call }),
        1 => (0..12_u8, 1..12_u8).prop_map(|(page, call)| Step::Navigate { page, call }),
        6 => (0..3_u8, 0..3_u8, any::<bool>()).prop_map(|(agent, session, brief)| Step::Ask { agent, session, brief }),
        1 => (0..3_u8, 0..40_u8).prop_map(|(agent, ask)| Step::Cancel { agent, ask }),
        1 => (0..3_u8).prop_map(|agent| Step::AgentGone { agent }),
        1 => (0..3_u8).prop_map(|agent| Step::Revoked { agent }),
        2 => (0..4000_u16).prop_map(|ms| Step::Wait { ms }),
    ];
    prop::collection::vec(step, 0..120)
}

/// Plays the world around a switchboard, and counts endings.
#[derive(Default)]
struct World {
    board: Switchboard,
    now: u64,
    pages: Vec<Conn>,
    agents: HashMap<u8, Conn>,
    next_conn: u64,
    asked: Vec<(Conn, String)>,
    ended: HashMap<String, u32>,
    departed: HashSet<Conn>,
}

impl World {
    fn conn(&mut self) -> Conn {
        self.next_conn += 1;
        Conn(self.next_conn)
    }

    fn on(&mut self, input: Input) {
        let mut effects = Vec::new();
        self.board.on(self.now, input, &mut effects);
        for effect in effects {
            match effect {
                Effect::Ended { reply, .. } => {
                    assert!(!self.departed.contains(&reply.agent), "an agent that left is told nothing");
                    let ReplyForm::Rpc(id) = reply.form else { panic!("asked by rpc only") };
                    *self.ended.entry(id.to_string()).or_default() += 1;
                }
                Effect::Close { conn, .. } => self.on(Input::PageLeft { page: conn }),
                Effect::Work { lane, work } => self.on(Input::Worked { lane, done: work.run() }),
                Effect::Free(_)
                | Effect::PassOn(_)
                | Effect::CancelElsewhere { .. }
                | Effect::LeftElsewhere { .. }
                | Effect::PublishElsewhere { .. }
                | Effect::Send { .. }
                | Effect::PageResult { .. }
                | Effect::Progress { .. }
                | Effect::News { .. }
                | Effect::Message { .. }
                | Effect::Abort { .. }
                | Effect::Ping { .. }
                | Effect::Replaced { .. }
                | Effect::Result { .. } => {}
            }
        }
    }

    fn agent(&mut self, agent: u8) -> Conn {
        if let Some(conn) = self.agents.get(&agent) {
            return *conn;
        }
        let conn = self.conn();
        self.agents.insert(agent, conn);
        self.on(Input::AgentJoined { agent: conn });
        conn
    }

    fn step(&mut self, step: Step) {
        let nth = |pages: &[Conn], at: u8| pages.get(usize::from(at)).copied();
        match step {
            Step::Join { session, foreign } => {
                let page = self.conn();
                self.pages.push(page);
                let origin = if foreign { "http://evil.test" } else { "http://localhost" }.into();
                let info = PageInfo { title: Some("t".into()), ..PageInfo::default() };
                let session = SessionId::parse(&format!("s{session}")).expect("an id");
                let who = Newcomer { origin, info, policy: Policy::default(), ask_first: false, driven: false };
                self.on(Input::PageJoined { page, session, who: Box::new(who) });
            }
            Step::Leave { page } => {
                if let Some(page) = nth(&self.pages, page) {
                    self.on(Input::PageLeft { page });
                }
            }
            Step::Answer { page, call } => {
                if let Some(page) = nth(&self.pages, page) {
                    let ending = Ok(Value::Json("1".into()));
                    self.on(Input::PageAnswered { page, call: call.into(), ending });
                }
            }
            Step::Navigate { page, call } => {
                if let Some(page) = nth(&self.pages, page) {
                    self.on(Input::PageNavigating { page, call: call.into(), url: "http://x/".into() });
                }
            }
            Step::Ask { agent, session, brief } => {
                let agent = self.agent(agent);
                let id = self.asked.len().to_string();
                self.asked.push((agent, id.clone()));
                self.on(Input::Ask {
                    agent,
                    form: Some(ReplyForm::Rpc(id.into())),
                    task: Task::Eval { code: "x".into(), frame: None, terms: Terms::default() },
                    page: Some(format!("s{session}").into()),
                    timeout_ms: brief.then_some(50),
                    mode: Mode::Answer,
                });
            }
            Step::Cancel { agent, ask } => {
                let agent = self.agent(agent);
                self.on(Input::Cancel { agent, id: ask.to_string().into() });
            }
            Step::Revoked { agent } => {
                if let Some(conn) = self.agents.remove(&agent) {
                    let error = Error::new(Code::DENIED, "the token `ci` was revoked");
                    self.on(Input::AgentRevoked { agent: conn, error });
                    self.on(Input::AgentLeft { agent: conn });
                    self.departed.insert(conn);
                    // It was told how each of its calls ended.
                    for (_, id) in self.asked.iter().filter(|(asked, _)| *asked == conn) {
                        assert_eq!(self.ended.get(id), Some(&1), "the call {id} of an agent whose token was revoked");
                    }
                }
            }
            Step::AgentGone { agent } => {
                if let Some(conn) = self.agents.remove(&agent) {
                    self.departed.insert(conn);
                    self.on(Input::AgentLeft { agent: conn });
                }
            }
            Step::Wait { ms } => self.wait(u64::from(ms)),
        }
    }

    /// Lets time pass as a hub would: a tick at every wake.
    fn wait(&mut self, ms: u64) {
        let end = self.now + ms;
        while let Some(at) = self.board.next_wake().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            self.on(Input::Tick);
            assert!(self.board.next_wake().is_none_or(|next| next > at), "a tick leaves nothing due");
        }
        self.now = end;
    }
}

proptest! {
    #[test]
    fn every_call_ends_exactly_once(steps in steps()) {
        let mut world = World::default();
        for step in steps {
            world.step(step);
        }
        world.wait(200_000);
        for (agent, id) in &world.asked {
            let endings = world.ended.get(id).copied().unwrap_or(0);
            let gone = world.departed.contains(agent);
            prop_assert!(endings == 1 || (gone && endings == 0), "ask {} of {:?} ended {} times", id, agent, endings);
        }
        prop_assert_eq!(world.board.pending(), 0);
    }
}
