//! Checks the headers of modern requests against the body: proxies may route by these headers.

use super::reply::{VERSION, text};
use crate::RpcError;
use crate::face::client::Client;
use crate::face::era::{HEADER_MISMATCH, Meta};
use crate::face::message::Request;
use crate::face::offers::List;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use serde::Deserialize;
use serde_json::Value;

const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";
const PARAM: &str = "mcp-param-";
const ENCODED: (&str, &str) = ("=?base64?", "?=");

/// Checks revision, method and name.
pub fn check(headers: &HeaderMap, request: &Request, meta: &Meta) -> Result<(), RpcError> {
    match (text(headers, VERSION), meta.version()) {
        (None, _) => return Err(mismatch("the header MCP-Protocol-Version is missing")),
        (Some(header), Some(body)) if header != body => {
            return Err(mismatch(format!("MCP-Protocol-Version is {header}, the body says {body}")));
        }
        (Some(_), _) => {}
    }
    // A request without a valid `_meta` gets the error about that, from `check_modern`.
    if meta.version.is_none() || meta.capabilities.is_none() {
        return Ok(());
    }
    match text(headers, METHOD) {
        None => return Err(mismatch("the header Mcp-Method is missing")),
        Some(header) if header != request.method => {
            return Err(mismatch(format!("Mcp-Method is {header}, the body says {}", request.method)));
        }
        Some(_) => {}
    }
    let Some(name) = name_of(request) else { return Ok(()) };
    match text(headers, NAME).map(decoded) {
        None => Err(mismatch("the header Mcp-Name is missing")),
        Some(Some(header)) if header == name => Ok(()),
        Some(_) => Err(mismatch(format!("Mcp-Name is not {name}"))),
    }
}

/// Checks the arguments that a tool also wants in headers (`x-mcp-header` in its schema).
pub async fn check_arguments(client: &Client, headers: &HeaderMap, request: &Request) -> Result<(), RpcError> {
    #[derive(Deserialize)]
    struct Params {
        name: String,
        #[serde(default)]
        arguments: Value,
    }
    let Some(Ok(Params { name, arguments })) =
        request.params.as_deref().map(|raw| serde_json::from_str::<Params>(raw.get()))
    else {
        return Ok(());
    };
    if matches!(name.as_str(), "eye" | "mcp_discover" | "mcp_call") {
        return Ok(());
    }
    let Some(schema) = schema_of(client, &name).await else { return Ok(()) };
    check_members(headers, &schema, &arguments)
}

async fn schema_of(client: &Client, name: &str) -> Option<Value> {
    if let Some(offers) = client.shared.offers() {
        let own = offers.list(List::Tools);
        let own = own.iter().filter_map(|raw| serde_json::from_str::<Value>(raw.get()).ok());
        if let Some(mut tool) = own.into_iter().find(|tool| tool["name"] == name) {
            return Some(tool["inputSchema"].take());
        }
    }
    let (_, entry) = client.resolve(name).await.ok()?;
    Some(entry.definition()["inputSchema"].clone())
}

fn check_members(headers: &HeaderMap, schema: &Value, arguments: &Value) -> Result<(), RpcError> {
    for (member, part) in schema["properties"].as_object().into_iter().flatten() {
        let argument = arguments.get(member).filter(|value| !value.is_null());
        if let Some(header) = part["x-mcp-header"].as_str() {
            let sent = text(headers, &format!("{PARAM}{header}").to_ascii_lowercase());
            match (sent, argument.map(plain)) {
                (None, None) => {}
                (Some(sent), Some(value)) if decoded(sent).as_deref() == Some(&*value) => {}
                _ => return Err(mismatch(format!("Mcp-Param-{header} is not what the argument `{member}` is"))),
            }
        }
        if let Some(argument) = argument.filter(|value| value.is_object()) {
            check_members(headers, part, argument)?;
        }
    }
    Ok(())
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Decodes a header's value, which is wrapped in Base64 if it is not plain text. `None` if the wrapping is broken.
fn decoded(value: &str) -> Option<String> {
    match value.strip_prefix(ENCODED.0).and_then(|rest| rest.strip_suffix(ENCODED.1)) {
        Some(inner) => String::from_utf8(STANDARD.decode(inner).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

fn mismatch(message: impl Into<String>) -> RpcError {
    RpcError { code: HEADER_MISMATCH, message: message.into(), data: None }
}

/// The value that `Mcp-Name` must have for this request.
fn name_of(request: &Request) -> Option<String> {
    let member = match request.method.as_str() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return None,
    };
    let params: serde_json::Value = serde_json::from_str(request.params.as_deref()?.get()).ok()?;
    params[member].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn arguments_in_headers_are_what_they_are_in_the_body() {
        let schema = json!({"properties": {"region": {"type": "string", "x-mcp-header": "Region"}}});
        let fits = |pairs: &[(&'static str, &'static str)], arguments: Value| {
            check_members(&headers(pairs), &schema, &arguments).is_ok()
        };
        assert!(fits(&[("Mcp-Param-Region", "eu")], json!({"region": "eu"})));
        assert!(fits(&[("mcp-param-region", "=?base64?SGVsbG8=?=")], json!({"region": "Hello"})));
        assert!(fits(&[], json!({})));
        assert!(!fits(&[], json!({"region": "eu"})));
        assert!(!fits(&[("mcp-param-region", "us")], json!({"region": "eu"})));
        assert!(!fits(&[("mcp-param-region", "=?base64?SGVsbG8?=")], json!({"region": "Hello"})));
        assert!(!fits(&[("mcp-param-region", "eu")], json!({})));
    }
}
