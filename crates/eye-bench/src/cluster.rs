//! `cargo xtask bench --cluster`: what several hubs over a real nats-server cost, compared with one hub and a bare
//! NATS.

mod calls;
mod crowd;
mod crowd_process;
mod killed;
mod page;
mod revoked;
mod stage;

pub use crowd_process::{HOLD, hold};

use crate::error::BenchError;
use crate::report::Report;
use stage::Stage;
use std::path::Path;

/// Runs all measurements of a cluster.
pub fn run(eye: &Path, json: &Path, quick: bool) -> Result<(), BenchError> {
    let mut report = Report::default();
    let rounds = if quick { 3 } else { 9 };
    {
        let mut stage = Stage::start(eye, 3);
        calls::measure(&mut report, &mut stage, rounds)?;
    }
    revoked::measure(&mut report, eye, rounds)?;
    killed::measure(&mut report, eye, rounds)?;
    crowd::joins(&mut report, eye, rounds)?;
    crowd::measure(&mut report, eye, if quick { 1_500 } else { 15_000 }, rounds)?;
    report.print(None);
    report.write(json)
}
