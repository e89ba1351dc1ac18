//! Whatever happens in whatever order, every call and every other request ends exactly once. Plays all inputs.

mod asking;
mod kinds;
mod steps;
mod world;

use eye_core::Input;
use kinds::KINDS;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use world::World;

/// Longer than any request waits.
const LONG_MS: u64 = 200_000;

/// By chance a rare input may not be played in a round. If it is not played in this many rounds, the test fails.
const ROUNDS_MAX: usize = 30;

fn check(world: &World) -> Result<(), TestCaseError> {
    for (conn, id) in &world.calls {
        let endings = world.ended.get(id).copied().unwrap_or(0);
        let there = world.is_there(*conn);
        prop_assert!(endings == 1 || (!there && endings == 0), "request {} of {:?} ended {} times", id, conn, endings);
    }
    prop_assert_eq!(world.board.pending(), 0);
    Ok(())
}

#[test]
fn every_call_ends_exactly_once() {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let played = RefCell::new(HashSet::new());
    let plain = Cell::new(0);
    let test = |(steps, shuts_down): (Vec<steps::Step>, bool)| {
        let mut world = World::default();
        for step in steps {
            world.step(step);
        }
        if shuts_down {
            world.on(Input::Shutdown);
        }
        world.settle();
        world.wait(if shuts_down { 0 } else { LONG_MS });
        world.settle();
        let checked = check(&world);
        played.borrow_mut().extend(world.played);
        plain.set(plain.get() + world.plain);
        checked
    };
    let missing = || KINDS.iter().filter(|kind| !played.borrow().contains(*kind)).collect::<Vec<_>>();
    for _ in 0..ROUNDS_MAX {
        let cases = (steps::steps(), prop::bool::weighted(0.2));
        TestRunner::new(config.clone()).run(&cases, test).unwrap_or_else(|e| panic!("{e}"));
        if missing().is_empty() && plain.get() > 0 {
            return;
        }
    }
    panic!("never played: {:?}", missing());
}
