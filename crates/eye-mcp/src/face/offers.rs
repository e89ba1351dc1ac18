//! The interface for what the program that embeds a face offers of its own, beside pages and upstreams.

use serde_json::value::RawValue;
use std::fmt::Debug;
use tokio::sync::broadcast;

/// The lists of MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    Tools,
    Resources,
    Templates,
    Prompts,
}

/// A change that clients may be notified of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Tools,
    Prompts,
    Resources,
    /// One resource, by its URI.
    Resource(String),
}

/// The embedding program's own tools, resources and prompts. They are listed under their own names in every mode.
pub trait Offers: Debug + Send + Sync {
    fn list(&self, list: List) -> Vec<Box<RawValue>>;

    /// A receiver of changes to its lists and resources.
    fn changes(&self) -> broadcast::Receiver<Change>;
}
