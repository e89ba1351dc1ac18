//! Pages that other hubs hold: found as pages here are, asked by passing on, answered exactly once.

use eye_core::elsewhere::{Back, Listed, PageElsewhere, Passed};
use eye_core::{
    Asker, Conn, Effect, Input, Mode, Newcomer, Policy, Reply, ReplyForm, Snapshotting, Switchboard, Task, Terms,
};
use eye_protocol::messages::{PageInfo, Presence};
use eye_protocol::operations::Class;
use eye_protocol::scope::{Limits, Scope};
use eye_protocol::{SessionId, Value};

const AGENT: Conn = Conn(1);
const PAGE: Conn = Conn(2);

fn session(id: &str) -> SessionId {
    SessionId::parse(id).expect("an id")
}

fn on(board: &mut Switchboard, input: Input) -> Vec<Effect> {
    let mut out = Vec::new();
    board.on(5, input, &mut out);
    out
}

fn page(id: &str, origin: &str, alias: Option<&str>) -> Listed {
    Listed::There(Box::new(PageElsewhere {
        id: session(id),
        hub: "b".into(),
        origin: origin.into(),
        alias: alias.map(Into::into),
        title: "Shop".into(),
        url: format!("{origin}/").into(),
        presence: Presence::Connected,
        visible: true,
        frame: false,
        eval: true,
        tools: 0,
        last_ref: None,
        heard_at: 0,
    }))
}

/// A hub with an agent, where another hub holds the page `far`.
fn board() -> Switchboard {
    let mut board = Switchboard::default();
    on(&mut board, Input::AgentJoined { agent: AGENT });
    on(&mut board, Input::Listed(vec![page("far", "http://shop.test", Some("shop"))]));
    board
}

fn join(board: &mut Switchboard, id: &str, origin: &str) {
    let info = PageInfo { title: Some("Near".into()), ..PageInfo::default() };
    let who = Newcomer { origin: origin.into(), info, policy: Policy::default(), ask_first: false, driven: false };
    on(board, Input::PageJoined { page: PAGE, session: session(id), who });
}

fn ask(board: &mut Switchboard, id: &str, page: Option<&str>) -> Vec<Effect> {
    let task = Task::Eval { code: "1".into(), frame: None, terms: Terms::default() };
    let form = Some(ReplyForm::Rpc(id.into()));
    let page = page.map(Into::into);
    on(board, Input::Ask { agent: AGENT, form, task, page, timeout_ms: None, mode: Mode::Answer })
}

fn passed(effects: Vec<Effect>) -> Box<Passed> {
    match <[Effect; 1]>::try_from(effects) {
        Ok([Effect::PassOn(passed)]) => passed,
        other => panic!("{other:?}"),
    }
}

