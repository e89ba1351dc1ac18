//! Many idle pages over three hubs: the cost of a page at its own and at other hubs, the cost of a call beside them,
//! and how fast the directory is known.

use super::calls::Pair;
use super::crowd_process::Crowd;
use super::page;
use super::stage::{Stage, until, usage};
use crate::error::{BenchError, Doing};
use crate::report::Report;
use crate::stats::Series;
use std::path::Path;
use std::time::{Duration, Instant};

const JOINS: usize = 1_000;
const FEW: usize = 10;
/// Memory is read after this pause.
const REST: Duration = Duration::from_secs(2);

/// A thousand pages join one hub at once: measures when another hub lists all of them.
pub fn joins(report: &mut Report, eye: &Path, rounds: usize) -> Result<(), BenchError> {
    let (mut welcomed, mut listed, mut after) = (Series::default(), Series::default(), Series::default());
    for _ in 0..rounds {
        let stage = Stage::start(eye, 3);
        let mut watcher = stage.agent(0, "none")?;
        let mut pages = Vec::new();
        for number in 0..JOINS {
            let session = format!("join{number}");
            pages.push((page::connect(stage.port(1), &session, 512)?, page::hello(&session)));
        }
        let from = Instant::now();
        for (page, hello) in &mut pages {
            page.send(hello.clone()).doing("saying hello")?;
        }
        for (page, _) in &mut pages {
            page.read().doing("waiting for the welcome")?;
        }
        let in_hub = from.elapsed();
        let took = until(from, "all are listed", || Ok(Stage::listed(&mut watcher, "join")? == JOINS))?;
        welcomed.0.push(in_hub.as_secs_f64() * 1e3);
        listed.0.push(took.as_secs_f64() * 1e3);
        after.0.push(took.saturating_sub(in_hub).as_secs_f64() * 1e3);
    }
    let group = "the directory (ms)";
    report.figure(group, "1,000 pages join a hub at once: it has welcomed the last", welcomed.median(), "ms");
    let row = report.figure(group, "another hub lists all of them, from the first hello on", listed.median(), "ms");
    row.budget(150.0).note(format!("{:.0} ms after the last welcome", after.median()));
    Ok(())
}

/// Three hubs with `each` pages each.
pub fn measure(report: &mut Report, eye: &Path, each: usize, rounds: usize) -> Result<(), BenchError> {
    let mut stage = Stage::start(eye, 3);
    let mut pair = Pair::join(&stage)?;
    let pids = [stage.pid(0), stage.pid(1), stage.nats.pid()];
    let _few = Crowd::join(stage.port(2), "few", FEW)?;
    let few = Cost::of(&mut pair, &pids, rounds)?;
    let empty = memory(&stage)?;
    let server = usage(stage.nats.pid())?.resident_kib;
    let mut crowds = vec![Crowd::join(stage.port(2), "c", each)?];
    let one = memory(&stage)?;
    crowds.push(Crowd::join(stage.port(0), "a", each)?);
    crowds.push(Crowd::join(stage.port(1), "b", each)?);
    let all = memory(&stage)?;
    let many = Cost::of(&mut pair, &pids, rounds)?;
    let idle = idle(&stage)?;
    // The page that joins last is last in the directory: a hub that reaches it has read the whole directory.
    page::answering(&[stage.port(1)], "last")?;
    let mut last = stage.agent(1, "last")?;
    until(Instant::now(), "the last page answers", || Ok(last.ask_raw("x:1")? == "x:bench"))?;
    let mut fresh = Series::default();
    for _ in 0..rounds.min(3) {
        let from = Instant::now();
        let hub = stage.add();
        let mut agent = stage.agent(hub, "last")?;
        let took = until(from, "a fresh hub asks the last page", || Ok(agent.ask_raw("x:1")? == "x:bench"))?;
        fresh.0.push(took.as_secs_f64() * 1e3);
        stage.kill(hub);
    }
    let total = 3 * each;
    let group = "the directory (ms)";
    let what = format!("a fresh hub with {total} entries asks the last of them, from its start on");
    report.figure(group, what, fresh.median(), "ms").budget(1000.0);
    let group = "three hubs with idle pages";
    let per = |more: f64| more / each as f64;
    let row =
        report.figure(group, format!("KiB for each of {each} pages where it is held"), per(one[2] - empty[2]), "KiB");
    row.budget(14.0).note(format!("of {} in all: {:.1}", total, (all[2] - empty[2]) / each as f64));
    let elsewhere = per(one[0] - empty[0]).max(per(one[1] - empty[1])) * 1024.0;
    let row = report.figure(group, "bytes for each of them at another hub", elsewhere, "B");
    row.budget(512.0).note(format!("with all: {:.0}", (all[2] - one[2]) / (2 * each) as f64 * 1024.0));
    let server = (usage(stage.nats.pid())?.resident_kib - server) / total as f64 * 1024.0;
    report.figure(group, "bytes for each of them at NATS", server, "B");
    report.figure(group, "a hub that nothing happens at, in per cent of a processor", idle, "%");
    for (what, few, many, is_time) in [
        ("a call within a hub, one at a time", &few.near, &many.near, true),
        ("a call across hubs, one at a time", &few.far, &many.far, true),
        ("calls within a hub for a second of the processor", &few.deep_near, &many.deep_near, false),
        ("calls across hubs for a second of the processor", &few.deep_far, &many.deep_far, false),
    ] {
        let ratio = if is_time { many.median() / few.median() } else { few.median() / many.median() };
        let row =
            report.figure(group, format!("{what}, beside {total}"), many.median(), if is_time { "µs" } else { "" });
        row.ratio(ratio).budget(1.2).note(format!("beside {FEW}: {:.0}", few.median()));
    }
    drop(crowds);
    Ok(())
}

/// The cost of calls.
struct Cost {
    near: Series,
    far: Series,
    deep_near: Series,
    deep_far: Series,
}

impl Cost {
    fn of(pair: &mut Pair, pids: &[u32; 3], rounds: usize) -> Result<Self, BenchError> {
        let mut times: [Series; 2] = Default::default();
        let (mut deep_near, mut deep_far) = (Series::default(), Series::default());
        for _ in 0..=rounds {
            pair.round(&mut times)?;
            deep_near.0.push(pair.deep(false, &pids[..1])?);
            deep_far.0.push(pair.deep(true, pids)?);
        }
        let [near, far] = times;
        let mut cost = Self { near, far, deep_near, deep_far };
        for one in [&mut cost.near, &mut cost.far, &mut cost.deep_near, &mut cost.deep_far] {
            one.0.remove(0);
        }
        Ok(cost)
    }
}

/// Resident KiB of the three hubs, at rest.
fn memory(stage: &Stage) -> Result<[f64; 3], BenchError> {
    std::thread::sleep(REST);
    let of = |hub| Ok::<f64, BenchError>(usage(stage.pid(hub))?.resident_kib);
    Ok([of(0)?, of(1)?, of(2)?])
}

/// The processor use of the first hub without requests, in percent.
fn idle(stage: &Stage) -> Result<f64, BenchError> {
    let (from, before) = (Instant::now(), usage(stage.pid(0))?.cpu);
    std::thread::sleep(5 * REST);
    let used = usage(stage.pid(0))?.cpu.saturating_sub(before);
    Ok(used.as_secs_f64() / from.elapsed().as_secs_f64() * 100.0)
}
