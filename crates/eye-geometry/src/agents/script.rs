//! Event scripts with one event per line, and snapshots of the effects of each event.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::Picture;
use crate::fields::Fields;
use crate::limits::{AGENTS_ENDED_LEN_MAX, AGENTS_MAX, AGENTS_OF_SESSION_MAX};
use insta::assert_snapshot;
use serde_json::{Map, Value};
use std::fmt::Write;
use std::sync::Arc;

/// Plays the script and returns it, with the effects below each event.
fn play(script: &str) -> String {
    let mut roster = Roster::default();
    let mut picture = String::new();
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (now, words) = line.split_once(' ').unwrap();
        let mut effects = Vec::new();
        let outcome = roster.on(now.parse().unwrap(), event(words), &mut effects);
        writeln!(picture, "{line}").unwrap();
        if let Err(refusal) = outcome {
            writeln!(picture, "    refused: {refusal}").unwrap();
        }
        for effect in &effects {
            writeln!(picture, "    {}", shown(effect)).unwrap();
        }
        if words == "tick" {
            let wake = roster.next_wake().map_or("never".to_owned(), |at| at.to_string());
            writeln!(picture, "    wakes at {wake}").unwrap();
        }
    }
    picture
}

fn event(words: &str) -> Event {
    let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
    let (id, more) = rest.split_once(' ').unwrap_or((rest, ""));
    match verb {
        // spawn ID SESSION TYPE [waiting] CONFIG
        "spawn" => {
            let mut words = more.splitn(3, ' ');
            let (session, kind, config) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap_or("{}"));
            let waiting = config.strip_prefix("waiting ");
            let config: Value = serde_json::from_str(waiting.unwrap_or(config)).unwrap();
            let spawn = serde_json::json!({
                "agent_type": kind, "config": config, "region": { "x": 10, "y": 20, "width": 4, "height": 2, "unit": "pixels" },
            });
            let fields = Fields(spawn.as_object().unwrap());
            let (plan, region) = (Plan::read(fields).unwrap(), Region::read(fields).unwrap());
            let (session, start) = (session.into(), waiting.is_none());
            Event::Spawn { id: id.into(), session, region, plan, start, socket: Socket(1) }
        }
        "pause" => Event::Pause(id.into()),
        "resume" => Event::Resume(id.into()),
        "stop" => Event::Stop(id.into()),
        // seen ID TURN SHARE; told ID TURN; failed ID TURN [for-good]
        "seen" | "told" | "failed" => {
            let (turn, more) = more.split_once(' ').unwrap_or((more, ""));
            let result = match verb {
                "seen" => Ok(Work::Seen(sight(more.parse().unwrap()))),
                "told" => Ok(Work::Told(Map::from_iter([("kind".to_owned(), "executed".into())]))),
                _ => Err(Failed { message: "the page is away".into(), for_good: more == "for-good" }),
            };
            Event::Done { id: id.into(), turn: turn.parse().unwrap(), result }
        }
        "evolving" => {
            let progress = Map::from_iter([("generation".to_owned(), 1.into())]);
            Event::Evolving { id: id.into(), turn: more.parse().unwrap(), progress }
        }
        // sessions ID=there …
        "sessions" => {
            let row = |word: &str| {
                let (session, presence) = word.split_once('=').unwrap();
                let presence = match presence {
                    "there" => Presence::There,
                    "away" => Presence::Away,
                    _ => Presence::Gone,
                };
                (session.to_owned(), presence)
            };
            Event::Sessions(rest.split_whitespace().map(row).collect())
        }
        "closed" => Event::Closed(Socket(id.parse().unwrap())),
        "tick" => Event::Tick,
        "shutdown" => Event::Shutdown,
        other => panic!("no such event: {other}"),
    }
}

fn sight(changed: f64) -> Sight {
    let picture = Arc::new(Picture { width: 4, height: 2, rgba: vec![0; 32] });
    let bounds = (changed > 0.0).then_some(Region { x: 10.0, y: 20.0, width: 1.0, height: 1.0 });
    Sight { picture, changed, bounds, entropy: 1.5, histogram: vec![8, 0], unique_colours: 1 }
}

fn shown(effect: &Effect) -> String {
    match effect {
        Effect::Do { id, session, turn, task } => {
            let task = match task {
                Task::Look { before, .. } => format!("look{}", if before.is_some() { " and compare" } else { "" }),
                Task::Execute { program, args } => format!("execute {program} {args:?}"),
                Task::Evolve { seed_shader, place, .. } => format!("evolve {seed_shader:?} place {place}"),
            };
            format!("do {id}/{turn} in {session}: {task}")
        }
        Effect::Abandon { id } => format!("abandon {id}"),
        Effect::Tell { id, socket, message } => {
            let mut message = message.clone();
            for name in ["type", "agentId", "agentType", "session"] {
                message.as_object_mut().unwrap().shift_remove(name);
            }
            format!("{id} tells {}: {message}", if socket.is_some() { "topic and socket" } else { "topic" })
        }
        Effect::LookForSessions => "look for sessions".to_owned(),
    }
}

