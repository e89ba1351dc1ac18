//! Random histories of three hubs over a simulated NATS that delays, reorders between subjects, repeats messages, loses
//! them when a link is cut, and comes back empty: every call ends exactly once, and every session has one hub.

mod cast;

use eye_cluster::core::{Action, Core, DEAD_AFTER_MS, Event, Life};
use eye_cluster::row::Row;
use eye_cluster::wire::{Frame, Request, WireValue};
use eye_core::elsewhere::Back;
use eye_core::{Asker, Input, ReplyForm};
use eye_protocol::SessionId;
use eye_protocol::messages::{Presence, SessionRow};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

const HUBS: usize = 3;
const SESSIONS: u8 = 2;

#[derive(Clone, Copy, Debug)]
enum Step {
    Join { hub: usize, session: u8 },
    Leave { hub: usize, session: u8 },
    Ask { hub: usize, session: u8 },
    Answer { hub: usize, at: usize },
    Deliver { from: usize, to: usize, twice: bool },
    Watch { hub: usize },
    Ack { hub: usize },
    Cut { hub: usize },
    Heal { hub: usize },
    Crash { hub: usize },
    Empty,
    Beat,
    Pass { ms: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    let (hub, session) = (0..HUBS, 0..SESSIONS);
    prop_oneof![
        3 => (hub.clone(), session.clone()).prop_map(|(hub, session)| Step::Join { hub, session }),
        1 => (hub.clone(), session.clone()).prop_map(|(hub, session)| Step::Leave { hub, session }),
        6 => (hub.clone(), session).prop_map(|(hub, session)| Step::Ask { hub, session }),
        5 => (hub.clone(), 0..4_usize).prop_map(|(hub, at)| Step::Answer { hub, at }),
        12 => (hub.clone(), 0..HUBS, prop::bool::weighted(0.1))
            .prop_map(|(from, to, twice)| Step::Deliver { from, to, twice }),
        8 => hub.clone().prop_map(|hub| Step::Watch { hub }),
        6 => hub.clone().prop_map(|hub| Step::Ack { hub }),
        1 => hub.clone().prop_map(|hub| Step::Cut { hub }),
        2 => hub.clone().prop_map(|hub| Step::Heal { hub }),
        1 => hub.prop_map(|hub| Step::Crash { hub }),
        1 => Just(Step::Empty),
        3 => Just(Step::Beat),
        2 => (1..1_500_u64).prop_map(|ms| Step::Pass { ms }),
    ]
}

struct SimHub {
    core: Core,
    life: Life,
    is_up: bool,
    pages: BTreeSet<SessionId>,
    served: Vec<(Life, Request)>,
    /// What the server has to tell it: entries of the directory, in order.
    watch: VecDeque<Event>,
    /// What became of its writes.
    acks: VecDeque<Event>,
}

struct World {
    hubs: Vec<SimHub>,
    lives: usize,
    now: u64,
    wire: BTreeMap<(usize, usize), VecDeque<Frame>>,
    kv: BTreeMap<SessionId, (Option<Row>, u64)>,
    revision: u64,
    last_call: u64,
    /// The calls that have to end, and how often each has.
    calls: BTreeMap<u64, (usize, Life, usize)>,
}

fn id(session: u8) -> SessionId {
    cast::id(&format!("s{session}"))
}

fn row(session: &SessionId, presence: Presence) -> SessionRow {
    cast::row::page(session.as_str(), presence)
}

impl World {
    fn new() -> Self {
        let mut world = Self {
            hubs: Vec::new(),
            lives: 0,
            now: 1,
            wire: BTreeMap::new(),
            kv: BTreeMap::new(),
            revision: 0,
            last_call: 0,
            calls: BTreeMap::new(),
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

    fn born(&mut self, at: usize) -> SimHub {
        self.lives += 1;
        let life: Life = format!("{at}-{}", self.lives).into();
        let core = Core::new(format!("h{at}").into(), life.clone());
        SimHub {
            core,
            life,
            is_up: false,
            pages: BTreeSet::new(),
            served: Vec::new(),
            watch: VecDeque::new(),
            acks: VecDeque::new(),
        }
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
                // Without a link the sender sends nothing; what is sent to one without is lost.
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
            Action::Feed(Input::Back(back)) => {
                if let Back::Ended { asker: Asker::Agent(reply), .. } = *back
                    && let ReplyForm::Rpc(call) = reply.form
                    && let Some((_, _, ended)) = self.calls.get_mut(&call.parse::<u64>().expect("a number"))
                {
                    *ended += 1;
                }
            }
            Action::Feed(Input::Released(session)) => {
                if self.hubs[hub].pages.remove(&session) {
                    self.served_end(hub, &session);
                    let row = row(&session, Presence::Away);
                    self.on(hub, Event::Rows(vec![(session, Some((row, None)))]));
                }
            }
            Action::Serve { from, request } => {
                let twice = self.hubs[hub].served.iter().any(|(life, one)| *life == from && one.call == request.call);
                assert!(!twice, "a request is served once");
                self.hubs[hub].served.push((from, std::sync::Arc::unwrap_or_clone(request)));
            }
            // Tokens have a property test of their own.
            Action::Tokens(_) | Action::Feed(_) | Action::Cancel { .. } => {}
            Action::Leave { from, .. } => self.hubs[hub].served.retain(|(life, _)| *life != from),
        }
    }

    /// A page that is gone ends what it was asked.
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
        // What became of the writes that were under way may still be heard.
        self.on(hub, Event::Down);
    }

