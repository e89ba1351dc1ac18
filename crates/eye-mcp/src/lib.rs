//! MCP for eye: the gateway to other MCP servers, the catalogue of everything callable, and the faces for MCP clients.
//!
//! A program that embeds the gateway needs two methods: [`Gateway::call`] and [`Gateway::discover`]. The library prints
//! nothing and reads no environment: paths and variables come in with [`Settings`] and [`Project`].

pub mod catalogue;
pub mod config;
pub mod context;
pub mod error;
pub mod face;
pub mod gateway;
mod http_client;
pub mod limits;
pub mod metrics;
mod oauth;
pub mod onboarding;
pub mod pace;
mod project;
pub mod status;
mod upstream;

pub use error::RpcError;
pub use gateway::{
    CallContext, Change, ChangeKind, Changes, Gateway, More, NoticeSink, Project, Scope, ServerState, ServerStatus,
    Settings,
};
pub use pace::Pace;
pub use upstream::Era;
