//! Changes one member of a JSON object and keeps all others as they are.

use eye_protocol::rpc::json;
use indexmap::IndexMap;
use serde_json::value::RawValue;

/// The object with another string in one member.
pub fn renamed(params: &str, member: &str, value: &str) -> Option<Box<RawValue>> {
    let mut members: IndexMap<String, Box<RawValue>> = serde_json::from_str(params).ok()?;
    members.insert(member.to_owned(), RawValue::from_string(json(value)).ok()?);
    RawValue::from_string(json(&members)).ok()
}

/// The object without one member.
pub fn without(params: &str, member: &str) -> Option<Box<RawValue>> {
    let mut members: IndexMap<String, Box<RawValue>> = serde_json::from_str(params).ok()?;
    members.shift_remove(member);
    RawValue::from_string(json(&members)).ok()
}
