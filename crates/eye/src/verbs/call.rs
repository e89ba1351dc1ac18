//! `eye call`: call a tool that the page offers, or one of a server behind the gateway.

mod behind;
mod outcome;

use crate::client::{self, Conversation};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::typing::{self, Word};
use crate::ui::ProgressLine;
use crate::verbs::eval::read_stdin;
use eye_protocol::schema::Schema;
use eye_protocol::{Code, Error, Kind};
use serde::Serialize;
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
    tool: String,
    /// name=value, name:=JSON, one JSON object, or - for JSON on stdin
    #[arg(value_name = "ARGUMENT")]
    arguments: Vec<String>,
    /// Confirm what cannot be undone
    #[arg(long)]
    yes: bool,
}

#[derive(Serialize)]
struct Params<'a> {
    name: &'a str,
    arguments: Value,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    confirm: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    delta: bool,
}

/// Calls the tool and prints what it gave.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    if args.tool.contains("::") {
        return behind::run(args, options);
    }
    match of_page(args, options) {
        // Neither a page's tool of that name, nor perhaps a page: a server may have it.
        Err(Failure::Call(Error { kind: Kind::Own, code: Code::TOOL | Code::SESSION, .. }))
            if behind::means(args, options) =>
        {
            behind::run(args, options)
        }
        other => other,
    }
}

fn of_page(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let (arguments, conversation) = match whole(&args.arguments)? {
        Some(arguments) => (arguments, None),
        None => from_words(args, options)?,
    };
    let params = Params { name: &args.tool, arguments, confirm: args.yes, delta: options.delta };
    let mut line = ProgressLine::new();
    let result = client::call_tool(&params, options, conversation, |progress| {
        if !options.errors {
            line.show(&outcome::progress(progress));
        }
    });
    drop(line);
    outcome::show(&result.map_err(in_our_words)?, options).map_err(|failure| match failure {
        Failure::ToolFailed(text) => Failure::ToolFailed(format!("page: {text}")),
        other => other,
    })
}

/// The arguments from words, typed by the tool's schema, and the connection on which it was asked for.
fn from_words(args: &Args, options: &Options) -> Result<(Value, Option<Conversation>), Failure> {
    let words = args.arguments.iter().map(|word| Word::parse(word)).collect::<Result<Vec<_>, _>>()?;
    if !words.iter().any(Word::wants_schema) {
        return Ok((typing::arguments(&words, None)?, None));
    }
    let (tool, hub): (Value, _) = client::ask("tools/get", &json!({ "name": args.tool }), options)?;
    let schema = tool.get("inputSchema").map(Schema::new);
    Ok((typing::arguments(&words, schema)?, Some(hub)))
}

/// The arguments as one JSON object, when they are given so.
fn whole(arguments: &[String]) -> Result<Option<Value>, Failure> {
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

/// The hub says what to do in the words of its protocol; here it is a flag.
fn in_our_words(failure: Failure) -> Failure {
    match failure {
        Failure::Call(mut error) if error.kind == Kind::Unconfirmed => {
            error.hint = error.hint.map(|hint| hint.replace("`confirm: true`", "--yes"));
            Failure::Call(error)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(arguments: &[&str]) -> Result<Option<Value>, Failure> {
        whole(&arguments.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn one_json_object_is_all_the_arguments() {
        assert_eq!(given(&[]).unwrap(), Some(json!({})));
        assert_eq!(given(&[r#" {"a": 1}"#]).unwrap(), Some(json!({ "a": 1 })));
        assert_eq!(given(&["a=1"]).unwrap(), None);
        assert_eq!(given(&["a=1", "{}"]).unwrap(), None);
        for text in ["{", "[1]", "[", "{a:1}"] {
            assert!(matches!(given(&[text]), Err(Failure::Usage { .. })), "{text}");
        }
    }
}
