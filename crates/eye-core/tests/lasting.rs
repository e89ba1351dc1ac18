//! A state that outlives its hub: written now and then, recalled when no hub holds its page any more, and never put in
//! place of a newer state.

use crate::elsewhere;
use eye_core::elsewhere::{Listed, PageElsewhere};
use eye_core::handover::{HandedState, Handover, Heir};
use eye_core::lasting::{Found, Lasting, LastingState, Recalled};
use eye_core::state::StateQuery;
use eye_core::{Conn, Effect, Input, Millis, Newcomer, PageEvent, Policy, Reply, ReplyForm, Switchboard};
use eye_protocol::SessionId;
use eye_protocol::limits::{LASTING_STATE_BYTES_MAX, LASTING_STATE_MS, LIGHT_BYTES_MAX, OFFER_MS, RECALL_MS};
use eye_protocol::messages::{Hello, PageInfo};
use eye_protocol::operations::Class;
use eye_protocol::scope::{Limits, Scope};
use eye_protocol::state::WholeState;
use serde_json::{Value, json};
use std::sync::Arc;

const AGENT: Conn = Conn(1);
const PAGE: Conn = Conn(2);
const ORIGIN: &str = "http://shop.test";
const WALL_MS: u64 = 1_700_000_000_000;

/// One hub, whose work is done at once.
struct Hub {
    board: Switchboard,
    now: Millis,
    requests: u64,
}

fn id() -> SessionId {
    SessionId::parse("s1").expect("an id")
}

impl Hub {
    fn alone() -> Self {
        let mut hub = Self { board: Switchboard::default(), now: 10_000, requests: 0 };
        hub.on(Input::AgentJoined { agent: AGENT });
        hub
    }

    /// A hub that has other hubs beside it.
    fn new() -> Self {
        let mut hub = Self::alone();
        hub.board.want_rows();
        hub
    }

    /// A hub that listed a page of another hub, which is gone now.
    fn after() -> Self {
        let mut hub = Self::new();
        hub.on(Input::Listed(vec![Listed::There(Arc::new(row()))]));
        hub.on(Input::Listed(vec![Listed::Gone(id())]));
        hub
    }

    fn on(&mut self, input: Input) -> Vec<Effect> {
        let (mut out, mut seen) = (Vec::new(), Vec::new());
        self.board.on(self.now, input, &mut out);
        while !out.is_empty() {
            for effect in std::mem::take(&mut out) {
                match effect {
                    Effect::Work { lane, work } => {
                        self.board.on(self.now, Input::Worked { lane, done: work.run(|| {}) }, &mut out);
                    }
                    effect => seen.push(effect),
                }
            }
        }
        seen
    }

    fn join(&mut self) -> Vec<Effect> {
        let info = PageInfo { title: Some("Shop".into()), ..PageInfo::default() };
        let who = Newcomer { origin: ORIGIN.into(), info, policy: Policy::default(), ask_first: false, driven: false };
        self.on(Input::PageJoined { page: PAGE, session: id(), who: Box::new(who) })
    }

    fn publish(&mut self, state: &Value, revision: u64) {
        let state = state.to_string().into();
        let wall_ms = WALL_MS + self.now;
        self.on(Input::page(PAGE, PageEvent::State { whole: WholeState { state, revision }, wall_ms }));
    }

    fn wait(&mut self, ms: Millis) -> Vec<Effect> {
        let (end, mut seen) = (self.now + ms, Vec::new());
        while let Some(at) = self.board.next_wake().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            seen.extend(self.on(Input::Tick));
            assert!(self.board.next_wake().is_none_or(|next| next > at), "a tick leaves nothing due");
        }
        self.now = end;
        seen
    }

    fn state_of(&mut self, page: Option<&str>) -> Vec<Effect> {
        self.requests += 1;
        let reply = Reply { agent: AGENT, form: ReplyForm::Rpc(self.requests.to_string().into()) };
        let page = page.map(Into::into);
        self.on(Input::GetState { reply, page, fresh: false, query: StateQuery::default() })
    }

    fn hello(&mut self, target: &str) {
        let hello = Hello { target: Some(target.into()), ..Hello::default() };
        self.on(Input::AgentHello { agent: AGENT, hello: Box::new(hello) });
    }

    fn recalled(&mut self, found: Found) -> Vec<Effect> {
        self.on(Input::Recalled(Box::new(Recalled { session: id(), found, letters: Some(Vec::new()) })))
    }
}

