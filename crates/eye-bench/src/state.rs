//! State: reading it from the cache and from the page, the time until a change is known, and pushes while a page
//! animates.

use crate::agents::Agent;
use crate::error::BenchError;
use crate::hub::MeasuredHub;
use crate::report::Report;
use crate::stats::{Rounds, Series, median, micros};
use std::time::Instant;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const CACHED: &str = r#"{"jsonrpc":"2.0","id":1,"method":"state/get","params":{"path":"n"}}"#;
const FRESH: &str = r#"{"jsonrpc":"2.0","id":1,"method":"state/get","params":{"path":"n","fresh":true}}"#;
const COMMAND: &str = "a:benchState.n++; 'bench'";
/// The same for a page that replaces its state.
const REPLACES: &str = "a:benchState = { ...benchState, n: benchState.n + 1 }; 'bench'";
const DELTA: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"eval","params":{"code":"benchState.n++; 'bench'","delta":true}}"#;
const WATCH: &str = r#"{"jsonrpc":"2.0","id":1,"method":"state/watch"}"#;
const SAMPLES: usize = 200;

/// A small document, like the scene app's, and one of a mebibyte.
const SMALL: &str =
    "a:globalThis.benchState = { n: 0, color: '#ff0000' }; await eye.state(() => benchState, { throttle: 0 }); 'bench'";
const LARGE: &str = "a:benchState = { n: 0, rows: Array.from({ length: 8000 }, (_, i) => ({ id: i, name: 'row ' + i, tags: ['one', 'two'], \
                     text: 'x'.repeat(64), done: i % 2 === 0 })) }; eye.changed(); JSON.stringify(benchState).length";

/// The same document, of a page that says that it changes nothing in place.
const IMMUTABLE: &str = "a:await eye.state(() => benchState, { throttle: 0, immutable: true }); 'bench'";

const MUTABLE: &str = "a:await eye.state(() => benchState, { throttle: 0 }); 'bench'";

/// Code that counts the frames of an animation of two seconds, with or without a push in each.
fn animation(push: bool) -> String {
    let push = if push { "benchState.n++; eye.changed();" } else { "" };
    format!(
        "a:await new Promise((done) => {{ let frames = 0; const begin = performance.now(); const step = () => {{ {push} frames++; \
         performance.now() - begin < 2000 ? requestAnimationFrame(step) : done(frames / 2); }}; requestAnimationFrame(step); }})"
    )
}

/// Runs all measurements in the real page.
pub fn measure(report: &mut Report, hub: &MeasuredHub, rounds: Rounds) -> Result<(), BenchError> {
    let mut agent = Agent::over_socket(&hub.socket, Some("bench"))?;
    let mut watcher = Agent::over_socket(&hub.socket, Some("bench"))?;
    expect(&agent.ask_raw(SMALL)?, "bench")?;
    watcher.ask_raw(WATCH)?;
    reading(report, &mut agent, &mut watcher, rounds)?;
    let small = Changed { document: "a small document", command: COMMAND, budget_us: None };
    changing(report, &small, &mut agent, &mut watcher, rounds.least)?;
    let bytes = agent.ask_raw(LARGE)?;
    watcher.next_notification("state/changed")?;
    let bytes: f64 = bytes.trim_start_matches("a=").parse().unwrap_or(0.0);
    report.figure(CHANGES, "the large document", bytes / 1024.0, "KiB");
    let large = Changed { document: "the large document", command: COMMAND, budget_us: Some(6_000.0) };
    changing(report, &large, &mut agent, &mut watcher, rounds.least)?;
    expect(&agent.ask_raw(IMMUTABLE)?, "bench")?;
    let document = "the large document, parts replaced";
    let replaced = Changed { document, command: REPLACES, budget_us: Some(3_000.0) };
    changing(report, &replaced, &mut agent, &mut watcher, rounds.least)?;
    // In place again.
    expect(&agent.ask_raw(MUTABLE)?, "bench")?;
    animating(report, &mut agent, &mut watcher)
}

const READS: &str = "state (µs; × is against a ping of the hub on the same socket)";
const CHANGES: &str = "a change of state (µs; × is against the call that caused it)";

