//! Geometry: pictures and the Hilbert curve that orders their pixels, cartridges that keep a picture with its source, and
//! the evolution of the shaders that paint them. Everything here blocks and computes; sockets and clocks of others are absent.

pub mod cartridge;
pub mod evolution;
mod genome;
pub mod hilbert;
pub mod limits;
mod machine;
mod picture;

pub use picture::Picture;
