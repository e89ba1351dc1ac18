//! The hub: sockets and HTTP around `eye-core`, dialects, the gate, and what the hub serves.
//!
//! It reads no environment and prints nothing; whoever runs it says where everything is ([`Config`]).

mod agent_link;
mod assets;
pub mod backends;
mod body;
mod caller;
mod carrier_events;
mod carrier_unix;
mod carrier_ws;
pub mod config;
mod dialect;
pub mod faces;
pub mod fetch;
pub mod gate;
mod hearing;
mod holder;
mod http;
mod http_agent;
mod http_backends;
mod http_btcp;
mod http_faces;
mod http_opened;
mod hub;
mod llm;
mod mailbox_files;
mod media;
mod memory;
mod metrics;
mod opened;
pub mod origins;
mod outbox;
mod peer;
mod place;
pub mod relay;
mod server;
mod session_id;
mod speaking;
mod tls;
pub mod token;
mod version;

pub use agent_link::{AgentLink, Answer, Links, ProgressSink};
pub use backends::Backends;
pub use config::{Auth, Config, HubError, Ready, Tls};
pub use faces::Faces;
pub use llm::LlmServer;
pub use server::run;
pub use token::Token;
