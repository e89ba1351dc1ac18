//! The settings of the gateway: YAML in layers, `${VAR}`, and errors by line and column.

mod consent;
mod edit;
pub(crate) mod environment;
mod error;
mod expand;
mod files;
mod import;
mod model;
pub mod private;
mod read;
mod shown;
mod spec;

pub use consent::{Consents, consent_file, fingerprint};
pub use edit::{add_server, remove_server, switch_server};
pub use error::ConfigError;
pub use expand::variables;
pub use files::{Layers, ProjectEntry, Stamp, project_file};
pub use import::{Imported, import};
pub use model::{Approve, Cache, Command, Config, EraChoice, InheritEnv, RateConfig, ServerConfig, Startup};
pub use read::{NameError, check_name, parse, schema};
pub use shown::shown_url;
pub use spec::{Spec, SpecError, Transport};

#[cfg(test)]
mod tests;
