//! The machine that paints: it compiles a validated shader once, and executes each instruction for a whole tile of
//! pixels. It knows naga's representation, but nothing of fitness, mutation or files.

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
