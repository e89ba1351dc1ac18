//! One hub: its core, its real switchboard with pages, and the messages that NATS holds for it. Every page publishes a
//! higher number than any page before, so that an older state is recognized by its number.

use crate::cast::{self, row::ORIGIN};
use crate::world::{SESSIONS, id};
use eye_cluster::core::{Core, Event, Life};
use eye_cluster::wire::Request;
use eye_core::elsewhere::ChangedRow;
use eye_core::{Conn, Effect, Input, Newcomer, PageEvent, Policy, Switchboard};
use eye_protocol::SessionId;
use eye_protocol::messages::PageInfo;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};

const FOREIGN: &str = "http://localhost:9";

/// One hub.
pub struct SimHub {
    pub core: Core,
    pub life: Life,
    pub is_up: bool,
    board: Switchboard,
    /// The connected pages, with the number and the revision of their last published state.
    pages: BTreeMap<SessionId, Page>,
    conns: u64,
    /// The newest state of each session that an agent got here: its number and its revision.
    answers: BTreeMap<SessionId, (u64, u64)>,
    pub served: Vec<(Life, Request)>,
    /// Entries of the directory that the server still has to deliver, in order.
    pub watch: VecDeque<Event>,
    /// The results of its writes.
    pub acks: VecDeque<Event>,
}

struct Page {
    conn: Conn,
    origin: &'static str,
    published: Option<u64>,
    revision: u64,
}

impl SimHub {
    pub fn new(core: Core, life: Life) -> Self {
        let mut board = Switchboard::default();
        board.want_rows();
        board.on(1, Input::AgentJoined { agent: cast::AGENT }, &mut Vec::new());
        Self {
            core,
            life,
            is_up: false,
            board,
            pages: BTreeMap::new(),
            conns: 100,
            answers: BTreeMap::new(),
            served: Vec::new(),
            watch: VecDeque::new(),
            acks: VecDeque::new(),
        }
    }

    pub fn page(&self, session: &SessionId) -> Option<Conn> {
        self.pages.get(session).map(|page| page.conn)
    }

    /// The input when a page connects. `None`: its gate gives it another session.
    pub fn joins(&mut self, session: &SessionId, foreign: bool) -> Option<Input> {
        let origin = if foreign { FOREIGN } else { ORIGIN };
        if self.board.is_kept_for_another(session, origin) {
            return None;
        }
        self.conns += 1;
        let conn = Conn(self.conns);
        let info = PageInfo { title: Some("t".into()), ..PageInfo::default() };
        let who = Newcomer { origin: origin.into(), info, policy: Policy::default(), ask_first: false, driven: false };
        if self.pages.get(session).is_none_or(|page| page.origin == origin) {
            self.pages.insert(session.clone(), Page { conn, origin, published: None, revision: 0 });
        }
        Some(Input::PageJoined { page: conn, session: session.clone(), who: Box::new(who) })
    }

    /// A page publishes. Returns its connection, its origin and its own revision.
    pub fn publishes(&mut self, session: &SessionId, number: u64) -> Option<(Conn, &'static str, u64)> {
        let page = self.pages.get_mut(session)?;
        page.published = Some(number);
        page.revision += 1;
        Some((page.conn, page.origin, page.revision))
    }

    /// Passes an input to the switchboard. Returns the effects, the sessions that lost their page, and the changed
    /// rows.
    pub fn on(&mut self, now: u64, input: Input) -> (Vec<Effect>, Vec<SessionId>, Vec<ChangedRow>) {
        let (mut todo, mut seen) = (VecDeque::from([input]), Vec::new());
        while let Some(input) = todo.pop_front() {
            let mut out = Vec::new();
            self.board.on(now, input, &mut out);
            for effect in out {
                match effect {
                    Effect::Work { lane, work } => todo.push_back(Input::Worked { lane, done: work.run(|| {}) }),
                    Effect::Close { conn, .. } => todo.push_back(Input::page(conn, PageEvent::Left)),
                    effect => seen.push(effect),
                }
            }
        }
        let board = &self.board;
        let is_there = |session: &SessionId, page: &Page| board.session_of(page.conn) == Some(session);
        let gone: Vec<SessionId> =
            self.pages.extract_if(.., |session, page| !is_there(session, page)).map(|(session, _)| session).collect();
        for session in (0..SESSIONS).map(id) {
            // A state that was handed over or forgotten is not here any more, so a later one is not compared with it.
            if self.board.hands_and_revision(session.as_str()).1.is_none() {
                self.answers.remove(&session);
            }
        }
        (seen, gone, self.board.take_changed_rows(now))
    }

    /// The newest state that an agent got here: its number and its revision.
    pub fn last_answer(&self, session: &SessionId) -> Option<(u64, u64)> {
        self.answers.get(session).copied()
    }

    /// Checks a state that an agent got: it is never older than the one before, and it is the page's own if the page
    /// has published.
    pub fn check_state(&mut self, session: &SessionId, answer: &Value) {
        let number = answer["value"]["n"].as_u64().expect("a number");
        let revision = answer["revision"].as_u64().expect("a revision");
        if let Some(before) = self.answers.insert(session.clone(), (number, revision)) {
            assert!(before.0 <= number && before.1 <= revision, "{before:?}, then {number} at {revision}");
            assert!(before.0 == number || before.1 < revision, "{before:?}, then {number} at {revision}");
        }
        let Some(page) = self.pages.get(session) else { return };
        assert_eq!(answer["value"]["origin"], page.origin, "a state of another origin");
        if let Some(published) = page.published {
            assert_eq!(number, published, "not what the page published here");
        }
    }
}
