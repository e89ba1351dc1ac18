//! The server's side of a WebSocket (RFC 6455): handshake, frames in, frames out. No extensions.
//!
//! Written here because of what every frame costs: the libraries clear their read buffer for each read, copy small
//! messages, and unmask and check a large one at once, for which all others wait. `cargo xtask counts` measures it;
//! tests hold it against `tungstenite`.

pub mod decoder;
pub mod encoder;
pub mod handshake;
mod opcode;
pub mod stream;
