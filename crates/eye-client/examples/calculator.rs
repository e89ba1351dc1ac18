//! A program that offers a tool as a page does, and an agent that calls it.

use eye_client::{Address, Agent, CallOptions, Error, Page, ToolError};
use serde_json::json;
use std::time::Duration;

/// Adds two numbers the long way round: through the hub.
pub fn add(hub: &Address, a: f64, b: f64) -> Result<String, Error> {
    let adder = json!({
        "name": "add",
        "description": "Adds two numbers.",
        "inputSchema": {
            "type": "object",
            "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
            "required": ["a", "b"]
        }
    });
    let page = Page::builder()
        .title("Calculator")
        .tool(adder, |call| {
            let number = |name: &str| call.arguments()[name].as_f64().ok_or_else(|| ToolError::new("no number"));
            call.progress(1.0, Some(2.0), "adding");
            Ok(json!(number("a")? + number("b")?))
        })
        .connect(hub)?;

    let agent = Agent::connect(hub)?;
    agent.join(page.session())?;
    let options = CallOptions { timeout: Some(Duration::from_secs(5)), ..CallOptions::default() };
    let result = agent.call_with("add", &json!({ "a": a, "b": b }), options)?;
    Ok(result["content"][0]["text"].as_str().unwrap_or_default().to_owned())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let socket = std::env::args_os().nth(1).ok_or("say where the hub's socket is")?;
    let sum = add(&Address::socket(socket), 2.0, 3.0)?;
    assert_eq!(sum, "5.0");
    Ok(())
}
