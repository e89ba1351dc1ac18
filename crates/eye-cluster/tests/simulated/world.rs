//! Hubs with their pages and a simulated NATS: its deliveries, its storage, and the results of writes.

use crate::cast;
use crate::hub::SimHub;
use crate::step::Step;
use eye_cluster::core::{Action, Core, DEAD_AFTER_MS, Event, Life, Looked, StatesAction};
use eye_cluster::row::Row;
use eye_cluster::wire::{Frame, Request, WireValue};
use eye_core::elsewhere::Back;
use eye_core::lasting::{Found, LastingLetter, LastingState, Recalled};
use eye_core::state::StateQuery;
use eye_core::{Asker, Effect, Input, PageEvent, Reply, ReplyForm};
use eye_protocol::SessionId;
use eye_protocol::state::WholeState;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub const HUBS: usize = 3;
pub const SESSIONS: u8 = 2;
/// The most deliveries per queue until nothing is left to deliver. The longest history takes far fewer.
const ROUNDS_MAX: usize = 10_000;

/// A deadline that no history reaches.
const LONG_MS: u64 = 3_600_000;

/// Three hubs and the simulated NATS between them.
pub struct World {
    pub hubs: Vec<SimHub>,
    lives: usize,
    now: u64,
    wire: BTreeMap<(usize, usize), VecDeque<Frame>>,
    pub kv: BTreeMap<SessionId, (Option<Row>, u64)>,
    revision: u64,
    /// States that outlive their hubs, with the claims that they were written under.
    states: BTreeMap<SessionId, (LastingState, u64)>,
    /// Letters that outlive their hubs; `None`: no letters are kept.
    letters: Option<Vec<LastingLetter>>,
    last_call: u64,
    /// The calls that must end: the number and the life of their hub, and how often each has ended.
    pub calls: BTreeMap<u64, (usize, Life, usize)>,
    /// A counter for what pages publish: a later state or letter has a higher number.
    last_number: u64,
    /// The letters that agents got.
    given: BTreeSet<u64>,
    requests: u64,
    /// How many pages of other hubs each hub lists.
    pages_max: usize,
}

pub fn id(session: u8) -> SessionId {
    cast::id(&format!("s{session}"))
}

impl World {
    pub fn new() -> Self {
        Self::listing(usize::MAX)
    }

    /// A world whose hubs list this many pages of other hubs.
    pub fn listing(pages_max: usize) -> Self {
        let mut world = Self {
            hubs: Vec::new(),
            lives: 0,
            now: 1,
            wire: BTreeMap::new(),
            kv: BTreeMap::new(),
            revision: 0,
            states: BTreeMap::new(),
            letters: None,
            last_call: 0,
            calls: BTreeMap::new(),
            last_number: 0,
            given: BTreeSet::new(),
            requests: 0,
            pages_max,
        };
        for at in 0..HUBS {
            let hub = world.born(at);
            world.hubs.push(hub);
        }
        for at in 0..HUBS {
            world.heal(at);
        }
        world
    }

    /// Lets letters outlive their hubs.
    pub fn keeping_letters(mut self) -> Self {
        self.letters = Some(Vec::new());
        self
    }

    fn born(&mut self, at: usize) -> SimHub {
        self.lives += 1;
        let life: Life = format!("{at}-{}", self.lives).into();
        let core = Core::new(format!("h{at}").into(), life.clone()).listing(self.pages_max);
        SimHub::new(core, life)
    }

    fn at(&self, life: &str) -> Option<usize> {
        self.hubs.iter().position(|hub| *hub.life == *life)
    }

    fn on(&mut self, hub: usize, event: Event) {
        let mut actions = Vec::new();
        self.hubs[hub].core.on(self.now, event, &mut actions);
        for action in actions {
            self.act(hub, action);
        }
    }

