//! The gateway's config, and imported configs of other programs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;

// Its files alone: the gateway around them would be most of what is compiled here.
#[path = "../../crates/eye-mcp/src/config/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the gateway uses the rest")]
mod config;
#[path = "../../crates/eye-mcp/src/limits.rs"]
#[allow(dead_code, reason = "the gateway uses the rest")]
mod limits;
#[path = "../../crates/eye-mcp/src/project.rs"]
mod project;

fuzz_target!(|text: &str| {
    let file = Path::new("config.yaml");
    if let Ok(read) = config::parse(text, file) {
        for (name, server) in &read.servers {
            let _ = (server.shown(), config::check_name(name));
        }
    }
    let _ = config::parse(text, Path::new("config.json"));
    for name in ["mcp.json", "config.toml"] {
        let _ = config::import(text, Path::new(name), Path::new("/"));
    }
});