/// The row of the page at the hub that is gone.
fn row() -> PageElsewhere {
    let alias = Some("cart".into());
    PageElsewhere { name: Some("till".into()), alias, ..elsewhere::page(id(), ORIGIN) }
}

/// The state that outlived that hub.
fn lasting(state: &Value, revision: u64) -> Box<LastingState> {
    let text = Some(state.to_string().into());
    Box::new(LastingState {
        session: id(),
        origin: ORIGIN.into(),
        name: Some("till".into()),
        alias: Some("cart".into()),
        title: "Shop".into(),
        url: "http://shop.test/".into(),
        state: HandedState { text, revision, age_ms: 700, wall_ms: WALL_MS },
    })
}

fn written(effects: Vec<Effect>) -> Vec<(u64, Option<usize>)> {
    let states = effects.into_iter().filter_map(|effect| match effect {
        Effect::Lasting(Lasting::Write(written)) => Some(written.state),
        _ => None,
    });
    states.map(|state| (state.revision, state.text.map(|text| text.len()))).collect()
}

fn results(effects: &[Effect]) -> Vec<Value> {
    let answer = effects.iter().filter_map(|effect| match effect {
        Effect::Result { result: Ok(text), .. } => Some(serde_json::from_str(text).expect("JSON")),
        Effect::Result { result: Err(error), .. } => Some(json!({ "error": error.one_line() })),
        _ => None,
    });
    answer.collect()
}

fn error(effects: &[Effect]) -> String {
    match &results(effects)[..] {
        [one] => one["error"].as_str().expect("an error").to_owned(),
        other => panic!("{other:?}"),
    }
}

/// Whether the only effect is a recall: no answer is sent yet.
fn is_recalling(effects: &[Effect]) -> bool {
    let [Effect::Lasting(Lasting::Recall(session) | Lasting::CameBack(session))] = effects else { return false };
    *session == id()
}

#[test]
fn a_state_is_given_out_at_once_then_once_a_second_and_only_when_it_changed() {
    let mut hub = Hub::new();
    hub.join();
    hub.publish(&json!(1), 1);
    assert_eq!(written(hub.wait(0)), [(1, Some(1))]);
    for (number, revision) in [(12, 2), (345, 3)] {
        hub.publish(&json!(number), revision);
    }
    assert_eq!(written(hub.wait(LASTING_STATE_MS - 1)), []);
    assert_eq!(written(hub.wait(1)), [(3, Some(3))]);
    assert_eq!(written(hub.wait(10 * LASTING_STATE_MS)), []);
    // When what was written may be lost, all states are written again.
    hub.on(Input::StatesWanted);
    assert_eq!(written(hub.wait(0)), [(3, Some(3))]);
    // The last published state is written although its page has left.
    hub.publish(&json!(6), 4);
    hub.on(Input::page(PAGE, PageEvent::Left));
    assert_eq!(written(hub.wait(LASTING_STATE_MS)), [(4, Some(1))]);
}

#[test]
fn a_hub_that_is_stopped_gives_out_what_has_changed_since() {
    for bytes in [1, 2 * LIGHT_BYTES_MAX, LASTING_STATE_BYTES_MAX] {
        let mut hub = Hub::new();
        hub.join();
        hub.publish(&json!(1), 1);
        hub.wait(0);
        hub.publish(&json!("x".repeat(bytes)), 2);
        let kept = Some(bytes + 2).filter(|bytes| *bytes <= LASTING_STATE_BYTES_MAX);
        assert_eq!(written(hub.on(Input::Shutdown)), [(2, kept)]);
        assert_eq!(written(hub.on(Input::Shutdown)), [], "nothing has changed since");
    }
}

#[test]
fn a_hub_without_others_gives_out_and_looks_for_nothing() {
    let mut hub = Hub::alone();
    hub.join();
    hub.wait(0);
    let before = hub.board.next_wake();
    hub.publish(&json!(1), 1);
    assert_eq!(hub.board.next_wake(), before);
    hub.on(Input::page(PAGE, PageEvent::Left));
    hub.wait(60_000);
    assert_eq!(results(&hub.state_of(Some("s1")))[0]["value"], json!(1));
    assert!(error(&hub.state_of(Some("s2"))).contains("no page"));
}

#[test]
fn a_large_state_is_written_by_a_worker_and_one_that_is_too_large_is_not_kept() {
    let mut hub = Hub::new();
    hub.join();
    hub.publish(&json!("x".repeat(2 * LIGHT_BYTES_MAX)), 1);
    assert_eq!(written(hub.wait(0)), [(1, Some(2 * LIGHT_BYTES_MAX + 2))]);
    hub.publish(&json!("x".repeat(LASTING_STATE_BYTES_MAX)), 2);
    assert_eq!(written(hub.wait(LASTING_STATE_MS)), [(2, None)]);
}

