//! Revokes a named token at one hub: measures when a call at another hub has ended.

use super::page::{self, HELD};
use super::stage::{Stage, until};
use crate::error::{BenchError, Doing};
use crate::report::Report;
use crate::stats::Series;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

pub fn measure(report: &mut Report, eye: &Path, rounds: usize) -> Result<(), BenchError> {
    let stage = Stage::start(eye, 2);
    page::answering(&[stage.port(1)], "far")?;
    let mut took = Series::default();
    for _ in 0..rounds {
        let made = stage.home(0).eye(["token", "new", "ci", "--may", "eval"]);
        let secret = made.stdout.trim().to_owned();
        let command_of = |code: &str| {
            let mut command = stage.home(1).command();
            command.args(["--page", "far", code]).env("EYE_TOKEN", &secret);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        until(Instant::now(), "the other hub knows the token", || {
            Ok(command_of("1").status().doing("asking with a token")?.success())
        })?;
        let mut held = command_of(HELD).spawn().doing("asking with a token")?;
        let revoked = stage.home(0).eye(["token", "revoke", "ci"]);
        let from = Instant::now();
        if revoked.code != 0 {
            return Err(BenchError::Odd(revoked.stderr));
        }
        held.wait().doing("waiting for the call")?;
        took.0.push(from.elapsed().as_secs_f64() * 1e3);
    }
    let most = took.0.iter().copied().fold(0.0, f64::max);
    let row = report.figure("tokens", "revoked at one hub, until a call at another has ended", took.median(), "ms");
    row.budget(1000.0).note(format!("{most:.0} ms at most"));
    Ok(())
}
