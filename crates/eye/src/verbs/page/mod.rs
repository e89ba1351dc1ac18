//! The verbs of the page. Their arguments come from the table of operations; this module holds the exceptions.

mod fill;
pub mod line;
pub mod params;
mod picture;
mod scroll;
mod storage;
mod wait;

use crate::client;
use crate::env::Var;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::places;
use crate::results;
use crate::verbs::logs;
use clap::ArgMatches;
use eye_protocol::Kind;
use eye_protocol::error::NO_PAGE;
use eye_protocol::limits::MAILBOX_OUT_TOPIC;
use eye_protocol::operations::Operation;
use params::with_options;
use serde_json::{Map, Value, json};

pub fn run_words(operation: &Operation, matches: &ArgMatches, options: &Options) -> Result<Exit, Failure> {
    let words = line::params(operation, matches)?;
    match operation.name {
        "logs" => logs::run(&words, options),
        "shot" | "pdf" => picture::run(operation.name, with_options(Value::Object(words), options), options),
        "storage" => storage::run(words, options),
        "wait" => wait::run(&params_of(operation, words)?, options),
        "goto" => {
            let url = words.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
            run(operation.name, Value::Object(words), options).map_err(|failure| or_browse(failure, &url))
        }
        // Nothing to print: the message has arrived, or the error says why not.
        "write" => {
            let message = words.get("message").cloned();
            let done = run(operation.name, Value::Object(words), &Options { errors: true, ..options.clone() })?;
            keep_written(message, options)?;
            Ok(done)
        }
        name => run(name, Value::Object(params_of(operation, words)?), options),
    }
}

/// Without a page there is no tab to navigate; the hint suggests eye's own browser.
fn or_browse(failure: Failure, url: &str) -> Failure {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/%+,=@".contains(c);
    match failure {
        Failure::Call(error) if error.kind == Kind::Own && error.message == NO_PAGE && !url.starts_with('/') => {
            // Quoted so that a shell takes it as one word.
            let word =
                if url.chars().all(plain) { url.to_owned() } else { format!("'{}'", url.replace('\'', r"'\''")) };
            Failure::Call(error.hint(format!("eye browse {word} opens it in eye's own browser")))
        }
        other => other,
    }
}

/// Publishes a written message so that the hub adds it to the original's file, if the mailbox folder exists.
fn keep_written(message: Option<Value>, options: &Options) -> Result<(), Failure> {
    if let Some(message) = message
        && Var::Server.get().is_none()
        && places::mailbox().is_some()
    {
        let params = json!({ "topic": MAILBOX_OUT_TOPIC, "message": message, "queue": false });
        let _: Value = client::call("topic/publish", &params, options, client::Absent::Report)?;
    }
    Ok(())
}

/// The params of the method, for the verbs whose command line differs from it.
pub fn params_of(operation: &Operation, words: Map<String, Value>) -> Result<Map<String, Value>, Failure> {
    match operation.name {
        "fill" => fill::params(&words),
        "scroll" => Ok(scroll::params(&words)),
        "wait" => Ok(wait::params(&words)),
        _ => Ok(words),
    }
}

/// Sends a verb to the page and prints the result.
pub fn run(verb: &str, params: Value, options: &Options) -> Result<Exit, Failure> {
    let result = client::verb(verb, &with_options(params, options), options)?;
    results::show(&result, options)
}
