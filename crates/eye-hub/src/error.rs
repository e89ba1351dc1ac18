//! The error of a hub that does not start, or that stops.

use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// Another hub listens on the socket.
    #[error("a hub already runs on {}", socket.display())]
    Running { socket: PathBuf },
    #[error("{listen} is taken by {holder}")]
    PortTaken {
        listen: SocketAddr,
        /// The program that has the port, as far as the hub can find out.
        holder: String,
    },
    /// Listening beyond loopback needs a token and TLS, or the explicit flag.
    #[error("listening on {listen}, beyond loopback, needs {needs}")]
    Exposed {
        listen: SocketAddr,
        /// What is missing.
        needs: &'static str,
    },
    /// The folder of the socket is not safe to use.
    #[error("{}: {why}", path.display())]
    UnsafeSocketPath {
        /// The folder or file.
        path: PathBuf,
        why: String,
    },
    #[error("TLS: {0}")]
    Tls(String),
    /// Any other error of the system.
    #[error("{doing}: {source}")]
    Io {
        /// The operation that failed.
        doing: String,
        source: std::io::Error,
    },
}

impl HubError {
    /// Adds the name of the failed operation to an I/O error.
    pub(crate) fn io(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }
}
