//! Pages that other hubs hold: found as pages here are, called by passing requests on, answered exactly once.

use crate::elsewhere;
use eye_core::elsewhere::{
    Audience, Back, HeardBy, HubInterests, Interest, Listed, PageElsewhere, TopicMessage, TopicsNews,
};
use eye_core::passed::Passed;
use eye_core::{
    Asker, Conn, Effect, Input, Mode, Newcomer, PageEvent, PlainPass, PlainQuestion, Policy, Reply, ReplyForm,
    Snapshotting, Switchboard, Task, Terms,
};
use eye_protocol::id::LineId;
use eye_protocol::messages::{Hello, PageInfo};
use eye_protocol::operations::Class;
use eye_protocol::scope::{Limits, Scope};
use eye_protocol::topics::Publish;
use eye_protocol::{SessionId, Value};
use std::sync::Arc;

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
    let alias = alias.map(Into::into);
    Listed::There(Arc::new(PageElsewhere { alias, ..elsewhere::page(session(id), origin) }))
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
    on(board, Input::PageJoined { page: PAGE, session: session(id), who: Box::new(who) });
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
        // A restored state is set by the page, so only this request is a call.
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
fn the_agent_of_another_hub_means_the_page_here_whose_id_it_names() {
    let mut board = board();
    board.mark_guest(AGENT);
    join(&mut board, "near", "http://near.test");
    on(&mut board, Input::Listed(vec![page("evil", "http://evil.test", Some("near"))]));
    let sent = ask(&mut board, "1", Some("near"));
    assert!(matches!(&sent[..], [Effect::Send { page: PAGE, .. }]), "{sent:?}");
    let limits = Limits {
        id: "1".into(),
        name: "ci".into(),
        may: vec![Class::Eval],
        pages: vec!["http://other.test".into()],
        void: None,
    };
    on(&mut board, Input::AgentScoped { agent: AGENT, scope: Scope::limited(limits) });
    assert!(error(&ask(&mut board, "2", Some("near"))).contains("no page is connected"));
}

/// Asks under an id in a line, on the usual way.
fn line(board: &mut Switchboard, id: &str, code: &str, page: Option<&str>) -> Vec<Effect> {
    let task = Task::Eval { code: code.into(), frame: None, terms: Terms::default() };
    let form = LineId::parse(id).map(ReplyForm::Line);
    let page = page.map(Into::into);
    on(board, Input::Ask { agent: AGENT, form, task, page, timeout_ms: None, mode: Mode::Answer })
}

#[test]
fn code_is_passed_on_the_short_way_as_on_the_usual_one() {
    let id = LineId::parse("b").unwrap();
    for target in [None, Some("shop")] {
        let [mut usual, mut short] = [(); 2].map(|()| {
            let mut board = board();
            let hello = Hello { target: target.map(Into::into), timeout: Some(700), ..Hello::default() };
            on(&mut board, Input::AgentHello { agent: AGENT, hello: Box::new(hello) });
            assert!(board.pass_plainly(5, AGENT, id, "2").is_none(), "the page is looked for first");
            // The first call settles the origin of the page that the name means, the second finds it for good.
            for id in ["1", "2"] {
                passed(line(&mut board, id, "1", None));
            }
            board
        });
        let one = passed(line(&mut usual, "b", "2", None));
        let PlainPass { passed: other, origin } = short.pass_plainly(5, AGENT, id, "2").unwrap();
        assert_eq!((format!("{one:?}"), &*origin), (format!("{other:?}"), "http://shop.test"));
        for board in [&mut usual, &mut short] {
            let left = on(board, Input::AgentLeft { agent: AGENT });
            assert!(matches!(&left[..], [Effect::LeftElsewhere { agent: AGENT }]), "{left:?}");
        }
    }
    let mut board = board();
    passed(line(&mut board, "a", "1", None));
    on(&mut board, Input::Listed(vec![Listed::Gone(session("far"))]));
    assert!(board.pass_plainly(5, AGENT, id, "2").is_none(), "it is gone");
}

