//! `eye rpc`: sends one JSON-RPC request to the hub unchanged.

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use crate::verbs::eval::read_stdin;
use serde_json::{Map, Value, json};

/// Send one JSON-RPC request to the hub and print its answer
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye rpc '{\"method\": \"session/list\"}'
         eye rpc '{\"method\": \"tools/call\", \"params\": {\"name\": \"add\", \"arguments\": {\"a\": 1}}}'

jsonrpc and id are added where they are missing. Prints the whole response; exits with 1 when it is an error.")]
pub struct Args {
    /// The request; - is stdin
    #[arg(value_name = "JSON")]
    request: String,
}

/// Sends the request and prints the response.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let text = if args.request == "-" { read_stdin()? } else { args.request.clone() };
    let (request, id) = complete(&text)?;
    let answer = client::send_raw(&request, &id, options)?;
    let response: Value = client::read_result(&answer)?;
    let failed = response.get("error").is_some();
    if failed || !options.errors {
        ui::line(&answer)?;
    }
    Ok(if failed { Exit::Threw } else { Exit::Success })
}

/// The request on one line with missing members added, and its id as JSON text.
fn complete(text: &str) -> Result<(String, String), Failure> {
    let hint = "write one object, such as '{\"method\": \"session/list\"}'";
    let given: Map<String, Value> = serde_json::from_str(text)
        .map_err(|error| Failure::usage(format!("the request is no JSON object: {error}"), hint))?;
    if !given.get("method").is_some_and(Value::is_string) {
        return Err(Failure::usage("the request has no method", hint));
    }
    let mut request = Map::new();
    request.insert("jsonrpc".into(), json!("2.0"));
    request.insert("id".into(), json!(1));
    // Given members are kept, except a null id: a notification would get no response.
    request.extend(given.into_iter().filter(|(name, value)| name != "id" || !value.is_null()));
    let id = request["id"].to_string();
    Ok((Value::Object(request).to_string(), id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_added_and_what_is_given_stands() {
        for (text, want, id) in [
            (r#"{"method":"ping"}"#, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "1"),
            (r#"{"method":"ping","id":null}"#, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "1"),
            (r#"{"id":"a","method":"x","jsonrpc":"1.0"}"#, r#"{"jsonrpc":"1.0","id":"a","method":"x"}"#, "\"a\""),
            (
                "{\"method\":\"x\",\n\"params\":{\"b\":1,\"a\":2}}",
                r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"b":1,"a":2}}"#,
                "1",
            ),
        ] {
            assert_eq!(complete(text).unwrap(), (want.into(), id.into()), "{text}");
        }
        for text in ["", "x", "[]", "7", "{}", r#"{"method":7}"#] {
            assert!(matches!(complete(text), Err(Failure::Usage { .. })), "{text}");
        }
    }
}
