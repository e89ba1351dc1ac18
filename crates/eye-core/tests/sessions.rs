//! Sessions as event scripts: events, and below each event its effects.

use crate::script::play;
use insta::assert_snapshot;

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
fn a_late_answer_reaches_no_other_call() {
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
fn a_revoked_token_ends_the_calls_of_its_agent_and_no_others() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         0 agent 3 joins
         1 agent 2 asks a x
         1 agent 3 asks b y
         2 agent 2 revoked
         3 page 1 answers 1 =1
         3 page 1 answers 2 =2"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    0 agent 3 joins
    1 agent 2 asks a x
        → page 1 evaluates 1: x
    1 agent 3 asks b y
        → page 1 evaluates 2: y
    2 agent 2 revoked
        → page 1 aborts 1
        ← agent 2 a!-32006 the token `ci` was revoked
    3 page 1 answers 1 =1
    3 page 1 answers 2 =2
        ← agent 3 b=2
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
fn what_a_replaced_page_says_has_no_effect() {
    let picture = play(
        r#"0 page 1 joins shop
           0 agent 2 joins
           1 page 5 joins shop
           2 agent 2 asks b y
           3 page 1 answers 1 =1
           3 page 1 progresses 1 {}
           3 page 1 navigates 1 http://x/
           3 page 1 publishes 9 {"n":1}
           3 page 1 offers {"name":"add"}
           3 page 1 puts 1
           3 page 1 leaves
           4 page 5 answers 1 =2
           5 agent 2 tools
           6 agent 2 mail"#,
    );
    let after = picture.split_once("3 page 1 answers 1 =1\n").expect("it answers").1;
    let (late, own) = after.split_once("4 page 5").expect("the other page answers");
    assert!(!late.contains("    "), "{picture}");
    assert!(own.contains("← agent 2 b=2") && !own.contains("add"), "{picture}");
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
