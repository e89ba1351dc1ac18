//! Calls a tool of a server behind the gateway, or of any page, by the names that `eye discover` shows.

use super::outcome;
use super::words::{Args, given_as_json};
use crate::client::{self, Absent};
use crate::env;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::typing::{self, Word};
use crate::verbs::servers::files::asking;
use eye_protocol::schema::Schema;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// Whether some provider has a tool of that name, or the name uses another separator than `server::tool`: the gateway
/// then suggests our spelling.
pub fn means(args: &Args, options: &Options) -> bool {
    args.tool.contains([':', '.', '/']) || definition(&args.tool, options).is_ok_and(|found| found.is_some())
}

/// Calls the tool and prints its result.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let arguments = match given_as_json(&args.arguments)? {
        Some(arguments) => arguments,
        None => from_words(args, options)?,
    };
    let mut params: Map<String, Value> = asking(env::current_folder());
    params.insert("name".into(), args.tool.as_str().into());
    params.insert("arguments".into(), arguments);
    if args.yes {
        params.insert("confirm".into(), true.into());
    }
    if let Some(timeout) = options.timeout_ms {
        params.insert("timeout".into(), timeout.into());
    }
    let result: Box<RawValue> = client::call("gateway/call", &params, options, Absent::Start)?;
    outcome::show(result.get(), options)
}

fn from_words(args: &Args, options: &Options) -> Result<Value, Failure> {
    let words = args.arguments.iter().map(|word| Word::parse(word)).collect::<Result<Vec<_>, _>>()?;
    if !words.iter().any(Word::wants_schema) {
        return typing::arguments(&words, None);
    }
    let tool = definition(&args.tool, options)?;
    let schema = tool.as_ref().and_then(|tool| tool.get("inputSchema")).map(Schema::new);
    typing::arguments(&words, schema)
}

/// The tool's definition in the catalogue.
fn definition(tool: &str, options: &Options) -> Result<Option<Value>, Failure> {
    let text = |text: &str| json!(text).to_string();
    let path = match tool.rsplit_once("::") {
        Some((server, name)) => format!("$.tools[?@.name == {} && @.server == {}]", text(name), text(server)),
        None => format!("$.tools[?@.name == {}]", text(tool)),
    };
    let mut params: Map<String, Value> = asking(env::current_folder());
    params.insert("query".into(), path.into());
    let found: Value = client::call("gateway/discover", &params, options, Absent::Start)?;
    Ok(found["values"].as_array().and_then(|values| values.first()).cloned())
}
