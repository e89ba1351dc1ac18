//! What can be listed and what may change, and what the program that embeds a face offers of its own beside pages and
//! upstreams.

use serde_json::value::RawValue;
use std::fmt::Debug;
use tokio::sync::broadcast;

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// `tools/list`.
    Tools,
    /// `resources/list`.
    Resources,
    /// `resources/templates/list`.
    Templates,
    /// `prompts/list`.
    Prompts,
}

/// Something that a client may want to hear of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// One resource, by its URI.
    Resource(String),
}

/// The embedding program's own tools, resources and prompts. They are listed under their own names in every mode.
pub trait Offers: Debug + Send + Sync {
    /// What it has.
    fn list(&self, list: List) -> Vec<Box<RawValue>>;

    /// Tells when its lists or resources change.
    fn changes(&self) -> broadcast::Receiver<Change>;
}
