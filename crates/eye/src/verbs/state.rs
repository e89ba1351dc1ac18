//! `eye state`: prints the state that the page publishes, from the hub's cache or fresh from the page.

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::results;
use crate::ui;
use eye_protocol::state::GetState;
use serde::Deserialize;
use serde_json::value::RawValue;

/// Print the state that the page publishes
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye state
         eye state model.color
         eye state '$.items[?@.done].title'
         eye state --since 41

A path is model.color, /model/color, or JSONPath, which prints the list of what it selects. The hub answers from its \
cache, also when the page is gone, and then says so; --fresh asks the page first. --json tells revision, age and source.")]
pub struct Args {
    /// Which part
    path: Option<String>,
    /// Ask the page first
    #[arg(long)]
    fresh: bool,
    /// Print only what changed after this revision, as a JSON Patch
    #[arg(long, value_name = "REVISION", conflicts_with = "path")]
    since: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StateResult {
    value: Option<Box<RawValue>>,
    patch: Option<Box<RawValue>>,
    stale: bool,
    age_ms: u64,
    warning: Option<String>,
}

pub fn run(args: Args, options: &Options) -> Result<Exit, Failure> {
    let Args { path, fresh, since } = args;
    let (answer, _): (Box<RawValue>, _) =
        client::ask("state/get", &GetState { page: None, path, fresh, since }, options)?;
    let result: StateResult = client::read_result(answer.get())?;
    if options.json {
        if !options.errors {
            ui::line(answer.get())?;
        }
        return Ok(Exit::Success);
    }
    if let Some(raw) = result.patch.or(result.value) {
        ui::value(&results::of_raw(raw.get()), options)?;
    }
    match result.warning {
        Some(warning) => ui::note(warning),
        None if result.stale => ui::note(format_args!("the page is gone; this is {} s old", result.age_ms / 1000)),
        None => {}
    }
    Ok(Exit::Success)
}
