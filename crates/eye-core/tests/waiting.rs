//! Calls that wait for a page, as event scripts: for the document that it is leaving for, for the tools and the state
//! that it offers, never for a dialog.

use crate::script::play;
use eye_core::{Conn, Effect, Input, Known, Mode, Newcomer, PageEvent, Policy, ReplyForm, Switchboard, Task, Terms};
use eye_protocol::SessionId;
use eye_protocol::messages::PageInfo;
use eye_protocol::state::WholeState;
use insta::assert_snapshot;
use std::sync::Arc;

#[test]
fn what_is_asked_of_a_page_that_goes_elsewhere_waits_for_where_it_goes() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks a link.click()
         2 page 1 navigates 1 http://localhost/slow
         2 page 1 goes http://localhost/slow
         1002 page 1 answers 1 :clicked
         1010 agent 2 asks b document.title
         2500 page 1 hides
         3000 page 4 joins shop titled Slow at http://localhost/slow
         3010 page 4 answers 2 :Slow
         3020 agent 2 asks c 1"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks a link.click()
        → page 1 evaluates 1: link.click()
    2 page 1 navigates 1 http://localhost/slow
    2 page 1 goes http://localhost/slow
    1002 page 1 answers 1 :clicked
        ← agent 2 a:clicked
    1010 agent 2 asks b document.title
    2500 page 1 hides
    3000 page 4 joins shop titled Slow at http://localhost/slow
        → page 4 evaluates 2: document.title
    3010 page 4 answers 2 :Slow
        ← agent 2 b:Slow
    3020 agent 2 asks c 1
        → page 4 evaluates 3: 1
    ");
}

#[test]
fn a_driven_page_is_waited_for_as_long_as_the_call_may_wait() {
    assert_snapshot!(play(
        "0 page 1 joins tab driven
         0 agent 2 joins
         1 page 1 goes http://localhost/slow
         10 agent 2 asks a x
         20000 tick
         20010 agent 2 asks b y
         30010 tick
         40000 page 3 joins tab driven"
    ), @"
    0 page 1 joins tab driven
    0 agent 2 joins
    1 page 1 goes http://localhost/slow
    10 agent 2 asks a x
    20000 tick
    20010 agent 2 asks b y
    30010 tick
        ← agent 2 a!-32001 the page tab is leaving for `http://localhost/slow`, which has not answered yet | ask again, or wait longer with --timeout
        → page 1 ping
    40000 page 3 joins tab driven
        → page 1 is replaced
        ✕ 1 closed 4003 another page took over this session
        → page 3 evaluates 2: y
    ");
}

#[test]
fn a_download_or_a_stopped_navigation_ends_the_wait() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 page 1 goes http://localhost/file
         10 agent 2 asks a x
         20 page 1 goes
         30 page 1 goes http://localhost/file
         40 agent 2 asks b y
         10029 tick
         10030 tick
         10035 page 1 titled New
         10040 agent 2 asks c z"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 page 1 goes http://localhost/file
    10 agent 2 asks a x
    20 page 1 goes
        → page 1 evaluates 1: x
    30 page 1 goes http://localhost/file
    40 agent 2 asks b y
    10029 tick
    10030 tick
        → page 1 evaluates 2: y
    10035 page 1 titled New
    10040 agent 2 asks c z
        → page 1 evaluates 3: z
    ");
}

#[test]
fn a_page_that_went_where_nothing_joins_is_named_with_the_address() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks a x
         1 page 1 answers 1 :x
         1 page 1 goes http://plain.test/
         2 page 1 hides
         3 agent 2 asks b y
         2003 tick
         8002 tick"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks a x
        → page 1 evaluates 1: x
    1 page 1 answers 1 :x
        ← agent 2 a:x
    1 page 1 goes http://plain.test/
    2 page 1 hides
    3 agent 2 asks b y
    2003 tick
    8002 tick
        ← agent 2 b!-32002 the page shop left for `http://plain.test/` and has not come back | open it again, or choose another one: `eye pages`
    ");
}

