//! Types that all parts of the area agents share: ids, states and results.

use super::plan::Region;
use crate::Picture;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Milliseconds since the shell started.
pub type Millis = u64;

pub type AgentId = Arc<str>;

/// The number of a connection of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Socket(pub u64);

/// The state of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Not started.
    Spawned,
    Running,
    /// Paused until it is resumed.
    Paused,
    /// Ended by a request, or with its page.
    Stopped,
    /// Ended, because it has done all its work.
    Finished,
    /// Ended after too many failures.
    Error,
}

impl Status {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spawned => "spawned",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Stopped => "stopped",
            Self::Finished => "finished",
            Self::Error => "error",
        }
    }

    /// Whether the agent has ended.
    pub fn is_end(self) -> bool {
        match self {
            Self::Spawned | Self::Running | Self::Paused => false,
            Self::Stopped | Self::Finished | Self::Error => true,
        }
    }
}

/// The result of a task.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    Seen(Sight),
    /// A report as members: of a program that ran, or a shader that was bred.
    Told(Map<String, Value>),
}

/// The result of a look at a region.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    pub picture: Arc<Picture>,
    /// The share of pixels that differ from the picture it was compared with, 0 to 1.
    pub changed: f64,
    /// The rectangle on the map that contains the differing pixels.
    pub bounds: Option<Region>,
    /// Entropy in bits, 0 to 8.
    pub entropy: f64,
    /// The number of pixels of each luminance.
    pub histogram: Vec<u64>,
    /// The number of different colours.
    pub unique_colours: usize,
}

/// Why a task failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    pub message: String,
    /// Whether a repetition would fail in the same way.
    pub for_good: bool,
}
