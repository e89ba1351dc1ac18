//! What can go wrong for an agent or a page. Branch on the variant, and on the code of what the hub answered.

use eye_protocol::Code;
use eye_protocol::limits::FRAME_BYTES_MAX;
use std::io;
use std::sync::Arc;

/// Why something did not work.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The hub, or the page behind it, answered with an error.
    #[error("{}", .0.message)]
    Answer(eye_protocol::Error),
    /// The connection is gone, and with it whatever was under way. The code or the tool may have run.
    #[error("the connection to the hub is gone: {why}")]
    Disconnected {
        /// What was last heard.
        why: Arc<str>,
    },
    /// The connection is there, and the hub says nothing.
    #[error("the hub did not answer in time")]
    Silent,
    /// No hub is there.
    #[error("cannot reach a hub at {address}: {source}")]
    Unreachable {
        /// Where.
        address: String,
        /// What the system said.
        source: Arc<io::Error>,
    },
    /// The hub does not let this program in.
    #[error("the hub at {address} refused the connection: {why}")]
    Refused {
        /// Where.
        address: String,
        /// What it said.
        why: String,
    },
    /// What was given is no address.
    #[error("`{address}` is no address of a hub")]
    Address {
        /// What was given.
        address: String,
    },
    /// The token has characters that no token has.
    #[error("the token holds characters that no token has")]
    Token,
    /// A token would be sent unencrypted to another machine.
    #[error("the token would travel to {address} in the clear")]
    TokenInTheClear {
        /// Where.
        address: String,
    },
    /// TLS cannot be spoken.
    #[error("TLS cannot be used: {0}")]
    Tls(String),
    /// The hub did not take a tool that this page offers.
    #[error("the tool {name} was not taken: {why}")]
    Tool {
        /// Its name, as far as it has one.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// What was to be sent is over the limit of the wire.
    #[error("{bytes} bytes are over the limit of {} MiB", FRAME_BYTES_MAX >> 20)]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// The hub sent what this version cannot read.
    #[error("the hub sent what this client cannot read: {0}")]
    Garbled(String),
}

impl Error {
    /// The code, when the hub or a page answered with an error.
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

    /// The next step, where the hub named one.
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
