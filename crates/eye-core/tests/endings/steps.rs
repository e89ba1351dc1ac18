//! Everything that can happen to a hub: every input, with values from a small range so that they meet.

use proptest::prelude::*;

/// One thing that happens. Pages, agents and sessions are named by small numbers.
#[derive(Clone, Debug)]
pub enum Step {
    Join {
        session: u8,
        foreign: bool,
        driven: bool,
    },
    PageDoes {
        page: u8,
        does: PageDoes,
    },
    Wants {
        agent: u8,
        session: Option<u8>,
        wants: Wants,
        form: u8,
    },
    Cancel {
        agent: u8,
        ask: u8,
    },
    AgentHello {
        agent: u8,
        named: bool,
        target: Option<u8>,
    },
    AgentScoped {
        agent: u8,
        narrow: bool,
    },
    AgentPaced {
        agent: u8,
    },
    AgentGone {
        agent: u8,
    },
    AgentRevoked {
        agent: u8,
    },
    /// The oldest work is done, or sometimes given up.
    Works {
        failed: bool,
    },
    /// The other hub answers the oldest request that was passed on.
    Answers {
        wrong: bool,
    },
    Elsewhere {
        session: u8,
        there: bool,
    },
    Released {
        session: u8,
        heir: bool,
    },
    /// The oldest handover comes back, as if another hub had held the session.
    HandedOver,
    /// The oldest recall ends: the state is found, does not exist, or cannot be known.
    Recalled {
        found: u8,
    },
    StatesWanted,
    /// Written letters were removed, so the agent gets them.
    MailGiven,
    /// From now on all pages of other hubs are listed, or not all.
    Lists {
        all: bool,
    },
    /// The oldest lookup of a word ends: it names this session, names none, or cannot be known.
    LookedUp {
        session: Option<u8>,
        known: bool,
    },
    CameOver {
        session: u8,
    },
    Topics {
        published: bool,
    },
    Wait {
        ms: u16,
    },
}

#[derive(Clone, Debug)]
pub enum PageDoes {
    Leaves,
    Hides,
    Changes { paused: bool },
    IsAllowed { nothing: bool },
    Lives,
    Navigates { call: u8 },
    Answers { call: u8, wrong: bool },
    Progresses { call: u8 },
    Offers { large: bool },
    Withdraws,
    IsCapable,
    Publishes { large: bool, revision: u8 },
    Patches { revision: u8, fits: bool },
    Puts,
    Says,
    Hears { wanted: bool },
}

#[derive(Clone, Debug)]
pub enum Wants {
    /// Code for the page that it uses anyway, as a line.
    Code,
    Eval {
        brief: bool,
        delta: bool,
    },
    Tool {
        large: bool,
    },
    Verb {
        again: bool,
    },
    Fire,
    Keep {
        named: bool,
    },
    Batch,
    State {
        fresh: bool,
    },
    Snapshot {
        which: u8,
    },
    Watch {
        wanted: bool,
    },
    Mail {
        waits: bool,
    },
    Tools,
    Join,
    Leave,
    Info,
    Collect {
        waits: bool,
    },
    List,
    Use {
        named: bool,
    },
    Forget,
    Says,
    Hears {
        wanted: bool,
    },
}

fn page_does() -> impl Strategy<Value = PageDoes> {
    let flag = any::<bool>;
    let call = || 1..12_u8;
    prop_oneof![
        2 => Just(PageDoes::Leaves),
        1 => Just(PageDoes::Hides),
        1 => flag().prop_map(|paused| PageDoes::Changes { paused }),
        1 => flag().prop_map(|nothing| PageDoes::IsAllowed { nothing }),
        1 => Just(PageDoes::Lives),
        2 => call().prop_map(|call| PageDoes::Navigates { call }),
        12 => (call(), flag()).prop_map(|(call, wrong)| PageDoes::Answers { call, wrong }),
        1 => call().prop_map(|call| PageDoes::Progresses { call }),
        3 => flag().prop_map(|large| PageDoes::Offers { large }),
        1 => Just(PageDoes::Withdraws),
        1 => Just(PageDoes::IsCapable),
        3 => (flag(), 1..4_u8).prop_map(|(large, revision)| PageDoes::Publishes { large, revision }),
        2 => (1..5_u8, flag()).prop_map(|(revision, fits)| PageDoes::Patches { revision, fits }),
        3 => Just(PageDoes::Puts),
        1 => Just(PageDoes::Says),
        1 => flag().prop_map(|wanted| PageDoes::Hears { wanted }),
    ]
}

