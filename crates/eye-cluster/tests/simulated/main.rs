//! Random histories of three hubs over a simulated NATS that delays, reorders between subjects, repeats messages, loses
//! them when a link is cut, and comes back empty: every call ends exactly once, every session has one hub, no older
//! state replaces a newer one, and no letter is given twice.

#[path = "../cast/mod.rs"]
mod cast;
mod hub;
mod step;
mod world;

use proptest::prelude::*;
use step::{Step, step};
use world::{SESSIONS, World, id};

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_call_ends_once_and_every_session_has_one_hub(
        steps in prop::collection::vec(step(), 1..120),
        pages_max in prop::sample::select(vec![usize::MAX, 0, 1]),
    ) {
        let mut world = World::listing(pages_max);
        world.arrive();
        for step in steps {
            world.step(step);
            let twice = world.calls.iter().find(|(_, (_, _, ended))| *ended > 1);
            prop_assert!(twice.is_none(), "a call ended twice: {twice:?}");
        }
        world.settle();
        for (call, (hub, life, ended)) in &world.calls {
            // The agents of a hub that crashed have no hub that could report the ending.
            let is_there = world.hubs[*hub].life == *life;
            prop_assert!(*ended == 1 || !is_there && *ended == 0, "call {call} of hub {hub} ended {ended} times");
        }
        for session in (0..SESSIONS).map(id) {
            let holders: Vec<usize> = (0..world.hubs.len()).filter(|hub| world.hubs[*hub].page(&session).is_some()).collect();
            prop_assert!(holders.len() <= 1, "{} hubs hold {session}", holders.len());
            let listed = world.kv.get(&session).and_then(|(row, _)| row.as_ref());
            if let [holder] = holders[..] {
                prop_assert_eq!(listed.map(|row| &row.life), Some(&world.hubs[holder].life));
                world.read_state(holder, &session);
                world.read_mail(holder, &session);
                world.arrive();
            }
        }
    }

    /// A hub that was cut off and taken for dead may give an agent letters that another hub has recalled.
    #[test]
    fn letters_that_outlive_their_hubs_are_given_once_where_no_link_is_cut(
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let mut world = World::new().keeping_letters();
        world.arrive();
        for step in steps.into_iter().filter(|step| !matches!(step, Step::Cut { .. } | Step::Empty)) {
            world.step(step);
        }
        world.settle();
        for session in (0..SESSIONS).map(id) {
            for hub in 0..world.hubs.len() {
                world.read_mail(hub, &session);
            }
        }
        world.settle();
    }
}

/// A page has published and left a letter at one hub, and comes back through another.
fn moved(pages_max: usize, between: &[Step]) -> World {
    let mut world = World::listing(pages_max);
    world.step(Step::Join { hub: 0, session: 0, foreign: false });
    world.publish(0, &id(0));
    world.put(0, &id(0));
    world.settle();
    for step in between {
        world.step(*step);
    }
    world.step(Step::Beat);
    world.step(Step::Join { hub: 1, session: 0, foreign: false });
    world.settle();
    world
}

#[test]
fn what_was_kept_follows_the_page() {
    let left = [Step::Leave { hub: 0, session: 0 }, Step::Pass { ms: 2_500 }, Step::Watch { hub: 1 }];
    // Its hub holds it, expects it back, no longer expects it, and the other hubs know that.
    for (pages_max, between) in [usize::MAX, 0]
        .into_iter()
        .flat_map(|max| [&[][..], &left[..1], &left[..2], &left].map(|between| (max, between)))
    {
        let mut world = moved(pages_max, between);
        world.read_mail(1, &id(0));
        world.arrive();
        assert_eq!(world.given(), 1, "of {pages_max}, after {between:?}");
        world.read_state(1, &id(0));
        assert_eq!(world.hubs[1].last_answer(&id(0)), Some((1, 1)), "of {pages_max}, after {between:?}");
    }
}

#[test]
fn a_page_that_moves_twice_at_once_is_where_it_came_last_with_what_was_kept() {
    let (leave, ack) = (Step::Leave { hub: 1, session: 0 }, Step::Ack { hub: 1 });
    let watch = |hub| Step::Watch { hub };
    // Between the two moves the hubs have received nothing, or some of the messages.
    for pages_max in [usize::MAX, 0] {
        for between in [
            &[][..],
            &[ack],
            &[leave],
            &[watch(0)],
            &[watch(2)],
            &[watch(1), ack],
            &[watch(0), watch(2)],
            &[watch(0), Step::Deliver { from: 0, to: 1, twice: true }],
        ] {
            for after in [&[][..], &[watch(1), watch(1)], &[watch(2), Step::Ack { hub: 2 }, watch(1), watch(1)]] {
                let mut world = World::listing(pages_max);
                world.step(Step::Join { hub: 0, session: 0, foreign: false });
                world.publish(0, &id(0));
                world.put(0, &id(0));
                world.settle();
                world.step(Step::Join { hub: 1, session: 0, foreign: false });
                if pages_max == 0 {
                    // The hub has looked up the holder of the session. Of two claims the one that is written last
                    // counts.
                    world.step(ack);
                }
                for step in between {
                    world.step(*step);
                }
                world.step(Step::Join { hub: 2, session: 0, foreign: false });
                for step in after {
                    world.step(*step);
                }
                world.settle();
                let at = (0..3).filter(|hub| world.hubs[*hub].page(&id(0)).is_some()).collect::<Vec<_>>();
                assert_eq!(at, [2], "of {pages_max}: {between:?}, {after:?}");
                world.read_mail(2, &id(0));
                world.arrive();
                assert_eq!(world.given(), 1, "of {pages_max}: {between:?}, {after:?}");
                world.read_state(2, &id(0));
                assert_eq!(world.hubs[2].last_answer(&id(0)), Some((1, 1)), "of {pages_max}: {between:?}, {after:?}");
            }
        }
    }
}