#[test]
fn a_page_that_arrived_under_another_session_is_not_waited_for() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks a link.click()
         2 page 1 navigates 1 http://other.test/
         2 page 1 goes http://other.test/
         3 page 1 leaves
         4 agent 2 asks b document.title
         90 page 5 joins bank from http://other.test titled Bank at http://other.test/
         90 tick
         91 agent 2 asks c document.title"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks a link.click()
        → page 1 evaluates 1: link.click()
    2 page 1 navigates 1 http://other.test/
    2 page 1 goes http://other.test/
    3 page 1 leaves
    4 agent 2 asks b document.title
    90 page 5 joins bank from http://other.test titled Bank at http://other.test/
        ← agent 2 a~Bank http://other.test/
    90 tick
        ← agent 2 b!-32002 the page shop left for `http://other.test/` and has not come back | open it again, or choose another one: `eye pages`
    91 agent 2 asks c document.title
        ← agent 2 c!-32002 the page used last is gone: shop (Shop http://localhost/); connected: bank (Bank http://other.test/) | choose one: --page bank, or `eye use ID`
    ");
}

#[test]
fn a_wait_goes_on_in_the_page_that_a_script_reloads() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 does-again page/wait {\"target\":\"text=Done\"}
         1500 page 1 goes http://localhost/
         1510 page 1 hides
         1600 page 4 joins shop
         1700 page 4 answers 1 :e1 Done"
    ), @r#"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 does-again page/wait {"target":"text=Done"}
        → page 1 does 1: page/wait {"agent":"","target":"text=Done"}
    1500 page 1 goes http://localhost/
    1510 page 1 hides
    1600 page 4 joins shop
        → page 4 does 1: page/wait {"agent":"","target":"text=Done"}
    1700 page 4 answers 1 :e1 Done
        ← agent 2 1:e1 Done
    "#);
}

#[test]
fn going_elsewhere_ends_with_the_outline_there() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         0 agent 2 named ada
         1 agent 2 does page/goto {\"url\":\"/other\"}
         2 page 1 navigates 1 http://localhost/other
         2 page 1 goes http://localhost/other
         3 page 1 hides
         50 page 4 joins shop titled - at http://localhost/other
         60 page 4 answers 1 :# Other
         70 agent 2 does page/back
         71 page 4 navigates 2 http://localhost/
         72 page 4 hides
         10071 tick"
    ), @r#"
    0 page 1 joins shop
    0 agent 2 joins
    0 agent 2 named ada
    1 agent 2 does page/goto {"url":"/other"}
        → page 1 does 1: page/goto {"agent":"ada","url":"/other"}
    2 page 1 navigates 1 http://localhost/other
    2 page 1 goes http://localhost/other
    3 page 1 hides
    50 page 4 joins shop titled - at http://localhost/other
        → page 4 does 1: page/look {"agent":"ada","loaded":true}
    60 page 4 answers 1 :# Other
        ← agent 2 1:# Other
    70 agent 2 does page/back
        → page 4 does 2: page/back {"agent":"ada"}
    71 page 4 navigates 2 http://localhost/
    72 page 4 hides
    10071 tick
        ← agent 2 1~navigated to http://localhost/, which does not load eye.js (or is still loading)
    "#);
}