    fn act(&mut self, hub: usize, action: Action) {
        match action {
            Action::Send { to, frame } => match self.at(&to) {
                Some(other) if self.hubs[hub].is_up && self.hubs[other].is_up => {
                    self.wire.entry((hub, other)).or_default().push_back(frame);
                }
                None if self.hubs[hub].is_up => {
                    let calls = if let Frame::Request(request) = &frame { vec![request.call] } else { Vec::new() };
                    self.on(hub, Event::NoResponders { life: to, calls });
                }
                // A sender without a link sends nothing. A message to a receiver without a link is lost.
                Some(_) | None => {}
            },
            Action::Put { session, row, replaces } => {
                let known =
                    self.kv.get(&session).map_or(0, |(row, revision)| if row.is_some() { *revision } else { 0 });
                let revision = (known == replaces).then(|| self.store(&session, Some(&row)));
                self.hubs[hub].acks.push_back(Event::Stored { session, row: Some(row), revision });
            }
            Action::Remove { session, revision } => {
                if self.kv.get(&session).is_some_and(|(row, known)| row.is_some() && *known == revision) {
                    self.store(&session, None);
                }
            }
            Action::LookUp { look_up, session } => {
                let there = self.kv.get(&session).and_then(|(row, revision)| Some((row.clone()?, *revision)));
                let found = match there {
                    _ if !self.hubs[hub].is_up => Looked::Unknown,
                    Some((row, revision)) => Looked::There { row, revision },
                    None => Looked::Nothing,
                };
                self.hubs[hub].acks.push_back(Event::LookedUp { look_up, session, found });
            }
            Action::ReadDirectory => self.read(hub),
            Action::States(action) => self.states(hub, action),
            Action::Feed(Input::Back(back)) => {
                if let Back::Ended { asker: Asker::Agent(reply), .. } = *back
                    && let ReplyForm::Rpc(call) = reply.form
                    && let Some((_, _, ended)) = self.calls.get_mut(&call.parse::<u64>().expect("a number"))
                {
                    *ended += 1;
                }
            }
            Action::Feed(input) => self.board(hub, input),
            Action::Serve { from, request } => {
                let twice = self.hubs[hub].served.iter().any(|(life, one)| *life == from && one.call == request.call);
                assert!(!twice, "a request is served once");
                self.hubs[hub].served.push((from, std::sync::Arc::unwrap_or_clone(request)));
            }
            // Tokens have a property test of their own.
            Action::Tokens(_) | Action::Cancel { .. } => {}
            Action::Leave { from, .. } => self.hubs[hub].served.retain(|(life, _)| *life != from),
        }
    }

    /// Runs an action on states that outlive their hubs. Without a link nothing is written and nothing is found.
    fn states(&mut self, hub: usize, action: StatesAction) {
        let is_up = self.hubs[hub].is_up;
        match action {
            StatesAction::Put { state, epoch } => {
                let is_newer = |there: &(LastingState, u64)| there.1 > epoch;
                if is_up && !self.states.get(&state.session).is_some_and(is_newer) {
                    self.states.insert(state.session.clone(), (*state, epoch));
                }
            }
            StatesAction::Get { session, with_letters } => {
                let there = self.states.get(&session).map(|(state, _)| Found::State(Box::new(state.clone())));
                let found = if is_up { there.unwrap_or(Found::Nothing) } else { Found::Unknown };
                let kept = self.letters.iter().flatten().filter(|letter| is_up && letter.session == session);
                let letters = with_letters.then(|| kept.cloned().collect());
                self.hubs[hub].acks.push_back(Event::Recalled(Box::new(Recalled { session, found, letters })));
            }
            StatesAction::Remove(session) => {
                self.states.remove(&session);
                self.write_letters(&session, Vec::new());
            }
            StatesAction::Letter(letter) => {
                if let Some(letters) = self.letters.as_mut().filter(|_| is_up) {
                    letters.push(*letter);
                }
            }
            StatesAction::Mail { session, letters } if is_up => self.write_letters(&session, letters),
            StatesAction::Mail { .. } => {}
            StatesAction::Given(given) => {
                if is_up {
                    self.write_letters(&given.session, Vec::new());
                }
                self.hubs[hub].acks.push_back(Event::MailGiven(given));
            }
        }
    }

    fn write_letters(&mut self, session: &SessionId, written: Vec<LastingLetter>) {
        if let Some(letters) = &mut self.letters {
            letters.retain(|letter| letter.session != *session);
            letters.extend(written);
        }
    }

    /// Passes an input to the switchboard of a hub, and its effects to the core.
    pub fn board(&mut self, hub: usize, input: Input) {
        let (effects, gone, rows) = self.hubs[hub].on(self.now, input);
        for effect in effects {
            match effect {
                Effect::HandOver(handover) => self.on(hub, Event::HandOver(handover)),
                Effect::Lasting(lasting) => self.on(hub, Event::Lasting(lasting)),
                Effect::LookUp { word } => self.on(hub, Event::LookUp { word }),
                Effect::Result { reply, result: Ok(text) } => self.check_answer(hub, &reply, &text),
                _ => {}
            }
        }
        for session in gone {
            self.served_end(hub, &session);
        }
        if !rows.is_empty() {
            self.on(hub, Event::Rows(rows));
        }
    }

