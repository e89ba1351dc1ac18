//! Sessions as event scripts: what happens, and below each event what follows.

mod script;

use insta::assert_snapshot;
use script::play;

#[test]
fn two_agents_may_use_the_same_id() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         0 agent 3 joins
         1 agent 2 asks a document.title
         1 agent 3 asks a 1+1
         2 page 1 answers 2 =2
         2 page 1 answers 1 :Shop"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    0 agent 3 joins
    1 agent 2 asks a document.title
        → page 1 evaluates 1: document.title
    1 agent 3 asks a 1+1
        → page 1 evaluates 2: 1+1
    2 page 1 answers 2 =2
        ← agent 3 a=2
    2 page 1 answers 1 :Shop
        ← agent 2 a:Shop
    ");
}

#[test]
fn a_call_ends_once_however_often_its_page_answers() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks a x
         2 page 1 answers 1 =1
         3 page 1 answers 1 =2
         4 page 1 answers 7 =3"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks a x
        → page 1 evaluates 1: x
    2 page 1 answers 1 =1
        ← agent 2 a=1
    3 page 1 answers 1 =2
    4 page 1 answers 7 =3
    ");
}

#[test]
fn a_late_answer_hits_nobody() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks-briefly a slow()
         100 tick
         101 tick
         200 page 1 answers 1 =1"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks-briefly a slow()
        → page 1 evaluates 1: slow()
    100 tick
    101 tick
        → page 1 aborts 1
        ← agent 2 a!-32001 no answer within the timeout | the page may be busy, frozen or waiting for something; raise --timeout, or look at the page
    200 page 1 answers 1 =1
    ");
}

#[test]
fn leaving_page_ends_its_calls_at_once() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks a x
         1 agent 2 asks b y
         2 page 1 answers 1 =1
         3 page 1 leaves"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks a x
        → page 1 evaluates 1: x
    1 agent 2 asks b y
        → page 1 evaluates 2: y
    2 page 1 answers 1 =1
        ← agent 2 a=1
    3 page 1 leaves
        ← agent 2 b!-32000 the page left before it answered | the code may have run; look before you repeat it. The session waits for the page to come back
    ");
}

#[test]
fn calls_wait_for_a_page_that_reloads() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 page 1 hides
         2 agent 2 asks a x
         3 agent 2 fires y
         4 agent 2 asks b z
         5 page 1 leaves
         6 page 9 joins shop
         7 page 9 answers 3 =3
         8 page 9 answers 1 =1"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 page 1 hides
    2 agent 2 asks a x
    3 agent 2 fires y
    4 agent 2 asks b z
    5 page 1 leaves
    6 page 9 joins shop
        → page 9 evaluates 1: x
        → page 9 fires: y
        → page 9 evaluates 3: z
    7 page 9 answers 3 =3
        ← agent 2 b=3
    8 page 9 answers 1 =1
        ← agent 2 a=1
    ");
}

#[test]
fn a_page_that_does_not_come_back_fails_what_waits_and_what_comes_later() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1000 page 1 leaves
         1001 agent 2 asks a x
         2999 tick
         3000 tick
         5000 agent 2 asks b y
         5000 agent 2 fires-told z"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1000 page 1 leaves
    1001 agent 2 asks a x
    2999 tick
    3000 tick
        ← agent 2 a!-32002 the page shop has not come back | open it again, or choose another one: `eye pages`
    5000 agent 2 asks b y
        ← agent 2 b!-32002 the page shop left 2 s ago | open it again, or choose another one: `eye pages`
    5000 agent 2 fires-told z
        ← agent 2 !-32002 the page shop left 2 s ago; open it again, or choose another one: `eye pages`
    ");
}

#[test]
fn a_second_page_of_the_same_origin_takes_over() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks a x
         2 page 5 joins shop
         3 page 1 answers 1 =1
         4 page 1 leaves
         5 agent 2 asks b y
         6 page 5 answers 2 =2"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks a x
        → page 1 evaluates 1: x
    2 page 5 joins shop
        ← agent 2 a!-32000 another page took over the session before this one answered | the code may have run; look before you repeat it. The session waits for the page to come back
        → page 1 is replaced
        ✕ 1 closed 4003 another page took over this session
    3 page 1 answers 1 =1
    4 page 1 leaves
    5 agent 2 asks b y
        → page 5 evaluates 2: y
    6 page 5 answers 2 =2
        ← agent 2 b=2
    ");
}

