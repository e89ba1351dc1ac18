//! The outcome of a request, and how each era renders it: modern results carry their type and lifetime, fields that
//! legacy ones do not have.

use super::era::Era;
use super::limits::TTL_MS;
use eye_protocol::rpc::json;
use indexmap::IndexMap;
use serde_json::value::RawValue;
use std::borrow::Cow;

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

#[derive(Clone, Debug)]
pub enum Outcome {
    /// Our own result.
    Ours {
        /// Members of the result, as JSON text without braces and without `_meta`.
        fields: String,
        /// Members of its `_meta`, in the same form.
        meta: Cow<'static, str>,
        /// How long the client may cache the result, in milliseconds.
        ttl_ms: u64,
    },
    /// An upstream's result, passed on unchanged.
    Foreign(Box<RawValue>),
    /// The client must answer requests before there is a result; modern clients only.
    Input {
        /// Key and request, as JSON text.
        requests: Vec<(String, String)>,
        /// The sealed state that the client sends back with its responses.
        state: Option<String>,
    },
}

impl Outcome {
    /// `fields` are members of the result, as JSON text without braces.
    pub fn ours(fields: impl Into<String>) -> Self {
        Self::Ours { fields: fields.into(), meta: "".into(), ttl_ms: TTL_MS }
    }

