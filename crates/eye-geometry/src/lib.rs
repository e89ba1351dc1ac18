//! Geometry: pictures and the Hilbert curve that orders their pixels, cartridges that keep a picture with its source,
//! and the evolution of the shaders that paint them: these block and compute, and know no socket. `agents` is what area
//! agents do, as a function of time and event; `store` keeps cartridges on disk; `wire` is the shell around all of it
//! that a hub talks to.

pub mod agents;
mod breeding;
pub mod cartridge;
pub mod evolution;
mod fields;
mod genome;
pub mod hilbert;
pub mod limits;
mod machine;
mod picture;
pub mod refusal;
pub mod store;
pub mod wire;

pub use picture::Picture;
