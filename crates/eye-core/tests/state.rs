//! State as event scripts: published, changed, missed, stale, and requested.

use crate::script::play;
use insta::assert_snapshot;

#[test]
fn what_is_published_is_read_from_the_cache_without_asking_the_page() {
    assert_snapshot!(play(
        r##"0 page 1 joins scene
            0 page 1 publishes 1 {"model":{"color":"#fff"}}
            0 agent 2 joins
            10 agent 2 reads
            20 page 1 patches 2 [{"op":"replace","path":"/model/color","value":"#000"}]
            30 agent 2 reads model.color
            30 agent 2 reads-since 1
            30 agent 2 reads model.colour"##
    ), @r##"
    0 page 1 joins scene
    0 page 1 publishes 1 {"model":{"color":"#fff"}}
    0 agent 2 joins
    10 agent 2 reads
        ← agent 2 {"value":{"model":{"color":"#fff"}},"revision":1,"source":"cache","wasCached":true,"stale":false,"ageMs":10,"time":"1970-01-01T00:00:00.000Z"}
    20 page 1 patches 2 [{"op":"replace","path":"/model/color","value":"#000"}]
    30 agent 2 reads model.color
        ← agent 2 {"value":"#000","revision":2,"source":"cache","wasCached":true,"stale":false,"ageMs":10,"time":"1970-01-01T00:00:00.000Z"}
    30 agent 2 reads-since 1
        ← agent 2 {"patch":[{"op":"replace","path":"/model/color","value":"#000"}],"revision":2,"source":"cache","wasCached":true,"stale":false,"ageMs":10,"time":"1970-01-01T00:00:00.000Z"}
    30 agent 2 reads model.colour
        ← agent 2 !-32602 model has no `colour`; it has: color
    "##);
}

#[test]
fn a_missed_change_heals_by_the_whole_document() {
    assert_snapshot!(play(
        r#"0 page 1 joins scene
           0 agent 2 joins
           0 page 1 publishes 1 {"n":1}
           0 agent 2 watches
           1 page 1 patches 3 [{"op":"replace","path":"/n","value":3}]
           2 page 1 patches 4 [{"op":"replace","path":"/n","value":4}]
           3 page 1 answers 1 ={"state":{"n":4},"revision":4}
           4 page 1 patches 5 [{"op":"replace","path":"/n","value":5}]
           5 agent 2 unwatches
           6 page 1 patches 6 [{"op":"replace","path":"/n","value":6}]"#
    ), @r#"
    0 page 1 joins scene
    0 agent 2 joins
    0 page 1 publishes 1 {"n":1}
    0 agent 2 watches
        ← agent 2 {"sessionId":"scene","revision":1}
    1 page 1 patches 3 [{"op":"replace","path":"/n","value":3}]
        → page 1 tells its state 1
    2 page 1 patches 4 [{"op":"replace","path":"/n","value":4}]
    3 page 1 answers 1 ={"state":{"n":4},"revision":4}
        ← agent 2 hears of scene: state 2 whole {"n":4}
    4 page 1 patches 5 [{"op":"replace","path":"/n","value":5}]
        ← agent 2 hears of scene: state 3 patched [{"op":"replace","path":"/n","value":5}]
    5 agent 2 unwatches
        ← agent 2 {"sessionId":"scene","revision":3}
    6 page 1 patches 6 [{"op":"replace","path":"/n","value":6}]
    "#);
}

#[test]
fn the_cache_outlives_the_page_and_says_so() {
    assert_snapshot!(play(
        r#"0 page 1 joins scene
           0 agent 2 joins
           0 page 1 publishes 1 {"n":1}
           1000 page 1 leaves
           3000 tick
           4000 agent 2 reads n
           4000 agent 2 refreshes n
           5000 page 3 joins scene
           5001 agent 2 reads n
           5002 page 3 publishes 2 {"n":2}
           5003 agent 2 reads n"#
    ), @r#"
    0 page 1 joins scene
    0 agent 2 joins
    0 page 1 publishes 1 {"n":1}
    1000 page 1 leaves
    3000 tick
    4000 agent 2 reads n
        ← agent 2 {"value":1,"revision":1,"source":"cache","wasCached":true,"stale":true,"ageMs":4000,"time":"1970-01-01T00:00:00.000Z"}
    4000 agent 2 refreshes n
        ← agent 2 {"value":1,"revision":1,"source":"cache","wasCached":true,"stale":true,"ageMs":4000,"time":"1970-01-01T00:00:00.000Z","warning":"using cached state: the page did not answer, so it may be stale"}
    5000 page 3 joins scene
    5001 agent 2 reads n
    5002 page 3 publishes 2 {"n":2}
        ← agent 2 {"value":2,"revision":2,"source":"cache","wasCached":true,"stale":false,"ageMs":0,"time":"1970-01-01T00:00:00.000Z"}
    5003 agent 2 reads n
        ← agent 2 {"value":2,"revision":2,"source":"cache","wasCached":true,"stale":false,"ageMs":1,"time":"1970-01-01T00:00:00.000Z"}
    "#);
}

#[test]
fn fresh_asks_the_page_and_falls_back_to_what_is_known() {
    assert_snapshot!(play(
        r#"0 page 1 joins scene
           0 agent 2 joins
           0 page 1 publishes 1 {"n":1}
           10 agent 2 refreshes
           11 page 1 answers 1 ={"state":{"n":7},"revision":2}
           20 agent 2 refreshes n
           2019 tick
           2020 tick
           2030 agent 2 refreshes n
           2031 page 1 leaves"#
    ), @r#"
    0 page 1 joins scene
    0 agent 2 joins
    0 page 1 publishes 1 {"n":1}
    10 agent 2 refreshes
        → page 1 tells its state 1
    11 page 1 answers 1 ={"state":{"n":7},"revision":2}
        ← agent 2 {"value":{"n":7},"revision":2,"source":"page","wasCached":false,"stale":false,"ageMs":0,"time":"1970-01-01T00:00:00.000Z"}
    20 agent 2 refreshes n
        → page 1 tells its state 2
    2019 tick
    2020 tick
        → page 1 aborts 2
        ← agent 2 {"value":7,"revision":2,"source":"cache","wasCached":true,"stale":false,"ageMs":9,"time":"1970-01-01T00:00:00.000Z","warning":"using cached state: the page did not answer, so it may be stale"}
    2030 agent 2 refreshes n
        → page 1 tells its state 3
    2031 page 1 leaves
        ← agent 2 {"value":7,"revision":2,"source":"cache","wasCached":true,"stale":true,"ageMs":2019,"time":"1970-01-01T00:00:00.000Z","warning":"using cached state: the page did not answer, so it may be stale"}
    "#);
}

#[test]
fn a_page_without_state_is_its_own_error_and_nonsense_ends_the_question() {
    assert_snapshot!(play(
        r#"0 page 1 joins scene
           0 agent 2 joins
           1 agent 2 reads
           2 page 1 answers 1 !-32601 no method state/get
           3 agent 2 reads
           4 page 1 answers 2 ={"nonsense":1}
           5 agent 2 reads
           2005 tick"#
    ), @r#"
    0 page 1 joins scene
    0 agent 2 joins
    1 agent 2 reads
        → page 1 tells its state 1
    2 page 1 answers 1 !-32601 no method state/get
        ← agent 2 !-32002 the page publishes no state; let it call `eye.state(() => ({ … }))`
    3 agent 2 reads
        → page 1 tells its state 2
    4 page 1 answers 2 ={"nonsense":1}
        ← agent 2 !-32603 the page told a malformed state: `state` is missing
    5 agent 2 reads
        → page 1 tells its state 3
    2005 tick
        → page 1 aborts 3
        ← agent 2 !-32001 Unable to retrieve state: State query timeout; the page is connected and did not answer; it may be frozen or in the background
    "#);
}
