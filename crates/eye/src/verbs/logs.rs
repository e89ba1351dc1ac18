//! `eye logs`: what the page's console said, its errors and its failed requests.

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::stream::{self, Bound};
use crate::ui::{self, Lines};
use crate::verbs::page;
use eye_protocol::rpc;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

/// The id of the request that goes on.
const ID: &str = "\"logs\"";

/// Print the page's console, errors and failed requests since you last asked
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Example: eye logs\n         eye logs --level error --all\n         eye logs -f\n\n\
A line is the level and the text. -f goes on with what comes. {}", stream::ENDS))]
pub struct Args {
    /// Everything that is still known, not just what is new
    #[arg(long)]
    all: bool,
    /// Only this level and worse
    #[arg(long, value_parser = ["debug", "log", "info", "warn", "error"])]
    level: Option<String>,
    /// Go on with what comes
    #[arg(short, long)]
    follow: bool,
    #[command(flatten)]
    bound: Bound,
}

#[derive(Deserialize)]
struct Entry {
    level: String,
    text: String,
    #[serde(default)]
    count: Option<u64>,
}

#[derive(Deserialize)]
struct Answer {
    value: Vec<Box<RawValue>>,
}

/// Prints them.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let params = json!({ "all": args.all.then_some(true), "level": args.level });
    let result = client::verb("logs", &page::with_options(params, options), options)?;
    let Answer { value } = client::read_result(&result)?;
    let mut lines = Lines::new();
    for entry in value.iter().filter(|_| !options.errors) {
        lines.line(line(entry.get(), options)?)?;
    }
    lines.flush()?;
    if !args.follow {
        return Ok(Exit::Success);
    }
    follow_level(args.level.as_deref(), args.bound, options, |entry| {
        if options.errors { Ok(()) } else { ui::line(line(entry, options)?) }
    })
}

fn line(entry: &str, options: &Options) -> Result<String, Failure> {
    if options.json {
        return Ok(entry.to_owned());
    }
    let Entry { level, text, count } = client::read_result(entry)?;
    let times = count.filter(|count| *count > 1).map_or_else(String::new, |count| format!(" ×{count}"));
    Ok(format!("{level}: {text}{times}"))
}

/// Hands over every entry until the bound.
pub fn follow(
    bound: Bound,
    options: &Options,
    heard: impl FnMut(&str) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    follow_level(None, bound, options, heard)
}

#[derive(Deserialize)]
struct Progress {
    entry: Box<RawValue>,
}

fn follow_level(
    level: Option<&str>,
    bound: Bound,
    options: &Options,
    mut heard: impl FnMut(&str) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    let mut link = client::open(options)?;
    let timeout = bound.lasts().map_or(eye_protocol::limits::CALL_TIMEOUT_MAX_MS, |lasts| {
        u64::try_from(lasts.as_millis()).unwrap_or(u64::MAX).max(1)
    });
    let params = json!({ "follow": true, "level": level, "timeout": timeout, "again": true });
    link.send(&[&rpc::request(ID, "page/logs", &page::with_options(params, &Options::default()))])?;
    bound.follow(&mut link, "call/progress", Some(ID), |params| {
        let Progress { entry } = client::read_result(params)?;
        heard(entry.get())
    })?;
    Ok(Exit::Success)
}
