//! A tab that the hub drives keeps its session across origins, but nothing that belongs to one origin.

use crate::script::play;
use insta::assert_snapshot;

#[test]
fn an_agent_goes_on_in_a_tab_that_shows_another_origin() {
    assert_snapshot!(play(
        "0 page 1 joins tab from http://a.test driven
         0 agent 2 joins
         1 agent 2 asks a x
         1 page 1 answers 1 =1
         2 page 1 leaves
         3 page 3 joins tab from http://b.test driven
         4 agent 2 asks b x"
    ), @"
    0 page 1 joins tab from http://a.test driven
    0 agent 2 joins
    1 agent 2 asks a x
        → page 1 evaluates 1: x
    1 page 1 answers 1 =1
        ← agent 2 a=1
    2 page 1 leaves
    3 page 3 joins tab from http://b.test driven
    4 agent 2 asks b x
        → page 3 evaluates 2: x
    ");
}

#[test]
fn the_state_of_one_origin_is_not_passed_off_as_that_of_another() {
    assert_snapshot!(play(
        r#"0 page 1 joins tab from http://a.test driven
         0 page 1 publishes 1 {"a":1}
         0 agent 2 joins
         1 agent 2 reads
         2 page 1 leaves
         3 page 3 joins tab from http://b.test driven
         4 agent 2 reads
         3000 tick"#
    ), @r#"
    0 page 1 joins tab from http://a.test driven
    0 page 1 publishes 1 {"a":1}
    0 agent 2 joins
    1 agent 2 reads
        ← agent 2 {"value":{"a":1},"revision":1,"source":"cache","wasCached":true,"stale":false,"ageMs":1,"time":"1970-01-01T00:00:00.000Z"}
    2 page 1 leaves
    3 page 3 joins tab from http://b.test driven
    4 agent 2 reads
        → page 3 tells its state 1
    3000 tick
        → page 3 aborts 1
        ← agent 2 !-32001 Unable to retrieve state: State query timeout; the page is connected and did not answer; it may be frozen or in the background
    "#);
}

#[test]
fn a_call_does_not_wait_for_an_origin_that_its_token_does_not_cover() {
    assert_snapshot!(play(
        "0 page 1 joins tab from http://a.test driven
         0 agent 2 joins
         0 agent 2 limited http://a.test
         0 agent 4 joins
         1 page 1 leaves
         2 agent 2 asks a x
         2 agent 4 asks a y
         3 page 3 joins tab from http://b.test driven
         4 agent 2 asks b x
         4 page 3 answers 2 =1"
    ), @"
    0 page 1 joins tab from http://a.test driven
    0 agent 2 joins
    0 agent 2 limited http://a.test
    0 agent 4 joins
    1 page 1 leaves
    2 agent 2 asks a x
    2 agent 4 asks a y
    3 page 3 joins tab from http://b.test driven
        ← agent 2 a!-32006 the tab went to http://b.test, which this token does not cover
        → page 3 evaluates 2: y
    4 agent 2 asks b x
        ← agent 2 b!-32002 no page is connected | open a page that loads eye.js; `eye status` shows the line to add to it
    4 page 3 answers 2 =1
        ← agent 4 a=1
    ");
}

#[test]
fn what_is_kept_or_fired_waits_for_an_origin_that_its_token_covers() {
    assert_snapshot!(play(
        "0 page 1 joins tab from http://a.test driven
         0 agent 2 joins
         0 agent 2 limited http://a.test
         0 agent 4 joins
         1 page 1 leaves
         2 agent 2 keeps k1 x
         2 agent 2 fires x
         2 agent 4 keeps k2 y
         2 agent 4 fires y
         3 agent 4 leaves
         4 page 3 joins tab from http://b.test driven
         5 agent 2 collects k1"
    ), @r#"
    0 page 1 joins tab from http://a.test driven
    0 agent 2 joins
    0 agent 2 limited http://a.test
    0 agent 4 joins
    1 page 1 leaves
    2 agent 2 keeps k1 x
        ← agent 2 {"id":"k1"}
    2 agent 2 fires x
    2 agent 4 keeps k2 y
        ← agent 4 {"id":"k2"}
    2 agent 4 fires y
    3 agent 4 leaves
    4 page 3 joins tab from http://b.test driven
        → page 3 evaluates 3: y
        → page 3 fires: y
    5 agent 2 collects k1
        ← agent 2 {"results":[{"id":"k1","error":{"code":-32006,"message":"the tab went to http://b.test, which this token does not cover"}}],"pending":[]}
    "#);
}

#[test]
fn a_page_that_is_not_driven_takes_no_tab_of_another_origin() {
    assert_snapshot!(play(
        "0 page 1 joins tab from http://a.test driven
         1 page 3 joins tab from http://b.test"
    ), @"
    0 page 1 joins tab from http://a.test driven
    1 page 3 joins tab from http://b.test
        ✕ 3 closed 4004 this session belongs to another origin
    ");
}

#[test]
fn a_tab_at_a_denied_site_is_only_led_elsewhere() {
    assert_snapshot!(play(
        "0 page 1 joins tab from http://a.test driven
         0 agent 2 joins
         1 page 1 leaves
         2 agent 2 asks a x
         3 page 3 joins tab from http://b.test driven barred
         4 agent 2 asks b x
         5 agent 2 does page/look {}
         6 agent 2 does page/goto {}"
    ), @r#"
    0 page 1 joins tab from http://a.test driven
    0 agent 2 joins
    1 page 1 leaves
    2 agent 2 asks a x
    3 page 3 joins tab from http://b.test driven barred
        ← agent 2 a!-32006 pages of http://b.test are denied to agents | `eye deny --list` shows by what; `eye goto URL` and `eye back` lead the tab elsewhere
    4 agent 2 asks b x
        ← agent 2 b!-32006 pages of http://b.test are denied to agents | `eye deny --list` shows by what; `eye goto URL` and `eye back` lead the tab elsewhere
    5 agent 2 does page/look {}
        ← agent 2 1!-32006 pages of http://b.test are denied to agents | `eye deny --list` shows by what; `eye goto URL` and `eye back` lead the tab elsewhere
    6 agent 2 does page/goto {}
        → page 3 does 2: page/goto {"agent":""}
    "#);
}

#[test]
fn an_outline_has_the_lines_of_frames_that_its_agent_may_see_and_that_answer_in_time() {
    assert_snapshot!(play(
        r#"0 page 1 joins tab from http://a.test driven
         0 page 3 joins tab.f1 from http://b.test driven framed
         0 page 4 joins tab.f2 from http://c.test driven framed
         0 page 5 joins tab.f3 from http://d.test driven framed
         0 agent 2 joins
         0 agent 2 limited http://a.test http://b.test http://c.test
         1 agent 2 does page/look {"all":true}
         2 page 1 answers 1 :frame x (of another origin: --frame f1) | frame y (of another origin: --frame f3)
         3 page 3 answers 1 :frame z (of another origin: --frame f2)
         1001 tick
         1002 tick"#
    ), @r#"
    0 page 1 joins tab from http://a.test driven
    0 page 3 joins tab.f1 from http://b.test driven framed
    0 page 4 joins tab.f2 from http://c.test driven framed
    0 page 5 joins tab.f3 from http://d.test driven framed
    0 agent 2 joins
    0 agent 2 limited http://a.test http://b.test http://c.test
    1 agent 2 does page/look {"all":true}
        → page 1 does 1: page/look {"agent":"","all":true}
    2 page 1 answers 1 :frame x (of another origin: --frame f1) | frame y (of another origin: --frame f3)
        → page 3 does 1: page/look {"agent":"","all":true}
    3 page 3 answers 1 :frame z (of another origin: --frame f2)
        → page 4 does 1: page/look {"agent":"","all":true}
    1001 tick
    1002 tick
        → page 4 aborts 1
        ← agent 2 1:frame x (of another origin: --frame f1) | frame y (of another origin: --frame f3)
     frame z (of another origin: --frame f2)
      … does not answer (eye --frame f2 look)
     … not for this token
    "#);
}

#[test]
fn an_outline_without_frames_or_with_an_error_is_passed_on_and_ends_once() {
    assert_snapshot!(play(
        r#"0 page 1 joins tab from http://a.test driven
         0 page 3 joins tab.f1 from http://b.test driven framed
         0 agent 2 joins
         1 agent 2 does page/look
         2 page 1 answers 1 :frame x (of another origin: --frame f9)
         3 agent 2 does page/look
         4 page 1 answers 2 !-32602 nothing matches
         5 agent 2 does page/look {"since":true}
         6 page 1 answers 3 :+ frame x (of another origin: --frame f1)
         7 agent 2 does page/look
         8 page 1 answers 4 :frame x (of another origin: --frame f1)
         9 agent 2 cancels 1
         10 page 3 answers 1 :late
         11 agent 2 does page/look
         12 page 1 answers 5 :frame x (of another origin: --frame f1)
         13 page 3 leaves
         14 page 6 joins tab.f1 from http://b.test driven framed
         15 agent 2 does page/look
         16 page 1 answers 6 :frame x (of another origin: --frame f1)
         17 agent 2 revoked
         18 page 6 answers 3 :late"#
    ), @r#"
    0 page 1 joins tab from http://a.test driven
    0 page 3 joins tab.f1 from http://b.test driven framed
    0 agent 2 joins
    1 agent 2 does page/look
        → page 1 does 1: page/look {"agent":""}
    2 page 1 answers 1 :frame x (of another origin: --frame f9)
        ← agent 2 1:frame x (of another origin: --frame f9)
    3 agent 2 does page/look
        → page 1 does 2: page/look {"agent":""}
    4 page 1 answers 2 !-32602 nothing matches
        ← agent 2 1!-32602 nothing matches |  |  | page
    5 agent 2 does page/look {"since":true}
        → page 1 does 3: page/look {"agent":"","since":true}
    6 page 1 answers 3 :+ frame x (of another origin: --frame f1)
        ← agent 2 1:+ frame x (of another origin: --frame f1)
    7 agent 2 does page/look
        → page 1 does 4: page/look {"agent":""}
    8 page 1 answers 4 :frame x (of another origin: --frame f1)
        → page 3 does 1: page/look {"agent":"","all":false}
    9 agent 2 cancels 1
        → page 3 aborts 1
        ← agent 2 1!-32800 cancelled
    10 page 3 answers 1 :late
    11 agent 2 does page/look
        → page 1 does 5: page/look {"agent":""}
    12 page 1 answers 5 :frame x (of another origin: --frame f1)
        → page 3 does 2: page/look {"agent":"","all":false}
    13 page 3 leaves
        ← agent 2 1:frame x (of another origin: --frame f1)
     … cannot be looked at (eye --frame f1 look)
    14 page 6 joins tab.f1 from http://b.test driven framed
    15 agent 2 does page/look
        → page 1 does 6: page/look {"agent":""}
    16 page 1 answers 6 :frame x (of another origin: --frame f1)
        → page 6 does 3: page/look {"agent":"","all":false}
    17 agent 2 revoked
        ← agent 2 1!-32006 the token `ci` was revoked
        → page 6 aborts 3
    18 page 6 answers 3 :late
    "#);
}
