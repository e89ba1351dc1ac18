//! `eye call`: calls a tool of the page, or of a server behind the gateway.

mod behind;
mod outcome;
mod words;

pub use words::Args;

use crate::client::{self, Conversation};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::typing::{self, Word};
use crate::ui::ProgressLine;
use eye_protocol::schema::Schema;
use eye_protocol::{Code, Error, Kind};
use serde::Serialize;
use serde_json::{Value, json};
use words::given_as_json;

#[derive(Serialize)]
struct Params<'a> {
    name: &'a str,
    arguments: Value,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    confirm: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    delta: bool,
    #[serde(rename = "ifRevision", skip_serializing_if = "Option::is_none")]
    if_revision: Option<u64>,
}

/// Calls the tool and prints its result.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    if args.tool.contains("::") {
        return behind::run(args, options);
    }
    match of_page(args, options) {
        // The page has no such tool, or there is no page: a server may have the tool.
        Err(Failure::Call(Error { kind: Kind::Own, code: Code::TOOL | Code::SESSION, .. }))
            if behind::means(args, options) =>
        {
            behind::run(args, options)
        }
        other => other,
    }
}

fn of_page(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let (arguments, conversation) = match given_as_json(&args.arguments)? {
        Some(arguments) => (arguments, None),
        None => from_words(args, options)?,
    };
    let (delta, if_revision) = (options.delta, options.if_revision);
    let params = Params { name: &args.tool, arguments, confirm: args.yes, delta, if_revision };
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

/// Builds arguments from words, typed by the tool's schema. Also returns the connection on which the schema was
/// fetched.
fn from_words(args: &Args, options: &Options) -> Result<(Value, Option<Conversation>), Failure> {
    let words = args.arguments.iter().map(|word| Word::parse(word)).collect::<Result<Vec<_>, _>>()?;
    if !words.iter().any(Word::wants_schema) {
        return Ok((typing::arguments(&words, None)?, None));
    }
    let (tool, hub): (Value, _) = client::ask("tools/get", &json!({ "name": args.tool }), options)?;
    let schema = tool.get("inputSchema").map(Schema::new);
    Ok((typing::arguments(&words, schema)?, Some(hub)))
}

/// Replaces the protocol's parameter in the hub's hint by the flag.
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
        given_as_json(&arguments.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
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
