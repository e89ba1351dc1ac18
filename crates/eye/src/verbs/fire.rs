//! `eye fire`: submits code to a page and does not wait for it.

use crate::client::{self, Absent};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use eye_protocol::messages::{Eval, EvalMode};
use serde::de::IgnoredAny;

/// Hand code to a page and return at once
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye fire 'openNotepad()'")]
pub struct Args {
    /// The code
    code: String,
}

/// Submits the code. A missing page is reported; the outcome of the code is not.
pub fn run(args: Args, options: &Options) -> Result<Exit, Failure> {
    let params = Eval { code: args.code, mode: EvalMode::Fire, ..Eval::default() };
    let IgnoredAny = client::call("eval", &params, options, Absent::Start)?;
    Ok(Exit::Success)
}
