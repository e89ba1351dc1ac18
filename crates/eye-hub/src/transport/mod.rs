//! Transports: the Unix socket, WebSocket, server-sent events and single POSTs; and what a listener needs (the socket's
//! location, TLS).

pub mod events;
pub mod holder;
pub mod locked_socket;
pub mod post;
pub mod requests;
mod share;
pub mod tls;
mod turn;
pub mod unix;
pub mod websocket;
pub mod ws;