#[test]
fn the_last_state_of_a_page_is_found_by_every_name_it_had() {
    for wanted in ["s1", "till", "cart", "Shop", "shop.test/", ORIGIN] {
        for by_target in [false, true] {
            let mut hub = Hub::after();
            let page = if by_target { None } else { Some(wanted) };
            if by_target {
                hub.hello(wanted);
            }
            assert!(is_recalling(&hub.state_of(page)), "{wanted}");
            let answer = results(&hub.recalled(Found::State(lasting(&json!({ "n": 2 }), 5))));
            let [state] = &answer[..] else { panic!("{answer:?}") };
            let (value, revision) = (&state["value"], &state["revision"]);
            assert_eq!((value, revision, &state["stale"]), (&json!({ "n": 2 }), &json!(5), &json!(true)), "{wanted}");
            assert_eq!(state["ageMs"], json!(700));
        }
    }
    // The page need not be named if it was the only one, or the one used last.
    assert!(is_recalling(&Hub::after().state_of(None)));
    let mut hub = Hub::after();
    hub.state_of(Some("till"));
    hub.recalled(Found::State(lasting(&json!(2), 5)));
    assert_eq!(results(&hub.state_of(None))[0]["value"], json!(2), "it has just been recalled");
    hub.wait(LASTING_STATE_MS);
    assert!(is_recalling(&hub.state_of(Some("till"))), "it may have changed elsewhere since");
}

#[test]
fn a_hub_that_does_not_know_the_page_yet_finds_it_by_its_id() {
    let mut hub = Hub::new();
    assert!(is_recalling(&hub.state_of(Some("s1"))));
    assert_eq!(results(&hub.recalled(Found::State(lasting(&json!(2), 5))))[0]["revision"], json!(5));
}

#[test]
fn pages_that_are_there_hide_one_that_is_gone_but_not_its_own_names() {
    let mut hub = Hub::after();
    let info = PageInfo { title: Some("s1 till Shop".into()), ..PageInfo::default() };
    let who = Newcomer { origin: ORIGIN.into(), info, policy: Policy::default(), ask_first: false, driven: false };
    let session = SessionId::parse("s2").expect("an id");
    hub.on(Input::PageJoined { page: PAGE, session, who: Box::new(who) });
    hub.publish(&json!("other"), 1);
    assert_eq!(results(&hub.state_of(Some("Shop")))[0]["value"], json!("other"));
    assert_eq!(results(&hub.state_of(None))[0]["value"], json!("other"));
    assert!(is_recalling(&hub.state_of(Some("s1"))));
}

#[test]
fn what_is_not_found_ends_as_before_and_nothing_waits_without_end() {
    for found in [Found::Nothing, Found::Unknown] {
        let mut hub = Hub::after();
        assert!(is_recalling(&hub.state_of(Some("cart"))));
        assert!(hub.state_of(Some("cart")).is_empty(), "it is looked for once");
        let answer = results(&hub.recalled(found));
        assert_eq!(answer.len(), 2);
        assert!(answer[0]["error"].as_str().expect("an error").contains("no page is connected"), "{answer:?}");
    }
    let mut hub = Hub::after();
    hub.state_of(Some("cart"));
    assert!(results(&hub.wait(RECALL_MS - 1)).is_empty());
    assert!(error(&hub.wait(1)).contains("no page is connected"));
    // A result after the deadline has no effect; the next request recalls the state again.
    assert!(hub.recalled(Found::State(lasting(&json!(2), 5))).is_empty());
    assert_eq!(hub.board.rows(hub.now, None).len(), 0);
}

#[test]
fn a_request_that_waits_is_cancelled_and_ends_with_its_agent_and_the_hub() {
    let mut hub = Hub::after();
    hub.state_of(Some("cart"));
    assert_eq!((hub.board.pending(), hub.board.is_idle()), (1, false));
    assert_eq!(error(&hub.on(Input::Cancel { agent: AGENT, id: "1".into() })), "cancelled");
    assert_eq!(hub.board.pending(), 0);
    hub.state_of(Some("cart"));
    assert!(error(&hub.on(Input::Shutdown)).contains("the hub shut down"));
    assert!(error(&hub.state_of(Some("cart"))).contains("no page is connected"), "nothing is looked for any more");
    let mut hub = Hub::after();
    hub.state_of(Some("cart"));
    assert!(results(&hub.on(Input::AgentLeft { agent: AGENT })).is_empty());
    assert!(results(&hub.recalled(Found::State(lasting(&json!(2), 5)))).is_empty());
    assert_eq!(hub.board.rows(hub.now, None).len(), 0, "no agent wants it any more");
}