#[test]
fn code_of_another_hubs_agent_takes_the_short_way_as_the_usual_one() {
    let id = LineId::parse("8").unwrap();
    let (near, far) = (session("near"), session("far"));
    let asked = |session| PlainQuestion { id, session, code: "2", timeout_ms: Some(900) };
    let [mut usual, mut short] = [(); 2].map(|()| {
        let mut board = board();
        board.mark_guest(AGENT);
        join(&mut board, "near", "http://near.test");
        assert!(board.ask_plainly_for(5, AGENT, &asked(&near)).is_none(), "it has not used the page yet");
        line(&mut board, "7", "1", Some("near"));
        board
    });
    let sent = line(&mut usual, "8", "2", Some("near"));
    let [Effect::Send { page, call: Some(call), .. }] = sent[..] else { panic!("{sent:?}") };
    let plain = short.ask_plainly_for(5, AGENT, &asked(&near)).unwrap();
    assert_eq!((plain.page, plain.call, plain.session.id()), (page, call, &near));
    assert!(short.ask_plainly_for(5, AGENT, &asked(&far)).is_none(), "it is not here");
    assert_eq!(short.answer_plainly(6, PAGE, call), Some((AGENT, id)));
    assert_eq!(short.answer_plainly(6, PAGE, call), None, "it has ended");
    let limits = Limits {
        id: "1".into(),
        name: "ci".into(),
        may: vec![Class::Eval],
        pages: vec!["http://other.test".into()],
        void: None,
    };
    on(&mut short, Input::AgentScoped { agent: AGENT, scope: Scope::limited(limits) });
    assert!(short.ask_plainly_for(7, AGENT, &asked(&near)).is_none(), "its token does not cover the page");
}

#[test]
fn an_agent_of_this_hub_takes_no_way_that_is_for_those_of_others() {
    let (id, near) = (LineId::parse("8").unwrap(), session("near"));
    let mut board = board();
    join(&mut board, "near", "http://near.test");
    line(&mut board, "7", "1", Some("near"));
    let asked = PlainQuestion { id, session: &near, code: "2", timeout_ms: None };
    assert!(board.ask_plainly_for(5, AGENT, &asked).is_none());
}

