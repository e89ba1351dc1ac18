//! The arguments of `eye call`.

use crate::failure::Failure;
use crate::verbs::eval::read_stdin;
use serde_json::{Value, json};

/// Call a tool that the page offers
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye call addToCart id=7 tags=red tags=new
         eye call addToCart '{\"id\": 7}'
         jq '{id: .best}' found.json | eye call addToCart -
         eye call deleteAll --yes
         eye call files::read_file path=notes.txt

A tool that the page does not have is looked for in all pages and servers, as eye discover shows it. Values get the types of the tool's schema, which eye tools TOOL shows; name:=JSON is taken as JSON, and a name \
given several times makes an array.
Prints the texts of the result, with --json all of it. Progress goes to stderr; Ctrl-C cancels the call in the page. \
Exits with 2 when the arguments do not fit.")]
pub struct Args {
    /// Which
    pub tool: String,
    /// name=value, name:=JSON, one JSON object, or - for JSON on stdin
    #[arg(value_name = "ARGUMENT")]
    pub arguments: Vec<String>,
    /// Confirm what cannot be undone
    #[arg(long)]
    pub yes: bool,
}

/// The arguments as one JSON object, if they were given as JSON; `None` if they are words.
pub fn given_as_json(arguments: &[String]) -> Result<Option<Value>, Failure> {
    let text = match arguments {
        [] => return Ok(Some(json!({}))),
        [only] if only == "-" => read_stdin()?,
        [only] if only.trim_start().starts_with(['{', '[']) => only.clone(),
        _ => return Ok(None),
    };
    let hint = "write one JSON object, such as '{\"id\": 7}', or name=value";
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format!("the arguments are no JSON: {error}"), hint))?;
    if value.is_object() { Ok(Some(value)) } else { Err(Failure::usage("the arguments are no JSON object", hint)) }
}
