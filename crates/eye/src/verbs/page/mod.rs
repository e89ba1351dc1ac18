//! Verbs that the page itself does: the same for all of them is how they are asked and how their answer is shown.

pub mod act;
pub mod apps;
pub mod look;
pub mod wait;

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::said;
use serde_json::{Map, Value};

/// Lets the page do something, and prints what it says.
pub fn run(verb: &str, params: Value, options: &Options) -> Result<Exit, Failure> {
    let result = client::verb(verb, &with_options(params, options), options)?;
    said::show(&result, options)
}

/// The params of a verb, with what the flags say.
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
    params
}
