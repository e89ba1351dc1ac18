//! The metrics that a run can optimize, with their names on the wire.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The metric of a run. Every fitness is 0 to 1, higher is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// The same picture with fewer operations.
    Performance,
    /// Contrast, edges and colour.
    VisualQuality,
    /// Similarity to the picture of the target shader, or of the seed shader if there is no target.
    Correctness,
    /// Entropy of the luminance histogram, divided by 8.
    Entropy,
}

impl Metric {
    pub const ALL: [Self; 4] = [Self::Performance, Self::VisualQuality, Self::Correctness, Self::Entropy];

    pub fn name(self) -> &'static str {
        match self {
            Self::Performance => "performance",
            Self::VisualQuality => "visual_quality",
            Self::Correctness => "correctness",
            Self::Entropy => "entropy",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name is not one of a metric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("fitness_metric must be one of: performance, visual_quality, correctness, entropy")]
pub struct UnknownMetric;

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(name: &str) -> Result<Self, UnknownMetric> {
        Self::ALL.into_iter().find(|metric| metric.name() == name).ok_or(UnknownMetric)
    }
}
