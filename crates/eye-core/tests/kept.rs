//! Results that are kept for agents that collect them later.

use crate::script::play;
use eye_protocol::limits::AGENT_NAMES_MAX;
use insta::assert_snapshot;

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
fn results_of_agents_without_a_name_are_kept_apart_by_token() {
    assert_snapshot!(play(
        "0 page 1 joins shop from http://a.test
         0 agent 2 joins
         0 agent 2 limited http://a.test
         0 agent 3 joins
         1 agent 3 keeps - secret()
         1 page 1 answers 1 =1
         2 agent 2 collects
         2 agent 2 collects k1
         3 agent 2 keeps - own()
         3 agent 2 leaves
         4 page 1 answers 2 =2
         5 agent 4 joins
         5 agent 4 limited http://a.test
         5 agent 4 collects
         6 agent 3 collects"
    ), @r#"
    0 page 1 joins shop from http://a.test
    0 agent 2 joins
    0 agent 2 limited http://a.test
    0 agent 3 joins
    1 agent 3 keeps - secret()
        → page 1 evaluates 1: secret()
        ← agent 3 {"id":"k1"}
    1 page 1 answers 1 =1
    2 agent 2 collects
        ← agent 2 {"results":[],"pending":[]}
    2 agent 2 collects k1
        ← agent 2 !-32602 no kept result has the id `k1`; results are kept for 10 minutes, and collected once
    3 agent 2 keeps - own()
        → page 1 evaluates 2: own()
        ← agent 2 {"id":"k1"}
    3 agent 2 leaves
    4 page 1 answers 2 =2
    5 agent 4 joins
    5 agent 4 limited http://a.test
    5 agent 4 collects
        ← agent 4 {"results":[{"id":"k1","value":2}],"pending":[]}
    6 agent 3 collects
        ← agent 3 {"results":[{"id":"k1","value":1}],"pending":[]}
    "#);
}

/// One agent more than names are remembered, each with a call whose result is kept. Agent `n` has the name `/n`.
fn crowd(ends: bool) -> String {
    let call = |n| {
        let answer = if ends { format!("{n} page 1 answers {} :done\n", n - 1) } else { String::new() };
        format!("{n} agent {n} joins\n{n} agent {n} named /{n}\n{n} agent {n} keeps - slow()\n{answer}")
    };
    let calls: Vec<String> = (2..AGENT_NAMES_MAX + 3).map(call).collect();
    format!("0 page 1 joins shop\n{}", calls.concat())
}

/// The last events of a script, with their effects.
fn after(script: String, last: &str) -> String {
    let before = play(&script).len();
    play(&(script + last)).split_off(before)
}

#[test]
fn too_many_names_forget_the_results_of_the_one_that_was_idle_longest() {
    assert_snapshot!(
        after(
            crowd(true),
            "9000 agent 3 collects
             9000 agent 4098 collects
             9000 agent 2 collects k1"
        ),
        @r#"
    9000 agent 3 collects
        ← agent 3 {"results":[{"id":"k1","value":"done"}],"pending":[]}
    9000 agent 4098 collects
        ← agent 4098 {"results":[{"id":"k1","value":"done"}],"pending":[]}
    9000 agent 2 collects k1
        ← agent 2 !-32602 no kept result has the id `k1`; results are kept for 10 minutes, and collected once
    "#
    );
}

#[test]
fn a_name_more_keeps_nothing_while_results_are_under_way_for_all_others() {
    assert_snapshot!(
        after(
            crowd(false),
            "9000 agent 4098 keeps - slow()
             9000 agent 4098 collects
             9001 page 1 answers 1 :done
             9002 agent 2 collects k1
             9003 agent 4098 keeps - slow()"
        ),
        @r#"
    9000 agent 4098 keeps - slow()
        ← agent 4098 !-32000 4096 other agents have calls under way whose results are kept; wait for some of them to end, or call without async
    9000 agent 4098 collects
        ← agent 4098 {"results":[],"pending":[]}
    9001 page 1 answers 1 :done
    9002 agent 2 collects k1
        ← agent 2 {"results":[{"id":"k1","value":"done"}],"pending":[]}
    9003 agent 4098 keeps - slow()
        → page 1 evaluates 4097: slow()
        ← agent 4098 {"id":"k1"}
    "#
    );
}