fn wants() -> impl Strategy<Value = Wants> {
    let flag = any::<bool>;
    prop_oneof![
        6 => Just(Wants::Code),
        5 => (flag(), flag()).prop_map(|(brief, delta)| Wants::Eval { brief, delta }),
        3 => flag().prop_map(|large| Wants::Tool { large }),
        2 => flag().prop_map(|again| Wants::Verb { again }),
        1 => Just(Wants::Fire),
        2 => flag().prop_map(|named| Wants::Keep { named }),
        2 => Just(Wants::Batch),
        2 => flag().prop_map(|fresh| Wants::State { fresh }),
        2 => (0..3_u8).prop_map(|which| Wants::Snapshot { which }),
        1 => flag().prop_map(|wanted| Wants::Watch { wanted }),
        3 => flag().prop_map(|waits| Wants::Mail { waits }),
        1 => Just(Wants::Tools),
        1 => Just(Wants::Join),
        1 => Just(Wants::Leave),
        1 => Just(Wants::Info),
        1 => flag().prop_map(|waits| Wants::Collect { waits }),
        1 => Just(Wants::List),
        1 => flag().prop_map(|named| Wants::Use { named }),
        1 => Just(Wants::Forget),
        1 => Just(Wants::Says),
        1 => flag().prop_map(|wanted| Wants::Hears { wanted }),
    ]
}

pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    let flag = any::<bool>;
    let (agent, session, page) = (|| 0..3_u8, || 0..3_u8, || 0..12_u8);
    let rarely = || prop::bool::weighted(0.1);
    let step = prop_oneof![
        4 => (session(), rarely(), rarely()).prop_map(|(session, foreign, driven)| Step::Join { session, foreign, driven }),
        12 => (page(), page_does()).prop_map(|(page, does)| Step::PageDoes { page, does }),
        16 => (agent(), prop::option::weighted(0.8, session()), wants(), 0..3_u8)
            .prop_map(|(agent, session, wants, form)| Step::Wants { agent, session, wants, form }),
        2 => (agent(), 0..40_u8).prop_map(|(agent, ask)| Step::Cancel { agent, ask }),
        2 => (agent(), flag(), prop::option::of(session()))
            .prop_map(|(agent, named, target)| Step::AgentHello { agent, named, target }),
        1 => (agent(), rarely()).prop_map(|(agent, narrow)| Step::AgentScoped { agent, narrow }),
        1 => agent().prop_map(|agent| Step::AgentPaced { agent }),
        1 => agent().prop_map(|agent| Step::AgentGone { agent }),
        1 => agent().prop_map(|agent| Step::AgentRevoked { agent }),
        4 => rarely().prop_map(|failed| Step::Works { failed }),
        3 => flag().prop_map(|wrong| Step::Answers { wrong }),
        1 => (session(), flag()).prop_map(|(session, there)| Step::Elsewhere { session, there }),
        1 => (session(), flag()).prop_map(|(session, heir)| Step::Released { session, heir }),
        1 => Just(Step::HandedOver),
        2 => (0..3_u8).prop_map(|found| Step::Recalled { found }),
        1 => Just(Step::StatesWanted),
        2 => Just(Step::MailGiven),
        1 => rarely().prop_map(|all| Step::Lists { all }),
        3 => (prop::option::of(session()), flag()).prop_map(|(session, known)| Step::LookedUp { session, known }),
        1 => session().prop_map(|session| Step::CameOver { session }),
        1 => flag().prop_map(|published| Step::Topics { published }),
        4 => (0..4000_u16).prop_map(|ms| Step::Wait { ms }),
    ];
    prop::collection::vec(step, 0..160)
}
