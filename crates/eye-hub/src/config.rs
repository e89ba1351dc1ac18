//! What a hub needs to know before it starts, and why it may not start. Nothing here reads the environment.

use crate::backends::Backends;
use crate::faces::Faces;
use crate::llm::LlmServer;
use crate::token::Token;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

/// Everything a hub is told. Paths come from the caller.
#[derive(Clone, Debug)]
pub struct Config {
    /// The Unix socket; its folder is made (0700) when missing, and must be this user's own.
    pub socket: PathBuf,
    /// Where to listen for HTTP and `WebSocket`s.
    pub listen: SocketAddr,
    /// The listening port is published to loopback only, by a container or a tunnel: beyond loopback without TLS is allowed.
    pub published: bool,
    /// Host names that are allowed beside the loopback ones.
    pub hosts: Vec<String>,
    /// Who may be an agent over TCP.
    pub auth: Auth,
    /// Certificate and key, for HTTPS and wss.
    pub tls: Option<Tls>,
    /// The file of allowed origins.
    pub origins_file: PathBuf,
    /// Where the hub remembers its sessions across a restart.
    pub state_dir: PathBuf,
    /// Folders of which only single files are served when an agent opens one: home and the temporary folders.
    pub wide_folders: Vec<PathBuf>,
    /// The folder whose files `in` and `out` are the mailbox, if there is one.
    pub mailbox: Option<PathBuf>,
    /// Who serves agents in another protocol: MCP.
    pub faces: Option<Arc<dyn Faces>>,
    /// Who computes for agents and for eye's own pages.
    pub backends: Option<Arc<dyn Backends>>,
    /// The LLM server.
    pub llm: Option<LlmServer>,
}

/// Who may be an agent over TCP.
#[derive(Clone, Debug)]
pub enum Auth {
    /// Whoever has the token.
    Token(Token),
    /// Anybody on this machine without a foreign origin; for trying things on loopback.
    None,
}

/// Files of a certificate chain and its key, both PEM.
#[derive(Clone, Debug)]
pub struct Tls {
    /// Certificate chain.
    pub cert: PathBuf,
    /// Private key.
    pub key: PathBuf,
}

/// What a hub says once it serves.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The address it listens on, with the port it really got.
    pub listen: SocketAddr,
    /// Whether it speaks TLS.
    pub tls: bool,
}

/// Why a hub did not start, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// Another hub has the socket.
    #[error("a hub already runs on {}", socket.display())]
    Running {
        /// The socket it has.
        socket: PathBuf,
    },
    /// The port is taken.
    #[error("{listen} is taken by {holder}")]
    PortTaken {
        /// The address wanted.
        listen: SocketAddr,
        /// Who has it, as far as can be told.
        holder: String,
    },
    /// Listening beyond loopback needs a token and TLS, or the explicit flag.
    #[error("listening on {listen}, beyond loopback, needs {needs}")]
    Exposed {
        /// The address wanted.
        listen: SocketAddr,
        /// What is missing.
        needs: &'static str,
    },
    /// The folder of the socket is not safe to use.
    #[error("{}: {why}", path.display())]
    UnsafePlace {
        /// The folder or file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The certificate or its key cannot be used.
    #[error("TLS: {0}")]
    Tls(String),
    /// Anything else of the system.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: String,
        /// What the system said.
        source: std::io::Error,
    },
}

impl HubError {
    /// Names what was being done when the system said no.
    pub(crate) fn io(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }
}
