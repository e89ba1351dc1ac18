//! Geometry: pictures and the Hilbert curve that orders their pixels, cartridges that keep a picture with its source,
//! and the evolution of the shaders that paint them. These modules block and compute, and know no socket. `agents`
//! decides what area agents do, as a function of time and event. `store` keeps cartridges on disk. `wire` connects all
//! of it with a hub.

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