#[test]
fn tools_of_a_page_that_loads_or_is_reloaded_are_waited_for() {
    assert_snapshot!(play(
        "0 page 1 joins shop loading
         0 agent 2 joins
         1 agent 2 calls add {\"a\":1}
         1 agent 2 tools
         1 agent 2 asks a x
         20 page 1 offers {\"name\":\"add\",\"inputSchema\":{\"properties\":{\"a\":{\"type\":\"string\"}}}}
         30 page 1 answers 1 :x
         40 page 1 hides
         50 page 3 joins shop
         60 agent 2 tools
         61 agent 2 calls sub
         70 page 3 offers {\"name\":\"sub\"}"
    ), @r#"
    0 page 1 joins shop loading
    0 agent 2 joins
    1 agent 2 calls add {"a":1}
    1 agent 2 tools
    1 agent 2 asks a x
    20 page 1 offers {"name":"add","inputSchema":{"properties":{"a":{"type":"string"}}}}
        → page 1 {"success":true,"registered":1}
        ← agent 2 7!-32005 the arguments do not fit add: /a: 1 is not of type "string" | `eye tools add --schema` shows what it takes
        ← agent 2 {"tools":[{"name":"add","inputSchema":{"properties":{"a":{"type":"string"}}}}]}
        → page 1 evaluates 1: x
    30 page 1 answers 1 :x
        ← agent 2 a:x
    40 page 1 hides
    50 page 3 joins shop
    60 agent 2 tools
        ← agent 2 {"tools":[{"name":"add","inputSchema":{"properties":{"a":{"type":"string"}}}}]}
    61 agent 2 calls sub
    70 page 3 offers {"name":"sub"}
        → page 3 {"success":true,"registered":1}
        → page 3 calls 2: sub {}
    "#);
}

#[test]
fn a_page_that_never_had_tools_is_answered_at_once_and_others_after_two_seconds() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 calls add
         1 agent 2 tools
         1 agent 2 reads
         2 page 1 answers 1 !-32601 no method state/get
         10 page 5 joins slow loading
         10 agent 6 joins
         10 agent 6 targets slow
         11 agent 6 calls add
         2009 tick
         2010 tick
         2020 page 7 joins load loading
         2020 agent 8 joins
         2020 agent 8 targets load
         2021 agent 8 calls add
         2022 page 7 loaded"
    ), @r#"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 calls add
        ← agent 2 7!-32004 Tool not found: add | the page offers no tools
    1 agent 2 tools
        ← agent 2 {"tools":[]}
    1 agent 2 reads
        → page 1 tells its state 1
    2 page 1 answers 1 !-32601 no method state/get
        ← agent 2 !-32002 the page publishes no state; let it call `eye.state(() => ({ … }))`
    10 page 5 joins slow loading
    10 agent 6 joins
    10 agent 6 targets slow
    11 agent 6 calls add
    2009 tick
    2010 tick
        ← agent 6 7!-32004 Tool not found: add | the page offers no tools
    2020 page 7 joins load loading
    2020 agent 8 joins
    2020 agent 8 targets load
    2021 agent 8 calls add
    2022 page 7 loaded
        ← agent 8 7!-32004 Tool not found: add | the page offers no tools
    "#);
}

#[test]
fn a_state_is_waited_for_while_its_page_is_away_or_loads() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         0 page 1 publishes 1 {\"n\":1}
         1 page 1 hides
         2 agent 2 reads
         10 page 3 joins shop
         20 page 3 publishes 1 {\"n\":2}
         30 page 3 leaves
         31 agent 2 reads
         2029 tick
         2030 tick"
    ), @r#"
    0 page 1 joins shop
    0 agent 2 joins
    0 page 1 publishes 1 {"n":1}
    1 page 1 hides
    2 agent 2 reads
    10 page 3 joins shop
    20 page 3 publishes 1 {"n":2}
        ← agent 2 {"value":{"n":2},"revision":2,"source":"cache","wasCached":true,"stale":false,"ageMs":0,"time":"1970-01-01T00:00:00.000Z"}
    30 page 3 leaves
    31 agent 2 reads
    2029 tick
    2030 tick
        ← agent 2 {"value":{"n":2},"revision":2,"source":"cache","wasCached":true,"stale":true,"ageMs":2010,"time":"1970-01-01T00:00:00.000Z"}
    "#);
}

#[test]
fn what_waits_is_cancelled_and_ends_with_its_agent_and_with_the_hub() {
    assert_snapshot!(play(
        "0 page 1 joins shop loading
         0 agent 2 joins
         0 agent 3 joins
         1 agent 2 calls add
         2 agent 2 cancels 7
         3 agent 2 tools
         4 agent 2 cancels 1
         5 agent 3 calls add
         6 agent 3 leaves
         7 agent 2 calls add
         8 shutdown"
    ), @"
    0 page 1 joins shop loading
    0 agent 2 joins
    0 agent 3 joins
    1 agent 2 calls add
    2 agent 2 cancels 7
        ← agent 2 7!-32800 cancelled
    3 agent 2 tools
    4 agent 2 cancels 1
        ← agent 2 !-32800 cancelled
    5 agent 3 calls add
    6 agent 3 leaves
    7 agent 2 calls add
    8 shutdown
        ← agent 2 7!-32000 the hub shut down before the page answered | ask again; a hub starts by itself
    ");
}

#[test]
fn a_dialog_ends_what_it_stops_and_is_reported_to_later_calls() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks a confirm('Sure?')
         2 page 1 stops confirm: Sure?
         251 tick
         252 tick
         260 agent 2 asks b document.title
         30000 tick
         90000 tick
         90001 page 1 stops
         90002 agent 2 asks c document.title
         90003 page 1 stops alert: Hi
         90004 page 1 stops
         90005 page 1 answers 2 :Shop"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks a confirm('Sure?')
        → page 1 evaluates 1: confirm('Sure?')
    2 page 1 stops confirm: Sure?
    251 tick
    252 tick
        → page 1 aborts 1
        ← agent 2 a!-32000 a dialog is open in the page shop: `confirm: Sure?` | a person has to answer it in the browser; what a verb causes, it answers with --accept or --dismiss
    260 agent 2 asks b document.title
        ← agent 2 b!-32000 a dialog is open in the page shop: `confirm: Sure?` | a person has to answer it in the browser; what a verb causes, it answers with --accept or --dismiss
    30000 tick
    90000 tick
    90001 page 1 stops
    90002 agent 2 asks c document.title
        → page 1 evaluates 2: document.title
    90003 page 1 stops alert: Hi
    90004 page 1 stops
    90005 page 1 answers 2 :Shop
        ← agent 2 c:Shop
    ");
}

/// After a restart the hub knows that the page had tools, and waits until it has offered them again.
#[test]
fn tools_are_waited_for_after_a_restart_of_the_hub() {
    let mut board = Switchboard::default();
    let (page, agent) = (Conn(1), Conn(2));
    let id = SessionId::parse("shop").unwrap();
    let origin: Arc<str> = "http://localhost".into();
    let known = Known {
        id: id.clone(),
        origin: origin.clone(),
        info: PageInfo::default(),
        tools: true,
        state: false,
        name: None,
    };
    board.recall(0, vec![known]);
    let mut out = Vec::new();
    board.on(1, Input::AgentJoined { agent }, &mut out);
    let task = Task::Tool { name: "add".into(), arguments: "{}".into(), confirmed: false, terms: Terms::default() };
    let form = Some(ReplyForm::Rpc("1".into()));
    let ask = Input::Ask { agent, form, task, page: None, timeout_ms: None, mode: Mode::Answer };
    board.on(2, ask, &mut out);
    board.on(7_000, Input::Tick, &mut out);
    let who =
        Newcomer { origin, info: PageInfo::default(), policy: Policy::default(), ask_first: false, driven: false };
    board.on(7_500, Input::PageJoined { page, session: id, who: Box::new(who) }, &mut out);
    assert!(out.is_empty(), "{out:?}");
    let tools = vec![r#"{"name":"add"}"#.into()];
    board.on(7_600, Input::page(page, PageEvent::Offers { id: None, tools }), &mut out);
    assert!(matches!(&out[..], [Effect::Send { task: Task::Tool { .. }, .. }]), "{out:?}");
}

#[test]
fn that_a_page_offers_something_is_remembered_at_once() {
    let mut board = Switchboard::default();
    let page = Conn(1);
    let (origin, session): (Arc<str>, _) = ("http://localhost".into(), SessionId::parse("shop").unwrap());
    let who =
        Newcomer { origin, info: PageInfo::default(), policy: Policy::default(), ask_first: false, driven: false };
    let mut out = Vec::new();
    board.on(0, Input::PageJoined { page, session, who: Box::new(who) }, &mut out);
    let offers = |board: &mut Switchboard| board.take_known().map(|known| (known[0].tools, known[0].state));
    assert_eq!(offers(&mut board), Some((false, false)));
    let tools = || vec![r#"{"name":"add"}"#.into()];
    board.on(1, Input::page(page, PageEvent::Offers { id: None, tools: tools() }), &mut out);
    assert_eq!(offers(&mut board), Some((true, false)));
    board.on(2, Input::page(page, PageEvent::Offers { id: None, tools: tools() }), &mut out);
    assert_eq!(offers(&mut board), None, "nothing new");
    let whole = WholeState { state: r#"{"n":1}"#.into(), revision: 1 };
    board.on(3, Input::page(page, PageEvent::State { whole, wall_ms: 0 }), &mut out);
    assert_eq!(offers(&mut board), Some((true, true)));
}
