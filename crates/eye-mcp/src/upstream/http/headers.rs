//! The headers of a request: session and revision in the legacy era; method, name and marked arguments in the modern
//! one.

use crate::upstream::envelope::{Era, MODERN};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// By tool: the paths of parameters that a modern server also wants in headers, with the header's name.
pub type HeaderParams = HashMap<Box<str>, Vec<(Vec<String>, String)>>;

/// The state that the headers of requests are made of.
#[derive(Debug, Default)]
pub struct Headers {
    /// Headers from the config.
    fixed: HeaderMap,
    session: Mutex<Option<HeaderValue>>,
    version: OnceLock<HeaderValue>,
    params: Mutex<Arc<HeaderParams>>,
}

impl Headers {
    /// `fixed` are sent with every request.
    pub fn new(fixed: HeaderMap) -> Self {
        Self { fixed, ..Self::default() }
    }

    /// Remembers the session from a response.
    pub fn take_session(&self, response: &HeaderMap) {
        if let Some(session) = response.get(SESSION) {
            *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(session.clone());
        }
    }

    pub fn has_session(&self) -> bool {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Sets the revision for all further requests.
    pub fn set_version(&self, version: &str) {
        if let Ok(value) = HeaderValue::from_str(version) {
            let _ = self.version.set(value);
        }
    }

    /// Sets the parameters that go into headers too.
    pub fn set_params(&self, params: HeaderParams) {
        *self.params.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(params);
    }

    pub fn of(&self, era: Era, method: &str, params: Option<&RawValue>) -> HeaderMap {
        let mut headers = self.fixed.clone();
        match era {
            Era::Legacy => {
                if let Some(session) = self.session.lock().unwrap_or_else(PoisonError::into_inner).clone() {
                    headers.insert(SESSION, session);
                }
                if let Some(version) = self.version.get() {
                    headers.insert(VERSION, version.clone());
                }
            }
            Era::Modern => {
                headers.insert(VERSION, HeaderValue::from_static(MODERN));
                self.add_standard_headers(&mut headers, method, params);
            }
        }
        headers
    }

    /// Repeats method, name and marked arguments in headers, which the modern era requires for proxies.
    fn add_standard_headers(&self, headers: &mut HeaderMap, method: &str, params: Option<&RawValue>) {
        let mut add = |name: &str, value: &str| {
            if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(encoded(value))) {
                headers.insert(name, value);
            }
        };
        if method.is_empty() {
            return;
        }
        add("mcp-method", method);
        let key = match method {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            _ => return,
        };
        let params: Value = params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default();
        let Some(name) = params[key].as_str() else { return };
        add("mcp-name", name);
        if method == "tools/call" {
            let marked = Arc::clone(&self.params.lock().unwrap_or_else(PoisonError::into_inner));
            for (path, header) in marked.get(name).into_iter().flatten() {
                let value = path.iter().fold(&params["arguments"], |value, step| &value[step.as_str()]);
                let text = match value {
                    Value::String(text) => text.clone(),
                    Value::Bool(_) | Value::Number(_) => value.to_string(),
                    Value::Null | Value::Array(_) | Value::Object(_) => continue,
                };
                add(&format!("mcp-param-{header}"), &text);
            }
        }
    }
}

/// Encodes a value that a header cannot carry in Base64.
fn encoded(value: &str) -> String {
    let edge = |c: Option<char>| c.is_some_and(|c| c == ' ' || c == '\t');
    let odd = value.chars().any(|c| !(' '..='~').contains(&c))
        || edge(value.chars().next())
        || edge(value.chars().last())
        || (value.starts_with("=?base64?") && value.ends_with("?="));
    if odd { format!("=?base64?{}?=", STANDARD.encode(value)) } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_header_cannot_carry_is_encoded() {
        assert_eq!(encoded("read_file"), "read_file");
        assert_eq!(encoded("ä"), "=?base64?w6Q=?=");
        assert_eq!(encoded(" a"), "=?base64?IGE=?=");
    }
}
