//! A page that goes to another hub: what was kept of its session goes along, once, and never replaces anything newer.

mod names;

use crate::elsewhere;
use eye_core::elsewhere::{Listed, PageElsewhere};
use eye_core::handover::{Handover, Heir};
use eye_core::lasting::{Found, Lasting, Recalled};
use eye_core::state::StateQuery;
use eye_core::{
    Asker, Conn, Effect, Input, Millis, Newcomer, PageEvent, Policy, Reply, ReplyForm, Snapshotting, Switchboard,
};
use eye_protocol::SessionId;
use eye_protocol::limits::{HANDOVER_BYTES_MAX, HANDOVER_MS, LIGHT_BYTES_MAX, MAILBOX_LEN_MAX, OFFER_MS};
use eye_protocol::messages::PageInfo;
use eye_protocol::state::{Change, WholeState};
use serde_json::{Value, json};
use std::sync::Arc;

const AGENT: Conn = Conn(1);
const PAGE: Conn = Conn(2);
const ORIGIN: &str = "http://shop.test";

/// One hub, whose work is done at once.
struct Hub {
    board: Switchboard,
    now: Millis,
    requests: u64,
    /// Work is not done, but kept here.
    is_slow: bool,
    works: Vec<Input>,
}

fn id() -> SessionId {
    SessionId::parse("s1").expect("an id")
}

impl Hub {
    fn new() -> Self {
        let mut hub =
            Self { board: Switchboard::default(), now: 10_000, requests: 0, is_slow: false, works: Vec::new() };
        hub.board.want_rows();
        hub.on(Input::AgentJoined { agent: AGENT });
        hub
    }

    fn on(&mut self, input: Input) -> Vec<Effect> {
        let mut out = Vec::new();
        self.board.on(self.now, input, &mut out);
        let mut seen = Vec::new();
        while !out.is_empty() {
            for effect in std::mem::take(&mut out) {
                match effect {
                    Effect::Work { lane, work } => {
                        let input = Input::Worked { lane, done: work.run(|| {}) };
                        if self.is_slow {
                            self.works.push(input);
                        } else {
                            self.board.on(self.now, input, &mut out);
                        }
                    }
                    Effect::Lasting(Lasting::Given(given)) => {
                        self.board.on(self.now, Input::MailGiven(given), &mut out);
                    }
                    effect => seen.push(effect),
                }
            }
        }
        seen
    }

    fn join(&mut self) -> Vec<Effect> {
        self.join_from(ORIGIN)
    }

    fn join_from(&mut self, origin: &str) -> Vec<Effect> {
        let info = PageInfo { title: Some("Shop".into()), ..PageInfo::default() };
        let who = Newcomer { origin: origin.into(), info, policy: Policy::default(), ask_first: false, driven: false };
        self.on(Input::PageJoined { page: PAGE, session: id(), who: Box::new(who) })
    }

    fn publish(&mut self, state: &Value, revision: u64) -> Vec<Effect> {
        let whole = WholeState { state: state.to_string().into(), revision };
        self.on(Input::page(PAGE, PageEvent::State { whole, wall_ms: 1_700_000_000_000 }))
    }

    fn patch(&mut self, patch: &Value, revision: u64) {
        let change = Change { patch: patch.to_string().into(), revision };
        self.on(Input::page(PAGE, PageEvent::StateChanged { change, wall_ms: 1_700_000_000_000 }));
    }

    fn put(&mut self, message: &str) {
        self.on(Input::page(PAGE, PageEvent::Puts { message: message.into(), wall_ms: 7 }));
    }

    fn reply(&mut self) -> Reply {
        self.requests += 1;
        Reply { agent: AGENT, form: ReplyForm::Rpc(self.requests.to_string().into()) }
    }

    /// The result that an agent gets at once, if any.
    fn result_of(&mut self, input: Input) -> Option<Value> {
        results(&self.on(input)).pop()
    }

    fn state(&mut self) -> Option<Value> {
        self.state_since(None)
    }

    fn state_since(&mut self, since: Option<u64>) -> Option<Value> {
        let query = StateQuery { since, ..StateQuery::default() };
        let reply = self.reply();
        self.result_of(Input::GetState { reply, page: Some("s1".into()), fresh: false, query })
    }