#[test]
fn a_monitor_reports_what_changed_since_its_last_report() {
    assert_snapshot!(play(r#"
        0 spawn m p monitor {"threshold": 0.1}
        0 sessions p=there
        20 seen m 1 0
        20 tick
        1020 tick
        1030 seen m 2 0.05
        2030 tick
        2040 seen m 3 0.1
        2041 seen m 3 0.9
        3040 tick
        3050 seen m 4 0
    "#), @r#"
    0 spawn m p monitor {"threshold": 0.1}
        do m/1 in p: look
    0 sessions p=there
    20 seen m 1 0
        m tells topic and socket: {"event":"report","status":"running","report":{"kind":"baseline","entropy":1.5}}
    20 tick
        wakes at 1020
    1020 tick
        do m/2 in p: look and compare
        wakes at 5000
    1030 seen m 2 0.05
    2030 tick
        do m/3 in p: look and compare
        wakes at 5000
    2040 seen m 3 0.1
        m tells topic and socket: {"event":"report","status":"running","report":{"kind":"changed","changed":0.1,"bounds":{"x":10.0,"y":20.0,"width":1.0,"height":1.0},"entropy":1.5}}
    2041 seen m 3 0.9
    3040 tick
        do m/4 in p: look and compare
        wakes at 5000
    3050 seen m 4 0
    "#);
}

#[test]
fn an_analyzer_measures_once_or_again_and_again() {
    assert_snapshot!(play(r#"
        0 spawn once p analyzer
        5 seen once 1 0
        10 spawn often p analyzer {"interval_ms": 200}
        15 seen often 1 0
        215 tick
    "#), @r#"
    0 spawn once p analyzer
        do once/1 in p: look
    5 seen once 1 0
        once tells topic and socket: {"event":"report","status":"running","report":{"kind":"measures","entropy":1.5,"uniqueColors":1,"pixels":8,"histogram":[8,0]}}
        once tells topic and socket: {"event":"ended","status":"finished","reason":"it has done all it was for","uptimeMs":5}
    10 spawn often p analyzer {"interval_ms": 200}
        do often/1 in p: look
    15 seen often 1 0
        often tells topic and socket: {"event":"report","status":"running","report":{"kind":"measures","entropy":1.5,"uniqueColors":1,"pixels":8,"histogram":[8,0]}}
    215 tick
        do often/2 in p: look
        wakes at 5010
    "#);
}

#[test]
fn an_executor_runs_as_often_as_it_is_told() {
    assert_snapshot!(play(r#"
        0 spawn e p executor {"program": "010203", "args": [7], "runs": 2, "interval_ms": 500}
        5 told e 1
        505 tick
        510 told e 2
    "#), @r#"
    0 spawn e p executor {"program": "010203", "args": [7], "runs": 2, "interval_ms": 500}
        do e/1 in p: execute 010203 [10.0, 20.0, 4.0, 2.0, 7.0]
    5 told e 1
        e tells topic and socket: {"event":"report","status":"running","report":{"kind":"executed"}}
    505 tick
        do e/2 in p: execute 010203 [10.0, 20.0, 4.0, 2.0, 7.0]
        wakes at 5000
    510 told e 2
        e tells topic and socket: {"event":"report","status":"running","report":{"kind":"executed"}}
        e tells topic and socket: {"event":"ended","status":"finished","reason":"it has done all it was for","uptimeMs":510}
    "#);
}

#[test]
fn an_evolver_breeds_in_rounds_and_reports_its_progress() {
    assert_snapshot!(play(r#"
        0 spawn v p evolver {"rounds": 2, "place": false}
        5 evolving v 1
        9 told v 1
        10 evolving v 1
        11 told v 2
        12 evolving v 2
    "#), @r#"
    0 spawn v p evolver {"rounds": 2, "place": false}
        do v/1 in p: evolve None place false
    5 evolving v 1
        v tells topic and socket: {"event":"progress","status":"running","generation":1}
    9 told v 1
        v tells topic and socket: {"event":"report","status":"running","report":{"kind":"executed"}}
        do v/2 in p: evolve None place false
    10 evolving v 1
    11 told v 2
        v tells topic and socket: {"event":"report","status":"running","report":{"kind":"executed"}}
        v tells topic and socket: {"event":"ended","status":"finished","reason":"it has done all it was for","uptimeMs":11}
    12 evolving v 2
    "#);
}

#[test]
fn a_paused_agent_beats_and_does_nothing_else() {
    assert_snapshot!(play(r#"
        0 spawn a p analyzer waiting {"heartbeat_interval": 2}
        1 pause a
        2000 tick
        2100 resume a
        2200 pause a
        2201 seen a 1 0
        2202 pause a
        4000 tick
        4100 resume a
        4101 resume a
        4102 seen a 1 0
        4103 seen a 2 0
        4104 pause a
        4105 resume a
        4106 stop a
        9000 tick
    "#), @r#"
    0 spawn a p analyzer waiting {"heartbeat_interval": 2}
    1 pause a
        refused: agent a is spawned and cannot be paused
    2000 tick
        a tells topic and socket: {"event":"heartbeat","status":"spawned","beat":1,"uptimeMs":2000,"turns":0,"reports":0}
        wakes at 4000
    2100 resume a
        do a/1 in p: look
    2200 pause a
        abandon a
    2201 seen a 1 0
    2202 pause a
    4000 tick
        a tells topic and socket: {"event":"heartbeat","status":"paused","beat":2,"uptimeMs":4000,"turns":0,"reports":0}
        wakes at 6000
    4100 resume a
        do a/2 in p: look
    4101 resume a
    4102 seen a 1 0
    4103 seen a 2 0
        a tells topic and socket: {"event":"report","status":"running","report":{"kind":"measures","entropy":1.5,"uniqueColors":1,"pixels":8,"histogram":[8,0]}}
        a tells topic and socket: {"event":"ended","status":"finished","reason":"it has done all it was for","uptimeMs":4103}
    4104 pause a
        refused: agent a is finished and cannot be paused
    4105 resume a
        refused: agent a is finished and cannot be resumed
    4106 stop a
    9000 tick
        wakes at never
    "#);
}

#[test]
fn a_failure_is_tried_again_and_three_in_a_row_are_the_end() {
    assert_snapshot!(play(r"
        0 spawn m p monitor
        1 failed m 1
        1001 tick
        1002 seen m 2 0
        2002 tick
        2003 failed m 3
        3003 tick
        3004 failed m 4
        4004 tick
        4005 failed m 5
        5000 tick
    "), @r#"
    0 spawn m p monitor
        do m/1 in p: look
    1 failed m 1
        m tells topic and socket: {"event":"trouble","status":"running","error":"the page is away"}
    1001 tick
        do m/2 in p: look
        wakes at 5000
    1002 seen m 2 0
        m tells topic and socket: {"event":"report","status":"running","report":{"kind":"baseline","entropy":1.5}}
    2002 tick
        do m/3 in p: look and compare
        wakes at 5000
    2003 failed m 3
        m tells topic and socket: {"event":"trouble","status":"running","error":"the page is away"}
    3003 tick
        do m/4 in p: look and compare
        wakes at 5000
    3004 failed m 4
        m tells topic and socket: {"event":"trouble","status":"running","error":"the page is away"}
    4004 tick
        do m/5 in p: look and compare
        wakes at 5000
    4005 failed m 5
        m tells topic and socket: {"event":"trouble","status":"running","error":"the page is away"}
        m tells topic and socket: {"event":"ended","status":"error","reason":"the page is away","uptimeMs":4005}
    5000 tick
        wakes at never
    "#);
}

#[test]
fn what_would_fail_again_is_not_tried_again() {
    assert_snapshot!(play(r#"
        0 spawn e p executor {"program": "ff"}
        1 failed e 1 for-good
        2 resume e
    "#), @r#"
    0 spawn e p executor {"program": "ff"}
        do e/1 in p: execute ff [10.0, 20.0, 4.0, 2.0]
    1 failed e 1 for-good
        e tells topic and socket: {"event":"trouble","status":"running","error":"the page is away"}
        e tells topic and socket: {"event":"ended","status":"error","reason":"the page is away","uptimeMs":1}
    2 resume e
        refused: agent e is error and cannot be resumed
    "#);
}

#[test]
fn agents_survive_a_reload_and_end_with_their_page() {
    assert_snapshot!(play(r"
        0 spawn a one monitor
        0 spawn b two monitor
        1 seen a 1 0
        2 sessions one=away two=there
        502 tick
        503 sessions one=there two=there
        504 tick
        600 sessions one=away two=away
        1100 tick
        1101 sessions one=gone two=away
        1102 sessions
        1103 tick
    "), @r#"
    0 spawn a one monitor
        do a/1 in one: look
    0 spawn b two monitor
        do b/1 in two: look
    1 seen a 1 0
        a tells topic and socket: {"event":"report","status":"running","report":{"kind":"baseline","entropy":1.5}}
    2 sessions one=away two=there
    502 tick
        look for sessions
        wakes at 1001
    503 sessions one=there two=there
    504 tick
        wakes at 1001
    600 sessions one=away two=away
    1100 tick
        do a/2 in one: look and compare
        look for sessions
        wakes at 5000
    1101 sessions one=gone two=away
        abandon a
        a tells topic and socket: {"event":"ended","status":"stopped","reason":"its page is gone","uptimeMs":1101}
    1102 sessions
        abandon b
        b tells topic and socket: {"event":"ended","status":"stopped","reason":"its page is gone","uptimeMs":1102}
    1103 tick
        wakes at never
    "#);
}

#[test]
fn a_connection_that_closes_leaves_its_agents_to_their_topic() {
    assert_snapshot!(play(r"
        0 spawn a p analyzer
        1 closed 2
        2 closed 1
        3 seen a 1 0
    "), @r#"
    0 spawn a p analyzer
        do a/1 in p: look
    1 closed 2
    2 closed 1
    3 seen a 1 0
        a tells topic: {"event":"report","status":"running","report":{"kind":"measures","entropy":1.5,"uniqueColors":1,"pixels":8,"histogram":[8,0]}}
        a tells topic: {"event":"ended","status":"finished","reason":"it has done all it was for","uptimeMs":3}
    "#);
}

#[test]
fn the_end_of_the_hub_is_everybodys() {
    assert_snapshot!(play(r"
        0 spawn a p monitor
        0 spawn b p monitor waiting {}
        1 shutdown
        2 stop a
        3 stop nobody
    "), @r#"
    0 spawn a p monitor
        do a/1 in p: look
    0 spawn b p monitor waiting {}
    1 shutdown
        abandon a
        a tells topic and socket: {"event":"ended","status":"stopped","reason":"the hub ends","uptimeMs":1}
        b tells topic and socket: {"event":"ended","status":"stopped","reason":"the hub ends","uptimeMs":1}
    2 stop a
    3 stop nobody
        refused: there is no agent nobody; `list` tells which there are
    "#);
}

#[test]
fn heartbeats_keep_their_pace_and_are_not_made_up_for() {
    assert_snapshot!(play(r#"
        0 spawn a p monitor {"heartbeat_interval": 1, "interval_ms": 3600000}
        999 tick
        1000 tick
        9000 tick
        9999 tick
        10000 tick
    "#), @r#"
    0 spawn a p monitor {"heartbeat_interval": 1, "interval_ms": 3600000}
        do a/1 in p: look
    999 tick
        wakes at 1000
    1000 tick
        a tells topic and socket: {"event":"heartbeat","status":"running","beat":1,"uptimeMs":1000,"turns":0,"reports":0}
        wakes at 2000
    9000 tick
        a tells topic and socket: {"event":"heartbeat","status":"running","beat":2,"uptimeMs":9000,"turns":0,"reports":0}
        wakes at 10000
    9999 tick
        wakes at 10000
    10000 tick
        a tells topic and socket: {"event":"heartbeat","status":"running","beat":3,"uptimeMs":10000,"turns":0,"reports":0}
        wakes at 11000
    "#);
}

fn spawn(roster: &mut Roster, id: &str, session: &str) -> bool {
    let words = format!("spawn {id} {session} analyzer waiting {{}}");
    roster.on(0, event(&words), &mut Vec::new()).is_ok()
}

#[test]
fn a_session_and_a_hub_have_so_many_agents_and_no_more() {
    let mut roster = Roster::default();
    for at in 0..AGENTS_OF_SESSION_MAX {
        assert!(spawn(&mut roster, &format!("a{at}"), "one"));
    }
    assert!(!spawn(&mut roster, "late", "one"));
    for at in AGENTS_OF_SESSION_MAX..AGENTS_MAX {
        assert!(spawn(&mut roster, &format!("a{at}"), &format!("s{at}")));
    }
    assert!(!spawn(&mut roster, "late", "new"));
    roster.on(1, Event::Stop("a0".into()), &mut Vec::new()).unwrap();
    assert!(spawn(&mut roster, "late", "one"));
    assert_eq!(roster.alive(), AGENTS_MAX);
}

#[test]
fn agents_that_ended_stay_listed_for_a_while() {
    let mut roster = Roster::default();
    for at in 0..=AGENTS_ENDED_LEN_MAX {
        assert!(spawn(&mut roster, &format!("a{at}"), "p"));
        roster.on(1, Event::Stop(format!("a{at}").into()), &mut Vec::new()).unwrap();
    }
    assert_eq!(roster.rows(2, Some("p")).len(), AGENTS_ENDED_LEN_MAX);
    assert!(roster.row(2, "a0").is_err());
    assert_eq!(roster.row(2, "a1").unwrap()["status"], "stopped");
    assert!(roster.rows(2, Some("q")).is_empty());
}
