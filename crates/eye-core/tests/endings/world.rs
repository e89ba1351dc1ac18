//! Pages, agents, workers and another hub around one switchboard. Counts how often each request ended.

use super::kinds::kind;
use super::steps::Step;
use crate::{elsewhere, plain};
use eye_core::elsewhere::{Audience, Back, HeardBy, HubInterests, Interest, Listed, TopicMessage, TopicsNews};
use eye_core::handover::{Handover, Heir};
use eye_core::lasting::{Found, GivenMail, Lasting, LastingLetter, LastingState, Recalled};
use eye_core::passed::Passed;
use eye_core::rate::Rate;
use eye_core::{
    Asker, Conn, Done, Effect, Input, Lane, Newcomer, PageEvent, Policy, Reply, ReplyForm, Switchboard, Work,
};
use eye_protocol::messages::{Hello, PageInfo};
use eye_protocol::operations::Class;
use eye_protocol::scope::{Limits, Scope};
use eye_protocol::{Code, Error, SessionId, Value};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

pub const ORIGIN: &str = "http://localhost";

pub struct World {
    pub board: Switchboard,
    pub now: u64,
    pub pages: Vec<Conn>,
    agents: HashMap<u8, Conn>,
    next_conn: u64,
    /// The connection and the id of each request. No id is used by both a page and an agent.
    pub calls: Vec<(Conn, String)>,
    pub ended: HashMap<String, u32>,
    departed: HashSet<Conn>,
    works: VecDeque<(Lane, Work)>,
    passed: VecDeque<Box<Passed>>,
    handed: VecDeque<Box<Handover>>,
    /// States that are written where they outlive the hub, and recalls under way.
    written: HashMap<SessionId, Box<LastingState>>,
    recalls: VecDeque<(SessionId, bool)>,
    /// Letters that agents get once written letters are removed, and the letters that are written.
    given: VecDeque<Box<GivenMail>>,
    letters: Vec<LastingLetter>,
    /// Lookups under way.
    words: VecDeque<Box<str>>,
    pub played: HashSet<&'static str>,
    /// How many inputs took the short way.
    pub plain: u32,
}

pub fn session(at: u8) -> SessionId {
    SessionId::parse(&format!("s{at}")).expect("an id")
}

impl Default for World {
    /// A hub that has other hubs beside it.
    fn default() -> Self {
        let mut board = Switchboard::default();
        board.want_rows();
        Self {
            board,
            now: 0,
            pages: Vec::new(),
            agents: HashMap::new(),
            next_conn: 0,
            calls: Vec::new(),
            ended: HashMap::new(),
            departed: HashSet::new(),
            works: VecDeque::new(),
            passed: VecDeque::new(),
            handed: VecDeque::new(),
            written: HashMap::new(),
            recalls: VecDeque::new(),
            given: VecDeque::new(),
            letters: Vec::new(),
            words: VecDeque::new(),
            played: HashSet::new(),
            plain: 0,
        }
    }
}

impl World {
    fn conn(&mut self) -> Conn {
        self.next_conn += 1;
        Conn(self.next_conn)
    }

    /// The id of a new request of a page or an agent.
    pub fn ask(&mut self, conn: Conn) -> String {
        let id = self.calls.len().to_string();
        self.calls.push((conn, id.clone()));
        id
    }

    pub fn agent(&mut self, agent: u8) -> Conn {
        if let Some(conn) = self.agents.get(&agent) {
            return *conn;
        }
        let conn = self.conn();
        self.agents.insert(agent, conn);
        self.on(Input::AgentJoined { agent: conn });
        conn
    }

    pub fn on(&mut self, input: Input) {
        self.played.insert(kind(&input));
        let mut effects = Vec::new();
        self.plain += u32::from(plain::on(&mut self.board, self.now, input, &mut effects));
        for effect in effects {
            self.follow(effect);
        }
    }

