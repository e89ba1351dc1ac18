//! The request format of the original eye at `/api/mcp`: `{"method", "params"}` without `jsonrpc`, answered in its own
//! format and with its own tools, which are functions of `ALGO.bridge` in the page.

use super::client::Newcomer;
use super::faces::Face;
use eye_protocol::rpc::json as text_of;
use eye_protocol::{Code, Error};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
pub struct OriginalRequest {
    method: String,
    #[serde(default)]
    params: Value,
    /// In the original, this selected a person's browser; here it selects a page.
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

/// Calls a function of the page's own bridge, or our implementation of it. A value that the page's bridge returns
/// without `success` is wrapped as the original's `/api/mcp` does.
const BRIDGE: &str = include_str!("original.js");

/// Parses a body in the original's format; `None` for any other.
pub fn parse(body: &[u8]) -> Option<OriginalRequest> {
    let value: Value = serde_json::from_slice(body).ok()?;
    (value.get("jsonrpc").is_none() && value.get("id").is_none()).then(|| serde_json::from_value(value).ok()).flatten()
}

impl Face {
    /// Answers with JSON text; the status is always 200.
    pub(super) async fn original(&self, request: OriginalRequest, mut newcomer: Newcomer) -> String {
        match request.method.as_str() {
            "tools/list" => format!(r#"{{"tools":[{}]}}"#, TOOLS.map(|tool| definition(&tool)).join(",")),
            "tools/call" => {
                let page = newcomer.who.page.take();
                match self.bridge(&request.params, request.user, page, newcomer).await {
                    Ok(text) => format!(r#"{{"content":[{{"type":"text","text":{}}}]}}"#, text_of(&text)),
                    Err(error) => failed(&error.to_string()),
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
    ) -> Result<String, Failed> {
        let name = params["name"].as_str().unwrap_or_default();
        let Some((_, function, _, arguments)) = TOOLS.iter().find(|(tool, ..)| *tool == name) else {
            return Err(Failed::UnknownTool(name.to_owned()));
        };
        let values: Vec<String> =
            arguments.iter().map(|(argument, _)| params["arguments"][argument].to_string()).collect();
        let code = format!("({BRIDGE})({}, [{}])", text_of(function), values.join(","));
        let addressee = user.clone().or_else(|| page.clone()).unwrap_or_else(|| "this hub".into());
        let client = self.client(newcomer).ok_or(Failed::Closing)?;
        // The original's user is a person; it selects a page only if one has that name.
        let mut outcome = Err(Error::new(Code::SESSION, "no page yet"));
        let mut named = String::new();
        for wanted in [user.map(Some), Some(page)].into_iter().flatten() {
            named = wanted.map_or_else(String::new, |page| format!(r#","page":{}"#, text_of(&page)));
            let request = format!(r#"{{"code":{}{named}}}"#, text_of(&code));
            outcome = client.link.request("eval", &request, None).await;
            if !outcome.as_ref().is_err_and(|error| error.code == Code::SESSION && error.message.starts_with(NO_SUCH)) {
                break;
            }
        }
        if outcome.as_ref().is_err_and(|error| error.code == Code::DENIED)
            && let Some((method, wanted)) = by_verb(function, &params["arguments"])
        {
            // The page does not allow `eval`: use the verb that does the same, where there is one.
            let request = format!("{}{named}}}", wanted.trim_end_matches('}'));
            let answered = client.link.request(method, &request, None).await;
            let answered = answered.map(|result| result.get().to_owned());
            return Ok(bridge_result(function, &params["arguments"], answered));
        }
        match outcome {
            Ok(result) => {
                let mut result: Value = serde_json::from_str(result.get()).unwrap_or_default();
                Ok(result["value"].take().to_string())
            }
            Err(error) => Err(Failed::of(&error, addressee)),
        }
    }
}

/// How long a verb waits for its element, in milliseconds: the original does not wait at all.
const VERB_MS: u64 = 1_000;

/// The verb that replaces a function of the bridge, for pages that do not allow `eval`.
fn by_verb(function: &str, arguments: &Value) -> Option<(&'static str, String)> {
    let (method, params) = match function {
        "query" => ("page/query", json!({ "target": arguments["selector"], "timeout": VERB_MS })),
        "queryAll" => ("page/query", json!({ "target": arguments["selector"], "all": true, "timeout": VERB_MS })),
        "click" => ("page/click", json!({ "target": arguments["selector"], "timeout": VERB_MS })),
        "setValue" => {
            let fields = json!({ "target": arguments["selector"], "value": arguments["value"], "timeout": VERB_MS });
            ("page/fill", fields)
        }
        "openApp" => ("page/open", json!({ "app": arguments["appId"] })),
        "getState" => ("session/info", json!({ "agent": "original" })),
        _ => return None,
    };
    Some((method, params.to_string()))
}

/// A verb's result in the format of the bridge.
fn bridge_result(function: &str, arguments: &Value, answered: Result<String, Error>) -> String {
    let selector = &arguments["selector"];
    let value = match answered {
        Ok(result) => serde_json::from_str::<Value>(&result).unwrap_or_default(),
        Err(error) => {
            let missing = error.message.contains("nothing matches") || error.code == Code::TIMEOUT;
            return match function {
                "query" if missing => json!({ "success": true, "result": null }),
                "queryAll" if missing => json!({ "success": true, "count": 0, "result": [] }),
                _ if missing && !selector.is_null() => {
                    let selector = selector.as_str().unwrap_or_default();
                    json!({ "success": false, "error": format!("Element not found: {selector}") })
                }
                _ => json!({ "success": false, "error": error.one_line() }),
            }
            .to_string();
        }
    };
    let result = &value["value"];
    match function {
        "click" => json!({ "success": true, "clicked": selector }),
        "setValue" => json!({ "success": true, "selector": selector, "value": arguments["value"] }),
        "queryAll" => {
            json!({ "success": true, "count": result.as_array().map_or(0, Vec::len), "result": result })
        }
        "getState" => {
            let windows = [json!({ "id": 0, "title": value["title"], "minimized": value["visible"] == false })];
            let state = json!({
                "user": null, "windows": windows, "activeWindow": 0, "systemApps": [], "pubsubApps": []
            });
            json!({ "success": true, "result": state })
        }
        _ => json!({ "success": true, "result": result }),
    }
    .to_string()
}

/// The beginning of the hub's message when no page has the given name.
const NO_SUCH: &str = "no page fits";

/// Why the bridge has no value, in the original's words.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error("Unknown tool: {0}")]
    UnknownTool(String),
    #[error("the hub shuts down")]
    Closing,
    #[error("No browser session for user {0}. Open the Claude app in the browser first.")]
    NoPage(String),
    #[error("timeout waiting for browser response")]
    Timeout,
    /// The hub's or the page's error, as one line.
    #[error("{0}")]
    Call(String),
}

impl Failed {
    fn of(error: &Error, user: String) -> Self {
        match error.code {
            Code::SESSION | Code::CONNECTION => Self::NoPage(user),
            Code::TIMEOUT => Self::Timeout,
            _ => Self::Call(error.one_line()),
        }
    }
}

fn failed(message: &str) -> String {
    format!(r#"{{"error":{}}}"#, text_of(message))
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
    fn a_page_that_evaluates_nothing_is_asked_by_verbs_and_reported_in_the_originals_form() {
        let arguments = json!({ "selector": "#go", "value": "Ada", "appId": "chat" });
        for (function, method, answer, want) in [
            ("click", "page/click", r#"{"value":"clicked"}"#, json!({ "success": true, "clicked": "#go" })),
            (
                "setValue",
                "page/fill",
                r#"{"value":"filled"}"#,
                json!({ "success": true, "selector": "#go", "value": "Ada" }),
            ),
            ("query", "page/query", r#"{"value":{"tag":"b"}}"#, json!({ "success": true, "result": { "tag": "b" } })),
            (
                "queryAll",
                "page/query",
                r#"{"value":[{"tag":"b"}]}"#,
                json!({ "success": true, "count": 1, "result": [{ "tag": "b" }] }),
            ),
            ("openApp", "page/open", r#"{"value":"open"}"#, json!({ "success": true, "result": "open" })),
        ] {
            assert_eq!(by_verb(function, &arguments).unwrap().0, method);
            let result = bridge_result(function, &arguments, Ok(answer.into()));
            assert_eq!(serde_json::from_str::<Value>(&result).unwrap(), want, "{function}");
        }
        let state = bridge_result("getState", &json!({}), Ok(r#"{"title":"Shop","visible":true}"#.into()));
        assert!(state.contains(r#""title":"Shop""#), "{state}");
        let late = || Err(Error::new(Code::TIMEOUT, "no such element"));
        assert!(bridge_result("click", &arguments, late()).contains("Element not found: #go"));
        assert!(bridge_result("query", &arguments, late()).contains(r#""result":null"#));
        assert!(by_verb("eval", &arguments).is_none() && by_verb("closeWindow", &arguments).is_none());
    }

    #[test]
    fn its_tools_are_well_formed() {
        for tool in &TOOLS {
            let tool: Value = serde_json::from_str(&definition(tool)).unwrap();
            assert_eq!(tool["inputSchema"]["type"], "object");
        }
    }
}
