//! Parses one layer of a config, and checks server names.

use super::error::ConfigError;
use super::model::Config;
use crate::limits::{CONFIG_BYTES_MAX, SERVER_NAME_BYTES_MAX, SERVERS_MAX};
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("`{}` is not a server name; use 1 to {SERVER_NAME_BYTES_MAX} characters", .0.escape_debug())]
    Malformed(String),
    /// The name would clash with those of pages or of eye itself.
    #[error("the server name `{0}` is eye's own; take another")]
    Reserved(String),
}

/// Parses one layer. `file` is only named in errors.
pub fn parse(text: &str, file: &Path) -> Result<Config, ConfigError> {
    if text.len() > CONFIG_BYTES_MAX {
        return Err(ConfigError::new(file, format!("more than {} MiB", CONFIG_BYTES_MAX >> 20)));
    }
    // A file with nothing but comments is an empty layer.
    let config: Option<Config> = serde_saphyr::from_str(text).map_err(|error| ConfigError::of_yaml(file, &error))?;
    let config = config.unwrap_or_default();
    if config.servers.len() > SERVERS_MAX {
        return Err(ConfigError::new(file, format!("more than {SERVERS_MAX} servers")));
    }
    for name in config.servers.keys() {
        check_name(name).map_err(|error| ConfigError::new(file, error.to_string()))?;
    }
    Ok(config)
}

/// The JSON Schema of a config file, for editors.
pub fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Config).to_value();
    schema["title"] = "eye's gateway".into();
    schema
}

/// Checks a server's name.
pub fn check_name(name: &str) -> Result<(), NameError> {
    if name.is_empty() || name.len() > SERVER_NAME_BYTES_MAX || name.chars().any(char::is_control) {
        return Err(NameError::Malformed(name.to_owned()));
    }
    if name == "eye" || name.starts_with("page:") || name.starts_with("page_") {
        return Err(NameError::Reserved(name.to_owned()));
    }
    Ok(())
}