    fn mail(&mut self) -> Option<Value> {
        let reply = self.reply();
        self.result_of(Input::ReadMail { reply, page: Some("s1".into()), timeout_ms: None })
    }

    fn name(&mut self, page: &str, name: &str) -> Option<Value> {
        let reply = self.reply();
        self.result_of(Input::Use { reply, page: page.into(), name: Some(name.into()) })
    }

    /// Another hub holds the session from now on.
    fn release(&mut self, claim: u64, origin: &str) -> Option<Handover> {
        let heir = Some(Heir { origin: origin.into(), claim });
        handed(self.on(Input::Released { session: id(), heir }))
    }

    fn wait(&mut self, ms: Millis) -> Vec<Effect> {
        let (end, mut seen) = (self.now + ms, Vec::new());
        while let Some(at) = self.board.next_wake().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            seen.extend(self.on(Input::Tick));
        }
        self.now = end;
        seen
    }
}

fn handed(effects: Vec<Effect>) -> Option<Handover> {
    let mut found = effects.into_iter().filter_map(|effect| match effect {
        Effect::HandOver(handover) => Some(*handover),
        _ => None,
    });
    let first = found.next();
    assert!(found.next().is_none(), "it goes once");
    first
}

fn results(effects: &[Effect]) -> Vec<Value> {
    let answer = effects.iter().filter_map(|effect| match effect {
        Effect::Result { result: Ok(text), .. } => Some(serde_json::from_str(text).expect("JSON")),
        Effect::Result { result: Err(error), .. } => Some(json!({ "error": error.one_line() })),
        _ => None,
    });
    answer.collect()
}

fn listed(name: Option<&str>) -> Input {
    let row = PageElsewhere { name: name.map(Into::into), ..elsewhere::page(id(), ORIGIN) };
    Input::Listed(vec![Listed::There(Arc::new(row))])
}

/// A hub at which a page has published twice, a letter waits, a state is kept, and the page has a name.
fn full() -> Hub {
    let mut a = Hub::new();
    a.join();
    a.publish(&json!({ "n": 1 }), 1);
    let reply = a.reply();
    a.on(Input::Snapshot { reply, page: None, wanted: Snapshotting::Save("before".into()) });
    a.wait(2_000);
    a.patch(&json!([{ "op": "replace", "path": "/n", "value": 2 }]), 2);
    a.put("\"hello\"");
    a.name("s1", "till");
    a
}

#[test]
fn everything_that_was_kept_goes_along_and_nothing_stays() {
    let (mut a, mut b) = (full(), Hub::new());
    a.wait(500);
    let handover = a.release(4, ORIGIN).expect("a handover");
    assert_eq!((handover.claim, &*handover.origin, handover.name.as_deref()), (4, ORIGIN, Some("till")));
    b.on(listed(None));
    b.join();
    b.on(Input::HandedOver(Box::new(handover)));
    // The new document has not published yet. If that takes too long, the state known before is sent, as within one
    // hub.
    assert_eq!(b.state(), None, "it waits for the page");
    let state = results(&b.wait(OFFER_MS)).pop().expect("a state");
    assert_eq!((&state["value"], &state["revision"], &state["stale"]), (&json!({ "n": 2 }), &json!(2), &json!(true)));
    assert_eq!(state["ageMs"], json!(500 + OFFER_MS));
    let letter = json!({ "from": "s1", "msg": "hello", "timestamp": 7 });
    assert_eq!(b.mail(), Some(json!({ "messages": [letter], "dropped": 0 })));
    let reply = b.reply();
    let kept = b.result_of(Input::Snapshot { reply, page: None, wanted: Snapshotting::List }).expect("a list");
    assert_eq!((&kept["snapshots"][0]["name"], &kept["snapshots"][0]["revision"]), (&json!("before"), &json!(1)));
    assert_eq!(b.board.rows(b.now, None)[0].name.as_deref(), Some("till"));
    // Nothing stays at the hub before, so that it never comes back from there.
    assert_eq!(a.board.kept_bytes(), 0);
    assert_eq!(a.mail(), Some(json!({ "messages": [], "dropped": 0 })));
    assert_eq!(a.board.rows(a.now, None)[0].name, None);
}

