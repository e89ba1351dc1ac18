//! The request, progress and outcome of a run.

use super::metric::Metric;
use std::time::Duration;

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct Request {
    /// The seed shader, as WGSL.
    pub seed_shader: String,
    /// WGSL whose picture the run shall reach; for `correctness` and `performance`.
    pub target_shader: Option<String>,
    pub generations: u32,
    pub metric: Metric,
    /// The chance that a place of a shader changes, 0 to 1.
    pub mutation_rate: f64,
    /// The number of shaders alive at once.
    pub population: usize,
    /// The random seed: the same request with the same seed gives the same outcome.
    pub seed: u64,
    /// Pixels per side of the scored picture.
    pub size: u32,
    /// When this time is over, the run ends with its best shader.
    pub time_budget: Duration,
    /// The number of threads. The outcome does not depend on it.
    pub threads: usize,
}

/// The progress of a run, after each generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The generation that has just been scored, from 1.
    pub generation: u32,
    /// The number of generations of the run.
    pub generations: u32,
    /// The best fitness so far.
    pub best_fitness: f64,
    /// The mean fitness of the shaders alive.
    pub mean_fitness: f64,
    /// Shaders painted and scored so far.
    pub evaluations: u64,
    /// Invalid children so far: not a valid shader, or with too many steps.
    pub invalid: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub best_fitness: f64,
    pub seed_fitness: f64,
    pub generations_completed: u32,
    /// Shaders painted and scored.
    pub evaluations: u64,
    /// Invalid children: not a valid shader, or with too many steps.
    pub invalid: u64,
    /// The best shader, as WGSL.
    pub shader: String,
    pub ended: Ended,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All generations are done.
    Done,
    /// The time budget is used up.
    TimeBudget,
    /// The caller cancelled it.
    Cancelled,
}
