//! The parameters of an evolution as requested over the wire, with the defaults and bounds of the original app
//! (`docs/seeds.md`).

use crate::evolution::{Metric, Request};
use crate::fields::Fields;
use crate::limits::{ASKED_GENERATIONS_MAX, ASKED_POPULATION_MAX, POPULATION_MIN, SCORED_SIDE, SHADER_BYTES_MAX};
use crate::refusal::Refusal;
use std::time::Duration;

/// The members that this module reads.
pub const KEYS: [&str; 6] =
    ["target_shader", "generations", "fitness_metric", "mutation_rate", "population_size", "seed"];

const GENERATIONS_DEFAULT: u64 = 10;
const POPULATION_DEFAULT: u64 = 20;
const MUTATION_RATE_DEFAULT: f64 = 0.1;
const METRIC_DEFAULT: Metric = Metric::Performance;
/// The largest integer that JavaScript counts exactly.
pub const SEED_MAX: u64 = (1 << 53) - 1;

/// The settings of a breeding run, without its first shader.
#[derive(Clone, Debug, PartialEq)]
pub struct Breeding {
    /// WGSL whose picture the run shall reach.
    pub target_shader: Option<String>,
    pub generations: u32,
    pub metric: Metric,
    /// The chance that a place of a shader changes, 0 to 1.
    pub mutation_rate: f64,
    /// The number of shaders alive at once.
    pub population: usize,
    /// The random seed. If absent, a random one is used.
    pub seed: Option<u64>,
}

impl Breeding {
    /// Reads the settings from a JSON object.
    pub fn read(fields: Fields<'_>) -> Result<Self, Refusal> {
        let generations = fields.integer("generations", 1..=ASKED_GENERATIONS_MAX)?.unwrap_or(GENERATIONS_DEFAULT);
        let metric = match fields.get("fitness_metric") {
            None => METRIC_DEFAULT,
            Some(name) => name.as_str().unwrap_or("").parse().map_err(|error| Refusal::invalid(format!("{error}")))?,
        };
        let mutation_rate = fields.number("mutation_rate", 0.01..=0.5)?.unwrap_or(MUTATION_RATE_DEFAULT);
        let least = u64::try_from(POPULATION_MIN).unwrap_or(u64::MAX);
        let population = fields.integer("population_size", least..=ASKED_POPULATION_MAX)?.unwrap_or(POPULATION_DEFAULT);
        Ok(Self {
            target_shader: fields.text("target_shader", SHADER_BYTES_MAX)?.map(str::to_owned),
            generations: u32::try_from(generations).unwrap_or(u32::MAX),
            metric,
            mutation_rate,
            population: usize::try_from(population).unwrap_or(usize::MAX),
            seed: fields.integer("seed", 0..=SEED_MAX)?,
        })
    }

    /// Builds the request for the evolution engine.
    pub fn request(self, seed_shader: String, seed: u64, time_budget: Duration, threads: usize) -> Request {
        Request {
            seed_shader,
            target_shader: self.target_shader,
            generations: self.generations,
            metric: self.metric,
            mutation_rate: self.mutation_rate,
            population: self.population,
            seed,
            size: SCORED_SIDE,
            time_budget,
            threads,
        }
    }
}
