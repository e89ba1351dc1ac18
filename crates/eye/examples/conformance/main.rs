//! A hub whose MCP face has, beside everything else, what the official conformance suite expects of a server. With the
//! URL of such a server and the era to speak with it as its arguments it has nothing of its own, and everything through
//! its gateway. It takes a free port, says where it is in its first line, and serves until its stdin ends.

#![allow(clippy::print_stdout, reason = "its parent reads from the first line where it is")]

#[path = "../../src/faces.rs"]
mod faces;
mod fixture;
mod inputs;
mod tools;

use eye_hub::{Auth, Config};
use eye_mcp::config;
use eye_mcp::face::{Face, Provider};
use eye_mcp::{Gateway, Project, Settings};
use std::io::Read;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let home = std::env::temp_dir().join(format!("eye-conformance-{}", std::process::id()));
    std::fs::create_dir_all(&home)?;
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let project = Project { cwd: home.clone(), ..Project::default() };
    let upstream = std::env::args().nth(1);
    let overrides = match &upstream {
        Some(url) => {
            let era = std::env::args().nth(2).unwrap_or_else(|| "auto".into());
            config::parse(&format!("servers:\n  up:\n    url: {url}\n    era: {era}\n"), &home)?
        }
        None => config::Config::default(),
    };
    let gateway = Gateway::new(Settings { project, overrides, ..Settings::default() });
    let provider: Option<Arc<dyn Provider>> = match upstream {
        Some(_) => None,
        None => Some(Arc::new(fixture::Fixture::new())),
    };
    // The suite looks for tools in the list, so behind a gateway the list is the full one.
    let path = if provider.is_some() { "mcp" } else { "mcp?full" };
    let face = Face::with(gateway, env!("CARGO_PKG_VERSION"), provider);
    let config = Config {
        socket: home.join("run/hub.sock"),
        listen: ([127, 0, 0, 1], 0).into(),
        published: false,
        proxy_users: Vec::new(),
        hosts: Vec::new(),
        auth: Auth::None,
        tls: None,
        origins_file: home.join("origins"),
        state_dir: home.join("state"),
        wide_folders: Vec::new(),
        audit: eye_hub::AuditMode::Off,
        first_calls: eye_hub::random_first_calls(),
        rate: eye_hub::RATE_DEFAULT,
        guests: vec![faces::guest(face)],
    };
    eye_hub::run(config, |ready| println!("http://{}/{path}", ready.listen))?;
    Ok(())
}
