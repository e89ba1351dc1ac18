//! Pictures and evolution as a whole.

mod evolve;
mod paint;
mod refuse;
