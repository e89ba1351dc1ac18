//! Tools, resources and prompts of the program that embeds a face, beside those of pages and upstreams.

use super::call::{Call, Stop};
use super::client::Change;
use super::hub::Later;
use super::outcome::Outcome;
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

/// The embedding program's own tools, resources and prompts. They are listed under their own names in every mode.
pub trait Provider: Debug + Send + Sync {
    /// What it has.
    fn list(&self, list: List) -> Vec<Box<RawValue>>;

    /// Answers a request that is about something of its own. `None`: it is not.
    fn serve<'a>(&'a self, call: &'a Call) -> Option<Later<'a, Result<Outcome, Stop>>>;

    /// Tells when its lists or resources change.
    fn changes(&self) -> broadcast::Receiver<Change>;
}
