//! `eye down`: stops the hub.

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;

/// Stop the hub
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples: eye down; eye down --drain 60")]
pub struct Args {
    /// Lose no call: refuse new ones, wait for those under way, at most so many seconds, and send each page to another
    /// hub
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "30")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub drain: Option<u32>,
}

/// Stops the hub. Succeeds too if none runs.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let text = match client::stop(args.drain.map(|seconds| u64::from(seconds) * 1000), options) {
        Ok(()) => "stopped",
        Err(Failure::NoHub) => "no hub runs",
        Err(failure) => return Err(failure),
    };
    if !options.errors {
        ui::line(text)?;
    }
    Ok(Exit::Success)
}
