//! The config files that `eye servers` changes, and the caller's folder and environment for the gateway.

use crate::env::{self, Var};
use crate::failure::Failure;
use crate::places;
use eye_mcp::config::{self, ConfigError};
use serde_json::{Map, Value, json};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The caller's folder and environment: the gateway runs upstreams there.
pub fn asking(cwd: Option<PathBuf>) -> Map<String, Value> {
    let mut params = Map::new();
    // A hub elsewhere does not have this folder and must not receive this environment.
    if let Some(cwd) = cwd.filter(|_| Var::Server.get().is_none()) {
        params.insert("cwd".into(), json!(cwd));
        params.insert("env".into(), json!(env::everything()));
    }
    params
}

/// The file to write: the project's nearest config or a new one here, or the user's.
pub fn target(project: bool) -> Result<PathBuf, Failure> {
    if !project {
        return places::config_file();
    }
    let cwd = env::current_folder().ok_or_else(|| Failure::usage("this folder is gone", "go to another one"))?;
    Ok(config::project_file(&cwd).unwrap_or_else(|| cwd.join(".eye/config.yaml")))
}

/// The text of a config; a missing file counts as empty.
pub fn read(file: &Path) -> Result<String, Failure> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(Failure::io(format!("read {}", file.display()))(error)),
    }
}

/// Writes a config. The user's own may hold secrets and is private; a project's is readable by all.
pub fn write(file: &Path, text: &str, project: bool) -> Result<(), Failure> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let doing = || format!("write {}", file.display());
    if !project {
        return config::private::write(file, text).map_err(Failure::io(doing()));
    }
    fs::create_dir_all(folder).map_err(Failure::io(doing()))?;
    // Replaced atomically, because a hub may read it at any moment.
    let draft = file.with_extension("yaml.draft");
    fs::write(&draft, text).and_then(|()| fs::rename(&draft, file)).map_err(Failure::io(doing()))
}

/// Converts a config error to a usage failure.
pub fn failure_of(error: &ConfigError) -> Failure {
    Failure::Usage { message: error.to_string(), hint: error.hint.clone() }
}
