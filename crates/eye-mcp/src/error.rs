//! JSON-RPC errors. The `data` that a server sent is kept unchanged.

use eye_protocol::error::ErrorObject;
use eye_protocol::{Code, Error, rpc};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Why a request failed: a server's error, or ours.
#[derive(Clone, Debug, Deserialize, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct RpcError {
    pub code: i64,
    /// One sentence.
    pub message: String,
    /// Raw JSON; our own errors put their hint here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
}

impl RpcError {
    /// Reads a server's error; a malformed one becomes an internal error.
    pub fn from_raw(raw: &RawValue) -> Self {
        serde_json::from_str(raw.get()).unwrap_or_else(|_| {
            let text: String = raw.get().chars().take(200).collect();
            Error::new(Code::INTERNAL, format!("the server answered with a malformed error: {text}")).into()
        })
    }

    /// The next step, from `data.hint`.
    pub fn hint(&self) -> Option<String> {
        let data: serde_json::Value = serde_json::from_str(self.data.as_ref()?.get()).ok()?;
        data["hint"].as_str().map(str::to_owned)
    }

    pub fn is(&self, code: Code) -> bool {
        self.code == i64::from(code.0)
    }
}

impl From<Error> for RpcError {
    fn from(error: Error) -> Self {
        let object = ErrorObject::from(&error);
        let data = object.data.and_then(|data| RawValue::from_string(rpc::json(&data)).ok());
        Self { code: i64::from(object.code.0), message: object.message, data }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_is_kept_as_it_is() {
        let text = r#"{"code":-32042,"message":"no","data":{"b":1,"a":[2.50]}}"#;
        let error = RpcError::from_raw(&RawValue::from_string(text.into()).unwrap());
        assert_eq!(rpc::json(&error), text);
        let odd = RpcError::from_raw(&RawValue::from_string("[7]".into()).unwrap());
        assert!(odd.is(Code::INTERNAL) && odd.message.contains("[7]"));
    }

    #[test]
    fn our_own_errors_carry_their_hint() {
        let error = RpcError::from(Error::new(Code::TIMEOUT, "late").hint("ask again"));
        assert_eq!((error.code, error.hint().as_deref()), (-32001, Some("ask again")));
    }
}
