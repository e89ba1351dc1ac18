//! Where an agent works: what its upstreams run in, and what a config may name.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// An agent's folder and environment: upstreams run in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Project {
    /// The agent's working folder; an absolute path.
    pub cwd: PathBuf,
    /// The agent's environment, source of `${VAR}` in a config. An upstream gets a few of these, and those its entry
    /// names.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}