    fn follow(&mut self, effect: Effect) {
        match effect {
            Effect::Ended { reply, .. } | Effect::Result { reply, .. } => {
                assert!(!self.departed.contains(&reply.agent), "an agent that left gets no answer");
                let id = match reply.form {
                    ReplyForm::Rpc(id) | ReplyForm::Tool(id) => id.to_string(),
                    ReplyForm::Line(id) => id.as_str().into(),
                    other => panic!("nothing was asked as {other:?}"),
                };
                *self.ended.entry(id).or_default() += 1;
            }
            Effect::PageResult { id, .. } => *self.ended.entry(id.to_string()).or_default() += 1,
            Effect::Close { conn, .. } => self.on(Input::page(conn, PageEvent::Left)),
            Effect::Work { lane, work } => self.works.push_back((lane, *work)),
            Effect::PassOn(passed) => self.passed.push_back(passed),
            Effect::CancelElsewhere { agent, forms } => {
                let is_meant = |passed: &Passed| match &passed.asker {
                    Asker::Agent(reply) => reply.agent == agent && forms.contains(&reply.form),
                    _ => false,
                };
                let (meant, others) = self.passed.drain(..).partition(|passed| is_meant(passed));
                self.passed = others;
                for passed in Vec::from(meant) {
                    self.answer(*passed, Err(Error::new(Code::CANCELLED, "cancelled")));
                }
            }
            Effect::LeftElsewhere { agent } => self.passed.retain(|passed| passed.asker.agent() != Some(agent)),
            Effect::HandOver(handover) => self.handed.push_back(handover),
            Effect::Lasting(Lasting::Write(state)) => {
                self.written.insert(state.session.clone(), state);
            }
            Effect::Lasting(Lasting::Recall(session)) => self.recalls.push_back((session, false)),
            Effect::Lasting(Lasting::CameBack(session)) => self.recalls.push_back((session, true)),
            Effect::LookUp { word } => self.words.push_back(word),
            Effect::Lasting(Lasting::Forget(session)) => {
                self.written.remove(&session);
                self.letters.retain(|letter| letter.session != session);
            }
            Effect::Lasting(Lasting::Letter(letter)) => self.letters.push(*letter),
            Effect::Lasting(Lasting::Mail { session, letters }) => {
                self.letters.retain(|letter| letter.session != session);
                self.letters.extend(letters);
            }
            Effect::Lasting(Lasting::Given(given)) => {
                self.letters.retain(|letter| letter.session != given.session);
                self.given.push_back(given);
            }
            Effect::Free(_)
            | Effect::PublishElsewhere { .. }
            | Effect::Send { .. }
            | Effect::Progress { .. }
            | Effect::News { .. }
            | Effect::Message { .. }
            | Effect::Abort { .. }
            | Effect::Ping { .. }
            | Effect::Replaced { .. } => {}
        }
    }

    /// The other hub reports how a request ended.
    fn answer(&mut self, passed: Passed, ending: Result<Value, Error>) {
        let back = match (passed.is_call, passed.asker) {
            (true, asker) => Back::Ended { asker, ending, delta: None, asked_at: self.now },
            (false, Asker::Agent(reply)) => Back::Result { reply, result: ending.map(|_| "1".into()) },
            (false, _) => return,
        };
        self.on(Input::Back(Box::new(back)));
    }

    pub fn step(&mut self, step: Step) {
        match step {
            Step::Join { session: at, foreign, driven } => {
                let page = self.conn();
                self.pages.push(page);
                let origin = if foreign { "http://evil.test" } else { ORIGIN }.into();
                let info = PageInfo { title: Some("t".into()), ..PageInfo::default() };
                let who = Newcomer { origin, info, policy: Policy::default(), ask_first: false, driven };
                self.on(Input::PageJoined { page, session: session(at), who: Box::new(who) });
            }
            Step::PageDoes { page, does } => self.page_does(page, &does),
            Step::Wants { agent, session, wants, form } => self.wants(agent, session, &wants, form),
            Step::Cancel { agent, ask } => {
                let agent = self.agent(agent);
                self.on(Input::Cancel { agent, id: ask.to_string().into() });
            }
            Step::AgentHello { agent, named, target } => {
                let agent = self.agent(agent);
                let agent_name = named.then(|| "claude".into());
                let target = target.map(|at| session(at).to_string());
                let hello = Hello { agent: agent_name, timeout: Some(900), target, ..Hello::default() };
                self.on(Input::AgentHello { agent, hello: Box::new(hello) });
            }
            Step::AgentScoped { agent, narrow } => {
                let agent = self.agent(agent);
                let scope = if narrow { narrow_scope() } else { Scope::ALL };
                self.on(Input::AgentScoped { agent, scope });
            }
            Step::AgentPaced { agent } => {
                let agent = self.agent(agent);
                self.on(Input::AgentPaced { agent, rate: Rate { per_s: 2, burst: 3 } });
            }
            Step::AgentGone { agent } => {
                if let Some(conn) = self.agents.remove(&agent) {
                    self.depart(conn);
                    self.on(Input::AgentLeft { agent: conn });
                }
            }
            Step::AgentRevoked { agent } => self.revoke(agent),
            Step::Works { failed } => self.work(failed),
            Step::Answers { wrong } => {
                if let Some(passed) = self.passed.pop_front() {
                    let error = Error::new(Code::CONNECTION, "the hub that holds the page is gone");
                    self.answer(*passed, if wrong { Err(error) } else { Ok(Value::Json("1".into())) });
                }
            }
            Step::Elsewhere { session: at, there } => {
                let page = Arc::new(elsewhere::page(session(at), ORIGIN));
                let listed = if there {
                    Listed::There(page)
                } else if self.now.is_multiple_of(2) {
                    Listed::LeftOut(session(at))
                } else {
                    Listed::Gone(session(at))
                };
                self.on(Input::Listed(vec![listed]));
            }
            Step::Released { session: at, heir } => {
                let heir = heir.then(|| Heir { origin: ORIGIN.into(), claim: 1 });
                self.on(Input::Released { session: session(at), heir });
            }
            Step::HandedOver => {
                if let Some(handover) = self.handed.pop_front() {
                    self.on(Input::HandedOver(handover));
                }
            }
            Step::Recalled { found } => self.recall(found),
            Step::StatesWanted => self.on(Input::StatesWanted),
            Step::MailGiven => self.mail_given(),
            Step::Lists { all } => self.on(Input::Listed(vec![Listed::All(all)])),
            Step::LookedUp { session, known } => self.looked_up(session, known),
            Step::CameOver { session: at } => self.on(Input::CameOver(session(at))),
            Step::Topics { published } => self.on(Input::Topics(Box::new(topics_news(published)))),
            Step::Wait { ms } => self.wait(u64::from(ms)),
        }
    }