    /// Checks the state or the letters that an agent got.
    fn check_answer(&mut self, hub: usize, reply: &Reply, text: &str) {
        let ReplyForm::Rpc(id) = &reply.form else { return };
        let answer: Value = serde_json::from_str(text).expect("JSON");
        let Some(session) = id.split('/').nth(1).map(cast::id) else { return };
        for letter in answer["messages"].as_array().into_iter().flatten() {
            let number = letter["msg"].as_u64().expect("a number");
            assert!(self.given.insert(number), "the letter {number} is given twice");
        }
        if answer["value"].is_object() {
            self.hubs[hub].check_state(&session, &answer);
        }
    }

    fn reply(&mut self, session: &SessionId) -> Reply {
        self.requests += 1;
        Reply { agent: cast::AGENT, form: ReplyForm::Rpc(format!("{}/{session}", self.requests).into()) }
    }

    /// An agent reads the state of a session, whether its page is here or at no hub.
    pub fn read_state(&mut self, hub: usize, session: &SessionId) {
        let reply = self.reply(session);
        let page = Some(session.as_str().into());
        self.board(hub, Input::GetState { reply, page, fresh: false, query: StateQuery::default() });
    }

    pub fn read_mail(&mut self, hub: usize, session: &SessionId) {
        let reply = self.reply(session);
        self.board(hub, Input::ReadMail { reply, page: Some(session.as_str().into()), timeout_ms: None });
    }

    /// The number of letters that agents got.
    pub fn given(&self) -> usize {
        self.given.len()
    }

    pub fn publish(&mut self, hub: usize, session: &SessionId) {
        self.last_number += 1;
        let number = self.last_number;
        let Some((conn, origin, revision)) = self.hubs[hub].publishes(session, number) else { return };
        let state = json!({ "n": number, "origin": origin }).to_string().into();
        let whole = WholeState { state, revision };
        self.board(hub, Input::page(conn, PageEvent::State { whole, wall_ms: number }));
    }

    pub fn put(&mut self, hub: usize, session: &SessionId) {
        self.last_number += 1;
        let (message, wall_ms) = (self.last_number.to_string().into(), self.last_number);
        if let Some(conn) = self.hubs[hub].page(session) {
            self.board(hub, Input::page(conn, PageEvent::Puts { message, wall_ms }));
        }
    }

    /// Ends the requests to a page that is gone.
    fn served_end(&mut self, hub: usize, session: &SessionId) {
        let served = std::mem::take(&mut self.hubs[hub].served);
        let (gone, rest) = served.into_iter().partition(|(_, request)| request.session == *session);
        self.hubs[hub].served = rest;
        for (to, request) in gone {
            self.answer(hub, to, &request);
        }
    }

    fn answer(&mut self, hub: usize, to: Life, request: &Request) {
        let frame = Frame::Ended { call: request.call, ending: Ok(WireValue::Json("1".into())), delta: None };
        self.act(hub, Action::Send { to, frame });
    }

    fn store(&mut self, session: &SessionId, row: Option<&Row>) -> u64 {
        self.revision += 1;
        self.kv.insert(session.clone(), (row.cloned(), self.revision));
        for hub in self.hubs.iter_mut().filter(|hub| hub.is_up) {
            hub.watch.push_back(Event::Entry { session: session.clone(), row: row.cloned(), revision: self.revision });
        }
        self.revision
    }

    fn cut(&mut self, hub: usize) {
        self.hubs[hub].is_up = false;
        self.hubs[hub].watch.clear();
        self.wire.retain(|(from, to), _| *from != hub && *to != hub);
        // The results of the writes in progress may still arrive.
        self.on(hub, Event::Down);
    }

    fn heal(&mut self, hub: usize) {
        if self.hubs[hub].is_up {
            return;
        }
        self.hubs[hub].is_up = true;
        self.on(hub, Event::Up);
        self.read(hub);
    }

    /// A hub starts to read the directory from its beginning.
    fn read(&mut self, hub: usize) {
        self.hubs[hub].watch.clear();
        self.hubs[hub].watch.push_back(Event::Reading);
        let entries: Vec<Event> = self
            .kv
            .iter()
            .map(|(session, (row, revision))| Event::Entry {
                session: session.clone(),
                row: row.clone(),
                revision: *revision,
            })
            .collect();
        self.hubs[hub].watch.extend(entries);
        self.hubs[hub].watch.push_back(Event::Read);
    }

    fn beat(&mut self) {
        let beats: Vec<(String, Life)> = (0..HUBS)
            .filter(|hub| self.hubs[*hub].is_up)
            .map(|hub| (format!("h{hub}"), self.hubs[hub].life.clone()))
            .collect();
        for hub in 0..HUBS {
            for (name, life) in beats.iter().filter(|_| self.hubs[hub].is_up).cloned().collect::<Vec<_>>() {
                self.on(hub, Event::Beat { name: name.into(), life });
            }
        }
    }