fn error(effects: &[Effect]) -> String {
    match effects {
        [Effect::Ended { ending: Err(error), .. }] => error.one_line(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_page_elsewhere_is_found_by_every_name_and_asked_by_its_id() {
    for wanted in [None, Some("far"), Some("shop"), Some("Shop"), Some("http://shop.test")] {
        let passed = passed(ask(&mut board(), "1", wanted));
        assert_eq!(passed.session, session("far"));
        let Input::Ask { page, .. } = &passed.input else { panic!("{passed:?}") };
        assert_eq!(page.as_deref(), Some("far"));
        assert_eq!(passed.asker, Asker::Agent(Reply { agent: AGENT, form: ReplyForm::Rpc("1".into()) }));
    }
}

#[test]
fn an_answer_from_elsewhere_ends_the_call() {
    let mut board = board();
    let passed = passed(ask(&mut board, "1", None));
    let ending = Ok(Value::Json("2".into()));
    let back = Back::Ended { asker: passed.asker, ending, delta: None, asked_at: 5 };
    let effects = on(&mut board, Input::Back(Box::new(back)));
    assert!(matches!(&effects[..], [Effect::Ended { ending: Ok(Value::Json(two)), .. }] if two == "2"), "{effects:?}");
}

#[test]
fn kept_states_are_those_of_the_hub_that_holds_the_page() {
    let mut board = board();
    let restore = Snapshotting::Restore { name: "before".into(), if_revision: Some(3) };
    for wanted in [Snapshotting::Save("before".into()), Snapshotting::List, restore] {
        let reply = Reply { agent: AGENT, form: ReplyForm::Rpc("1".into()) };
        let sent = passed(on(&mut board, Input::Snapshot { reply, page: None, wanted: wanted.clone() }));
        let Input::Snapshot { page, wanted: passed_on, .. } = &sent.input else { panic!("{sent:?}") };
        assert_eq!((page.as_deref(), passed_on), (Some("far"), &wanted));
        // A restored state is set by the page: that alone is a call.
        assert_eq!(sent.is_call, matches!(wanted, Snapshotting::Restore { .. }));
    }
}

#[test]
fn the_last_used_page_stays_meant_and_a_page_here_does_not_replace_it() {
    let mut board = board();
    passed(ask(&mut board, "1", Some("shop")));
    join(&mut board, "near", "http://near.test");
    assert_eq!(passed(ask(&mut board, "2", None)).session, session("far"));
    on(&mut board, Input::Listed(vec![Listed::Gone(session("far"))]));
    assert!(error(&ask(&mut board, "3", None)).contains("the page used last is gone"));
}

#[test]
fn a_token_sees_no_page_elsewhere_that_it_does_not_cover() {
    let mut board = board();
    let limits = Limits {
        id: "1".into(),
        name: "ci".into(),
        may: vec![Class::Eval],
        pages: vec!["http://other.test".into()],
        void: None,
    };
    on(&mut board, Input::AgentScoped { agent: AGENT, scope: Scope::limited(limits) });
    assert!(error(&ask(&mut board, "1", Some("far"))).contains("no page is connected"));
    assert!(board.rows(5, Some(AGENT)).is_empty());
}

#[test]
fn an_alias_elsewhere_does_not_stand_for_a_page_here_of_another_origin() {
    let mut board = board();
    join(&mut board, "near", "http://near.test");
    on(&mut board, Input::Listed(vec![page("evil", "http://evil.test", Some("near"))]));
    assert!(error(&ask(&mut board, "1", Some("near"))).contains("several origins"));
}

#[test]
fn another_origin_does_not_get_a_session_that_is_held_elsewhere() {
    let board = board();
    assert!(board.is_kept_for_another(&session("far"), "http://evil.test"));
    assert!(!board.is_kept_for_another(&session("far"), "http://shop.test"));
}

#[test]
fn a_session_that_moved_is_closed_here_and_asked_there() {
    let mut board = board();
    join(&mut board, "moved", "http://near.test");
    let sent = ask(&mut board, "1", Some("moved"));
    assert!(matches!(&sent[..], [Effect::Send { .. }]), "{sent:?}");
    let effects = on(&mut board, Input::Released(session("moved")));
    let closed = effects.iter().any(|effect| matches!(effect, Effect::Close { conn: PAGE, .. }));
    let ended = effects.iter().filter(|effect| matches!(effect, Effect::Ended { .. })).count();
    assert!(closed && ended == 1, "{effects:?}");
    on(&mut board, Input::Listed(vec![page("moved", "http://near.test", None)]));
    assert_eq!(passed(ask(&mut board, "2", Some("moved"))).session, session("moved"));
    // The closed connection's own end changes nothing.
    assert!(on(&mut board, Input::PageLeft { page: PAGE }).is_empty());
}

#[test]
fn cancelling_and_leaving_reach_the_other_hub() {
    let mut board = board();
    passed(ask(&mut board, "1", None));
    let cancelled = on(&mut board, Input::Cancel { agent: AGENT, id: "1".into() });
    assert!(matches!(&cancelled[..], [Effect::CancelElsewhere { agent: AGENT, .. }]), "{cancelled:?}");
    let left = on(&mut board, Input::AgentLeft { agent: AGENT });
    assert!(matches!(&left[..], [Effect::LeftElsewhere { agent: AGENT }]), "{left:?}");
}
