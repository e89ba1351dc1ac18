//! Input from other hubs of a cluster: messages, parts of messages, heartbeats, entries of the directory, tokens.
//! Nothing panics, queues are bounded, written frames parse to the same frame, and a call ends at most once.
#![no_main]

#[path = "../../crates/eye-cluster/tests/cast/mod.rs"]
mod cast;

use cast::{AGENT, id};
use eye_cluster::core::{Action, Core, Event, Life, StatesAction, TokensAction, TokensEvent};
use eye_cluster::eye_core::Input;
use eye_cluster::eye_core::elsewhere::{Back, RowHere};
use eye_cluster::parts::{PARTS_LEN_MAX, Parts};
use eye_cluster::row::{self, Row};
use eye_cluster::wire::{self, Beat, Frame};
use eye_protocol::messages::{Presence, SessionRow};
use eye_protocol::shared_token::SharedToken;
use libfuzzer_sys::fuzz_target;

/// Small, so that inputs reach the limit.
const BYTES_MAX: usize = 512;

struct World {
    core: Core,
    now: u64,
    /// How often the pending call has ended.
    ended: usize,
}

impl World {
    /// A hub that holds the session `s1` and has a call pending at `s2`, which is at the hub of the life `b`.
    fn new() -> Self {
        let core = Core::new("a".into(), "a".into());
        let mut world = Self { core, now: 1, ended: 0 };
        world.on(Event::Up);
        world.on(Event::Reading);
        world.on(Event::Entry {
            session: id("s2"),
            row: Some(Row::of(page("s2"), None, &"b".into(), &"b".into())),
            revision: 1,
        });
        world.on(Event::Read);
        let here = RowHere { row: page("s1"), last_ref: None, page: None };
        world.on(Event::Rows(vec![(id("s1"), Some(here))]));
        world.on(cast::ask(id("s2"), "1", cast::LIFETIME_MS));
        world
    }

    fn on(&mut self, event: Event) {
        let mut actions = Vec::new();
        self.core.on(self.now, event, &mut actions);
        for action in actions {
            match action {
                Action::Serve { request, .. } => {
                    assert!(request.session.as_str() == "s1" || request.ask == wire::Ask::Leave, "{request:?}");
                    let _ = (request.caller.scope(), request.caller.hello());
                    let input = std::sync::Arc::unwrap_or_clone(request).input(AGENT);
                    assert!(input.conn() == Some(AGENT));
                }
                Action::Feed(Input::Back(back)) if matches!(*back, Back::Ended { .. } | Back::Result { .. }) => {
                    self.ended += 1;
                }
                Action::Send { frame, .. } => same(&frame),
                Action::Put { row, .. } => assert!(serde_json::to_string(&row).is_ok()),
                Action::Tokens(TokensAction::Put { token, .. }) => panic!("this hub has no tokens: {token:?}"),
                Action::Tokens(TokensAction::Take(tokens)) => assert!(!tokens.is_empty()),
                Action::States(StatesAction::Put { state, .. }) => panic!("this hub has no states: {state:?}"),
                Action::States(
                    action @ (StatesAction::Letter(_) | StatesAction::Mail { .. } | StatesAction::Given(_)),
                ) => panic!("this hub has no letters: {action:?}"),
                Action::LookUp { .. }
                | Action::ReadDirectory
                | Action::States(StatesAction::Get { .. } | StatesAction::Remove(_))
                | Action::Tokens(TokensAction::Remove { .. })
                | Action::Feed(_)
                | Action::Remove { .. }
                | Action::Cancel { .. }
                | Action::Leave { .. } => {}
            }
        }
        assert!(self.ended <= 1, "a call ended twice");
    }
}

fn page(session: &str) -> SessionRow {
    cast::row::page(session, Presence::Connected)
}

/// A written frame parses to the same frame.
fn same(frame: &Frame) {
    let written = rmp_serde::to_vec_named(frame).expect("a frame is written");
    assert_eq!(rmp_serde::from_slice::<Frame>(&written).as_ref().ok(), Some(frame));
    let mut plain = Vec::new();
    if wire::plain::write(&mut plain, frame).expect("a frame is written") {
        assert_eq!(plain, written);
        assert_eq!(wire::plain::read(&plain), Some((frame.clone(), &b""[..])));
    }
}

// Each message of the input: its kind, its length in two bytes, its bytes.
fuzz_target!(|bytes: &[u8]| {
    let (mut world, mut parts) = (World::new(), Parts::with_bytes_max(BYTES_MAX));
    let mut rest = bytes;
    while let [kind, high, low, more @ ..] = rest {
        let (one, after) = more.split_at(more.len().min(usize::from(u16::from_be_bytes([*high, *low]))));
        rest = after;
        world.now += 50;
        match kind % 5 {
            0 => {
                let read = parts.read(one);
                let (waiting, kept) = parts.waiting();
                assert!(waiting <= PARTS_LEN_MAX && kept <= BYTES_MAX, "{waiting} {kept}");
                if let Ok(Some((from, frames))) = read {
                    for frame in frames {
                        same(&frame);
                        world.on(Event::Frame { from: from.clone(), frame });
                    }
                }
            }
            1 => {
                let Ok(Beat { hub, life, bye }) = serde_json::from_slice(one) else { continue };
                let life: Life = life.into();
                world.on(if bye { Event::Bye { life } } else { Event::Beat { name: hub.into(), life } });
            }
            2 => {
                let Ok(text) = std::str::from_utf8(one) else { continue };
                let (key, value) = text.split_once('\n').unwrap_or((text, ""));
                let Some(session) = row::session(key) else { continue };
                assert_eq!(row::session(&row::key(&session)).as_ref(), Some(&session));
                world.on(Event::Entry { session, row: serde_json::from_str(value).ok(), revision: world.now });
            }
            4 => {
                let Ok(token) = serde_json::from_slice::<SharedToken>(one) else { continue };
                let entry = TokensEvent::Entry { hash: token.hash.clone(), token: Some(token), revision: world.now };
                world.on(Event::Tokens(entry));
                world.on(Event::Tokens(TokensEvent::Read));
            }
            _ => {
                world.now += 1000;
                world.on(Event::Tick);
            }
        }
    }
});