    fn pop(&mut self, hub: usize, acks: bool) -> bool {
        let one = &mut self.hubs[hub];
        let event = if acks { one.acks.pop_front() } else { one.watch.pop_front() };
        let is_some = event.is_some();
        if let Some(event) = event {
            self.on(hub, event);
        }
        is_some
    }

    fn deliver(&mut self, from: usize, to: usize, twice: bool) -> bool {
        let Some(frame) = self.wire.get_mut(&(from, to)).and_then(VecDeque::pop_front) else { return false };
        let life = self.hubs[from].life.clone();
        if twice {
            self.on(to, Event::Frame { from: life.clone(), frame: frame.clone() });
        }
        self.on(to, Event::Frame { from: life, frame });
        true
    }

    pub fn step(&mut self, step: Step) {
        match step {
            Step::Join { hub, session, foreign } => {
                if let Some(joined) = self.hubs[hub].joins(&id(session), foreign) {
                    self.board(hub, joined);
                }
            }
            Step::Leave { hub, session } => {
                if let Some(conn) = self.hubs[hub].page(&id(session)) {
                    self.board(hub, Input::page(conn, PageEvent::Left));
                }
            }
            Step::Publish { hub, session } => self.publish(hub, &id(session)),
            Step::Put { hub, session } => self.put(hub, &id(session)),
            Step::ReadState { hub, session } => self.read_state(hub, &id(session)),
            Step::ReadMail { hub, session } => self.read_mail(hub, &id(session)),
            Step::Ask { hub, session } => {
                if self.hubs[hub].page(&id(session)).is_some() {
                    return;
                }
                self.last_call += 1;
                self.calls.insert(self.last_call, (hub, self.hubs[hub].life.clone(), 0));
                // Every second one must not wait for its deadline when it is lost.
                let lifetime_ms = if self.last_call.is_multiple_of(2) { cast::LIFETIME_MS } else { LONG_MS };
                self.on(hub, cast::ask(id(session), &self.last_call.to_string(), lifetime_ms));
            }
            Step::Answer { hub, at } => {
                if at < self.hubs[hub].served.len() {
                    let (to, request) = self.hubs[hub].served.remove(at);
                    self.answer(hub, to, &request);
                }
            }
            Step::Deliver { from, to, twice } => {
                self.deliver(from, to, twice);
            }
            Step::Watch { hub } => {
                self.pop(hub, false);
            }
            Step::Ack { hub } => {
                self.pop(hub, true);
            }
            Step::Cut { hub } => self.cut(hub),
            Step::Heal { hub } => self.heal(hub),
            Step::Crash { hub } => {
                let born = self.born(hub);
                self.hubs[hub] = born;
                self.wire.retain(|(from, to), _| *from != hub && *to != hub);
            }
            Step::Empty => {
                for hub in 0..HUBS {
                    self.cut(hub);
                    self.hubs[hub].acks.clear();
                }
                self.kv.clear();
                self.states.clear();
                self.letters.iter_mut().for_each(Vec::clear);
                self.revision = 0;
            }
            Step::Arrive => self.arrive(),
            Step::Beat => self.beat(),
            Step::Pass { ms } => {
                self.now += ms;
                self.tick();
            }
        }
    }

    /// Repairs all links, delivers everything, answers all calls that hubs work on, and lets usual deadlines pass.
    pub fn settle(&mut self) {
        for hub in 0..HUBS {
            self.heal(hub);
        }
        for _ in 0..60 {
            self.arrive();
            for hub in 0..HUBS {
                for (to, request) in std::mem::take(&mut self.hubs[hub].served) {
                    self.answer(hub, to, &request);
                }
            }
            self.now += DEAD_AFTER_MS / 4;
            self.beat();
            self.tick();
        }
    }

    /// Delivers all messages that are on their way.
    pub fn arrive(&mut self) {
        for _ in 0..ROUNDS_MAX {
            let mut moved = false;
            for hub in 0..HUBS {
                moved |= self.pop(hub, false);
                moved |= self.pop(hub, true);
                for other in 0..HUBS {
                    moved |= self.deliver(hub, other, false);
                }
            }
            if !moved {
                return;
            }
        }
        let queued: Vec<_> = self.hubs.iter().map(|hub| (&hub.life, hub.is_up, &hub.watch, &hub.acks)).collect();
        panic!("messages follow each other without end: {queued:?}, {:?}", self.wire);
    }

    fn tick(&mut self) {
        for hub in 0..HUBS {
            self.board(hub, Input::Tick);
            self.on(hub, Event::Tick);
        }
    }
}