#[test]
fn a_page_that_comes_back_before_its_hub_knew_that_it_left_stays_there_with_what_was_kept() {
    let watch = |hub| Step::Watch { hub };
    let leave = |hub| Step::Leave { hub, session: 0 };
    let (put, ack) = (|hub| Step::Put { hub, session: 0 }, |hub| Step::Ack { hub });
    for pages_max in [usize::MAX, 0] {
        for before in [&[][..], &[leave(0)], &[Step::Publish { hub: 0, session: 0 }]] {
            for between in [&[][..], &[ack(1)], &[leave(1)], &[watch(1), ack(1)], &[put(1)], &[watch(0)], &[watch(2)]] {
                for after in [&[][..], &[watch(0), ack(0)], &[ack(0), watch(0), watch(1), watch(1)], &[leave(1)]] {
                    let mut world = World::listing(pages_max);
                    world.step(Step::Join { hub: 0, session: 0, foreign: false });
                    world.publish(0, &id(0));
                    world.put(0, &id(0));
                    world.settle();
                    for step in before {
                        world.step(*step);
                    }
                    world.arrive();
                    world.step(Step::Join { hub: 1, session: 0, foreign: false });
                    if pages_max == 0 {
                        // The hub has looked up the holder of the session, and claims it.
                        world.step(ack(1));
                    }
                    for step in between {
                        world.step(*step);
                    }
                    world.step(Step::Join { hub: 0, session: 0, foreign: false });
                    for step in after {
                        world.step(*step);
                    }
                    world.settle();
                    let story = format!("of {pages_max}: {before:?}, {between:?}, {after:?}");
                    let at = (0..3).filter(|hub| world.hubs[*hub].page(&id(0)).is_some()).collect::<Vec<_>>();
                    assert_eq!(at, [0], "{story}");
                    let listed = world.kv[&id(0)].0.as_ref().map(|row| row.life.clone());
                    assert_eq!(listed, Some(world.hubs[0].life.clone()), "{story}");
                    world.read_mail(0, &id(0));
                    world.arrive();
                    let letters = 1 + between.iter().filter(|step| matches!(step, Step::Put { .. })).count();
                    assert_eq!(world.given(), letters, "{story}");
                    world.read_state(0, &id(0));
                    let states = 1 + before.iter().filter(|step| matches!(step, Step::Publish { .. })).count() as u64;
                    assert_eq!(world.hubs[0].last_answer(&id(0)).map(|answer| answer.1), Some(states), "{story}");
                }
            }
        }
    }
}

/// The page is at two hubs for a moment. One of them takes it for a page of a crashed hub, and recalls the letters that
/// the other has written.
#[test]
fn a_letter_that_was_recalled_while_another_hub_had_it_is_given_once() {
    let (join, watch) = (|hub, session| Step::Join { hub, session, foreign: false }, Step::Watch { hub: 1 });
    let mut world = World::new().keeping_letters();
    world.arrive();
    let begin = [join(2, 1), join(0, 1), watch, Step::Put { hub: 0, session: 1 }, join(1, 1), join(2, 0)];
    let ask = Step::Ask { hub: 1, session: 0 };
    let end = [Step::Crash { hub: 2 }, watch, watch, Step::Leave { hub: 1, session: 1 }, ask];
    for step in begin.into_iter().chain(end) {
        world.step(step);
    }
    world.settle();
    for hub in 0..3 {
        world.read_mail(hub, &id(1));
    }
    world.settle();
    assert_eq!(world.given(), 1);
}