#[test]
fn a_page_of_another_origin_takes_nothing_while_the_session_is_alive() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 page 5 joins shop from http://evil.test
         2 page 5 leaves
         3 agent 2 asks a x
         4 page 1 leaves
         5 page 6 joins shop from http://evil.test
         2005 tick
         2006 page 7 joins shop from http://localhost:5173 titled New"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 page 5 joins shop from http://evil.test
        ✕ 5 closed 4004 this session belongs to another origin
    2 page 5 leaves
    3 agent 2 asks a x
        → page 1 evaluates 1: x
    4 page 1 leaves
        ← agent 2 a!-32000 the page left before it answered | the code may have run; look before you repeat it. The session waits for the page to come back
    5 page 6 joins shop from http://evil.test
        ✕ 6 closed 4004 this session belongs to another origin
    2005 tick
    2006 page 7 joins shop from http://localhost:5173 titled New
        ✕ 7 closed 4004 this session belongs to another origin
    ");
}

#[test]
fn an_agent_that_vanishes_drops_its_calls_and_the_page_aborts() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         0 agent 3 joins
         1 agent 2 asks a x
         1 agent 3 asks a y
         2 agent 2 leaves
         3 page 1 answers 1 =1
         3 page 1 answers 2 =2"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    0 agent 3 joins
    1 agent 2 asks a x
        → page 1 evaluates 1: x
    1 agent 3 asks a y
        → page 1 evaluates 2: y
    2 agent 2 leaves
        → page 1 aborts 1
    3 page 1 answers 1 =1
    3 page 1 answers 2 =2
        ← agent 3 a=2
    ");
}

#[test]
fn cancelling_ends_the_call_and_reaches_the_page() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks a x
         2 agent 2 cancels a
         3 page 1 answers 1 =1
         4 agent 2 cancels a"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks a x
        → page 1 evaluates 1: x
    2 agent 2 cancels a
        → page 1 aborts 1
        ← agent 2 a!-32800 cancelled
    3 page 1 answers 1 =1
    4 agent 2 cancels a
    ");
}

#[test]
fn answers_without_ids_keep_the_order_of_their_requests() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks-bare document.title
         1 agent 2 asks-bare windows.length
         1 agent 2 asks a named()
         2 page 1 answers 2 =3
         3 page 1 answers 3 =9
         4 page 1 answers 1 :Shop"
    ), @r#"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks-bare document.title
        → page 1 evaluates 1: document.title
    1 agent 2 asks-bare windows.length
        → page 1 evaluates 2: windows.length
    1 agent 2 asks a named()
        → page 1 evaluates 3: named()
    2 page 1 answers 2 =3
    3 page 1 answers 3 =9
        ← agent 2 a=9
    4 page 1 answers 1 :Shop
        ← agent 2 "Shop"
        ← agent 2 3
    "#);
}

#[test]
fn kept_results_outlive_their_agent_and_wait_to_be_collected() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         0 agent 2 named /project
         1 agent 2 keeps - slow()
         1 agent 2 keeps mine slower()
         1 agent 2 keeps mine again()
         1 agent 2 keeps not-an-id x
         2 agent 2 leaves
         3 page 1 answers 1 :done
         4 agent 3 joins
         4 agent 3 named /project
         5 agent 3 collects k1
         6 agent 3 collects
         7 page 1 answers 2 !-32003 oops
         8 agent 4 joins
         9 agent 4 collects mine"
    ), @r#"
    0 page 1 joins shop
    0 agent 2 joins
    0 agent 2 named /project
    1 agent 2 keeps - slow()
        → page 1 evaluates 1: slow()
        ← agent 2 {"id":"k1"}
    1 agent 2 keeps mine slower()
        → page 1 evaluates 2: slower()
        ← agent 2 {"id":"mine"}
    1 agent 2 keeps mine again()
        ← agent 2 !-32602 a result with the id `mine` is already kept or under way; collect it, or use another id
    1 agent 2 keeps not-an-id x
        ← agent 2 !-32602 `not-an-id` is not an id; use 1 to 19 letters, digits or underscores
    2 agent 2 leaves
    3 page 1 answers 1 :done
    4 agent 3 joins
    4 agent 3 named /project
    5 agent 3 collects k1
        ← agent 3 {"results":[{"id":"k1","value":"done"}],"pending":[]}
    6 agent 3 collects
    7 page 1 answers 2 !-32003 oops
        ← agent 3 {"results":[{"id":"mine","error":{"code":-32003,"message":"oops","data":{"source":"page"}}}],"pending":[]}
    8 agent 4 joins
    9 agent 4 collects mine
        ← agent 4 !-32602 no kept result has the id `mine`; results are kept for 10 minutes, and collected once
    "#);
}