    /// The oldest lookup of a word ends: a page is found, none is, or it cannot be known.
    fn looked_up(&mut self, found: Option<u8>, known: bool) {
        let Some(word) = self.words.pop_front() else { return };
        let pages = found.map(|at| Listed::There(Arc::new(elsewhere::page(session(at), ORIGIN))));
        self.on(Input::Listed(pages.into_iter().collect()));
        self.on(Input::LookedUp { word, known });
    }

    /// The oldest recall ends: the state is found, does not exist, or cannot be known.
    fn recall(&mut self, found: u8) {
        let Some((session, is_back)) = self.recalls.pop_front() else { return };
        let written = self.written.get(&session).filter(|_| found > 0).cloned();
        let nothing = if found > 1 { Found::Nothing } else { Found::Unknown };
        let found = written.map_or(nothing, Found::State);
        let letters = self.letters.iter().filter(|letter| letter.session == session).cloned();
        let letters = is_back.then(|| letters.collect());
        self.on(Input::Recalled(Box::new(Recalled { session, found, letters })));
    }

    /// The written letters of the oldest request for mail are removed.
    fn mail_given(&mut self) {
        if let Some(given) = self.given.pop_front() {
            self.on(Input::MailGiven(given));
        }
    }

    /// The token of an agent is revoked. The agent learns how each of its calls ended before it leaves.
    fn revoke(&mut self, agent: u8) {
        let Some(conn) = self.agents.remove(&agent) else { return };
        let error = Error::new(Code::DENIED, "the token `ci` was revoked");
        let elsewhere = self.passed.iter().any(|passed| passed.asker.agent() == Some(conn))
            || self.given.iter().any(|given| given.reply.agent == conn);
        self.on(Input::AgentRevoked { agent: conn, error });
        self.on(Input::AgentLeft { agent: conn });
        self.depart(conn);
        if self.works.is_empty() && !elsewhere {
            for (_, id) in self.calls.iter().filter(|(caller, _)| *caller == conn) {
                assert_eq!(self.ended.get(id), Some(&1), "request {id} of an agent whose token was revoked");
            }
        }
    }

    /// While work is under way, the leaving of a connection or its requests may wait behind the work; the hub drops
    /// their results.
    fn depart(&mut self, conn: Conn) {
        if self.works.is_empty() {
            self.departed.insert(conn);
        }
    }

    fn work(&mut self, failed: bool) {
        if let Some((lane, work)) = self.works.pop_front() {
            let done = if failed { Done::Failed } else { work.run(|| {}) };
            self.on(Input::Worked { lane, done });
        }
    }

    /// Lets time pass as a hub would: a tick at every wake.
    pub fn wait(&mut self, ms: u64) {
        let end = self.now + ms;
        while let Some(at) = self.board.next_wake().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            self.on(Input::Tick);
            assert!(self.board.next_wake().is_none_or(|next| next > at), "a tick leaves nothing due");
        }
        self.now = end;
    }

    /// Ends all work, passed requests, recalls, lookups and waiting letters.
    pub fn settle(&mut self) {
        let is_due = |world: &Self| !world.works.is_empty() || !world.passed.is_empty() || !world.recalls.is_empty();
        while is_due(self) || !self.words.is_empty() || !self.given.is_empty() {
            self.work(false);
            self.mail_given();
            self.recall(2);
            self.looked_up(None, true);
            if let Some(passed) = self.passed.pop_front() {
                self.answer(*passed, Ok(Value::Json("1".into())));
            }
        }
    }

    /// Whether the page or agent that made the request is still connected.
    pub fn is_there(&self, conn: Conn) -> bool {
        self.board.session_of(conn).is_some() || self.agents.values().any(|agent| *agent == conn)
    }
}

pub fn reply(agent: Conn, id: String) -> Reply {
    Reply { agent, form: ReplyForm::Rpc(id.into()) }
}

fn narrow_scope() -> Scope {
    let pages = vec!["http://evil.test".into()];
    Scope::limited(Limits { name: "ci".into(), id: "1".into(), may: vec![Class::Read], pages, void: None })
}

fn topics_news(published: bool) -> TopicsNews {
    if published {
        let params = r#"{"topic":"news","message":1}"#.into();
        let (scope, audience) = (Scope::ALL, Audience::Everyone);
        return TopicsNews::Published(TopicMessage {
            topic: "news".into(),
            params,
            origin: None,
            scope,
            audience,
            wait_ms: 100,
        });
    }
    let interest = Interest { pattern: "news".into(), listener: HeardBy::Agent };
    TopicsNews::Interests { hub: "b".into(), interests: HubInterests::All(vec![interest]) }
}
