//! Results that are kept for agents that collect them later.

use crate::script::play;
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
