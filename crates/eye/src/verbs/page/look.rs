//! `eye look`, `eye text` and `eye query`: what a person sees in the page.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use serde_json::json;

/// Print what a person sees and can act on, a line each, with refs
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye look
         eye look '#checkout'
         eye look --since

A line begins with the element's ref, such as e9, which click, fill and the others take. The viewport comes first; --all \
prints the whole page, --since only what changed since your last look.")]
pub struct LookArgs {
    /// Only this part: a ref, text=…, or a CSS selector
    target: Option<String>,
    /// The whole page, not just the viewport
    #[arg(long)]
    all: bool,
    /// Only what changed since the last look
    #[arg(long)]
    since: bool,
}

/// Looks.
pub fn look(args: &LookArgs, options: &Options) -> Result<Exit, Failure> {
    let LookArgs { target, all, since } = args;
    super::run("look", json!({ "target": target, "all": all.then_some(true), "since": since.then_some(true) }), options)
}

/// Print the readable text of the page, or of a part of it
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye text\n         eye text main")]
pub struct TextArgs {
    /// Only this part: a ref, text=…, or a CSS selector
    target: Option<String>,
}

/// Reads.
pub fn text(args: &TextArgs, options: &Options) -> Result<Exit, Failure> {
    super::run("text", json!({ "target": args.target }), options)
}

/// Print what an element is: tag, id, class, text, HTML and place
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye query '.desktop-icon'\n         eye query .card --all")]
pub struct QueryArgs {
    /// A ref, text=…, or a CSS selector
    target: String,
    /// All that match, shortly
    #[arg(long)]
    all: bool,
}

/// Asks about an element.
pub fn query(args: &QueryArgs, options: &Options) -> Result<Exit, Failure> {
    super::run("query", json!({ "target": args.target, "all": args.all.then_some(true) }), options)
}
