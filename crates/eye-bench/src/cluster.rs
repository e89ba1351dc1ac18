//! `cargo xtask bench --cluster`: what several hubs over a real nats-server cost, compared with one hub and a bare
//! NATS.

mod calls;
mod crowd;
mod crowd_process;
mod killed;
mod library;
mod page;
mod revoked;
mod stage;

pub use crowd_process::{HOLD, hold};

use crate::error::BenchError;
use crate::report::Report;
use stage::Stage;
use std::path::Path;
use std::time::Instant;

/// The names of the parts of a run.
pub const PARTS: [&str; 5] = ["calls", "revoked", "killed", "joins", "idle"];

/// One part of the run.
type Part<'a> = (&'static str, &'a dyn Fn(&mut Report) -> Result<(), BenchError>);

/// Measures everything of a cluster, or one part, and says how far it is. What was measured is printed and kept also
/// where a later part fails.
pub fn run(eye: &Path, json: &Path, quick: bool, only: Option<&str>) -> Result<(), BenchError> {
    let (mut report, begun) = (Report::default(), Instant::now());
    let (rounds, each) = if quick { (3, 1_500) } else { (9, 15_000) };
    let parts: [Part<'_>; 5] = [
        ("calls across hubs", &|report| calls::measure(report, &mut Stage::start(eye, 3), rounds)),
        ("a token that is revoked", &|report| revoked::measure(report, eye, rounds)),
        ("a hub that is killed", &|report| killed::measure(report, eye, rounds)),
        ("a thousand pages that join at once", &|report| crowd::joins(report, eye, rounds)),
        ("idle pages at three hubs", &|report| crowd::measure(report, eye, each, rounds)),
    ];
    let wanted = PARTS.into_iter().zip(parts).filter(|(name, _)| only.is_none_or(|only| only == *name));
    let measured = wanted.into_iter().try_for_each(|(_, (what, measure))| {
        println!("{:>4.0} s: {what}", begun.elapsed().as_secs_f64());
        measure(&mut report)?;
        report.write(json)
    });
    println!("{:>4.0} s: {}", begun.elapsed().as_secs_f64(), if measured.is_ok() { "done" } else { "given up" });
    report.print(None);
    measured
}
