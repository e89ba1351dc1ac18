//! What a run is asked for, what it tells on its way, and what it gives.

use super::metric::Metric;
use std::time::Duration;

/// What to breed, from what, and for how long.
#[derive(Clone, Debug)]
pub struct Request {
    /// The WGSL to begin with.
    pub seed_shader: String,
    /// The WGSL whose picture is to be reached; for `correctness` and `performance`.
    pub target_shader: Option<String>,
    /// How many generations.
    pub generations: u32,
    /// What makes a shader fit.
    pub metric: Metric,
    /// The chance that a place of a shader changes, 0 to 1.
    pub mutation_rate: f64,
    /// How many shaders are alive at once.
    pub population: usize,
    /// The random seed: the same request with the same seed gives the same outcome.
    pub seed: u64,
    /// Pixels of the scored picture per side.
    pub size: u32,
    /// The run ends with its best shader once this has passed.
    pub time_budget: Duration,
    /// How many threads to use. The outcome does not depend on it.
    pub threads: usize,
}

/// How far a run is, after each generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The generation that has just been scored, from 1.
    pub generation: u32,
    /// How many there will be.
    pub generations: u32,
    /// The best fitness so far.
    pub best_fitness: f64,
    /// The mean fitness of the shaders alive.
    pub mean_fitness: f64,
    /// Shaders painted and scored so far.
    pub evaluations: u64,
    /// Children so far that were no valid shader, or did not come to an end.
    pub invalid: u64,
}

/// What a run found.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The fitness of `shader`.
    pub best_fitness: f64,
    /// The fitness of the seed shader.
    pub seed_fitness: f64,
    /// Generations scored.
    pub generations_completed: u32,
    /// Shaders painted and scored.
    pub evaluations: u64,
    /// Children that were no valid shader, or did not come to an end.
    pub invalid: u64,
    /// The best shader, as WGSL.
    pub shader: String,
    /// Why it ended.
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