    /// A tool's result with one text.
    pub fn text(text: &str, is_error: bool) -> Self {
        Self::ours([r#""content":[{"type":"text","text":"#, &json(text), "}]", error_mark(is_error)].concat())
    }

    /// Marks the result as a page's text, which models must not take as instructions.
    #[must_use]
    pub fn untrusted(self) -> Self {
        match self {
            Self::Ours { fields, ttl_ms, .. } => Self::Ours { fields, meta: r#""eye/untrusted":true"#.into(), ttl_ms },
            Self::Foreign(_) | Self::Input { .. } => self,
        }
    }

    /// Sets how long the client may cache the result.
    #[must_use]
    pub fn holding_ms(self, ttl_ms: u64) -> Self {
        match self {
            Self::Ours { fields, meta, .. } => Self::Ours { fields, meta, ttl_ms },
            Self::Foreign(_) | Self::Input { .. } => self,
        }
    }

    /// The result as text. `server_info` is JSON text.
    pub fn render(&self, era: Era, method: &str, server_info: &str) -> String {
        match (self, era) {
            (Self::Ours { fields, meta, .. }, Era::Legacy) if meta.is_empty() => ["{", fields, "}"].concat(),
            (Self::Ours { fields, meta, .. }, Era::Legacy) => {
                let comma = if fields.is_empty() { "" } else { "," };
                ["{", fields, comma, r#""_meta":{"#, meta, "}}"].concat()
            }
            (Self::Ours { fields, meta, ttl_ms }, Era::Modern) => {
                let comma = if fields.is_empty() { "" } else { "," };
                let meta_comma = if meta.is_empty() { "" } else { "," };
                let hold = if can_be_kept(method) {
                    format!(r#","ttlMs":{ttl_ms},"cacheScope":"private""#)
                } else {
                    String::new()
                };
                let parts = ["{", fields, comma, r#""resultType":"complete""#, &hold, r#","_meta":{"#];
                [parts.concat().as_str(), meta, meta_comma, "\"", SERVER_INFO, "\":", server_info, "}}"].concat()
            }
            (Self::Foreign(raw), era) => restamped(raw, era, method, server_info),
            (Self::Input { requests, state }, _) => {
                let all: Vec<String> =
                    requests.iter().map(|(key, request)| format!("{}:{request}", json(key))).collect();
                let state = state.as_ref().map_or(String::new(), |state| format!(r#","requestState":{}"#, json(state)));
                let all = all.join(",");
                format!(
                    r#"{{"resultType":"input_required","inputRequests":{{{all}}}{state},"_meta":{{"{SERVER_INFO}":{server_info}}}}}"#
                )
            }
        }
    }
}

/// `,"isError":true`, or nothing.
pub fn error_mark(is_error: bool) -> &'static str {
    if is_error { r#","isError":true"# } else { "" }
}

/// Whether results of this method carry a lifetime.
fn can_be_kept(method: &str) -> bool {
    method.ends_with("/list") || matches!(method, "server/discover" | "resources/read")
}

type Members = IndexMap<String, Box<RawValue>>;

/// Adds or removes the fields that only one era has, and changes nothing else.
fn restamped(raw: &RawValue, era: Era, method: &str, server_info: &str) -> String {
    let Ok(mut members) = serde_json::from_str::<Members>(raw.get()) else {
        return raw.get().to_owned();
    };
    let mut changed = false;
    let mut meta: Members =
        members.get("_meta").and_then(|meta| serde_json::from_str(meta.get()).ok()).unwrap_or_default();
    match era {
        Era::Modern => {
            let mut add = |name: &str, value: &str| {
                if !members.contains_key(name) {
                    members.insert(name.into(), fixed(value));
                    changed = true;
                }
            };
            add("resultType", r#""complete""#);
            if can_be_kept(method) {
                add("ttlMs", &TTL_MS.to_string());
                add("cacheScope", r#""private""#);
            }
            // The client talks to us, not to the upstream.
            if let Ok(info) = RawValue::from_string(server_info.to_owned()) {
                meta.insert(SERVER_INFO.into(), info);
                members.insert("_meta".into(), fixed(&json(&meta)));
                changed = true;
            }
        }
        Era::Legacy => {
            for name in ["resultType", "ttlMs", "cacheScope"] {
                changed |= members.shift_remove(name).is_some();
            }
            if meta.shift_remove(SERVER_INFO).is_some() {
                changed = true;
                if meta.is_empty() {
                    members.shift_remove("_meta");
                } else {
                    members.insert("_meta".into(), fixed(&json(&meta)));
                }
            }
        }
    }
    if changed { json(&members) } else { raw.get().to_owned() }
}

fn fixed(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFO: &str = r#"{"name":"eye"}"#;

    fn raw(text: &str) -> Outcome {
        Outcome::Foreign(RawValue::from_string(text.into()).unwrap())
    }

    #[test]
    fn a_legacy_result_reaches_a_modern_client_with_what_it_needs() {
        let result = raw(r#"{"content":[],"odd":{"b":1,"a":2.50},"_meta":{"x":1}}"#);
        assert_eq!(
            result.render(Era::Modern, "tools/call", INFO),
            r#"{"content":[],"odd":{"b":1,"a":2.50},"_meta":{"x":1,"io.modelcontextprotocol/serverInfo":{"name":"eye"}},"resultType":"complete"}"#
        );
        let list = raw(r#"{"tools":[]}"#).render(Era::Modern, "tools/list", INFO);
        assert!(list.contains(r#""ttlMs":0,"cacheScope":"private""#), "{list}");
    }

    #[test]
    fn a_modern_result_reaches_a_legacy_client_without_what_it_does_not_know() {
        let text = r#"{"resultType":"complete","tools":[{"z":1}],"ttlMs":5,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"other"}}}"#;
        assert_eq!(raw(text).render(Era::Legacy, "tools/list", INFO), r#"{"tools":[{"z":1}]}"#);
    }

    #[test]
    fn what_needs_no_change_has_none() {
        let text = r#"{ "content" : [ ] , "n":1.0 }"#;
        assert_eq!(raw(text).render(Era::Legacy, "tools/call", INFO), text);
    }

    #[test]
    fn our_own_results_fit_both_eras() {
        let text = Outcome::text("hi", false).untrusted();
        assert_eq!(
            text.render(Era::Legacy, "tools/call", INFO),
            r#"{"content":[{"type":"text","text":"hi"}],"_meta":{"eye/untrusted":true}}"#
        );
        assert_eq!(
            text.render(Era::Modern, "tools/call", INFO),
            r#"{"content":[{"type":"text","text":"hi"}],"resultType":"complete","_meta":{"eye/untrusted":true,"io.modelcontextprotocol/serverInfo":{"name":"eye"}}}"#
        );
        assert_eq!(Outcome::ours("").render(Era::Legacy, "ping", INFO), "{}");
    }
}
