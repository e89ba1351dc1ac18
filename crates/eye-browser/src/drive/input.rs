//! Real input that the page client asks for while an agent acts: checked, sent together, and waited for.

use super::files::Giving;
use crate::cdp::Session;
use crate::error::CommandError;
use serde::Deserialize;
use serde_json::json;
use serde_json::{Map, Value};

/// Commands of one request at most: a double click has five.
const COMMANDS_LEN_MAX: usize = 64;

/// How long the browser may take to do them, in ms.
const INPUT_MS: u64 = 10_000;

/// A request of the page client.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// Its number, which the answer repeats.
    pub input: u64,
    /// The tab is behind another, where it gets no frames.
    #[serde(default)]
    front: bool,
    #[serde(default)]
    commands: Vec<Command>,
    /// Files for the page, in place of commands.
    #[serde(flatten)]
    pub giving: Option<Giving>,
}

#[derive(Debug, Deserialize)]
struct Command {
    method: Method,
    params: Map<String, Value>,
}

/// What a page client may make the browser do: nothing but input.
#[derive(Clone, Copy, Debug, Deserialize)]
enum Method {
    #[serde(rename = "Input.dispatchMouseEvent")]
    Mouse,
    #[serde(rename = "Input.dispatchKeyEvent")]
    Key,
    #[serde(rename = "Input.insertText")]
    Text,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::Mouse => "Input.dispatchMouseEvent",
            Self::Key => "Input.dispatchKeyEvent",
            Self::Text => "Input.insertText",
        }
    }
}

/// Reads a request. `None`: it is none, or asks for more than input.
pub fn read(message: &str) -> Option<Request> {
    serde_json::from_str(message).ok().filter(|request: &Request| request.commands.len() <= COMMANDS_LEN_MAX)
}

/// Sends all commands together and waits for the last: awaited one by one, each would wait for a frame.
pub async fn perform(session: &Session, request: Request) -> Result<(), CommandError> {
    if request.front {
        session.command("Page.bringToFront", &json!({})).await?;
    }
    let mut sent = Vec::with_capacity(request.commands.len());
    for command in request.commands {
        sent.push(session.send(command.method.name(), &command.params)?);
    }
    match sent.pop() {
        // A dialog that it opened is told to who waits for the verb.
        Some(last) => match last.within(INPUT_MS).await {
            Ok(_) | Err(CommandError::Dialog(_)) => Ok(()),
            Err(error) => Err(error),
        },
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_input_is_taken() {
        let one = r#"{"method":"Input.insertText","params":{"text":"a"}}"#;
        let asked = |commands: &str| read(&format!(r#"{{"input":1,"commands":[{commands}]}}"#)).is_some();
        assert!(asked(one));
        assert!(!asked(r#"{"method":"Page.navigate","params":{"url":"file:///etc/passwd"}}"#));
        assert!(asked(&vec![one; COMMANDS_LEN_MAX].join(",")));
        assert!(!asked(&vec![one; COMMANDS_LEN_MAX + 1].join(",")));
    }

    #[test]
    fn files_are_named_with_their_content_and_never_by_a_path() {
        let asked = |giving: &str| read(&format!(r#"{{"input":1,{giving}}}"#)).and_then(|request| request.giving);
        assert!(asked(r#""commands":[]"#).is_none());
        assert!(asked(r#""files":[{"name":"a","base64":"YQ=="}],"to":{"by":"field"}"#).is_some());
        assert!(asked(r#""files":[{"name":"a","base64":"YQ=="}],"to":{"by":"drop","x":1,"y":2.5}"#).is_some());
        assert!(asked(r#""files":[{"path":"/etc/passwd"}],"to":{"by":"field"}"#).is_none());
    }
}
