//! The params of a page's verb.

use crate::options::Options;
use serde_json::{Map, Value};

/// The params of a verb, with the values of the common flags added.
pub fn with_options(params: Value, options: &Options) -> Map<String, Value> {
    let mut params = match params {
        Value::Object(params) => params,
        _ => Map::new(),
    };
    params.retain(|_, value| !value.is_null());
    if let Some(timeout) = options.timeout_ms {
        params.insert("timeout".into(), timeout.into());
    }
    if options.delta {
        params.insert("delta".into(), true.into());
    }
    if let Some(revision) = options.if_revision {
        params.insert("ifRevision".into(), revision.into());
    }
    params
}
