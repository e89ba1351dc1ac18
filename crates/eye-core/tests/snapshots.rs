//! Snapshots, and calls that require a revision, as event scripts.

use crate::script::play;

fn has(played: &str, lines: &[&str]) {
    let mut rest = played;
    for line in lines {
        let at = rest.find(line).unwrap_or_else(|| panic!("no `{line}` in its place in\n{played}"));
        rest = &rest[at + line.len()..];
    }
}

#[test]
fn a_call_at_another_revision_never_reaches_the_page() {
    let played = play(
        r#"0 page 1 joins scene
           0 agent 2 joins
           0 page 1 publishes 1 {"n":1}
           1 agent 2 changes-at 2 early()
           2 agent 2 changes-at 1 right()
           3 page 1 answers 1 =1
           4 page 1 patches 2 [{"op":"replace","path":"/n","value":2}]
           5 agent 2 changes-at 1 late()"#,
    );
    has(
        &played,
        &[
            "the state is at revision 1, not 2; nothing was done",
            "→ page 1 evaluates 1: right()",
            "the state is at revision 2, not 1; nothing was done",
        ],
    );
    assert!(!played.contains("early()\n        →") && !played.contains("late()\n        →"), "{played}");
}

#[test]
fn a_page_that_finds_its_state_changed_ends_the_call_with_both_revisions() {
    let played = play(
        r#"0 page 1 joins scene
           0 agent 2 joins
           0 page 1 publishes 1 {"n":1}
           1 agent 2 changes-at 1 right()
           2 page 1 patches 2 [{"op":"replace","path":"/n","value":2}]
           3 page 1 answers 1 !-32007 the state has changed"#,
    );
    has(&played, &["→ page 1 evaluates 1: right()", "the state is at revision 2, not 1; nothing was done"]);
    assert!(!played.contains("the state has changed |"), "the words are the hub's: {played}");
}

#[test]
fn a_kept_state_outlives_its_page_and_goes_back_to_the_next() {
    let played = play(
        r#"0 page 1 joins scene
           0 agent 2 joins
           0 page 1 publishes 1 {"n":1}
           1 agent 2 saves before
           1 page 1 answers 1 ={"state":{"n":1},"revision":1}
           2 agent 2 restores after
           3 page 1 leaves
           4 page 3 joins scene
           4 page 3 publishes 1 {"n":7}
           5 agent 2 restores before 1
           6 agent 2 restores before 2
           7 agent 2 saved"#,
    );
    has(
        &played,
        &[
            r#"{"name":"before","revision":1,"bytes":7"#,
            "no state is kept under `after`",
            "the state is at revision 2, not 1; nothing was done",
            "page 3",
            r#""state":{"n":1}"#,
            r#"{"snapshots":[{"name":"before","revision":1"#,
        ],
    );
}
