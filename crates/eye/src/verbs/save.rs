//! `eye save`, `eye saved`, `eye restore`: the hub stores the page's state under a name and can send it back to the
//! page.

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::{results, ui};
use eye_protocol::state::{Restore, Save, Saved, SavedList, Watch};
use serde_json::value::RawValue;

/// Keep the page's state under a name, to restore it later
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye save before
         eye restore before

The hub keeps 16 states of a page, also over its reloads; the oldest gives way, and a name that is used again is overwritten.")]
pub struct SaveArgs {
    /// Its name
    name: String,
}

/// List the states of the page that are kept
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye saved")]
pub struct SavedArgs {}

/// Give the page the state that is kept under a name
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye restore before
         eye restore before --if-revision 41

The page says how its state is set: eye.state(source, { restore(state) { … } }). With --if-revision nothing is done where the \
state has changed meanwhile.")]
pub struct RestoreArgs {
    /// Its name
    name: String,
}

pub fn save(args: SaveArgs, options: &Options) -> Result<Exit, Failure> {
    let answer = ask("state/save", &Save { page: None, name: args.name }, options)?;
    show(&answer, options, |text| Ok(line(&client::read_result::<Saved>(text)?)))
}

pub fn saved(_: &SavedArgs, options: &Options) -> Result<Exit, Failure> {
    let answer = ask("state/saved", &Watch::default(), options)?;
    show(&answer, options, |text| {
        let SavedList { snapshots } = client::read_result(text)?;
        Ok(snapshots.iter().map(line).collect::<Vec<_>>().join("\n"))
    })
}

/// Sends a stored state back to the page.
pub fn restore(args: RestoreArgs, options: &Options) -> Result<Exit, Failure> {
    let params = Restore { page: None, name: args.name, if_revision: options.if_revision };
    let answer = ask("state/restore", &params, options)?;
    results::show(answer.get(), options)
}

fn ask(method: &str, params: &impl serde::Serialize, options: &Options) -> Result<Box<RawValue>, Failure> {
    let (answer, _): (Box<RawValue>, _) = client::ask(method, params, options)?;
    Ok(answer)
}

fn line(saved: &Saved) -> String {
    format!("{} revision {} {} bytes {}", saved.name, saved.revision, saved.bytes, saved.time)
}

fn show(
    answer: &RawValue,
    options: &Options,
    text: impl FnOnce(&str) -> Result<String, Failure>,
) -> Result<Exit, Failure> {
    let text = if options.json { answer.get().to_owned() } else { text(answer.get())? };
    if !options.errors && !text.is_empty() {
        ui::line(text)?;
    }
    Ok(Exit::Success)
}
