//! `eye servers remove|enable|disable|logs NAME`: changes an entry in its file, or shows what a server wrote on stderr.

use super::files::{asking, failure_of, read, target, write};
use crate::client::{self, Absent};
use crate::env;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use eye_mcp::config::{ConfigError, remove_server, switch_server};
use serde_json::{Map, Value};
use std::path::Path;

/// Which server, and in which config.
#[derive(Debug, clap::Args)]
pub struct Named {
    /// Its name in the config
    name: String,
    /// In the project's config instead of yours
    #[arg(long)]
    project: bool,
}

pub fn remove(args: &Named, options: &Options) -> Result<Exit, Failure> {
    change(args, "removed from", options, |text, file| remove_server(text, &args.name, file))
}

pub fn switch(args: &Named, on: bool, options: &Options) -> Result<Exit, Failure> {
    let done = if on { "switched on in" } else { "switched off in" };
    change(args, done, options, |text, file| switch_server(text, &args.name, on, file))
}

fn change(
    args: &Named,
    done: &str,
    options: &Options,
    change: impl FnOnce(&str, &Path) -> Result<String, ConfigError>,
) -> Result<Exit, Failure> {
    let file = target(args.project)?;
    let text = change(&read(&file)?, &file).map_err(|error| failure_of(&error))?;
    write(&file, &text, args.project)?;
    if !options.errors {
        ui::note(format_args!("{} {done} {}", args.name, file.display()));
    }
    Ok(Exit::Success)
}

/// Prints the end of a server's stderr, and why the server is down if it is.
pub fn logs(name: &str, options: &Options) -> Result<Exit, Failure> {
    let mut params: Map<String, Value> = asking(env::current_folder());
    params.insert("server".into(), name.into());
    let found: Value = client::call("gateway/logs", &params, options, Absent::Start)?;
    let text = found["text"].as_str().unwrap_or_default();
    if options.json {
        ui::line(&found)?;
    } else if text.is_empty() {
        ui::note(format_args!("{name} has written nothing on stderr"));
    } else {
        for line in text.lines() {
            ui::line(ui::one_line(line, LINE_CHARS_MAX))?;
        }
    }
    Ok(Exit::Success)
}

/// The longest printed line of a server's stderr.
const LINE_CHARS_MAX: usize = 2_000;
