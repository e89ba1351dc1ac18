//! Calls across hubs: one at a time, and with 10,000 in flight, per second of processor time.

use super::library::LibraryTrips;
use super::page;
use super::stage::{Stage, until, usage};
use crate::agents::{Agent, Asks};
use crate::error::BenchError;
use crate::report::Report;
use crate::roundtrip::CODE;
use crate::stats::{Series, micros};
use std::thread;
use std::time::Instant;

const SAMPLES: usize = 400;
const DEPTH: usize = 10_000;
/// Bursts of 10,000 per round: the system counts processor time in steps of 10 ms.
const REPEATS: usize = 10;
/// The size of a frame between hubs, for the bare round trip.
const BARE_BYTES: usize = 64;

/// Two agents of the first hub: one for a page there, one for a page at the second hub.
pub struct Pair {
    pub near: Agent,
    pub far: Agent,
}

impl Pair {
    /// Joins both pages and waits until the first hub lists both.
    pub fn join(stage: &Stage) -> Result<Self, BenchError> {
        page::answering(&[stage.port(0)], "near")?;
        page::answering(&[stage.port(1)], "far")?;
        let mut near = stage.agent(0, "near")?;
        until(Instant::now(), "the first hub lists both pages", || Ok(Stage::listed(&mut near, "far")? == 1))?;
        let far = stage.agent(0, "far")?;
        Ok(Self { near, far })
    }

    /// One round of one call at a time: medians in µs.
    pub fn round(&mut self, series: &mut [Series; 2]) -> Result<(), BenchError> {
        series[0].round(sample(&mut self.near)?);
        series[1].round(sample(&mut self.far)?);
        Ok(())
    }

    /// Calls per second of processor time, with 10,000 in flight, summed over these processes and this one.
    pub fn deep(&mut self, is_far: bool, pids: &[u32]) -> Result<f64, BenchError> {
        let agent = if is_far { &mut self.far } else { &mut self.near };
        let pids: Vec<u32> = pids.iter().copied().chain([std::process::id()]).collect();
        let all = || pids.iter().map(|pid| Ok(usage(*pid)?.cpu.as_secs_f64())).sum::<Result<f64, BenchError>>();
        let before = all()?;
        for _ in 0..REPEATS {
            agent.ask_many(CODE, DEPTH)?;
        }
        Ok((DEPTH * REPEATS) as f64 / (all()? - before).max(0.01))
    }
}

fn sample(agent: &mut Agent) -> Result<Vec<f64>, BenchError> {
    let one = |_| {
        let started = Instant::now();
        agent.ask(CODE)?;
        Ok(micros(started.elapsed()))
    };
    (0..SAMPLES).map(one).collect()
}

pub fn measure(report: &mut Report, stage: &mut Stage, rounds: usize) -> Result<(), BenchError> {
    let mut echo = stage.nats.peer();
    echo.subscribe("bench.there");
    thread::spawn(move || {
        while let (_, bytes) = echo.receive()
            && !bytes.is_empty()
        {
            echo.publish("bench.back", &bytes);
        }
    });
    let mut bare = stage.nats.peer();
    bare.subscribe("bench.back");
    let mut library = LibraryTrips::open(&stage.nats.url())?;
    let mut pair = Pair::join(stage)?;
    let mut series: [Series; 2] = Default::default();
    let [mut trips, mut library_trips, mut ratio, mut library_ratio]: [Series; 4] = Default::default();
    let mut deep: [Series; 2] = Default::default();
    for _ in 0..=rounds {
        pair.round(&mut series)?;
        let one = |_| {
            let started = Instant::now();
            bare.publish("bench.there", &[7; BARE_BYTES]);
            bare.receive();
            micros(started.elapsed())
        };
        trips.round((0..SAMPLES).map(one).collect());
        let trips: Result<_, BenchError> = (0..SAMPLES).map(|_| library.trip(&[7; BARE_BYTES])).collect();
        library_trips.round(trips?);
        deep[0].0.push(pair.deep(false, &[stage.pid(0)])?);
        deep[1].0.push(pair.deep(true, &[stage.pid(0), stage.pid(1), stage.nats.pid()])?);
    }
    bare.publish("bench.there", &[]);
    // The first round only warms up.
    for one in series.iter_mut().chain([&mut trips, &mut library_trips]).chain(&mut deep) {
        one.0.remove(0);
    }
    let [near, far] = series;
    for (ratio, trips) in [(&mut ratio, &trips), (&mut library_ratio, &library_trips)] {
        let sums = near.0.iter().zip(&trips.0).map(|(near, trip)| near + trip);
        ratio.0.extend(far.0.iter().zip(sums).map(|(far, sum)| far / sum));
    }
    let group = "one call at a time (µs)";
    report.figure(group, "agent → hub → page", near.median(), "µs");
    report.figure(group, "NATS, there and back, a blocking client without a library", trips.median(), "µs");
    let what = "NATS, own correlation, the library that hubs use, there and back";
    let row = report.figure(group, what, library_trips.median(), "µs");
    row.ratio(library_trips.ratio(&trips)).note("× the blocking client");
    let row = report.figure(group, "agent → hub → NATS → hub → page", far.median(), "µs");
    let by_client = format!("× a call and the library's trip; {:.2} × with the blocking client's", ratio.median());
    row.ratio(library_ratio.median()).budget(1.3).note(by_client);
    let group = "10,000 calls in flight, per second of the processor of everything involved";
    report.figure(group, "within one hub", deep[0].median(), "calls");
    let row = report.figure(group, "across hubs", deep[1].median(), "calls");
    row.ratio(deep[1].ratio(&deep[0])).at_least(0.4);
    Ok(())
}
