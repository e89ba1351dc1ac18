//! The body that the original eye took at `/api/mcp`: `{"method", "params"}` without `jsonrpc`, answered in its own form
//! and with its own tools, which are functions of `ALGO.bridge` in the page.

use super::Face;
use super::client::{Client, Newcomer};
use eye_protocol::rpc::json;
use eye_protocol::{Code, Error};
use serde::Deserialize;
use serde_json::Value;

/// A request of the original's.
#[derive(Debug, Deserialize)]
pub struct Asked {
    method: String,
    #[serde(default)]
    params: Value,
    /// The original chose a person's browser by this; here it names a page.
    user: Option<String>,
}

/// Tool, function of the bridge, description, and arguments in order with their types.
type Tool = (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)]);

const TOOLS: [Tool; 8] = [
    ("algo_eval", "eval", "Execute JavaScript code in the browser", &[("code", "string")]),
    ("algo_getState", "getState", "Get the current state of the desktop", &[]),
    ("algo_query", "query", "Query a DOM element", &[("selector", "string")]),
    ("algo_queryAll", "queryAll", "Query all matching DOM elements", &[("selector", "string")]),
    ("algo_click", "click", "Click a DOM element", &[("selector", "string")]),
    ("algo_setValue", "setValue", "Set the value of an input", &[("selector", "string"), ("value", "string")]),
    ("algo_openApp", "openApp", "Open an app", &[("appId", "string")]),
    ("algo_closeWindow", "closeWindow", "Close a window", &[("windowId", "integer")]),
];

/// Calls a function of the page's own bridge, or does what that would do. What the bridge returns bare is wrapped as it is
/// told over `/api/mcp`.
const BRIDGE: &str = include_str!("original.js");

/// Reads a body that is one of the original's; `None` for everything else.
pub fn parse(body: &[u8]) -> Option<Asked> {
    let value: Value = serde_json::from_slice(body).ok()?;
    (value.get("jsonrpc").is_none() && value.get("id").is_none()).then(|| serde_json::from_value(value).ok()).flatten()
}

impl Face {
    /// Answers it, as JSON text; the status is always 200.
    pub(super) async fn original(&self, asked: Asked, mut newcomer: Newcomer) -> String {
        match asked.method.as_str() {
            "tools/list" => format!(r#"{{"tools":[{}]}}"#, TOOLS.map(|tool| definition(&tool)).join(",")),
            "tools/call" => {
                let page = newcomer.who.page.take();
                match self.bridge(&asked.params, asked.user, page, newcomer).await {
                    Ok(text) => format!(r#"{{"content":[{{"type":"text","text":{}}}]}}"#, json(&text)),
                    Err(error) => failed(&error),
                }
            }
            other => failed(&format!("Unknown method: {other}")),
        }
    }

    async fn bridge(
        &self,
        params: &Value,
        user: Option<String>,
        page: Option<String>,
        newcomer: Newcomer,
    ) -> Result<String, String> {
        let name = params["name"].as_str().unwrap_or_default();
        let Some((_, function, _, arguments)) = TOOLS.iter().find(|(tool, ..)| *tool == name) else {
            return Err(format!("Unknown tool: {name}"));
        };
        let values: Vec<String> =
            arguments.iter().map(|(argument, _)| params["arguments"][argument].to_string()).collect();
        let code = format!("({BRIDGE})({}, [{}])", json(function), values.join(","));
        let told = user.clone().or_else(|| page.clone()).unwrap_or_else(|| "this hub".into());
        let client = Client::new(self, newcomer).ok_or("the hub shuts down")?;
        // The original's user is a person; only where a page is called so does it choose one.
        let mut outcome = Err(Error::new(Code::SESSION, "no page yet"));
        for wanted in [user.map(Some), Some(page)].into_iter().flatten() {
            let named = wanted.map_or_else(String::new, |page| format!(r#","page":{}"#, json(&page)));
            let request = format!(r#"{{"code":{}{named}}}"#, json(&code));
            outcome = client.link.request("eval", &request, None).await;
            if !outcome.as_ref().is_err_and(|error| error.code == Code::SESSION && error.message.starts_with(NO_SUCH)) {
                break;
            }
        }
        match outcome {
            Ok(result) => {
                let mut result: Value = serde_json::from_str(result.get()).unwrap_or_default();
                Ok(result["value"].take().to_string())
            }
            Err(error) => Err(in_its_words(&error, &told)),
        }
    }
}

/// How the hub says that no page is called so.
const NO_SUCH: &str = "no page fits";

fn in_its_words(error: &Error, user: &str) -> String {
    match error.code {
        Code::SESSION | Code::CONNECTION => {
            format!("No browser session for user {user}. Open the Claude app in the browser first.")
        }
        Code::TIMEOUT => "timeout waiting for browser response".into(),
        _ => error.one_line(),
    }
}

fn failed(message: &str) -> String {
    format!(r#"{{"error":{}}}"#, json(message))
}

fn definition((name, _, description, arguments): &Tool) -> String {
    let properties: Vec<String> =
        arguments.iter().map(|(name, kind)| format!(r#""{name}":{{"type":"{kind}"}}"#)).collect();
    let required: Vec<String> = arguments.iter().map(|(name, _)| format!(r#""{name}""#)).collect();
    format!(
        r#"{{"name":"{name}","description":"{description}","inputSchema":{{"type":"object","properties":{{{}}},"required":[{}]}}}}"#,
        properties.join(","),
        required.join(",")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_body_without_an_envelope_is_the_originals() {
        assert!(parse(br#"{"method":"tools/list"}"#).is_some());
        assert!(parse(br#"{"method":"tools/call","params":{"name":"algo_eval","arguments":{"code":"1"}}}"#).is_some());
        for body in [&br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#[..], b"[]", b"{", b"{}"] {
            assert!(parse(body).is_none());
        }
    }

    #[test]
    fn its_tools_are_well_formed() {
        for tool in &TOOLS {
            let tool: Value = serde_json::from_str(&definition(tool)).unwrap();
            assert_eq!(tool["inputSchema"]["type"], "object");
        }
    }
}
