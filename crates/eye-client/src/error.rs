//! Errors of agents and pages. Branch on the variant, and on the code of the hub's answer.

use eye_protocol::Code;
use eye_protocol::limits::FRAME_BYTES_MAX;
use std::io;
use std::sync::Arc;

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The hub, or the page behind it, answered with an error.
    #[error("{}", .0.message)]
    Answer(eye_protocol::Error),
    /// The connection is gone, with all open calls. The code or the tool may have run.
    #[error("the connection to the hub is gone: {why}")]
    Disconnected {
        /// The last error of the connection.
        why: Arc<str>,
    },
    /// The connection is open, but the hub does not answer.
    #[error("the hub did not answer in time")]
    Silent,
    /// No hub listens there.
    #[error("cannot reach a hub at {address}: {source}")]
    Unreachable { address: String, source: Arc<io::Error> },
    /// The hub refused this program.
    #[error("the hub at {address} refused the connection: {why}")]
    Refused { address: String, why: String },
    /// The text is not an address.
    #[error("`{address}` is no address of a hub")]
    Address { address: String },
    /// The token contains characters that no token has.
    #[error("the token holds characters that no token has")]
    Token,
    /// The token would be sent unencrypted to another machine.
    #[error("the token would travel to {address} in the clear")]
    TokenInTheClear { address: String },
    /// TLS cannot be used.
    #[error("TLS cannot be used: {0}")]
    Tls(String),
    /// The hub rejected a tool of this page.
    #[error("the tool {name} was not taken: {why}")]
    Tool {
        /// Empty if the definition has no name.
        name: String,
        why: String,
    },
    /// The message is over the size limit of the wire.
    #[error("{bytes} bytes are over the limit of {} MiB", FRAME_BYTES_MAX >> 20)]
    TooLong { bytes: usize },
    /// The hub sent a message that this version cannot parse.
    #[error("the hub sent what this client cannot read: {0}")]
    Garbled(String),
}

impl Error {
    /// The code, if the hub or a page answered with an error.
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::Answer(error) => Some(error.code),
            Self::Disconnected { .. }
            | Self::Silent
            | Self::Unreachable { .. }
            | Self::Refused { .. }
            | Self::Address { .. }
            | Self::Token
            | Self::TokenInTheClear { .. }
            | Self::Tls(_)
            | Self::Tool { .. }
            | Self::TooLong { .. }
            | Self::Garbled(_) => None,
        }
    }

    /// The next step, if known.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Answer(error) => error.hint.as_deref(),
            Self::Disconnected { .. } => Some("what was called may have run; look before you repeat it"),
            Self::Unreachable { .. } => Some("start one with eye up"),
            Self::Refused { .. } => Some("name the token that eye token show prints on the hub's machine"),
            Self::Address { .. } => Some("write it as ws://localhost:8765, wss://box.local:8765 or box.local"),
            Self::Token => Some("see eye token show on the hub's machine"),
            Self::TokenInTheClear { .. } => Some("use wss:// or a tunnel such as ssh -L"),
            Self::Silent | Self::Tls(_) | Self::Tool { .. } | Self::TooLong { .. } | Self::Garbled(_) => None,
        }
    }
}
