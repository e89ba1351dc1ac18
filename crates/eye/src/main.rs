//! The `eye` binary: a single argument that is not a verb goes straight to the page, everything else through clap.

mod args;
#[cfg(feature = "browser")]
mod browser;
mod certificate;
mod client;
#[cfg(feature = "cluster")]
mod cluster;
mod env;
mod exit;
mod faces;
mod failure;
mod frozen;
#[cfg(feature = "guests")]
mod geometry;
mod help;
mod join;
mod kernel;
mod log;
mod memory;
mod near;
mod options;
mod places;
mod results;
mod start;
mod stream;
mod token_file;
mod trust;
mod typing;
mod ui;
mod verbs;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let outcome = match args::lone_expression(&args) {
        Some(code) => verbs::eval::evaluate(code, &options::Options::from_env()),
        None => args::run(args),
    };
    ui::finish(outcome)
}
