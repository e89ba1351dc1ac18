//! Verbs and deltas as event scripts: passed on, repeated after a reload, and answered with what they changed.

use crate::script::play;
use insta::assert_snapshot;

#[test]
fn a_verb_is_passed_on_with_the_name_of_who_asks() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop
            0 agent 2 joins
            0 agent 2 named claude
            1 agent 2 does page/look
            2 agent 2 does page/click {"target":"e5"}
            3 page 1 answers 1 :e1 Buy
            4 page 1 answers 2 !-32601 no method page/click"#
    ), @r#"
    0 page 1 joins shop
    0 agent 2 joins
    0 agent 2 named claude
    1 agent 2 does page/look
        → page 1 does 1: page/look {"agent":"claude"}
    2 agent 2 does page/click {"target":"e5"}
        → page 1 does 2: page/click {"agent":"claude","target":"e5"}
    3 page 1 answers 1 :e1 Buy
        ← agent 2 1:e1 Buy
    4 page 1 answers 2 !-32601 no method page/click
        ← agent 2 1!-32601 no method page/click |  |  | page
    "#);
}

#[test]
fn a_verb_that_may_run_again_outlives_a_reload_and_others_do_not() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop
           0 agent 2 joins
           1 agent 2 does-again page/wait {"target":"text=Done"}
           1 agent 2 does page/click {"target":"e5"}
           2 page 1 hides
           3 page 3 joins shop
           4 page 3 leaves
           5 page 4 joins shop
           6 page 4 answers 1 :e1 Done
           7 page 1 answers 1 :late"#
    ), @r#"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 does-again page/wait {"target":"text=Done"}
        → page 1 does 1: page/wait {"agent":"","target":"text=Done"}
    1 agent 2 does page/click {"target":"e5"}
        → page 1 does 2: page/click {"agent":"","target":"e5"}
    2 page 1 hides
        ← agent 2 1!-32000 the page left before it answered | the code may have run; look before you repeat it. The session waits for the page to come back
    3 page 3 joins shop
        → page 3 does 1: page/wait {"agent":"","target":"text=Done"}
    4 page 3 leaves
    5 page 4 joins shop
        → page 4 does 1: page/wait {"agent":"","target":"text=Done"}
    6 page 4 answers 1 :e1 Done
        ← agent 2 1:e1 Done
    7 page 1 answers 1 :late
    "#);
}

#[test]
fn a_verb_that_waits_for_a_page_ends_when_the_page_does_not_come_back() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop
           0 agent 2 joins
           1 agent 2 does-again page/wait {"target":"text=Done"}
           2 page 1 leaves
           2002 tick"#
    ), @r#"
    0 page 1 joins shop
    0 agent 2 joins
    1 agent 2 does-again page/wait {"target":"text=Done"}
        → page 1 does 1: page/wait {"agent":"","target":"text=Done"}
    2 page 1 leaves
    2002 tick
        ← agent 2 1!-32002 the page shop has not come back | open it again, or choose another one: `eye pages`
    "#);
}

#[test]
fn the_page_keeps_a_verbs_time_and_the_hub_waits_a_little_longer() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop
           0 agent 2 joins
           0 agent 2 does page/wait {"expr":"done"}
           5000 tick
           8000 tick"#
    ), @r#"
    0 page 1 joins shop
    0 agent 2 joins
    0 agent 2 does page/wait {"expr":"done"}
        → page 1 does 1: page/wait {"agent":"","expr":"done"}
    5000 tick
    8000 tick
        → page 1 aborts 1
        ← agent 2 1!-32001 no answer within the timeout | the page may be busy, frozen or waiting for something; raise --timeout, or look at the page
    "#);
}

