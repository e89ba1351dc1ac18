//! Why a hub does not start.

use std::net::SocketAddr;
use std::path::PathBuf;

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