#[test]
fn a_state_that_was_too_large_is_reported_as_such() {
    let mut hub = Hub::after();
    hub.state_of(Some("s1"));
    let mut found = lasting(&json!(2), 5);
    found.state.text = None;
    let answer = error(&hub.recalled(Found::State(found.clone())));
    assert!(answer.contains("larger than 64 KiB, and ended with its hub"), "{answer}");
    // The revisions of the page's new states go on from the recalled one, once.
    assert!(is_recalling(&hub.join()));
    hub.publish(&json!(3), 1);
    hub.recalled(Found::State(found));
    assert_eq!(results(&hub.state_of(Some("s1")))[0]["revision"], json!(6));
}

#[test]
fn a_token_of_another_origin_gets_nothing() {
    let pages = vec!["http://bank.test".into()];
    let limits = Limits { name: "ci".into(), id: "1".into(), may: vec![Class::Read], pages, void: None };
    for mut hub in [Hub::new(), Hub::after()] {
        hub.on(Input::AgentScoped { agent: AGENT, scope: Scope::limited(limits.clone()) });
        assert!(is_recalling(&hub.state_of(Some("s1"))), "it is not known whose it is");
        let answer = error(&hub.recalled(Found::State(lasting(&json!("secret"), 5))));
        assert!(answer.contains("no page is connected"), "{answer}");
        assert_eq!(hub.board.rows(hub.now, None).len(), 0);
        // For this agent the page's name is only a word, which may be an id.
        assert!(!is_recalling(&hub.state_of(Some("till"))));
        assert!(error(&hub.wait(RECALL_MS)).contains("no page is connected"));
    }
}

#[test]
fn another_origin_that_has_the_session_here_gets_nothing() {
    let mut hub = Hub::after();
    let who = Newcomer {
        origin: "http://bank.test".into(),
        info: PageInfo::default(),
        policy: Policy::default(),
        ask_first: false,
        driven: false,
    };
    assert!(!is_recalling(&hub.on(Input::PageJoined { page: PAGE, session: id(), who: Box::new(who) })));
    hub.recalled(Found::State(lasting(&json!("secret"), 5)));
    assert_eq!(hub.board.kept_bytes(), 0);
    // Nor does a request for the state when its page has left.
    hub.on(Input::page(PAGE, PageEvent::Left));
    hub.wait(60_000);
    assert!(is_recalling(&hub.state_of(Some("s1"))));
    assert!(error(&hub.recalled(Found::State(lasting(&json!("secret"), 5)))).contains("not connected"));
}

#[test]
fn a_page_that_comes_back_finds_its_state_and_its_revisions_go_on() {
    let mut hub = Hub::after();
    assert!(is_recalling(&hub.join()));
    assert!(hub.state_of(Some("s1")).is_empty(), "it waits for what is looked for");
    hub.recalled(Found::State(lasting(&json!(2), 5)));
    let answer = results(&hub.wait(OFFER_MS));
    assert_eq!(
        (&answer[0]["value"], &answer[0]["revision"], &answer[0]["stale"]),
        (&json!(2), &json!(5), &json!(true))
    );
    assert_eq!(hub.board.rows(hub.now, None)[0].name.as_deref(), Some("till"));
    hub.publish(&json!(3), 1);
    let answer = results(&hub.state_of(Some("s1")));
    assert_eq!(
        (&answer[0]["value"], &answer[0]["revision"], &answer[0]["stale"]),
        (&json!(3), &json!(6), &json!(false))
    );
    // The page comes again: nothing is recalled, because its state is here.
    hub.on(Input::page(PAGE, PageEvent::Left));
    assert!(!is_recalling(&hub.join()));
}

#[test]
fn what_a_page_has_published_since_stays_and_is_written_with_its_new_revision() {
    let mut hub = Hub::after();
    hub.join();
    hub.publish(&json!(3), 1);
    assert_eq!(written(hub.wait(100)), [], "not before it is known which revision it has");
    assert!(hub.state_of(Some("s1")).is_empty());
    let answer = results(&hub.recalled(Found::State(lasting(&json!(2), 5))));
    assert_eq!(
        (&answer[0]["value"], &answer[0]["revision"], &answer[0]["stale"]),
        (&json!(3), &json!(6), &json!(false))
    );
    assert_eq!(written(hub.wait(100)), [(6, Some(1))]);
    // A second result has no effect.
    hub.recalled(Found::State(lasting(&json!(2), 5)));
    assert_eq!(results(&hub.state_of(Some("s1")))[0]["revision"], json!(6));
}