#[test]
fn an_answer_carries_the_change_that_its_call_caused() {
    assert_snapshot!(play(
        r##"0 page 1 joins scene
            0 agent 2 joins
            0 page 1 publishes 1 {"color":"#fff","n":0}
            1 page 1 patches 2 [{"op":"replace","path":"/n","value":1}]
            2 agent 2 changes paint("#000")
            3 page 1 patches 3 [{"op":"replace","path":"/color","value":"#000"}]
            3 page 1 answers 1 =true
            4 agent 2 changes nothing()
            5 page 1 answers 2 ~undefined
            6 agent 2 changes fail()
            7 page 1 patches 4 [{"op":"replace","path":"/n","value":2}]
            8 page 1 answers 3 !-32003 no"##
    ), @r##"
    0 page 1 joins scene
    0 agent 2 joins
    0 page 1 publishes 1 {"color":"#fff","n":0}
    1 page 1 patches 2 [{"op":"replace","path":"/n","value":1}]
    2 agent 2 changes paint("#000")
        → page 1 evaluates 1: paint("#000")
    3 page 1 patches 3 [{"op":"replace","path":"/color","value":"#000"}]
    3 page 1 answers 1 =true
        ← agent 2 1=true with {"revision":3,"patch":[{"op":"replace","path":"/color","value":"#000"}]}
    4 agent 2 changes nothing()
        → page 1 evaluates 2: nothing()
    5 page 1 answers 2 ~undefined
        ← agent 2 1~undefined with {"revision":3,"patch":[]}
    6 agent 2 changes fail()
        → page 1 evaluates 3: fail()
    7 page 1 patches 4 [{"op":"replace","path":"/n","value":2}]
    8 page 1 answers 3 !-32003 no
        ← agent 2 1!-32003 no |  |  | page
    "##);
}

#[test]
fn the_first_state_of_a_page_is_a_delta_too_and_a_page_without_state_has_none() {
    assert_snapshot!(play(
        r#"0 page 1 joins scene
           0 agent 2 joins
           1 agent 2 changes start()
           2 page 1 publishes 1 {"n":1}
           2 page 1 answers 1 =1
           3 page 3 joins plain
           4 agent 5 joins
           4 agent 5 targets plain
           4 agent 5 changes x
           5 page 3 answers 1 =1"#
    ), @r#"
    0 page 1 joins scene
    0 agent 2 joins
    1 agent 2 changes start()
        → page 1 evaluates 1: start()
    2 page 1 publishes 1 {"n":1}
    2 page 1 answers 1 =1
        ← agent 2 1=1 with {"revision":1,"state":{"n":1}}
    3 page 3 joins plain
    4 agent 5 joins
    4 agent 5 targets plain
    4 agent 5 changes x
        → page 3 evaluates 1: x
    5 page 3 answers 1 =1
        ← agent 5 1=1
    "#);
}

#[test]
fn a_person_pauses_agents_and_lets_them_go_on() {
    assert_snapshot!(play(
        r#"0 page 1 joins shop
           0 agent 2 joins
           0 page 1 publishes 1 {"n":1}
           1 agent 2 asks a slow()
           2 page 1 pauses a person has paused agents
           3 agent 2 asks b x
           3 agent 2 does page/look
           4 agent 2 reads n
           5 page 1 answers 1 =1
           6 page 1 pauses
           7 agent 2 asks c x
           8 page 1 pauses again
           9 page 1 leaves
           10 page 3 joins shop
           11 agent 2 asks d x"#
    ), @r#"
    0 page 1 joins shop
    0 agent 2 joins
    0 page 1 publishes 1 {"n":1}
    1 agent 2 asks a slow()
        → page 1 evaluates 1: slow()
    2 page 1 pauses a person has paused agents
    3 agent 2 asks b x
        ← agent 2 b!-32006 the page shop is paused: `a person has paused agents` | ask the person at the page to resume
    3 agent 2 does page/look
        ← agent 2 1!-32006 the page shop is paused: `a person has paused agents` | ask the person at the page to resume
    4 agent 2 reads n
        ← agent 2 {"value":1,"revision":1,"source":"cache","wasCached":true,"stale":false,"ageMs":4,"time":"1970-01-01T00:00:00.000Z"}
    5 page 1 answers 1 =1
        ← agent 2 a=1
    6 page 1 pauses
    7 agent 2 asks c x
        → page 1 evaluates 2: x
    8 page 1 pauses again
    9 page 1 leaves
        ← agent 2 c!-32000 the page left before it answered | the code may have run; look before you repeat it. The session waits for the page to come back
    10 page 3 joins shop
    11 agent 2 asks d x
        → page 3 evaluates 3: x
    "#);
}
