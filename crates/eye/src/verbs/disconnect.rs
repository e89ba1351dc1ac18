//! `eye disconnect`: ends the link to a remote hub.

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use eye_protocol::Code;
use serde::Deserialize;

/// End the link to a remote hub; the next command uses a local one
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye disconnect")]
pub struct Args {}

#[derive(Deserialize)]
struct Stopping {
    url: String,
}

/// Ends the relay. Succeeds too if there is none.
pub fn run(_: &Args, options: &Options) -> Result<Exit, Failure> {
    let text = match client::end_relay(options) {
        Ok(Stopping { url }) => format!("disconnected from {url}"),
        Err(Failure::NoHub) => "not connected".into(),
        // A hub does not have the relay's method.
        Err(Failure::Call(error)) if error.code == Code::METHOD => "not connected; a local hub runs".into(),
        Err(failure) => return Err(failure),
    };
    if !options.errors {
        ui::line(text)?;
    }
    Ok(Exit::Success)
}
