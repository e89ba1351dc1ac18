//! The server's side of a WebSocket (RFC 6455): handshake, frames in, frames out. No extensions.
//!
//! Written here because of the cost per frame: the libraries clear their read buffer for each read, copy small
//! messages, and unmask and check a large one at once, while all others wait. `cargo xtask counts` measures it; tests
//! compare it with `tungstenite`.

pub mod decoder;
pub mod encoder;
pub mod handshake;
mod opcode;
pub mod outlet;
pub mod stream;
