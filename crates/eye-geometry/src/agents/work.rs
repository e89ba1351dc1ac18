//! Names, states and outcomes that everything about area agents shares.

use super::plan::Region;
use crate::Picture;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Milliseconds since the shell began.
pub type Millis = u64;

/// Names one agent.
pub type AgentId = Arc<str>;

/// Names one connection of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Socket(pub u64);

/// How an agent does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It has not begun.
    Spawned,
    /// It works.
    Running,
    /// It rests until it is resumed.
    Paused,
    /// It was ended, by a request or with its page.
    Stopped,
    /// It has done all it was for.
    Finished,
    /// It failed too often.
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

    /// Whether nothing more comes of it.
    pub fn is_end(self) -> bool {
        match self {
            Self::Spawned | Self::Running | Self::Paused => false,
            Self::Stopped | Self::Finished | Self::Error => true,
        }
    }
}

/// What a task led to.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// A look at the region.
    Seen(Sight),
    /// Something that tells of itself: a program that ran, a shader that was bred.
    Told(Map<String, Value>),
}

/// What was seen of a region.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    /// Its pixels.
    pub picture: Arc<Picture>,
    /// The share of pixels that differ from those it was compared with, 0 to 1.
    pub changed: f64,
    /// Where on the map they are.
    pub bounds: Option<Region>,
    /// Entropy in bits, 0 to 8.
    pub entropy: f64,
    /// How many pixels have each luminance.
    pub histogram: Vec<u64>,
    /// How many colours there are.
    pub unique_colours: usize,
}

/// Why a task came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// One sentence.
    pub message: String,
    /// Whether it would fail again in the same way.
    pub for_good: bool,
}
