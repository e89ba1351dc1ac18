//! Kills a hub with -9 during calls to its pages: measures when the calls have ended, and when the pages are back.

use super::page::{self, HELD};
use super::stage::{Stage, until};
use crate::agents::Agent;
use crate::error::BenchError;
use crate::report::Report;
use crate::stats::Series;
use std::path::Path;
use std::time::Instant;

const PAGES: usize = 100;
/// Calls open at each page when its hub is killed.
const CALLS: usize = 10;

pub fn measure(report: &mut Report, eye: &Path, rounds: usize) -> Result<(), BenchError> {
    let (mut ended, mut back, mut wrong) = (Series::default(), Series::default(), 0);
    for _ in 0..rounds {
        let mut stage = Stage::start(eye, 3);
        for number in 0..PAGES {
            page::answering(&[stage.port(1), stage.port(2)], &format!("page{number}"))?;
        }
        let mut watcher = stage.agent(0, "page0")?;
        until(Instant::now(), "every page is listed", || Ok(Stage::listed(&mut watcher, "page")? == PAGES))?;
        let targets = || (0..PAGES).map(|number| stage.agent(0, &format!("page{number}")));
        let mut held: Vec<Agent> = targets().collect::<Result<_, _>>()?;
        let mut busy: Vec<Agent> = targets().collect::<Result<_, _>>()?;
        for agent in &mut held {
            agent.send_lines((0..CALLS).map(|call| format!("{call}:{HELD}")))?;
        }
        // A call that had not reached the hub would go on to the page's next one, and be held there until its timeout.
        let mut there = stage.agent(1, "page0")?;
        let all = u64::try_from(PAGES * CALLS).unwrap_or_default();
        until(Instant::now(), "every call is at its hub", || Ok(Stage::open_calls(&mut there)? == all))?;
        // The load: calls that are being answered while the hub dies.
        for agent in &mut busy {
            agent.send_lines((0..CALLS).map(|call| format!("{call}:1")))?;
        }
        let from = Instant::now();
        stage.kill(1);
        for agent in &mut held {
            wrong += endings(agent, |frame| frame.contains('!'))?;
        }
        ended.0.push(from.elapsed().as_secs_f64() * 1e3);
        for agent in &mut busy {
            wrong += endings(agent, |_| true)?;
        }
        let mut left: Vec<&mut Agent> = held.iter_mut().collect();
        let took = until(from, "every page is back", || {
            let mut still = Vec::new();
            for agent in std::mem::take(&mut left) {
                if agent.ask_raw("x:1")? != "x:bench" {
                    still.push(agent);
                }
            }
            left = still;
            Ok(left.is_empty())
        })?;
        back.0.push(took.as_secs_f64() * 1e3);
    }
    let group = "a hub is killed with -9, 100 pages with 10 calls each at it (ms)";
    report.figure(group, "until the last of its calls has ended", ended.median(), "ms").budget(1000.0);
    report.figure(group, "until the last of its pages answers again", back.median(), "ms").budget(3000.0);
    let calls = 2 * PAGES * CALLS * rounds;
    let row = report.figure(group, "endings that were lost, doubled or wrong", f64::from(wrong), "");
    row.budget(0.0).note(format!("of {calls} calls"));
    Ok(())
}

/// Reads the endings of an agent's calls, and counts the calls without exactly one right ending.
fn endings(agent: &mut Agent, is_right: impl Fn(&str) -> bool) -> Result<u32, BenchError> {
    let (mut seen, mut wrong) = ([false; CALLS], 0);
    for _ in 0..CALLS {
        let frame = agent.next_frame()?;
        let id = frame.split_once([':', '!', '=', '~']).and_then(|(id, _)| id.parse::<usize>().ok());
        match id.and_then(|id| seen.get_mut(id)) {
            Some(seen) if is_right(&frame) => wrong += u32::from(std::mem::replace(seen, true)),
            _ => wrong += 1,
        }
    }
    // A second ending would arrive before the answer to this.
    Ok(wrong + u32::try_from(agent.left_over()?).unwrap_or(u32::MAX))
}
