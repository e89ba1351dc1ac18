//! Tools: their definitions, the params of their methods, and the one place where a result is rendered.

use crate::answer::{Bytes, Value};
use crate::error::{Code, Error};
use crate::limits::TOOL_NAME_BYTES_MAX;
use crate::scan::{self, Pause};
use crate::text::json;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The tools of the original 3D server that return the address of its page; the last six are the original's aliases.
pub const ADDRESS_TOOLS: [&str; 7] = [
    "get_browser_connection_url",
    "hello_3d_app",
    "get_3d_app",
    "open_3d_app",
    "connect_3d_app",
    "launch_3d_visualization",
    "get_3d_visualization_url",
];

/// A tool as a page offers it. Every field of its definition is kept as it came.
#[derive(Clone, Debug)]
pub struct Tool {
    /// 1 to 128 of `[A-Za-z0-9_.-]`.
    pub name: Box<str>,
    /// The whole definition, raw.
    pub definition: Box<RawValue>,
    /// The schema of its arguments, raw; `None`: it has none, or the page checks arguments itself.
    pub input_schema: Option<Box<RawValue>>,
    /// Capabilities that it requires of its page.
    pub capabilities: Vec<String>,
    /// Timeout of its calls, if they name none.
    pub timeout_ms: Option<u64>,
    /// Whether its effect cannot be undone.
    pub consequential: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Definition {
    name: String,
    #[serde(default)]
    input_schema: Option<Box<RawValue>>,
    #[serde(default)]
    capabilities: Vec<String>,
    #[serde(default)]
    checked_by: Option<String>,
    #[serde(default)]
    timeout: Option<u64>,
    #[serde(default)]
    annotations: Annotations,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Annotations {
    #[serde(default)]
    consequential_hint: bool,
}

impl Tool {
    /// Reads a definition, or returns what is wrong with it.
    pub fn parse(definition: &str) -> Result<Self, Error> {
        let wrong = |why: String| Error::new(Code::PARAMS, why);
        let not_a_tool = |error: serde_json::Error| wrong(format!("not a tool: {error}"));
        let known: Definition = serde_json::from_str(definition).map_err(not_a_tool)?;
        let definition = serde_json::from_str(definition).map_err(not_a_tool)?;
        let clean = |b: u8| b.is_ascii_alphanumeric() || b"_.-".contains(&b);
        if !(1..=TOOL_NAME_BYTES_MAX).contains(&known.name.len()) || !known.name.bytes().all(clean) {
            let name: String = known.name.chars().take(TOOL_NAME_BYTES_MAX).collect();
            return Err(wrong(format!("`{name}` is no tool name; use 1 to 128 letters, digits, `_`, `.` or `-`")));
        }
        Ok(Self {
            name: known.name.into(),
            definition,
            // The page refuses arguments itself; agents still read the schema in the definition.
            input_schema: known
                .input_schema
                .filter(|schema| schema.get() != "null" && known.checked_by.as_deref() != Some("page")),
            capabilities: known.capabilities,
            timeout_ms: known.timeout,
            consequential: known.annotations.consequential_hint,
        })
    }

    /// Whether its name or description holds the text, whatever its case.
    pub fn fits(&self, filter: &str) -> bool {
        #[derive(Deserialize)]
        struct Words {
            #[serde(default)]
            title: Option<String>,
            #[serde(default)]
            description: Option<String>,
        }
        let filter = filter.to_lowercase();
        let words: Option<Words> = serde_json::from_str(self.definition.get()).ok();
        let words = words.into_iter().flat_map(|words| [words.title, words.description]).flatten();
        self.name.to_lowercase().contains(&filter)
            || words.into_iter().any(|text| text.to_lowercase().contains(&filter))
    }
}

/// Reads the params of `tools/register`, which may be large: the definitions of tools, each as its JSON text.
pub fn registered(params: &str, pause: Pause) -> Result<Vec<Box<str>>, Error> {
    let invalid = |what| Error::new(Code::PARAMS, format!("invalid params: {what}"));
    let [tools] = scan::named(params, ["tools"], pause).map_err(invalid)?;
    let tools = tools.ok_or_else(|| invalid("`tools` is missing"))?;
    let tools = scan::elements(tools, pause).ok_or_else(|| invalid("`tools` is no array"))?;
    Ok(tools.into_iter().map(|tool| scan::copy(tool, pause)).collect())
}

/// Result of `tools/register`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct Registered {
    /// Whether any was taken, or none was offered.
    pub success: bool,
    /// How many were taken.
    pub registered: usize,
    /// Which were not, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<Rejected>,
}

/// A tool that was not taken.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct Rejected {
    /// Its name, as far as it has one.
    pub name: String,
    /// What is wrong with it.
    pub error: String,
}

