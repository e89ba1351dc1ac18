//! `eye async`: evaluates code in the background; `eye collect` fetches the value later.

use crate::client::{self, Absent};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use eye_protocol::id::is_call_id;
use eye_protocol::messages::{Eval, EvalMode};
use serde::Deserialize;

/// Evaluate code in the background and print an id to collect its value with
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye async --id scan 'await scanEverything()'; eye collect scan")]
pub struct Args {
    /// The code
    code: String,
    /// The id to collect it with: 1 to 19 letters, digits or _
    #[arg(long)]
    id: Option<String>,
}

#[derive(Deserialize)]
struct Accepted {
    id: String,
}

/// Submits the code and prints the id.
pub fn run(args: Args, options: &Options) -> Result<Exit, Failure> {
    if let Some(id) = args.id.as_deref().filter(|id| !is_call_id(id)) {
        return Err(Failure::usage(format!("`{id}` is no id"), "use 1 to 19 letters, digits or _"));
    }
    let params = Eval { code: args.code, mode: EvalMode::Keep, keep: args.id, ..Eval::default() };
    let accepted: Accepted = client::call("eval", &params, options, Absent::Start)?;
    ui::line(accepted.id)?;
    Ok(Exit::Success)
}
