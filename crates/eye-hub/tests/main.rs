//! The hub in this process, tested over its sockets.
#![allow(clippy::unwrap_used, reason = "this is test code, also outside of its tests")]

mod admission;
mod agent;
mod backends;
mod btcp;
mod btcp_http;
mod btcp_streams;
mod calls;
mod faults;
mod llm;
mod scene;
mod stage;
mod verbs;
mod websocket;