/// Params of `tools/unregister`.
#[derive(Clone, Debug, Deserialize)]
pub struct Unregister {
    pub names: Vec<String>,
}

/// Params of `tools/list`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListTools {
    /// `None`: the agent's own page.
    #[serde(default, alias = "sessionId")]
    pub page: Option<String>,
    /// Part of a name or description.
    #[serde(default)]
    pub filter: Option<String>,
}

/// Params of `tools/get`.
#[derive(Clone, Debug, Deserialize)]
pub struct GetTool {
    pub name: String,
    /// `None`: the agent's own page.
    #[serde(default, alias = "sessionId")]
    pub page: Option<String>,
}

/// Params of `tools/call`.
#[derive(Clone, Debug, Deserialize)]
pub struct CallTool {
    pub name: String,
    /// Raw JSON.
    #[serde(default)]
    pub arguments: Option<Box<RawValue>>,
    /// Timeout in milliseconds.
    #[serde(default)]
    pub timeout: Option<u64>,
    /// `None`: the agent's own page.
    #[serde(default, alias = "sessionId")]
    pub page: Option<String>,
    /// Whether a person confirmed the call, where the policy asks for that.
    #[serde(default)]
    pub confirm: bool,
    /// Whether the result is to carry the change of state that the call caused.
    #[serde(default)]
    pub delta: bool,
    /// Only if the state has this revision.
    #[serde(default, rename = "ifRevision")]
    pub if_revision: Option<u64>,
}

/// Params of `tools/callBatch`.
#[derive(Clone, Debug, Deserialize)]
pub struct CallBatch {
    pub calls: Vec<CallTool>,
    /// Timeout of each call, in milliseconds.
    #[serde(default)]
    pub timeout: Option<u64>,
    /// `None`: the agent's own page.
    #[serde(default, alias = "sessionId")]
    pub page: Option<String>,
}

/// Params of `session/create`, `session/join` and `session/info`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NameSession {
    #[serde(default)]
    pub session_id: Option<String>,
}

/// Params of `call/progress`, in both directions. Other members are passed on unchanged.
#[derive(Clone, Debug, Deserialize)]
pub struct Progress {
    /// The id of the call.
    pub id: Box<RawValue>,
}

/// Renders the value of a tool as the result of `tools/call`, and marks it as text of a page.
pub fn result(value: &Value, origin: &str) -> String {
    let json_value = value.to_json();
    let fields: Option<Fields> = match value {
        Value::Json(_) => serde_json::from_str(&json_value).ok(),
        Value::Text(_) | Value::Rendering(_) | Value::Bytes(_) => None,
    };
    let passes = fields.as_ref().is_some_and(|fields| fields.get("content").is_some_and(|c| c.get().starts_with('[')));
    let mut result = Fields::new();
    if passes {
        result = fields.unwrap_or_default();
    } else if let Value::Bytes(bytes) = value {
        result.insert("content".into(), raw(&[content_of(bytes)]));
    } else {
        let text = [Content { kind: "text", text: value.as_text() }];
        result.insert("content".into(), raw(&text));
        if let (Value::Json(_), Some(_)) = (value, &fields) {
            result.insert("structuredContent".into(), raw_text(json_value));
        }
    }
    result.entry("isError".into()).or_insert_with(|| raw(&false));
    let mut meta: Fields =
        result.get("_meta").and_then(|meta| serde_json::from_str(meta.get()).ok()).unwrap_or_default();
    meta.insert("eye/untrusted".into(), raw(&true));
    meta.insert("eye/origin".into(), raw(origin));
    result.insert("_meta".into(), raw(&meta));
    json(&result)
}

