//! Which page an agent means: by name, by last use, by origin; and which origin holds a session.

use crate::script::play;
use insta::assert_snapshot;

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
fn of_the_pages_of_one_site_a_title_beats_a_part_of_an_address_and_the_whole_title_a_part() {
    assert_snapshot!(play(
        "0 page 1 joins one titled Carts at http://localhost/p
         1 page 3 joins two titled Cart at http://localhost/p
         2 page 4 joins three titled Help at http://localhost/cart
         3 agent 2 joins
         3 agent 2 targets cart
         3 agent 2 asks a x
         4 agent 2 targets carts
         4 agent 2 asks b x"
    ), @r"
    0 page 1 joins one titled Carts at http://localhost/p
    1 page 3 joins two titled Cart at http://localhost/p
    2 page 4 joins three titled Help at http://localhost/cart
    3 agent 2 joins
    3 agent 2 targets cart
    3 agent 2 asks a x
        → page 3 evaluates 1: x
    4 agent 2 targets carts
    4 agent 2 asks b x
        → page 1 evaluates 1: x
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
fn pages_of_a_hub_before_do_not_stand_beside_those_that_are_here() {
    use eye_core::{Conn, Effect, Input, Known, Mode, Newcomer, Policy, ReplyForm, Switchboard, Task, Terms};
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
    let who = Newcomer { origin, info, policy: Policy::default(), ask_first: false, driven: false };
    board.on(1, Input::PageJoined { page: Conn(1), session: id("new"), who: Box::new(who) }, &mut out);
    board.on(2, Input::AgentJoined { agent: Conn(2) }, &mut out);
    let task = Task::Eval { code: "x".into(), frame: None, terms: Terms::default() };
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
