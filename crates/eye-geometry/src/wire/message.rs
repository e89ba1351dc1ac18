//! Messages in both wire forms, `{requestId, action, …}` and `{type, requestId, …}`, and their replies.

use crate::fields::Fields;
use crate::limits::REQUEST_ID_BYTES_MAX;
use crate::refusal::Refusal;
use serde_json::{Map, Value};

/// A request message.
#[derive(Debug)]
pub struct Message {
    /// The id as it was sent: a string or a number.
    pub id: Value,
    /// The requested action.
    pub action: String,
    members: Map<String, Value>,
}

impl Message {
    /// Parses a message. The error carries the message's id, if it has one.
    pub fn parse(text: &str) -> Result<Self, (Value, Refusal)> {
        let refuse = |id: Value, why: &str| Err((id, Refusal::invalid(why)));
        let Ok(Value::Object(members)) = serde_json::from_str(text) else {
            return refuse(Value::Null, "a message must be a JSON object");
        };
        let id = Fields(&members).get("request_id").cloned().unwrap_or(Value::Null);
        let fits = match &id {
            Value::String(text) => (1..=REQUEST_ID_BYTES_MAX).contains(&text.len()),
            Value::Number(_) => true,
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
        };
        if !fits {
            return refuse(Value::Null, "requestId is required and must be a string or a number");
        }
        let action = members.get("action").or_else(|| members.get("type")).and_then(Value::as_str);
        match action.map(str::to_owned) {
            Some(action) => Ok(Self { id, action, members }),
            None => refuse(id, "action is required and must be a string"),
        }
    }

    /// The members of the message.
    pub fn fields(&self) -> Fields<'_> {
        Fields(&self.members)
    }
}

/// Builds the reply to a request.
pub fn reply(id: &Value, outcome: Result<Map<String, Value>, Refusal>) -> String {
    let mut members = Map::new();
    members.insert("requestId".into(), id.clone());
    match outcome {
        Ok(result) => {
            members.insert("success".into(), true.into());
            members.extend(result);
        }
        Err(refusal) => members.extend(refusal.members()),
    }
    Value::Object(members).to_string()
}

/// Builds a message about a request that is not its reply.
pub fn news(id: &Value, kind: &str, more: Map<String, Value>) -> String {
    let mut members = Map::new();
    members.insert("requestId".into(), id.clone());
    members.insert("type".into(), kind.into());
    members.extend(more);
    Value::Object(members).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_one_message() {
        for text in [
            r#"{"requestId":"r1","action":"evolve","seed_shader":"x"}"#,
            r#"{"type":"evolve","requestId":"r1","seedShader":"x"}"#,
        ] {
            let message = Message::parse(text).unwrap();
            assert_eq!((message.id.as_str(), message.action.as_str()), (Some("r1"), "evolve"));
            assert_eq!(message.fields().text("seed_shader", 9).unwrap(), Some("x"));
        }
    }

    #[test]
    fn what_is_no_message_is_refused_under_its_id() {
        for (text, id, why) in [
            ("", "null", "a message must be a JSON object"),
            ("[]", "null", "a message must be a JSON object"),
            ("{}", "null", "requestId is required and must be a string or a number"),
            (r#"{"requestId":"","action":"x"}"#, "null", "requestId is required and must be a string or a number"),
            (r#"{"requestId":{},"action":"x"}"#, "null", "requestId is required and must be a string or a number"),
            (r#"{"requestId":7}"#, "7", "action is required and must be a string"),
            (r#"{"requestId":"a","action":1}"#, "\"a\"", "action is required and must be a string"),
        ] {
            let (got, refusal) = Message::parse(text).unwrap_err();
            assert_eq!((got.to_string().as_str(), refusal.message.as_str()), (id, why), "{text}");
        }
        let long = "x".repeat(REQUEST_ID_BYTES_MAX);
        assert!(Message::parse(&format!(r#"{{"requestId":"{long}","action":"x"}}"#)).is_ok());
        assert!(Message::parse(&format!(r#"{{"requestId":"{long}x","action":"x"}}"#)).is_err());
    }
}
