//! Shared by the gateway's tests: a folder with a config, and a gateway over it.
#![allow(clippy::unwrap_used, reason = "this is test code, although no function here is a test")]

use eye_mcp::config::{Config, Consents, Layers, consent_file};
use eye_mcp::{CallContext, Change, Changes, Gateway, Project, RpcError, Scope, ServerState, Settings};
pub use eye_testkit::DEADLINE;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder of a test, with a project in it.
pub struct Home {
    folder: TempDir,
}

impl Home {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("app/.eye")).unwrap();
        Self { folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn app(&self) -> PathBuf {
        self.path().join("app")
    }

    pub fn config(&self, text: &str) {
        fs::write(self.path().join("user.yaml"), text).unwrap();
    }

    /// Writes a project's config, and gives consent to its servers as `eye servers trust` does.
    pub fn trusted_config(&self, folder: &Path, text: &str) {
        fs::create_dir_all(folder.join(".eye")).unwrap();
        fs::write(folder.join(".eye/config.yaml"), text).unwrap();
        let user = self.path().join("user.yaml");
        let layers = Layers::read(Some(&user), folder, &Config::default());
        let file = consent_file(&user);
        let mut consents = Consents::read(&file).unwrap();
        for entry in &layers.project {
            consents.give(&layers.project_folder(), &entry.name, &entry.hash);
        }
        consents.write(&file).unwrap();
    }

    pub fn project(&self) -> Project {
        project(&self.app())
    }

    pub fn settings(&self) -> Settings {
        Settings {
            project: self.project(),
            user_config: Some(self.path().join("user.yaml")),
            state_folder: Some(self.path().join("state")),
            ..Settings::default()
        }
    }

    pub fn gateway(&self) -> Gateway {
        Gateway::new(self.settings())
    }
}

pub fn project(cwd: &Path) -> Project {
    let env: BTreeMap<String, String> = std::env::vars().filter(|(name, _)| name == "PATH" || name == "HOME").collect();
    Project { cwd: cwd.to_owned(), env }
}

/// A config with the fault server under each name, with arguments.
pub fn faulty(servers: &[(&str, &[&str])]) -> String {
    let program = env!("CARGO_BIN_EXE_eye-mcp-fault-server");
    let lines = servers.iter().map(|(name, args)| {
        let words: Vec<&str> = std::iter::once(program).chain(args.iter().copied()).collect();
        format!("  {name}: {{ command: {} }}\n", json!(words))
    });
    format!("servers:\n{}", lines.collect::<String>())
}

pub fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap()
}

pub async fn call(scope: &Scope, server: &str, tool: &str, arguments: Value) -> Result<Value, RpcError> {
    call_with(scope, server, tool, arguments, CallContext::default()).await
}

pub async fn call_with(
    scope: &Scope,
    server: &str,
    tool: &str,
    arguments: Value,
    context: CallContext,
) -> Result<Value, RpcError> {
    let params = raw(&json!({ "name": tool, "arguments": arguments }));
    let call = scope.call_tool(server, params, context);
    let result = tokio::time::timeout(DEADLINE, call).await.expect("a call ends in time")?;
    Ok(serde_json::from_str(result.get()).unwrap())
}

/// The text of a result.
pub fn text(result: Result<Value, RpcError>) -> String {
    result.expect("the call goes well")["content"][0]["text"].as_str().expect("a text").to_owned()
}

/// The next change, within the deadline.
pub async fn change(changes: &mut Changes) -> Change {
    tokio::time::timeout(DEADLINE, changes.recv()).await.expect("a change comes in time").expect("the gateway is there")
}

/// Waits for changes until `holds` returns true.
pub async fn until(changes: &mut Changes, mut holds: impl FnMut() -> bool) {
    while !holds() {
        change(changes).await;
    }
}

pub fn state(scope: &Scope, server: &str) -> ServerState {
    scope.servers().into_iter().find(|status| status.name == server).expect("the server is there").state
}

pub fn names(scope: &Scope) -> Vec<String> {
    scope.entries().iter().map(|entry| entry.name.to_string()).collect()
}