    fn heal(&mut self, hub: usize) {
        if self.hubs[hub].is_up {
            return;
        }
        self.hubs[hub].is_up = true;
        self.on(hub, Event::Up);
        self.on(hub, Event::Reading);
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

    fn step(&mut self, step: Step) {
        match step {
            Step::Join { hub, session } => {
                let session = id(session);
                self.hubs[hub].pages.insert(session.clone());
                let row = row(&session, Presence::Connected);
                self.on(hub, Event::Rows(vec![(session, Some((row, None)))]));
            }
            Step::Leave { hub, session } => {
                let session = id(session);
                if self.hubs[hub].pages.remove(&session) {
                    self.served_end(hub, &session);
                    self.on(hub, Event::Rows(vec![(session, None)]));
                }
            }
            Step::Ask { hub, session } => {
                if self.hubs[hub].pages.contains(&id(session)) {
                    return;
                }
                self.last_call += 1;
                self.calls.insert(self.last_call, (hub, self.hubs[hub].life.clone(), 0));
                self.on(hub, cast::ask(id(session), &self.last_call.to_string()));
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
                self.revision = 0;
            }
            Step::Beat => self.beat(),
            Step::Pass { ms } => {
                self.now += ms;
                for hub in 0..HUBS {
                    self.on(hub, Event::Tick);
                }
            }
        }
    }

    /// Everything heals and arrives, and all time passes.
    fn settle(&mut self) {
        for hub in 0..HUBS {
            self.heal(hub);
        }
        for _ in 0..60 {
            let mut moved = true;
            while moved {
                moved = false;
                for hub in 0..HUBS {
                    moved |= self.pop(hub, false);
                    moved |= self.pop(hub, true);
                    for other in 0..HUBS {
                        moved |= self.deliver(hub, other, false);
                    }
                }
            }
            self.now += DEAD_AFTER_MS / 4;
            self.beat();
            for hub in 0..HUBS {
                self.on(hub, Event::Tick);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_call_ends_once_and_every_session_has_one_hub(steps in prop::collection::vec(step(), 1..120)) {
        let mut world = World::new();
        for step in steps {
            world.step(step);
            let twice = world.calls.iter().find(|(_, (_, _, ended))| *ended > 1);
            prop_assert!(twice.is_none(), "a call ended twice: {twice:?}");
        }
        world.settle();
        for (call, (hub, life, ended)) in &world.calls {
            // Agents of a hub that crashed have no hub that could report the ending.
            let is_there = world.hubs[*hub].life == *life;
            prop_assert!(*ended == 1 || !is_there && *ended == 0, "call {call} of hub {hub} ended {ended} times");
        }
        for session in 0..SESSIONS {
            let session = id(session);
            let holders: Vec<&SimHub> = world.hubs.iter().filter(|hub| hub.pages.contains(&session)).collect();
            prop_assert!(holders.len() <= 1, "{} hubs hold {session}", holders.len());
            let listed = world.kv.get(&session).and_then(|(row, _)| row.as_ref());
            if let [holder] = holders[..] {
                prop_assert_eq!(listed.map(|row| &row.life), Some(&holder.life));
            }
        }
    }
}
