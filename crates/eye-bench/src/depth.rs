//! Many requests in flight: 10, 100 and 10,000, with and without batches; and fire and forget.

use crate::agents::{Agent, Asks};
use crate::bare::BarePage;
use crate::error::BenchError;
use crate::hub::MeasuredHub;
use crate::report::Report;
use crate::roundtrip::{CODE, token};
use crate::stats::{Rounds, Series, micros};
use std::time::Instant;

const FIRES: usize = 10_000;

pub fn measure(report: &mut Report, bare: &mut BarePage, hub: &MeasuredHub, rounds: Rounds) -> Result<(), BenchError> {
    let token = token(hub)?;
    let mut unix = Agent::over_socket(&hub.socket, Some("bench"))?;
    let mut single = Agent::over_socket(&hub.socket, Some("single"))?;
    let mut socket = Agent::over_websocket(hub.port, &token, Some("bench"))?;
    for (depth, repeats) in [(10, 20), (100, 10), (10_000, 1)] {
        let mut series: [Series; 5] = Default::default();
        let mut turns = rounds.turns();
        while turns.more(&mut series) {
            let mut timed = |at: usize, ask: &mut dyn FnMut() -> Result<(), BenchError>| {
                let samples: Result<Vec<f64>, BenchError> = (0..repeats)
                    .map(|_| {
                        let started = Instant::now();
                        ask()?;
                        Ok(micros(started.elapsed()) / 1000.0)
                    })
                    .collect();
                series[at].round(samples?);
                Ok::<(), BenchError>(())
            };
            timed(0, &mut || bare.ask_many(CODE, depth))?;
            timed(1, &mut || bare.ask_in_one_message(CODE, depth))?;
            timed(2, &mut || unix.ask_many(CODE, depth))?;
            timed(3, &mut || single.ask_many(CODE, depth))?;
            timed(4, &mut || socket.ask_many(CODE, depth))?;
        }
        let group = match depth {
            10 => "10 questions in flight (ms)",
            100 => "100 questions in flight (ms)",
            _ => "10,000 questions in flight (ms)",
        };
        let [limit, together, unix, single, socket] = series;
        report.figure(group, "limit: bare WebSocket, a message each", limit.median(), "ms").ratio(1.0);
        let row = report.figure(group, "bare WebSocket, all in one message", together.median(), "ms");
        row.ratio(together.ratio(&limit));
        let row = report.figure(group, "Unix socket → hub → page", unix.median(), "ms");
        row.ratio(unix.ratio(&limit)).note(match depth {
            10 => "the seed projected 20 ms",
            100 => "the seed projected 110 ms",
            _ => "",
        });
        if depth == 10_000 {
            let row = report.figure(group, "the same, to all in one message", unix.median(), "ms");
            row.ratio(unix.ratio(&together)).budget(1.5);
        }
        let row = report.figure(group, "Unix socket → hub → page that takes no batches", single.median(), "ms");
        row.ratio(single.ratio(&limit));
        let row = report.figure(group, "agent's WebSocket → hub → page", socket.median(), "ms");
        row.ratio(socket.ratio(&limit));
    }
    fires(report, &mut unix, rounds)
}

/// Fire and forget: how long until the page has executed all of them.
fn fires(report: &mut Report, unix: &mut Agent, rounds: Rounds) -> Result<(), BenchError> {
    let (mut handed, mut done) = (Series::default(), Series::default());
    for _ in 0..=rounds.least {
        let started = Instant::now();
        unix.fire_many("fired++", FIRES)?;
        let handed_us = micros(started.elapsed()) / FIRES as f64;
        unix.ask(CODE)?;
        handed.0.push(handed_us);
        done.0.push(micros(started.elapsed()) / FIRES as f64);
    }
    let group = "fire and forget, 10,000 in a row (µs each)";
    report.figure(group, "handed over", handed.median(), "µs").note("the original took 29 µs");
    report.figure(group, "done in the page", done.median(), "µs");
    Ok(())
}