#[test]
fn the_same_state_by_a_handover_changes_nothing() {
    for publishes in [false, true] {
        let mut hub = Hub::after();
        hub.join();
        if publishes {
            hub.publish(&json!(3), 1);
        }
        let found = lasting(&json!(2), 5);
        let heir = Heir { origin: ORIGIN.into(), claim: 1 };
        let handover = Handover { state: Some(found.state.clone()), ..Handover::nothing(id(), heir) };
        hub.recalled(Found::State(found));
        hub.on(Input::HandedOver(Box::new(handover)));
        hub.wait(OFFER_MS);
        let answer = results(&hub.state_of(Some("s1")));
        assert_eq!(answer[0]["revision"], json!(5 + u64::from(publishes)));
    }
}

#[test]
fn a_page_that_comes_back_does_not_wait_without_end() {
    let mut hub = Hub::after();
    hub.join();
    hub.publish(&json!(3), 1);
    assert!(hub.state_of(Some("s1")).is_empty());
    assert!(results(&hub.wait(RECALL_MS - 1)).is_empty());
    let after = hub.wait(100);
    assert_eq!(results(&after)[0]["revision"], json!(1));
    assert_eq!(written(after), [(1, Some(1))]);
    hub.recalled(Found::State(lasting(&json!(2), 5)));
    assert_eq!(results(&hub.state_of(Some("s1")))[0]["revision"], json!(1), "too late");
}

#[test]
fn the_newer_of_the_states_here_and_elsewhere_is_returned() {
    // The page was here, left, and has been at another hub since.
    let mut hub = Hub::new();
    hub.join();
    hub.publish(&json!("old"), 1);
    hub.on(Input::page(PAGE, PageEvent::Left));
    hub.wait(60_000);
    assert!(is_recalling(&hub.state_of(Some("s1"))));
    let mut newer = lasting(&json!("new"), 1);
    newer.state.wall_ms = WALL_MS + hub.now;
    let answer = results(&hub.recalled(Found::State(newer.clone())));
    assert_eq!((&answer[0]["value"], &answer[0]["revision"]), (&json!("new"), &json!(2)), "a revision never goes back");
    for found in [lasting(&json!("older"), 1), newer] {
        hub.wait(LASTING_STATE_MS);
        hub.state_of(Some("s1"));
        let answer = results(&hub.recalled(Found::State(found)));
        assert_eq!((&answer[0]["value"], &answer[0]["revision"]), (&json!("new"), &json!(2)));
    }
}

#[test]
fn a_large_state_is_read_by_a_worker_once() {
    let mut hub = Hub::after();
    hub.state_of(Some("s1"));
    let large = json!("x".repeat(2 * LIGHT_BYTES_MAX));
    let answer = results(&hub.recalled(Found::State(lasting(&large, 5))));
    assert_eq!((&answer[0]["value"], answer.len()), (&large, 1));
}

#[test]
fn what_is_forgotten_is_not_recalled() {
    let forget = |hub: &mut Hub, page: &str| {
        let reply = Reply { agent: AGENT, form: ReplyForm::Rpc("f".into()) };
        hub.on(Input::Forget { reply, page: page.into() })
    };
    let is_forgotten = |effects: &[Effect]| {
        matches!(effects, [Effect::Lasting(Lasting::Forget(_)), Effect::Result { result: Ok(_), .. }])
    };
    // By the page's name, whether the page was recalled here or not.
    let mut hub = Hub::after();
    let answer = forget(&mut hub, "till");
    assert!(is_forgotten(&answer), "{answer:?}");
    assert!(!is_recalling(&hub.state_of(Some("till"))));
    let mut hub = Hub::after();
    hub.state_of(Some("till"));
    hub.recalled(Found::State(lasting(&json!(2), 5)));
    let answer = forget(&mut hub, "till");
    assert!(is_forgotten(&answer), "{answer:?}");
    // Another hub that has recalled the state learns that it was forgotten when it looks again.
    let mut hub = Hub::after();
    hub.state_of(Some("till"));
    hub.recalled(Found::State(lasting(&json!(2), 5)));
    hub.wait(LASTING_STATE_MS);
    hub.state_of(Some("s1"));
    assert!(error(&hub.recalled(Found::Nothing)).contains("no page is connected"));
    assert_eq!(hub.board.kept_bytes(), 0);
}
