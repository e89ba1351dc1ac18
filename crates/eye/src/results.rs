//! Reads and prints the hub's JSON result of a call: a value, and the state change that it caused.

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use eye_protocol::{Code, Ending, Error, Value};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct EvalResult {
    #[serde(default)]
    value: Option<Box<RawValue>>,
    #[serde(default)]
    rendering: Option<String>,
    #[serde(default)]
    delta: Option<Box<RawValue>>,
}

impl EvalResult {
    fn value(&self) -> Value {
        match (&self.value, &self.rendering) {
            (Some(raw), _) => of_raw(raw.get()),
            (None, Some(text)) => Value::Rendering(text.clone()),
            (None, None) => Value::Text(String::new()),
        }
    }
}

/// The state change that a call caused: a patch, or the whole state.
#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    patch: Option<Box<RawValue>>,
    #[serde(default)]
    state: Option<Box<RawValue>>,
}

/// Prints the result of a call; with `--json` and `--delta` the whole object.
pub fn show(result: &str, options: &Options) -> Result<Exit, Failure> {
    let parsed: EvalResult = client::read_result(result)?;
    if options.json && options.delta {
        ui::value(&Value::Json(result.to_owned()), options)?;
        return Ok(Exit::Success);
    }
    ui::value(&parsed.value(), options)?;
    show_delta(parsed.delta.as_deref(), options)?;
    Ok(Exit::Success)
}

/// Converts the hub's result of a call.
pub fn ending(result: &str) -> Ending {
    let garbled = |error: serde_json::Error| Error::new(Code::INTERNAL, format!("the hub answered oddly: {error}"));
    let parsed: EvalResult = serde_json::from_str(result).map_err(garbled)?;
    Ok(parsed.value())
}

/// Prints the state change below the value.
pub fn show_delta(delta: Option<&RawValue>, options: &Options) -> Result<(), Failure> {
    if !options.delta || options.errors {
        return Ok(());
    }
    let Some(delta) = delta else {
        ui::note("the page publishes no state, so there is no delta");
        return Ok(());
    };
    let Delta { patch, state } = client::read_result(delta.get())?;
    match (patch, state) {
        (Some(patch), _) => ui::line(format_args!("delta: {patch}")),
        (None, Some(state)) => ui::line(format_args!("state: {state}")),
        (None, None) => Ok(()),
    }
}

/// Converts JSON to a value: a string becomes text.
pub fn of_raw(raw: &str) -> Value {
    match serde_json::from_str(raw) {
        Ok(text) => Value::Text(text),
        Err(_) => Value::Json(raw.to_owned()),
    }
}