#[test]
fn a_page_that_published_first_is_newer_and_its_revisions_go_on() {
    let (mut a, mut b) = (full(), Hub::new());
    b.on(listed(None));
    b.join();
    b.publish(&json!({ "n": 3 }), 1);
    b.patch(&json!([{ "op": "replace", "path": "/n", "value": 4 }]), 2);
    let handover = a.release(4, ORIGIN).expect("a handover");
    b.on(Input::HandedOver(Box::new(handover)));
    let state = b.state().expect("a state");
    assert_eq!((&state["value"], &state["revision"], &state["stale"]), (&json!({ "n": 4 }), &json!(4), &json!(false)));
    // Changes since a revision of the other hub are not known; changes since a revision of this hub are.
    assert_eq!(b.state_since(Some(1)).expect("a state")["value"], json!({ "n": 4 }));
    assert_eq!(b.state_since(Some(3)).expect("a state")["patch"].as_array().map(Vec::len), Some(1));
    b.patch(&json!([{ "op": "replace", "path": "/n", "value": 5 }]), 3);
    assert_eq!(b.state().expect("a state")["revision"], json!(5));
}

#[test]
fn an_agent_waits_for_a_letter_at_the_hub_where_the_page_is() {
    let mut a = Hub::new();
    a.join();
    let reply = a.reply();
    a.on(Input::ReadMail { reply: reply.clone(), page: Some("s1".into()), timeout_ms: Some(5_000) });
    a.wait(2_000);
    a.on(listed(None));
    let heir = Some(Heir { origin: ORIGIN.into(), claim: 4 });
    let effects = a.on(Input::Released { session: id(), heir });
    let passed = effects.iter().find_map(|effect| match effect {
        Effect::PassOn(passed) => Some(&**passed),
        _ => None,
    });
    let passed = passed.expect("the question goes on");
    assert!(matches!(&passed.asker, Asker::Agent(asker) if *asker == reply) && !passed.is_call);
    let Input::ReadMail { page, timeout_ms, .. } = &passed.input else { panic!("{:?}", passed.input) };
    assert_eq!((page.as_deref(), *timeout_ms), (Some("s1"), Some(3_000)));
    assert!(results(&a.wait(5_000)).is_empty(), "it waits here no more");
    // Of another origin the agent may see nothing: its wait ends as before.
    let mut b = Hub::new();
    b.join();
    let reply = b.reply();
    b.on(Input::ReadMail { reply, page: Some("s1".into()), timeout_ms: Some(5_000) });
    let row = PageElsewhere { origin: "http://evil.test".into(), ..elsewhere::page(id(), ORIGIN) };
    b.on(Input::Listed(vec![Listed::There(Arc::new(row))]));
    let effects = b.on(Input::Released { session: id(), heir: None });
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::PassOn(_))), "{effects:?}");
    assert_eq!(results(&b.wait(5_000)), [json!({ "messages": [], "dropped": 0 })]);
}

#[test]
fn requests_wait_for_what_is_on_its_way_and_not_without_end() {
    let (mut a, mut b) = (full(), Hub::new());
    b.on(listed(None));
    b.join();
    b.publish(&json!({ "n": 3 }), 1);
    assert_eq!((b.state(), b.mail()), (None, None));
    let handover = a.release(4, ORIGIN).expect("a handover");
    let answer = results(&b.on(Input::HandedOver(Box::new(handover))));
    assert_eq!((&answer[0]["revision"], answer[1]["messages"].as_array().map(Vec::len)), (&json!(3), Some(1)));
    // The hub before is gone, and sends nothing.
    let mut c = Hub::new();
    c.on(listed(None));
    c.join();
    c.publish(&json!({ "n": 3 }), 1);
    assert_eq!((c.state(), c.mail()), (None, None));
    assert!(results(&c.wait(HANDOVER_MS - 1)).is_empty());
    assert_eq!(results(&c.wait(1)).len(), 2);
    assert!(c.state().is_some() && c.mail().is_some());
    // Mail of a page that comes from no other hub is read at once.
    let mut d = Hub::new();
    d.join();
    assert_eq!(d.mail(), Some(json!({ "messages": [], "dropped": 0 })));
}

