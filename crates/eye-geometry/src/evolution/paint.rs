//! Paints one shader, and starts threads with a large enough stack.

use super::failure::Failure;
use crate::limits::{STACK_BYTES, TILE_STEPS_MAX};
use crate::machine::{Halt, Machine, Painted, Program, Watch};

/// Paints a shader that is not a child, and reports why it cannot be painted.
pub fn painted(machine: &mut Machine, program: &Program, watch: Watch<'_>) -> Result<Painted, Failure> {
    machine.paint(program, TILE_STEPS_MAX, watch).map_err(|halt| match halt {
        Halt::Steps => Failure::Endless { steps: TILE_STEPS_MAX },
        Halt::Over => Failure::Cancelled,
    })
}

/// Runs `work` on a thread whose stack is large enough for every nesting within the limits.
pub fn on_deep_stack<T: Send>(work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        let worker = worker.map_err(|error| Failure::Thread { reason: error.to_string() })?;
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
