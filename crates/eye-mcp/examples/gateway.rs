//! The gateway as a library: find a tool by words, call it by name. Reads `servers.yaml` of the current folder.
#![allow(clippy::print_stdout, reason = "an example shows what it got")]

use eye_mcp::{Gateway, Project, Settings};
use serde_json::{Value, json};

/// Finds the tool that fits the words best, calls it, and gives what it said.
pub async fn find_and_call(
    settings: Settings,
    words: &str,
    arguments: Value,
) -> Result<Value, Box<dyn std::error::Error>> {
    let gateway = Gateway::new(settings);
    let found = gateway.discover(words).await?.text();
    let name = found.split('(').next().unwrap_or_default();
    let answer =
        gateway.call(json!({ "method": "tools/call", "params": { "name": name, "arguments": arguments } })).await;
    gateway.shut_down().await;
    Ok(answer)
}

#[allow(dead_code, reason = "a test takes this file in for the function above")]
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let project = Project { cwd: std::env::current_dir()?, env: std::env::vars().collect() };
    let settings = Settings { project, user_config: Some("servers.yaml".into()), ..Settings::default() };
    println!("{}", find_and_call(settings, "echo", json!({ "message": "hello" })).await?);
    Ok(())
}
