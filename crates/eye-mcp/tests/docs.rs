//! Everything that `docs/gateway.md` shows works.

#[path = "../examples/gateway.rs"]
mod example;

use crate::stage::{Home, faulty};
use serde_json::json;
use std::path::Path;

const DOCS: &str = include_str!("../../../docs/gateway.md");
const EXAMPLE: &str = include_str!("../examples/gateway.rs");

/// The code blocks in a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    DOCS.split(fence.as_str()).skip(1).map(|part| part.split("```").next().unwrap_or_default()).collect()
}

#[tokio::test]
async fn the_example_finds_a_tool_and_calls_it() {
    let home = Home::new();
    home.config(&faulty(&[("s", &[])]));
    let answer = example::find_and_call(home.settings(), "echo", json!({ "message": "hello" })).await.unwrap();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
    assert_eq!(text, r#"{"name":"echo","arguments":{"message":"hello"}}"#, "{answer}");
}

#[test]
fn the_docs_show_the_example_as_it_is() {
    let shown = blocks("rust");
    assert_eq!(shown.len(), 1);
    assert!(EXAMPLE.contains(shown[0].trim()), "{}", shown[0]);
}

#[test]
fn every_config_in_the_docs_is_one() {
    let configs = blocks("yaml");
    assert!(!configs.is_empty());
    for config in configs {
        eye_mcp::config::parse(config, Path::new("docs/gateway.md")).unwrap();
    }
}