#[test]
fn a_hub_that_has_kept_nothing_says_so() {
    let (mut a, mut b) = (Hub::new(), Hub::new());
    b.on(listed(None));
    b.join();
    assert_eq!(b.mail(), None);
    let handover = a.release(4, ORIGIN).expect("a word that there is nothing");
    assert!(handover.is_forgotten, "what outlives hubs may still be there");
    assert!(!full().release(4, "http://evil.test").expect("a handover").is_forgotten);
    assert_eq!(results(&b.on(Input::HandedOver(Box::new(handover)))), [json!({ "messages": [], "dropped": 0 })]);
}

#[test]
fn a_request_that_waits_can_be_cancelled_and_ends_with_the_hub() {
    let mut b = Hub::new();
    b.on(listed(None));
    b.join();
    assert_eq!(b.mail(), None);
    let cancelled = results(&b.on(Input::Cancel { agent: AGENT, id: "1".into() }));
    assert_eq!(cancelled, [json!({ "error": "cancelled" })]);
    assert_eq!(b.mail(), None);
    assert_eq!(results(&b.on(Input::Shutdown)).len(), 1);
}

#[test]
fn a_page_that_left_long_ago_takes_its_things_along() {
    let mut a = full();
    a.on(Input::page(PAGE, PageEvent::Left));
    a.wait(60_000);
    let handover = a.release(1, ORIGIN).expect("a handover");
    assert_eq!((handover.letters.len(), handover.state.expect("a state").age_ms), (1, 60_000));
}

#[test]
fn another_origin_gets_nothing() {
    let mut a = full();
    let heir = Heir { origin: "http://evil.test".into(), claim: 4 };
    assert_eq!(a.release(4, "http://evil.test"), Some(Handover::nothing(id(), heir)));
    assert!(a.board.kept_bytes() > 0);
    // Nor does it take the handover of a session of another origin.
    let handover = full().release(4, ORIGIN).expect("a handover");
    let mut b = Hub::new();
    b.join_from("http://evil.test");
    b.on(Input::HandedOver(Box::new(handover)));
    assert_eq!(b.board.kept_bytes(), 0);
    assert_eq!(b.board.rows(b.now, None)[0].name, None);
}

#[test]
fn letters_of_both_hubs_arrive_in_their_order_and_bounded() {
    let mut a = full();
    for number in 1..MAILBOX_LEN_MAX {
        a.put(&number.to_string());
    }
    let mut b = Hub::new();
    b.join();
    b.put("\"new\"");
    let handover = a.release(4, ORIGIN).expect("a handover");
    b.on(Input::HandedOver(Box::new(handover)));
    let mail = b.mail().expect("mail");
    let letters = mail["messages"].as_array().expect("letters");
    assert_eq!((letters.len(), &mail["dropped"]), (MAILBOX_LEN_MAX, &json!(1)));
    assert_eq!((&letters[0]["msg"], &letters[MAILBOX_LEN_MAX - 1]["msg"]), (&json!(1), &json!("new")));
    // An agent that waits for a letter gets the letters that arrive.
    let mut c = Hub::new();
    c.join();
    let reply = c.reply();
    assert_eq!(c.result_of(Input::ReadMail { reply, page: None, timeout_ms: Some(60_000) }), None);
    let handover = full().release(4, ORIGIN).expect("a handover");
    let answer = results(&c.on(Input::HandedOver(Box::new(handover))));
    assert_eq!(answer[0]["messages"][0]["msg"], json!("hello"));
}

#[test]
fn too_much_for_one_message_is_cut_at_its_old_end() {
    let mut a = Hub::new();
    a.join();
    let large = format!("\"{}\"", "x".repeat(3 << 20));
    for number in 0..12_u64 {
        a.publish(&serde_json::from_str(&large).expect("JSON"), number + 1);
        let reply = a.reply();
        let saved = a.on(Input::Snapshot { reply, page: None, wanted: Snapshotting::Save(format!("{number}").into()) });
        assert!(saved.iter().any(|effect| matches!(effect, Effect::Send { .. })));
        a.wait(2_000);
    }
    a.put("\"hello\"");
    let handover = a.release(4, ORIGIN).expect("a handover");
    let names: Vec<&str> = handover.snapshots.iter().map(|one| &*one.name).collect();
    assert_eq!(names, ["3", "4", "5", "6", "7", "8", "9", "10", "11"], "the newest that fit beside the state");
    assert!(handover.len_bytes() <= HANDOVER_BYTES_MAX);
    assert_eq!((handover.letters.len(), handover.dropped), (1, 0));
}

