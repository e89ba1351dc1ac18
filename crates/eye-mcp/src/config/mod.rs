//! The settings of the gateway: YAML in layers, `${VAR}`, and what is wrong with them, by line and column.

mod consent;
mod edit;
pub(crate) mod environment;
mod error;
mod expand;
mod files;
mod import;
mod model;
pub mod private;
mod shown;
mod spec;

pub use consent::{Consents, consent_file, fingerprint};
pub use edit::{add_server, remove_server, switch_server};
pub use error::ConfigError;
pub use expand::variables;
pub use files::{Layers, ProjectEntry, Stamp, project_file};
pub use import::{Imported, import};
pub use model::{Approve, Cache, Command, Config, EraChoice, InheritEnv, RateConfig, ServerConfig, Startup};
pub use shown::shown_url;
pub use spec::{Spec, Transport};

use crate::limits::{CONFIG_BYTES_MAX, SERVERS_MAX};
use std::path::Path;

/// Reads one layer. `file` is named in errors.
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
        check_name(name).map_err(|why| ConfigError::new(file, why))?;
    }
    Ok(config)
}

/// The JSON Schema of a config file, for editors.
pub fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Config).to_value();
    schema["title"] = "eye's gateway".into();
    schema
}

/// Whether a server may be called so; says why not.
pub fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name.len() > 64 || name.chars().any(char::is_control) {
        return Err(format!("`{}` is no server name; use 1 to 64 characters", name.escape_debug()));
    }
    if name == "eye" || name.starts_with("page:") || name.starts_with("page_") {
        return Err(format!("the server name `{name}` is eye's own; take another"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
