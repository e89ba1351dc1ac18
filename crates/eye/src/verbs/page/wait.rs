//! `eye wait`: until something is there, or true.

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::said;
use crate::ui;
use serde_json::json;

/// Wait until a target is visible or an expression is true, and print it
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye wait 'text=Order placed'
         eye wait '#result' --timeout 60
         eye wait 'cart.items.length > 2 && cart.total'

A target is a ref (e9), text=…, css=…, or a selector that begins with # . or [; everything else is an expression, whose \
first truthy value is printed. Nothing is polled by you: the page looks again whenever it changes. After a reload the wait \
goes on. At the timeout it prints the last value and exits with 124.")]
pub struct Args {
    /// What to wait for
    #[arg(value_name = "TARGET|EXPR")]
    what: String,
}

/// Waits.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let what = &args.what;
    let params = if is_target(what) { json!({ "target": what }) } else { json!({ "expr": what }) };
    let mut params = super::with_options(params, options);
    params.insert("again".into(), true.into());
    match client::verb("wait", &params, options) {
        Ok(result) => said::show(&result, options),
        Err(Failure::Call(error)) => {
            if let Some(value) = &error.value {
                ui::value(&said::of_raw(&value.to_string()), options)?;
            }
            Err(error.into())
        }
        Err(failure) => Err(failure),
    }
}

/// Whether this names an element; the page client decides by the same rule.
fn is_target(what: &str) -> bool {
    let what = what.strip_prefix('@').unwrap_or(what);
    let is_ref = what.strip_prefix('e').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    is_ref || what.starts_with(['#', '.', '[']) || what.starts_with("text=") || what.starts_with("css=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_expressions_are_told_apart() {
        for what in ["text=a == b", "css=button", "#done", ".done", "[data-done]", "e9", "@e12"] {
            assert!(is_target(what), "{what}");
        }
        for what in ["done", "e9.checked", "elements", "x == 1", "document.title", "e"] {
            assert!(!is_target(what), "{what}");
        }
    }
}