#[test]
fn the_name_of_a_page_elsewhere_is_looked_for_again_when_names_have_changed() {
    let mut board = board();
    let hello = Hello { target: Some("shop".into()), ..Hello::default() };
    on(&mut board, Input::AgentHello { agent: AGENT, hello: Box::new(hello) });
    for id in ["1", "2", "3"] {
        assert_eq!(passed(ask(&mut board, id, None)).session, session("far"));
    }
    on(&mut board, Input::Listed(vec![page("other", "http://other.test", Some("shop"))]));
    assert!(error(&ask(&mut board, "4", None)).contains("several origins"));
    on(&mut board, Input::Listed(vec![Listed::Gone(session("far"))]));
    assert!(error(&ask(&mut board, "5", None)).contains("another origin"));
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
    let effects = on(&mut board, Input::Released { session: session("moved"), heir: None });
    let closed = effects.iter().any(|effect| matches!(effect, Effect::Close { conn: PAGE, .. }));
    let ended = effects.iter().filter(|effect| matches!(effect, Effect::Ended { .. })).count();
    assert!(closed && ended == 1, "{effects:?}");
    on(&mut board, Input::Listed(vec![page("moved", "http://near.test", None)]));
    assert_eq!(passed(ask(&mut board, "2", Some("moved"))).session, session("moved"));
    // The closed connection's own end changes nothing.
    assert!(on(&mut board, Input::page(PAGE, PageEvent::Left)).is_empty());
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

fn interest(pattern: &str, origin: Option<&str>) -> Interest {
    let listener = origin.map_or(HeardBy::Agent, |origin| HeardBy::Page(origin.into()));
    Interest { pattern: pattern.into(), listener }
}

/// A report of a hub's interests.
fn interests_of(hub: &str, interests: HubInterests) -> Input {
    Input::Topics(Box::new(TopicsNews::Interests { hub: hub.into(), interests }))
}

fn publish(board: &mut Switchboard, conn: Conn, topic: &str) -> Vec<Effect> {
    let message = serde_json::value::RawValue::from_string("1".into()).expect("JSON");
    let message = Publish { topic: topic.into(), message, own_word: None, queue: None, timeout: None, all: false };
    on(board, Input::Publish { conn, id: None, message, wall_ms: 0 })
}

/// The hubs that a message is sent to.
fn sent_to(effects: &[Effect]) -> String {
    let hubs = effects.iter().filter_map(|effect| match effect {
        Effect::PublishElsewhere { hubs, .. } => Some(hubs.join(" ")),
        _ => None,
    });
    hubs.collect::<Vec<_>>().join(", ")
}

#[test]
fn a_message_goes_to_the_hubs_where_its_origin_or_an_agent_listens_and_to_no_other() {
    let mut board = board();
    join(&mut board, "near", "http://near.test");
    for (hub, listens) in [
        ("same", interest("ch*", Some("http://near.test"))),
        ("other", interest("*", Some("http://evil.test"))),
        ("agent", interest("chat", None)),
        ("deaf", interest("news", None)),
    ] {
        on(&mut board, interests_of(hub, HubInterests::All(vec![listens])));
    }
    assert_eq!(sent_to(&publish(&mut board, PAGE, "chat")), "agent same");
    // Topics under our own prefix stay within the hub.
    on(&mut board, interests_of("agent", HubInterests::All(vec![interest("*", None)])));
    assert_eq!(sent_to(&publish(&mut board, PAGE, "_mailbox")), "");
    on(&mut board, interests_of("same", HubInterests::Gone));
    assert_eq!(sent_to(&publish(&mut board, PAGE, "chat")), "agent");
}

#[test]
fn what_waits_goes_to_the_first_hub_with_a_listener_and_only_there() {
    let mut board = board();
    join(&mut board, "near", "http://near.test");
    assert_eq!(sent_to(&publish(&mut board, PAGE, "chat")), "");
    let listens = |board: &mut Switchboard, hub: &str, origin| {
        let changed = HubInterests::Changed(vec![(interest("chat", origin), true)]);
        sent_to(&on(board, interests_of(hub, changed)))
    };
    assert_eq!(listens(&mut board, "other", Some("http://evil.test")), "");
    assert_eq!(listens(&mut board, "same", Some("http://near.test")), "same");
    assert_eq!(listens(&mut board, "late", None), "");
}

#[test]
fn what_others_hear_of_follows_who_listens_here_and_what_they_may_hear() {
    let mut board = board();
    board.want_rows();
    join(&mut board, "near", "http://near.test");
    let listen = |board: &mut Switchboard, conn, topic: &str, wanted| {
        on(board, Input::Subscribe { conn, id: None, topic: topic.into(), wanted });
    };
    listen(&mut board, PAGE, "chat", true);
    listen(&mut board, AGENT, "_mailbox", true);
    listen(&mut board, AGENT, "chat", true);
    let own = interest("chat", Some("http://near.test"));
    assert_eq!(board.take_changed_interests(), [(own.clone(), true), (interest("chat", None), true)]);
    // A page that shares a topic receives that topic from every origin, and no other topic.
    listen(&mut board, PAGE, "n*", true);
    board.take_changed_interests();
    let policy = Policy { topics: vec!["news".into()], ..Policy::default() };
    on(&mut board, Input::page(PAGE, PageEvent::Allowed(policy)));
    let sharing = Interest { pattern: "news".into(), listener: HeardBy::Sharing("http://near.test".into()) };
    assert_eq!(board.take_changed_interests(), [(sharing.clone(), true)]);
    // A token with origins receives messages of pages of those origins.
    let pages = vec!["http://near.test".into()];
    let limits = Limits { id: "1".into(), name: "ci".into(), may: vec![Class::Read], pages, void: None };
    on(&mut board, Input::AgentScoped { agent: AGENT, scope: Scope::limited(limits) });
    let of = Interest { pattern: "chat".into(), listener: HeardBy::AgentOf("http://near.test".into()) };
    assert_eq!(board.take_changed_interests(), [(of.clone(), true), (interest("chat", None), false)]);
    listen(&mut board, AGENT, "chat", false);
    assert_eq!(board.take_changed_interests(), [(of, false)]);
    on(&mut board, Input::page(PAGE, PageEvent::Left));
    let gone: Vec<Interest> = board.take_changed_interests().into_iter().map(|(one, _)| one).collect();
    assert_eq!(gone.len(), 3);
    assert!(gone.contains(&own) && gone.contains(&sharing), "{gone:?}");
}

#[test]
fn a_message_of_another_hub_reaches_its_audience_and_tokens_that_cover_it() {
    let mut board = board();
    join(&mut board, "near", "http://near.test");
    for conn in [PAGE, AGENT] {
        on(&mut board, Input::Subscribe { conn, id: None, topic: "*".into(), wanted: true });
    }
    let from = |origin: &str| TopicMessage {
        topic: "chat".into(),
        params: "{}".into(),
        origin: Some(origin.into()),
        scope: Scope::ALL,
        audience: Audience::Origin(origin.into()),
        wait_ms: 0,
    };
    let listeners = |board: &mut Switchboard, message: TopicMessage| {
        let effects = on(board, Input::Topics(Box::new(TopicsNews::Published(message))));
        let conns = effects.into_iter().filter_map(|effect| match effect {
            Effect::Message { conn, .. } => Some(conn),
            _ => None,
        });
        conns.collect::<Vec<_>>()
    };
    assert_eq!(listeners(&mut board, from("http://near.test")), [AGENT, PAGE]);
    assert_eq!(listeners(&mut board, from("http://evil.test")), [AGENT]);
    assert_eq!(listeners(&mut board, TopicMessage { topic: "_log".into(), ..from("http://near.test") }), []);
    let pages = vec!["http://near.test".into()];
    let limits = Limits { id: "1".into(), name: "ci".into(), may: vec![Class::Read], pages, void: None };
    on(&mut board, Input::AgentScoped { agent: AGENT, scope: Scope::limited(limits.clone()) });
    assert_eq!(listeners(&mut board, from("http://evil.test")), []);
    let limited = TopicMessage { scope: Scope::limited(limits), ..from("http://near.test") };
    assert_eq!(listeners(&mut board, limited), [PAGE], "a limited publisher reaches pages alone");
}
