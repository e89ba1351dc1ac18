//! `eye down`: stop the hub.

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;

/// Stop the hub
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye down")]
pub struct Args {}

/// Stops the hub. That none runs is as good.
pub fn run(_: &Args, options: &Options) -> Result<Exit, Failure> {
    let said = match client::stop(options) {
        Ok(()) => "stopped",
        Err(Failure::NoHub) => "no hub runs",
        Err(failure) => return Err(failure),
    };
    if !options.errors {
        ui::line(said)?;
    }
    Ok(Exit::Success)
}
