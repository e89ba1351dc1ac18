//! `eye send` and `eye write`: what an agent has to say to the page.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::verbs::message;
use crate::verbs::page;
use serde_json::json;

/// Send a message to an app of the page, opening it when needed
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye send claude-eyes analyze")]
pub struct SendArgs {
    /// Which app
    app: String,
    /// Text, or a JSON object or array; - is stdin
    message: String,
}

/// Sends.
pub fn send(args: &SendArgs, options: &Options) -> Result<Exit, Failure> {
    page::run("send", json!({ "app": args.app, "message": message::parse(&args.message)? }), options)
}

/// Write a message to the page, which gets it as an event
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye write '{\"msg\":\"hello\"}'\n
The page hears it with eye.onMessage(fn), or as the event eye:message.")]
pub struct WriteArgs {
    /// Text, or a JSON object or array; - is stdin
    message: String,
}

/// Writes.
pub fn write(args: &WriteArgs, options: &Options) -> Result<Exit, Failure> {
    // Nothing to print: it has arrived, or the error says why not.
    let quiet = Options { errors: true, ..options.clone() };
    page::run("write", json!({ "message": message::parse(&args.message)? }), &quiet)
}

/// Load the page anew, and print its title and URL once it is back
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye reload")]
pub struct ReloadArgs {}

/// Reloads.
pub fn reload(_: &ReloadArgs, options: &Options) -> Result<Exit, Failure> {
    page::run("reload", json!({}), options)
}