/// Bytes as MCP writes them: pictures and sounds by their kind, anything else as a resource.
fn content_of(bytes: &Bytes) -> serde_json::Value {
    let (media_type, data) = (&bytes.media_type, bytes.base64());
    match media_type.split_once('/') {
        Some((kind @ ("image" | "audio"), _)) => {
            serde_json::json!({ "type": kind, "data": data, "mimeType": media_type })
        }
        _ => serde_json::json!({
            "type": "resource",
            "resource": { "uri": "eye://result", "mimeType": media_type, "blob": data }
        }),
    }
}

/// An object whose members stay raw and in order.
type Fields = indexmap::IndexMap<String, Box<RawValue>>;

#[derive(Serialize)]
struct Content<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    text: &'a str,
}

fn raw(value: &(impl Serialize + ?Sized)) -> Box<RawValue> {
    raw_text(json(value))
}

fn raw_text(json: String) -> Box<RawValue> {
    RawValue::from_string(json).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(json: &str) -> Result<Tool, Error> {
        Tool::parse(json)
    }

    #[test]
    fn a_definition_is_kept_whole() {
        let text = r#"{"name":"add","title":"Add","x-own":[1],"inputSchema":{"type":"object"},"timeout":500,"annotations":{"consequentialHint":true}}"#;
        let tool = tool(text).unwrap();
        assert_eq!(tool.definition.get(), text);
        assert_eq!((&*tool.name, tool.timeout_ms, tool.consequential), ("add", Some(500), true));
        assert!(tool.fits("ADD") && !tool.fits("sub"));
    }

    #[test]
    fn names_have_an_alphabet_and_a_length() {
        let named = |name: &str| tool(&format!(r#"{{"name":{}}}"#, json(name)));
        assert!(named(&"a".repeat(TOOL_NAME_BYTES_MAX)).is_ok());
        for name in ["", "a b", "ä", "a/b", &"a".repeat(TOOL_NAME_BYTES_MAX + 1)] {
            assert_eq!(named(name).unwrap_err().code, Code::PARAMS, "{name}");
        }
        assert!(tool("7").is_err());
    }

    #[test]
    fn results_are_rendered_once_and_marked() {
        let marked = r#""_meta":{"eye/untrusted":true,"eye/origin":"http://a"}"#;
        for (value, want) in [
            (
                Value::Text("hi".into()),
                format!(r#"{{"content":[{{"type":"text","text":"hi"}}],"isError":false,{marked}}}"#),
            ),
            (
                Value::Json("3".into()),
                format!(r#"{{"content":[{{"type":"text","text":"3"}}],"isError":false,{marked}}}"#),
            ),
            (
                Value::Json(r#"{"b":1,"a":2}"#.into()),
                format!(
                    r#"{{"content":[{{"type":"text","text":"{{\"b\":1,\"a\":2}}"}}],"structuredContent":{{"b":1,"a":2}},"isError":false,{marked}}}"#
                ),
            ),
            (
                Value::Json(r#"{"content":[{"type":"image"}],"isError":true,"own":1}"#.into()),
                format!(r#"{{"content":[{{"type":"image"}}],"isError":true,"own":1,{marked}}}"#),
            ),
            (
                Value::Rendering("undefined".into()),
                format!(r#"{{"content":[{{"type":"text","text":"undefined"}}],"isError":false,{marked}}}"#),
            ),
        ] {
            assert_eq!(result(&value, "http://a"), want);
        }
    }
}
