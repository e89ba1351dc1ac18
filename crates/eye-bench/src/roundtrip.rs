//! One request at a time: over the bare socket, and over every transport of the hub.

use crate::agents::{Agent, Asks};
use crate::bare::BarePage;
use crate::error::{BenchError, Doing};
use crate::hub::MeasuredHub;
use crate::relay::Relayed;
use crate::report::Report;
use crate::stats::{Rounds, Series, micros};
use std::time::Instant;

/// The code that is evaluated. The answer begins with `bench`, which every path checks.
pub const CODE: &str = "document.title";
const SAMPLES: usize = 400;

pub fn token(hub: &MeasuredHub) -> Result<String, BenchError> {
    let text = std::fs::read_to_string(hub.home.path("config/eye/token")).doing("reading the token")?;
    Ok(text.trim().to_owned())
}

/// Measures one request at a time.
pub fn measure(
    report: &mut Report,
    bare: &mut BarePage,
    relayed: &mut Relayed,
    hub: &MeasuredHub,
    rounds: Rounds,
) -> Result<(), BenchError> {
    let token = token(hub)?;
    let mut unix = Agent::over_socket(&hub.socket, Some("bench"))?;
    let mut single = Agent::over_socket(&hub.socket, Some("single"))?;
    let mut socket = Agent::over_websocket(hub.port, &token, Some("bench"))?;
    let mut series: [Series; 6] = Default::default();
    let mut turns = rounds.turns();
    while turns.more(&mut series) {
        series[0].round(sample(bare)?);
        series[1].round(sample(&mut unix)?);
        series[2].round(sample(&mut single)?);
        series[3].round(sample(&mut socket)?);
        series[4].round(sample_connecting(hub)?);
        series[5].round(sample(relayed)?);
    }
    let group = "one question at a time (µs)";
    let [limit, unix, single, socket, fresh, relay] = series;
    report.figure(group, "limit: a bare WebSocket to the page", limit.median(), "µs").ratio(1.0);
    let row = report.figure(group, "floor: Unix socket → relay that only copies → page", relay.median(), "µs");
    row.ratio(relay.ratio(&limit));
    let row = report.figure(group, "Unix socket → hub → page", unix.median(), "µs");
    row.ratio(unix.ratio(&limit)).note("the seed projected 11,000 µs");
    report.figure(group, "the same, to the relay", unix.median(), "µs").ratio(unix.ratio(&relay)).budget(1.05);
    report
        .figure(group, "Unix socket → hub → page that takes no batches", single.median(), "µs")
        .ratio(single.ratio(&limit));
    report
        .figure(group, "agent's WebSocket → hub → page", socket.median(), "µs")
        .ratio(socket.ratio(&limit))
        .note("the seed projected 5,000 µs");
    report.figure(group, "Unix socket, a new connection each time", fresh.median(), "µs").ratio(fresh.ratio(&limit));
    Ok(())
}

fn sample(agent: &mut dyn Asks) -> Result<Vec<f64>, BenchError> {
    (0..SAMPLES)
        .map(|_| {
            let started = Instant::now();
            agent.ask(CODE)?;
            Ok(micros(started.elapsed()))
        })
        .collect()
}

fn sample_connecting(hub: &MeasuredHub) -> Result<Vec<f64>, BenchError> {
    (0..SAMPLES / 2)
        .map(|_| {
            let started = Instant::now();
            Agent::over_socket(&hub.socket, Some("bench"))?.ask(CODE)?;
            Ok(micros(started.elapsed()))
        })
        .collect()
}
