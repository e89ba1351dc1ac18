//! Navigations that a call caused, as event scripts: they end as arrivals, not as failures.

use crate::script::play;
use insta::assert_snapshot;

#[test]
fn a_navigation_that_a_call_caused_ends_where_the_page_arrives() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks a location.href='/other'
         1 agent 2 asks b x
         2 page 1 navigates 1 http://localhost/other
         3 page 1 hides
         50 page 4 joins shop titled Other at http://localhost/other"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks a location.href='/other'
        → page 1 evaluates 1: location.href='/other'
    1 agent 2 asks b x
        → page 1 evaluates 2: x
    2 page 1 navigates 1 http://localhost/other
    3 page 1 hides
        ← agent 2 b!-32000 the page left before it answered | the code may have run; look before you repeat it. The session waits for the page to come back
    50 page 4 joins shop titled Other at http://localhost/other
        ← agent 2 a~Other http://localhost/other
    ");
}

#[test]
fn a_navigation_waits_a_moment_for_the_title() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks a location.reload()
         2 page 1 navigates 1 http://localhost/
         3 page 1 hides
         50 page 4 joins shop titled -
         60 page 4 titled Loaded
         70 agent 2 asks b location.reload()
         71 page 4 navigates 2 http://localhost/
         72 page 4 hides
         90 page 5 joins shop titled -
         1089 tick
         1090 tick"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks a location.reload()
        → page 1 evaluates 1: location.reload()
    2 page 1 navigates 1 http://localhost/
    3 page 1 hides
    50 page 4 joins shop titled -
    60 page 4 titled Loaded
        ← agent 2 a~Loaded http://localhost/
    70 agent 2 asks b location.reload()
        → page 4 evaluates 2: location.reload()
    71 page 4 navigates 2 http://localhost/
    72 page 4 hides
    90 page 5 joins shop titled -
    1089 tick
    1090 tick
        ← agent 2 b~http://localhost/
    ");
}

#[test]
fn a_navigation_to_a_page_without_eye_says_so() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks a location.href='http://plain.test/'
         2 page 1 navigates 1 http://plain.test/
         3 page 1 leaves
         2003 tick
         10002 tick"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks a location.href='http://plain.test/'
        → page 1 evaluates 1: location.href='http://plain.test/'
    2 page 1 navigates 1 http://plain.test/
    3 page 1 leaves
    2003 tick
    10002 tick
        ← agent 2 a~navigated to http://plain.test/, which does not load eye.js (or is still loading)
    ");
}

#[test]
fn a_navigation_to_another_origin_ends_with_the_page_there() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks a location.href='http://other.test/'
         2 page 1 navigates 1 http://other.test/
         3 page 1 leaves
         90 page 5 joins bank from http://other.test titled Bank at http://other.test/"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks a location.href='http://other.test/'
        → page 1 evaluates 1: location.href='http://other.test/'
    2 page 1 navigates 1 http://other.test/
    3 page 1 leaves
    90 page 5 joins bank from http://other.test titled Bank at http://other.test/
        ← agent 2 a~Bank http://other.test/
    ");
}

#[test]
fn a_navigation_that_did_not_happen_gives_the_value() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks a location.href='/download'
         2 page 1 navigates 1 http://localhost/download
         1003 page 1 answers 1 :/download"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks a location.href='/download'
        → page 1 evaluates 1: location.href='/download'
    2 page 1 navigates 1 http://localhost/download
    1003 page 1 answers 1 :/download
        ← agent 2 a:/download
    ");
}

#[test]
fn a_call_that_ends_while_its_page_navigates_is_given_up_there_and_goes_on_nowhere() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks a await slow()
         2 page 1 navigates 1 http://localhost/slow
         3 agent 2 cancels a
         4 agent 2 asks b location.href='/slow'
         5 page 1 navigates 2 http://localhost/slow
         10005 tick
         10006 page 1 hides
         10007 page 3 joins shop titled Slow at http://localhost/slow
         10008 agent 2 does page/goto {}
         10009 page 3 navigates 3 http://localhost/far
         10010 agent 2 leaves"
    ), @r#"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks a await slow()
        → page 1 evaluates 1: await slow()
    2 page 1 navigates 1 http://localhost/slow
    3 agent 2 cancels a
        → page 1 aborts 1
        ← agent 2 a!-32800 cancelled
    4 agent 2 asks b location.href='/slow'
        → page 1 evaluates 2: location.href='/slow'
    5 page 1 navigates 2 http://localhost/slow
    10005 tick
        → page 1 aborts 2
        ← agent 2 b~navigated to http://localhost/slow, which does not load eye.js (or is still loading)
    10006 page 1 hides
    10007 page 3 joins shop titled Slow at http://localhost/slow
    10008 agent 2 does page/goto {}
        → page 3 does 3: page/goto {"agent":""}
    10009 page 3 navigates 3 http://localhost/far
    10010 agent 2 leaves
        → page 3 aborts 3
    "#);
}

#[test]
fn a_page_that_comes_gets_no_news_of_a_call_that_it_never_had() {
    assert_snapshot!(play(
        "0 page 1 joins shop
         0 agent 2 joins
         1 agent 2 asks a location.reload()
         2 page 1 navigates 1 http://localhost/
         3 page 1 hides
         4 page 3 joins shop titled -
         5 agent 2 cancels a"
    ), @"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 asks a location.reload()
        → page 1 evaluates 1: location.reload()
    2 page 1 navigates 1 http://localhost/
    3 page 1 hides
    4 page 3 joins shop titled -
    5 agent 2 cancels a
        ← agent 2 a!-32800 cancelled
    ");
}
