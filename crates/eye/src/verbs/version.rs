//! `eye version`: prints the version.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::ui;

/// Print the version
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye version")]
pub struct Args {}

pub fn run(_: &Args) -> Result<Exit, Failure> {
    ui::line(concat!("eye ", env!("CARGO_PKG_VERSION")))?;
    Ok(Exit::Success)
}
