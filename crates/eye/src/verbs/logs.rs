//! `eye logs`: prints the page's console messages, errors and failed requests.

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::stream::Bound;
use crate::ui::{self, Lines};
use crate::verbs::hub_log;
use crate::verbs::page::params::with_options;
use eye_protocol::rpc;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// The id of the watch request.
const ID: &str = "\"logs\"";

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

/// Prints the entries. `words` are those of the command line.
pub fn run(words: &Map<String, Value>, options: &Options) -> Result<Exit, Failure> {
    let level = words.get("level").and_then(Value::as_str);
    let number = |name| words.get(name).and_then(Value::as_u64);
    let count = number("count").and_then(|count| usize::try_from(count).ok());
    let bound = Bound { count, seconds: number("for") };
    if words.contains_key("hub") {
        if level.is_some() {
            return Err(Failure::usage("--level is for a page's log", "eye up --log LEVEL says how much the hub logs"));
        }
        return hub_log::run(words.contains_key("all"), words.contains_key("follow").then_some(bound));
    }
    let params = json!({ "all": words.get("all"), "level": level });
    let result = client::verb("logs", &with_options(params, options), options)?;
    let Answer { value } = client::read_result(&result)?;
    let mut lines = Lines::new();
    for entry in value.iter().filter(|_| !options.errors) {
        lines.line(line(entry.get(), options)?)?;
    }
    lines.flush()?;
    if !words.contains_key("follow") {
        return Ok(Exit::Success);
    }
    follow_level(level, bound, options, |entry| if options.errors { Ok(()) } else { ui::line(line(entry, options)?) })
}

fn line(entry: &str, options: &Options) -> Result<String, Failure> {
    if options.json {
        return Ok(entry.to_owned());
    }
    let Entry { level, text, count } = client::read_result(entry)?;
    let times = count.filter(|count| *count > 1).map_or_else(String::new, |count| format!(" ×{count}"));
    Ok(format!("{level}: {text}{times}"))
}

/// Passes every entry to `take`, until the limit.
pub fn follow(bound: Bound, options: &Options, take: impl FnMut(&str) -> Result<(), Failure>) -> Result<Exit, Failure> {
    follow_level(None, bound, options, take)
}

#[derive(Deserialize)]
struct Progress {
    entry: Box<RawValue>,
}

fn follow_level(
    level: Option<&str>,
    bound: Bound,
    options: &Options,
    mut take: impl FnMut(&str) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    let mut link = client::open(options)?;
    let timeout = bound.lasts().map_or(eye_protocol::limits::CALL_TIMEOUT_MAX_MS, |lasts| {
        u64::try_from(lasts.as_millis()).unwrap_or(u64::MAX).max(1)
    });
    let params = json!({ "follow": true, "level": level, "timeout": timeout, "again": true });
    link.send(&[&rpc::request(ID, "page/logs", &with_options(params, &Options::default()))])?;
    bound.follow(&mut link, "call/progress", Some(ID), |params| {
        let Progress { entry } = client::read_result(params)?;
        take(entry.get())
    })?;
    Ok(Exit::Success)
}
