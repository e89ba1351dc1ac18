//! Evolution of WGSL shaders: a genetic search that parses, mutates, validates, paints and scores. It blocks the
//! caller's thread, computes on its own threads, does no I/O, and gives the same result for the same request.

mod breed;
mod failure;
mod individual;
mod metric;
mod paint;
mod request;
mod score;
mod search;
mod shader;
mod weights;

pub use failure::Failure;
pub use metric::{Metric, UnknownMetric};
pub use request::{Ended, Outcome, Progress, Request};

use crate::Picture;
use crate::limits::{GENERATIONS_MAX, PICTURE_SIDE_MAX, PICTURE_SIDE_MIN, POPULATION_MAX, POPULATION_MIN, THREADS_MAX};
use crate::machine::{Machine, Watch};
use paint::{on_deep_stack, painted};
use search::{Strategy, search};
use std::fmt::Display;
use std::sync::atomic::AtomicBool;

/// Breeds shaders for `request.metric` and returns the best one. Calls `progress` after each generation, on the
/// caller's thread. Setting `cancel` ends the run within milliseconds, with the best shader so far.
pub fn evolve(request: &Request, cancel: &AtomicBool, progress: &mut dyn FnMut(&Progress)) -> Result<Outcome, Failure> {
    check(request)?;
    search(request, Strategy::Evolve, cancel, progress)
}

/// Makes the same number of children with the same changes, but all from the seed: the baseline for evolution.
pub fn random_search(request: &Request, cancel: &AtomicBool) -> Result<Outcome, Failure> {
    check(request)?;
    search(request, Strategy::Random, cancel, &mut |_| {})
}

fn check(request: &Request) -> Result<(), Failure> {
    in_range("generations", request.generations, 1, GENERATIONS_MAX)?;
    in_range("population", request.population, POPULATION_MIN, POPULATION_MAX)?;
    in_range("mutation_rate", request.mutation_rate, 0.0, 1.0)?;
    in_range("size", request.size, PICTURE_SIDE_MIN, PICTURE_SIDE_MAX)?;
    in_range("threads", request.threads, 1, THREADS_MAX)
}

/// The picture that a shader paints, with `size` pixels per side.
pub fn picture(shader: &str, size: u32, cancel: &AtomicBool) -> Result<Picture, Failure> {
    in_range("size", size, PICTURE_SIDE_MIN, PICTURE_SIDE_MAX)?;
    let paint = || {
        let program = shader::program(shader, size)?;
        painted(&mut Machine::default(), &program, Watch { cancel, deadline: None }).map(|painted| painted.picture)
    };
    on_deep_stack(paint)
}

fn in_range<T: PartialOrd + Display + Copy>(what: &'static str, found: T, min: T, max: T) -> Result<(), Failure> {
    if found >= min && found <= max {
        return Ok(());
    }
    Err(Failure::OutOfRange { what, accepted: format!("{min} to {max}"), found: found.to_string() })
}