#[test]
fn a_large_state_is_written_and_read_by_workers_in_order() {
    let large = json!({ "text": "x".repeat(LIGHT_BYTES_MAX) });
    let mut a = Hub::new();
    a.join();
    a.is_slow = true;
    assert!(a.publish(&large, 1).is_empty());
    // The page is not closed before everything that it sent has been handled, including inputs that wait behind work.
    a.put("\"hello\"");
    assert_eq!(a.release(4, ORIGIN), None);
    let parsed = a.works.pop().expect("it is parsed");
    assert_eq!(handed(a.on(parsed)), None);
    let read = a.works.pop().expect("it is written by a worker");
    let handover = handed(a.on(read)).expect("a handover");
    assert_eq!(handover.letters.len(), 1);
    let text = handover.state.as_ref().and_then(|state| state.text.as_deref()).expect("its text");
    assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), large);

    let mut b = Hub::new();
    b.join();
    b.is_slow = true;
    b.on(Input::HandedOver(Box::new(handover)));
    // What the page publishes meanwhile is newer, and is taken after the handover.
    b.publish(&json!({ "n": 2 }), 1);
    assert_eq!(b.state(), None);
    let parsed = b.works.pop().expect("it is parsed by a worker");
    let state = results(&b.on(parsed)).pop().expect("a state");
    assert_eq!((&state["value"], &state["revision"]), (&json!({ "n": 2 }), &json!(2)));
}

#[test]
fn what_comes_while_a_worker_is_busy_waits_for_it() {
    let large = |n: u64| json!({ "n": n, "text": "x".repeat(LIGHT_BYTES_MAX) });
    let (mut a, mut b) = (Hub::new(), Hub::new());
    a.join();
    a.publish(&large(1), 1);
    let handover = a.release(4, ORIGIN).expect("a handover");
    b.join();
    b.is_slow = true;
    b.publish(&large(2), 1);
    b.on(Input::HandedOver(Box::new(handover)));
    for _ in 0..2 {
        let worked = b.works.pop().expect("one work at a time");
        assert!(b.works.is_empty());
        b.on(worked);
    }
    b.is_slow = false;
    let state = b.state().expect("a state");
    assert_eq!((&state["value"]["n"], &state["revision"]), (&json!(2), &json!(2)));
}

#[test]
fn what_cannot_be_given_comes_back() {
    let mut a = full();
    let handover = a.release(4, ORIGIN).expect("a handover");
    a.on(Input::HandedOver(Box::new(handover.clone())));
    assert_eq!(a.release(5, ORIGIN).map(|again| Handover { claim: 4, ..again }), Some(handover));
}

#[test]
fn of_two_states_that_are_kept_the_one_that_was_published_later_stays_and_numbers_grow() {
    let mut handover = full().release(4, ORIGIN).expect("a handover");
    let state = handover.state.as_mut().expect("a state");
    (state.text, state.revision) = (Some("{\"n\":9}".into()), 7);
    for (later_ms, n, revision) in [(-1, 2, 8), (0, 2, 8), (1, 9, 7)] {
        let mut handover = handover.clone();
        let state = handover.state.as_mut().expect("a state");
        state.wall_ms = state.wall_ms.saturating_add_signed(later_ms);
        let mut b = full();
        b.on(Input::page(PAGE, PageEvent::Left));
        b.wait(60_000);
        b.on(Input::HandedOver(Box::new(handover)));
        assert_eq!(b.state(), None, "a later one may have outlived another hub");
        let nothing = Recalled { session: id(), found: Found::Nothing, letters: None };
        let state = results(&b.on(Input::Recalled(Box::new(nothing)))).pop().expect("a state");
        assert_eq!((&state["value"]["n"], &state["revision"]), (&json!(n), &json!(revision)), "{later_ms}");
    }
}

#[test]
fn what_is_no_state_is_not_taken() {
    let mut handover = full().release(4, ORIGIN).expect("a handover");
    let state = handover.state.as_mut().expect("a state");
    state.text = Some("{\"n\":".into());
    let mut b = Hub::new();
    b.join();
    b.on(Input::HandedOver(Box::new(handover)));
    b.publish(&json!({ "n": 3 }), 1);
    let state = b.state().expect("a state");
    assert_eq!((&state["value"], &state["revision"]), (&json!({ "n": 3 }), &json!(3)));
}
