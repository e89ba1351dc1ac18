//! The steps of a random history: what happens to hubs and to the links between them.

use crate::world::{HUBS, SESSIONS};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
pub enum Step {
    Join { hub: usize, session: u8, foreign: bool },
    Leave { hub: usize, session: u8 },
    Ask { hub: usize, session: u8 },
    Publish { hub: usize, session: u8 },
    Put { hub: usize, session: u8 },
    ReadState { hub: usize, session: u8 },
    ReadMail { hub: usize, session: u8 },
    Answer { hub: usize, at: usize },
    Deliver { from: usize, to: usize, twice: bool },
    Watch { hub: usize },
    Ack { hub: usize },
    Cut { hub: usize },
    Heal { hub: usize },
    Crash { hub: usize },
    Arrive,
    Empty,
    Beat,
    Pass { ms: u64 },
}

pub fn step() -> impl Strategy<Value = Step> {
    let (hub, session) = (0..HUBS, 0..SESSIONS);
    prop_oneof![
        4 => (hub.clone(), session.clone(), prop::bool::weighted(0.1))
            .prop_map(|(hub, session, foreign)| Step::Join { hub, session, foreign }),
        4 => (hub.clone(), session.clone()).prop_map(|(hub, session)| Step::Publish { hub, session }),
        2 => (hub.clone(), session.clone()).prop_map(|(hub, session)| Step::Put { hub, session }),
        3 => (hub.clone(), session.clone()).prop_map(|(hub, session)| Step::ReadState { hub, session }),
        1 => (hub.clone(), session.clone()).prop_map(|(hub, session)| Step::ReadMail { hub, session }),
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
        4 => Just(Step::Arrive),
        1 => Just(Step::Empty),
        3 => Just(Step::Beat),
        2 => (1..1_500_u64).prop_map(|ms| Step::Pass { ms }),
    ]
}