/// The page is at two hubs for a moment, and the second has not heard that it is at the first. It takes it for a page
/// of a hub that was killed: what the first one has written is that one's to give as long as it is there.
#[test]
fn letters_of_a_living_hub_are_not_given_by_one_that_does_not_know_yet_where_the_page_is() {
    let join = |hub, session| Step::Join { hub, session, foreign: false };
    let (ack, ask) = (|hub| Step::Ack { hub }, |hub| Step::Ask { hub, session: 0 });
    for readers in [[1, 0], [0, 1]] {
        for pages_max in [usize::MAX, 0] {
            let mut world = World::listing(pages_max).keeping_letters();
            // Its hub is killed, and both others know that.
            let killed = [join(2, 0), join(2, 1), Step::Arrive, Step::Crash { hub: 2 }, ask(0), ask(1)];
            let comes = [join(0, 1), ack(0), ack(0), ack(0), Step::Put { hub: 0, session: 1 }, join(1, 1)];
            for step in [Step::Arrive].into_iter().chain(killed).chain(comes) {
                world.step(step);
            }
            for reader in readers {
                for step in [ack(reader); 4] {
                    world.step(step);
                }
                world.read_mail(reader, &id(1));
                for step in [ack(reader); 4] {
                    world.step(step);
                }
            }
            world.settle();
            for hub in 0..3 {
                world.read_mail(hub, &id(1));
            }
            world.settle();
            assert_eq!(world.given(), 1, "of {pages_max}, read by {readers:?}");
        }
    }
}

#[test]
fn calls_that_a_hub_lost_with_its_link_end_and_those_that_come_afterwards_go_on() {
    let mut world = World::new();
    world.step(Step::Join { hub: 1, session: 0, foreign: false });
    world.settle();
    let (ask, arrive, cut, heal) =
        (Step::Ask { hub: 0, session: 0 }, Step::Arrive, Step::Cut { hub: 1 }, Step::Heal { hub: 1 });
    // The first is worked on, the second is on its way, the third is sent to a hub without a link.
    for step in [ask, arrive, ask, cut, ask, heal, ask, Step::Beat, arrive] {
        world.step(step);
    }
    let endings = |world: &World| world.calls.values().map(|(_, _, ended)| *ended).collect::<Vec<_>>();
    assert_eq!(endings(&world), [1, 1, 1, 0]);
    for step in [Step::Answer { hub: 1, at: 0 }, arrive] {
        world.step(step);
    }
    assert_eq!(endings(&world), [1; 4]);
}

#[test]
fn a_state_outlives_its_hub() {
    let mut world = World::new();
    world.step(Step::Join { hub: 0, session: 0, foreign: false });
    world.publish(0, &id(0));
    world.settle();
    world.step(Step::Crash { hub: 0 });
    world.settle();
    // Any hub returns the state while the page is not back, also the hub that replaced the dead one.
    for hub in [0, 1, 2] {
        world.read_state(hub, &id(0));
        world.settle();
        assert_eq!(world.hubs[hub].last_answer(&id(0)), Some((1, 1)), "at {hub}");
    }
    world.step(Step::Join { hub: 2, session: 0, foreign: false });
    world.publish(2, &id(0));
    world.settle();
    world.read_state(2, &id(0));
    assert_eq!(world.hubs[2].last_answer(&id(0)), Some((2, 2)), "its revisions go on");
    // The page's hub crashes again. The others return the newer state.
    world.step(Step::Crash { hub: 2 });
    world.settle();
    world.read_state(1, &id(0));
    world.settle();
    assert_eq!(world.hubs[1].last_answer(&id(0)), Some((2, 2)));
}

#[test]
fn letters_outlive_their_hub_and_those_that_were_read_do_not() {
    let mut world = World::new().keeping_letters();
    world.step(Step::Join { hub: 0, session: 0, foreign: false });
    world.put(0, &id(0));
    world.read_mail(0, &id(0));
    world.arrive();
    assert_eq!(world.given(), 1);
    world.put(0, &id(0));
    world.put(0, &id(0));
    world.settle();
    world.step(Step::Crash { hub: 0 });
    world.step(Step::Join { hub: 1, session: 0, foreign: false });
    world.settle();
    // The page moves on to a third hub, which is alive. The letters are at one hub, and are removed when an agent gets
    // them there.
    world.step(Step::Join { hub: 2, session: 0, foreign: false });
    world.settle();
    world.read_mail(2, &id(0));
    world.settle();
    assert_eq!(world.given(), 3);
    world.step(Step::Crash { hub: 2 });
    world.step(Step::Join { hub: 1, session: 0, foreign: false });
    world.settle();
    world.read_mail(1, &id(0));
    world.settle();
    assert_eq!(world.given(), 3);
}

#[test]
fn a_page_that_is_back_before_its_hub_is_known_to_be_gone_goes_on_with_its_revisions() {
    let mut world = World::new();
    world.step(Step::Join { hub: 0, session: 0, foreign: false });
    world.publish(0, &id(0));
    world.settle();
    world.step(Step::Crash { hub: 0 });
    world.step(Step::Join { hub: 1, session: 0, foreign: false });
    world.publish(1, &id(0));
    world.settle();
    world.read_state(1, &id(0));
    assert_eq!(world.hubs[1].last_answer(&id(0)), Some((2, 2)));
}
