//! The machine that paints: a validated shader is compiled once and then executed for a tile of pixels per instruction.
//! It knows naga's representation and nothing of fitness, mutation or files.

mod builtin;
mod code;
mod compile;
mod expression;
mod layout;
mod mask;
mod math;
mod paint;
mod program;
mod registers;
mod run;
mod surface;
mod unsupported;
mod word;

pub use paint::{Machine, Painted};
pub use program::Program;
pub use run::{Halt, Watch};
