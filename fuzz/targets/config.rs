//! The gateway's config, and imported configs of other programs.
#![no_main]

use eye_mcp::config;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

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
