//! `eye wait`: waits until an element exists or an expression is true.

use super::params::with_options;
use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::results;
use crate::ui;
use serde_json::{Map, Value};

/// Builds the params of `page/wait`.
pub fn params(words: &Map<String, Value>) -> Map<String, Value> {
    let what = words.get("what").and_then(Value::as_str).unwrap_or_default();
    let name = if is_target(what) { "target" } else { "expr" };
    Map::from_iter([(name.to_owned(), what.into())])
}

/// Waits. The verb may run again, so that a reload does not end it.
pub fn run(params: &Map<String, Value>, options: &Options) -> Result<Exit, Failure> {
    let mut params = with_options(Value::Object(params.clone()), options);
    params.insert("again".into(), true.into());
    match client::verb("wait", &params, options) {
        Ok(result) => results::show(&result, options),
        Err(Failure::Call(error)) => {
            if let Some(value) = &error.value {
                ui::value(&results::of_raw(&value.to_string()), options)?;
            }
            Err(error.into())
        }
        Err(failure) => Err(failure),
    }
}

/// Whether the text names an element; the page client decides by the same rule.
fn is_target(what: &str) -> bool {
    let what = what.strip_prefix('@').unwrap_or(what);
    let is_ref = what.strip_prefix('e').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    is_ref || what.starts_with(['#', '.', '[']) || what.starts_with("text=") || what.starts_with("css=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_expressions_are_distinguished() {
        for what in ["text=a == b", "css=button", "#done", ".done", "[data-done]", "e9", "@e12"] {
            assert!(is_target(what), "{what}");
        }
        for what in ["done", "e9.checked", "elements", "x == 1", "document.title", "e"] {
            assert!(!is_target(what), "{what}");
        }
    }
}
