//! How bytes come and go: the Unix socket, WebSocket, server-sent events and single POSTs; and what a listener needs
//! (its place, TLS).

pub mod events;
pub mod holder;
pub mod place;
pub mod post;
pub mod requests;
mod share;
pub mod tls;
mod turn;
pub mod unix;
pub mod websocket;
pub mod ws;
