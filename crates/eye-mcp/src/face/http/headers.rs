//! Checks the headers of modern requests against the body: proxies may route by these headers.

use super::reply::{VERSION, text};
use crate::RpcError;
use crate::face::client::Client;
use crate::face::era::{HEADER_MISMATCH, Meta};
use crate::face::message::{Request, Text};
use crate::face::offers::List;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

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
        Some(Some(header)) if *header == *name => Ok(()),
        Some(_) => Err(mismatch(format!("Mcp-Name is not {name}"))),
    }
}

/// Checks the arguments that a tool also wants in headers (`x-mcp-header` in its schema).
pub async fn check_arguments(client: &Client, headers: &HeaderMap, request: &Request) -> Result<(), RpcError> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow)]
        name: Cow<'a, str>,
        #[serde(borrow)]
        arguments: Option<&'a RawValue>,
    }
    let Some(Ok(Params { name, arguments })) =
        request.params.as_deref().map(|raw| serde_json::from_str::<Params<'_>>(raw.get()))
    else {
        return Ok(());
    };
    if matches!(&*name, "eye" | "mcp_discover" | "mcp_call") {
        return Ok(());
    }
    let arguments = arguments.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok()).unwrap_or_default();
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
fn decoded(value: &str) -> Option<Cow<'_, str>> {
    match value.strip_prefix(ENCODED.0).and_then(|rest| rest.strip_suffix(ENCODED.1)) {
        Some(inner) => String::from_utf8(STANDARD.decode(inner).ok()?).ok().map(Cow::Owned),
        None => Some(value.into()),
    }
}

fn mismatch(message: impl Into<String>) -> RpcError {
    RpcError { code: HEADER_MISMATCH, message: message.into(), data: None }
}

/// The value that `Mcp-Name` must have for this request.
fn name_of(request: &Request) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        name: Option<&'a RawValue>,
        #[serde(borrow)]
        uri: Option<&'a RawValue>,
    }
    let is_uri = match request.method.as_str() {
        "tools/call" | "prompts/get" => false,
        "resources/read" => true,
        _ => return None,
    };
    let params = request.params.as_deref()?.get();
    let Ok(Named { name, uri }) = serde_json::from_str(params) else {
        // A member is there twice: the last one counts.
        let params: Value = serde_json::from_str(params).ok()?;
        return params[if is_uri { "uri" } else { "name" }].as_str().map(|name| name.to_owned().into());
    };
    let found = if is_uri { uri } else { name };
    serde_json::from_str::<Text<'_>>(found?.get()).ok().map(|text| text.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn the_name_of_a_request_is_that_of_its_params() {
        let name = |method: &str, params: &str| {
            let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
            let request = Request { id: raw("1"), method: method.into(), params: Some(raw(params)) };
            name_of(&request).map(Cow::into_owned)
        };
        assert_eq!(name("tools/call", r#"{"name":"eye","arguments":{"name":"x"}}"#).as_deref(), Some("eye"));
        assert_eq!(name("tools/call", r#"{"name":"e\u0079e"}"#).as_deref(), Some("eye"));
        assert_eq!(name("tools/call", r#"{"name":"a","name":"b"}"#).as_deref(), Some("b"));
        assert_eq!(name("resources/read", r#"{"name":"a","uri":"b"}"#).as_deref(), Some("b"));
        for params in ["{}", r#"{"name":1}"#, "[]", "1"] {
            assert_eq!(name("tools/call", params), None, "{params}");
        }
        assert_eq!(name("ping", r#"{"name":"a"}"#), None);
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