#[test]
fn an_agent_gets_the_page_it_used_last_else_the_only_one() {
    assert_snapshot!(play(
        "0 agent 2 joins
         0 agent 2 asks a x
         1 page 1 joins shop called store
         1 agent 2 asks b x
         2 page 3 joins bank titled Bank
         3 agent 2 asks c x
         4 agent 4 joins
         5 agent 4 asks d x
         6 agent 4 uses bank
         7 agent 4 asks e x
         8 agent 5 joins
         8 agent 5 targets nothing
         9 agent 5 asks f x
         10 agent 5 targets stor
         11 agent 5 asks g x
         12 agent 5 targets localhost
         13 agent 5 asks h x"
    ), @r#"
    0 agent 2 joins
    0 agent 2 asks a x
        ← agent 2 a!-32002 no page is connected | open a page that loads eye.js; `eye status` shows the line to add to it
    1 page 1 joins shop called store
    1 agent 2 asks b x
        → page 1 evaluates 1: x
    2 page 3 joins bank titled Bank
    3 agent 2 asks c x
        → page 1 evaluates 2: x
    4 agent 4 joins
    5 agent 4 asks d x
        ← agent 4 d!-32002 there are 2 pages: bank (Bank http://localhost/), store (Shop http://localhost/) | choose one: --page bank or --page shop, or `eye use ID`
    6 agent 4 uses bank
        ← agent 4 {"id":"bank","title":"Bank","url":"http://localhost/","origin":"http://localhost","state":"connected","visible":true,"frame":false,"eval":true,"tools":0,"pending":0,"idleMs":4,"current":true}
    7 agent 4 asks e x
        → page 3 evaluates 1: x
    8 agent 5 joins
    8 agent 5 targets nothing
    9 agent 5 asks f x
        ← agent 5 f!-32002 no page fits `nothing`; connected: bank (Bank http://localhost/), store (Shop http://localhost/) | name one by id, alias, origin, or part of its title or URL
    10 agent 5 targets stor
    11 agent 5 asks g x
        ← agent 5 g!-32002 no page fits `stor`; connected: bank (Bank http://localhost/), store (Shop http://localhost/) | name one by id, alias, origin, or part of its title or URL
    12 agent 5 targets localhost
    13 agent 5 asks h x
        → page 3 evaluates 2: x
    "#);
}

#[test]
fn a_name_that_fits_pages_of_two_origins_means_neither() {
    assert_snapshot!(play(
        "0 page 1 joins one called Shop from http://a.test
         0 page 3 joins two titled Shop from http://b.test
         0 agent 2 joins
         1 agent 2 targets Shop
         1 agent 2 asks a x
         2 agent 2 targets http://b.test
         2 agent 2 asks b x"
    ), @r"
    0 page 1 joins one called Shop from http://a.test
    0 page 3 joins two titled Shop from http://b.test
    0 agent 2 joins
    1 agent 2 targets Shop
    1 agent 2 asks a x
        ← agent 2 a!-32002 `Shop` fits pages of several origins: Shop (Shop http://localhost/), two (Shop http://localhost/) | choose one: --page one or --page two, or `eye use ID`
    2 agent 2 targets http://b.test
    2 agent 2 asks b x
        → page 3 evaluates 1: x
    ");
}

#[test]
fn no_call_moves_to_another_page_by_itself() {
    assert_snapshot!(play(
        "0 page 1 joins old
         0 agent 2 joins
         0 agent 2 asks a x
         0 page 1 answers 1 =1
         1 page 1 leaves
         2001 tick
         2002 agent 2 asks b x
         2003 page 3 joins new
         2004 agent 2 asks c x"
    ), @"
    0 page 1 joins old
    0 agent 2 joins
    0 agent 2 asks a x
        → page 1 evaluates 1: x
    0 page 1 answers 1 =1
        ← agent 2 a=1
    1 page 1 leaves
    2001 tick
    2002 agent 2 asks b x
        ← agent 2 b!-32002 the page old left 0 s ago | open it again, or choose another one: `eye pages`
    2003 page 3 joins new
    2004 agent 2 asks c x
        ← agent 2 c!-32002 the page used last is gone: old (Shop http://localhost/); connected: new (Shop http://localhost/) | choose one: --page new, or `eye use ID`
    ");
}

#[test]
fn frames_are_asked_only_by_name() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 page 2 joins inner framed called preview
         0 agent 3 joins
         1 agent 3 asks a x
         2 agent 3 targets preview
         3 agent 3 asks b y"
    ), @"
    0 page 1 joins shop
    0 page 2 joins inner framed called preview
    0 agent 3 joins
    1 agent 3 asks a x
        → page 1 evaluates 1: x
    2 agent 3 targets preview
    3 agent 3 asks b y
        → page 2 evaluates 1: y
    ");
}

#[test]
fn a_page_or_a_policy_may_refuse_eval() {
    assert_snapshot!(play(
        "0 page 1 joins shop refusing
         0 agent 2 joins
         1 agent 2 asks a x
         2 page 3 joins bank from https://bank.test denied
         3 agent 2 targets bank
         4 agent 2 asks b x"
    ), @"
    0 page 1 joins shop refusing
    0 agent 2 joins
    1 agent 2 asks a x
        ← agent 2 a!-32006 the page shop does not evaluate code (the page refuses) | call its tools, or let its author allow it
    2 page 3 joins bank from https://bank.test denied
    3 agent 2 targets bank
    4 agent 2 asks b x
        ← agent 2 b!-32006 code may not be evaluated in pages of https://bank.test | allow it with `eye allow https://bank.test`
    ");
}

#[test]
fn a_silent_page_is_pinged_and_then_closed() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         20000 tick
         21000 page 1 lives
         40999 tick
         41000 tick
         41500 agent 2 asks a x
         71500 tick
         101000 tick
         101001 page 1 lives"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    20000 tick
        → page 1 ping
    21000 page 1 lives
    40999 tick
    41000 tick
        → page 1 ping
    41500 agent 2 asks a x
        → page 1 evaluates 1: x
    71500 tick
        → page 1 aborts 1
        ← agent 2 a!-32001 no answer within the timeout | the page may be busy, frozen or waiting for something; raise --timeout, or look at the page
    101000 tick
        ✕ 1 closed 4006 the page answered no ping
    101001 page 1 lives
    ");
}

#[test]
fn a_shutdown_ends_every_call() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks a x
         2 page 1 leaves
         2 agent 2 asks b y
         3 shutdown"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks a x
        → page 1 evaluates 1: x
    2 page 1 leaves
        ← agent 2 a!-32000 the page left before it answered | the code may have run; look before you repeat it. The session waits for the page to come back
    2 agent 2 asks b y
    3 shutdown
        ← agent 2 b!-32000 the hub shut down before the page answered | ask again; a hub starts by itself
    ");
}

#[test]
fn pages_of_a_hub_before_do_not_stand_beside_those_that_are_here() {
    use eye_core::{Conn, Effect, Input, Known, Mode, Newcomer, Policy, ReplyForm, Switchboard, Task};
    use eye_protocol::messages::PageInfo;
    let id = |text: &str| eye_protocol::SessionId::parse(text).unwrap();
    let known = |text| Known {
        id: id(text),
        origin: "http://localhost".into(),
        info: PageInfo::default(),
        tools: false,
        state: false,
        name: None,
    };
    let (mut board, mut out) = (Switchboard::default(), Vec::new());
    board.recall(0, vec![known("old1"), known("old2")]);
    let (origin, info) = ("http://localhost".into(), PageInfo::default());
    let who = Newcomer { origin, info, policy: Policy::default(), ask_first: false };
    board.on(1, Input::PageJoined { page: Conn(1), session: id("new"), who }, &mut out);
    board.on(2, Input::AgentJoined { agent: Conn(2) }, &mut out);
    let task = Task::Eval { code: "x".into(), frame: None, delta: false };
    let form = Some(ReplyForm::Rpc("1".into()));
    let ask = Input::Ask { agent: Conn(2), form, task, page: None, timeout_ms: None, mode: Mode::Answer };
    board.on(3, ask, &mut out);
    assert!(matches!(out.as_slice(), [Effect::Send { page: Conn(1), .. }]), "{out:?}");
}

#[test]
fn a_session_stays_with_its_origin_for_as_long_as_it_is_remembered() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop
           0 agent 2 joins
           0 agent 2 named claude
           1 agent 2 asks a x
           2 page 1 answers 1 =1
           3 page 1 publishes 1 {"secret":1}
           4 page 1 leaves
           2005 tick
           2006 page 5 joins shop from http://evil.test
           2007 agent 2 asks b x
           2008 agent 2 forgets shop
           2009 page 6 joins shop from http://evil.test
           2010 agent 2 asks c x
           2011 agent 2 reads
           2012 agent 2 forgets shop
           2013 page 6 leaves"#
    ), @r#"
    0 page 1 joins shop
    0 agent 2 joins
    0 agent 2 named claude
    1 agent 2 asks a x
        → page 1 evaluates 1: x
    2 page 1 answers 1 =1
        ← agent 2 a=1
    3 page 1 publishes 1 {"secret":1}
    4 page 1 leaves
    2005 tick
    2006 page 5 joins shop from http://evil.test
        ✕ 5 closed 4004 this session belongs to another origin
    2007 agent 2 asks b x
        ← agent 2 b!-32002 the page shop left 0 s ago | open it again, or choose another one: `eye pages`
    2008 agent 2 forgets shop
        ← agent 2 {"forgotten":"shop"}
    2009 page 6 joins shop from http://evil.test
    2010 agent 2 asks c x
        ← agent 2 c!-32002 the page used last is gone: shop; connected: shop (Shop http://localhost/) | choose one: --page shop, or `eye use ID`
    2011 agent 2 reads
        ← agent 2 !-32002 the page used last is gone: shop; connected: shop (Shop http://localhost/); choose one: --page shop, or `eye use ID`
    2012 agent 2 forgets shop
        ← agent 2 !-32002 the page shop is connected; close its tab first
    2013 page 6 leaves
    "#);
}

#[test]
fn a_name_that_a_person_gave_beats_what_pages_call_themselves() {
    assert_snapshot!(play(
        "0 page 1 joins one titled Bank from http://bank.test
         0 agent 2 joins
         0 agent 2 named claude
         1 agent 2 names one bank
         2 page 3 joins bank called one from http://evil.test
         3 agent 2 targets bank
         3 agent 2 asks a x
         4 agent 2 targets one
         4 agent 2 asks b x
         5 agent 2 targets http://bank.test
         5 agent 2 asks c x
         6 agent 2 names http://evil.test one
         7 agent 2 names http://evil.test a/b
         8 agent 2 names one
         9 agent 2 targets bank
         9 agent 2 asks d x"
    ), @r#"
    0 page 1 joins one titled Bank from http://bank.test
    0 agent 2 joins
    0 agent 2 named claude
    1 agent 2 names one bank
        ← agent 2 {"id":"one","name":"bank","title":"Bank","url":"http://localhost/","origin":"http://bank.test","state":"connected","visible":true,"frame":false,"eval":true,"tools":0,"pending":0,"idleMs":1,"current":true}
    2 page 3 joins bank called one from http://evil.test
    3 agent 2 targets bank
    3 agent 2 asks a x
        → page 1 evaluates 1: x
    4 agent 2 targets one
    4 agent 2 asks b x
        ← agent 2 b!-32002 `one` fits pages of several origins: bank (Bank http://localhost/), one (Shop http://localhost/) | choose one: --page http://bank.test or --page bank, or `eye use ID`
    5 agent 2 targets http://bank.test
    5 agent 2 asks c x
        → page 1 evaluates 2: x
    6 agent 2 names http://evil.test one
        ← agent 2 !-32602 `one` cannot be a page's name: it is the id of another page; choose another name
    7 agent 2 names http://evil.test a/b
        ← agent 2 !-32602 `a/b` cannot be a page's name: it holds a slash or a control character
    8 agent 2 names one
        ← agent 2 !-32002 `one` fits pages of several origins: bank (Bank http://localhost/), one (Shop http://localhost/); choose one: --page http://bank.test or --page bank, or `eye use ID`
    9 agent 2 targets bank
    9 agent 2 asks d x
        → page 1 evaluates 3: x
    "#);
}