fn reading(report: &mut Report, agent: &mut Agent, watcher: &mut Agent, rounds: Rounds) -> Result<(), BenchError> {
    let questions = [("ping of the hub", PING), ("cached read", CACHED), ("fresh read", FRESH), ("delta", DELTA)];
    let mut series: [Series; 4] = Default::default();
    let mut turns = rounds.turns();
    while turns.more(&mut series) {
        for ((_, question), series) in questions.iter().zip(&mut series) {
            let mut samples = Vec::with_capacity(SAMPLES);
            for _ in 0..SAMPLES {
                let started = Instant::now();
                let answer = agent.ask_raw(question)?;
                samples.push(micros(started.elapsed()));
                expect(&answer, "\"result\"")?;
            }
            series.round(samples);
        }
    }
    let changes = turns.done() * SAMPLES;
    (0..changes).try_for_each(|_| watcher.next_notification("state/changed").map(|_| ()))?;
    let [ping, cached, fresh, delta] = &series;
    report.figure(READS, "ping of the hub", ping.median(), "µs").ratio(1.0);
    report.figure(READS, "cached read", cached.median(), "µs").ratio(cached.ratio(ping));
    report.figure(READS, "fresh read, from the page", fresh.median(), "µs").ratio(fresh.ratio(ping));
    report.figure(READS, "call that answers with its delta", delta.median(), "µs").ratio(delta.ratio(ping));
    Ok(())
}

/// One field of a document that changes.
struct Changed {
    document: &'static str,
    /// Changes it and answers `bench`.
    command: &'static str,
    /// Until a watcher has the change.
    budget_us: Option<f64>,
}

/// Measures from a command until its answer, and until a watcher has its change.
fn changing(
    report: &mut Report,
    Changed { document, command, budget_us }: &Changed,
    agent: &mut Agent,
    watcher: &mut Agent,
    rounds: usize,
) -> Result<(), BenchError> {
    let (mut answered, mut known) = (Series::default(), Series::default());
    let mut bytes = 0;
    for _ in 0..rounds {
        let (mut answers, mut changes) = (Vec::new(), Vec::new());
        for _ in 0..SAMPLES / 4 {
            let started = Instant::now();
            expect(&agent.ask_raw(command)?, "bench")?;
            answers.push(micros(started.elapsed()));
            let change = watcher.next_notification("state/changed")?;
            changes.push(micros(started.elapsed()));
            let change: serde_json::Value = serde_json::from_str(&change).unwrap_or_default();
            bytes = change["params"]["patch"].to_string().len();
        }
        answered.round(answers);
        known.round(changes);
    }
    report.figure(CHANGES, format!("{document}: the command is answered"), answered.median(), "µs").ratio(1.0);
    let row = report.figure(CHANGES, format!("{document}: a watcher has the change"), known.median(), "µs");
    // The time, not its ratio to the call, must not be more.
    if let Some(budget) = budget_us {
        row.value_budget(*budget);
    }
    row.ratio(known.ratio(&answered));
    report.figure(CHANGES, format!("{document}: size of the patch"), bytes as f64, "bytes");
    Ok(())
}

/// Frames per second of an animation that pushes a change in each, compared with one that does not.
fn animating(report: &mut Report, agent: &mut Agent, watcher: &mut Agent) -> Result<(), BenchError> {
    let group = "an animation that pushes in every frame (two seconds each)";
    let frames = |agent: &mut Agent, push: bool| -> Result<f64, BenchError> {
        let rates = (0..3).map(|_| agent.ask_raw(&animation(push))).collect::<Result<Vec<_>, _>>()?;
        Ok(median(rates.iter().map(|rate| rate.trim_start_matches("a=").parse().unwrap_or(0.0)).collect()))
    };
    let still = frames(agent, false)?;
    let large = frames(agent, true)?;
    let pushed_large = watcher.drain("state/changed")?;
    expect(&agent.ask_raw(SMALL)?, "bench")?;
    watcher.drain("state/changed")?;
    let small = frames(agent, true)?;
    let pushed_small = watcher.drain("state/changed")?;
    report.figure(group, "frames a second without a push", still, "1/s").ratio(1.0);
    report.figure(group, "frames a second, a small document", small, "1/s").ratio(small / still);
    report.figure(group, "pushes a second, a small document", pushed_small as f64 / 6.0, "1/s");
    report.figure(group, "frames a second, the large document", large, "1/s").ratio(large / still);
    report.figure(group, "pushes a second, the large document", pushed_large as f64 / 6.0, "1/s");
    Ok(())
}

fn expect(answer: &str, what: &str) -> Result<(), BenchError> {
    if answer.contains(what) { Ok(()) } else { Err(BenchError::Odd(format!("answered {answer}"))) }
}
