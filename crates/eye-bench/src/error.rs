//! Why a benchmark could not be run.

use std::io;

/// Why a benchmark could not be run.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// Called by hand without its arguments.
    #[error("run `cargo xtask bench`")]
    Usage,
    /// The system said no.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A socket broke.
    #[error("{doing}: {source}")]
    Socket {
        /// What was being done.
        doing: &'static str,
        /// What the library said.
        source: Box<tungstenite::Error>,
    },
    /// A hub was not reached, or is gone.
    #[error("{doing}: {source}")]
    Client {
        /// What was being done.
        doing: &'static str,
        /// What the client says.
        source: eye_client::Error,
    },
    /// Something did not happen as it must.
    #[error("{0}")]
    Odd(String),
}

/// Says what was being done when something failed.
pub trait Doing<T> {
    /// Says what was being done.
    fn doing(self, what: &'static str) -> Result<T, BenchError>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, doing: &'static str) -> Result<T, BenchError> {
        self.map_err(|source| BenchError::Io { doing, source })
    }
}

impl<T> Doing<T> for Result<T, tungstenite::Error> {
    fn doing(self, doing: &'static str) -> Result<T, BenchError> {
        self.map_err(|source| BenchError::Socket { doing, source: Box::new(source) })
    }
}

impl<T> Doing<T> for Result<T, eye_client::Error> {
    fn doing(self, doing: &'static str) -> Result<T, BenchError> {
        self.map_err(|source| BenchError::Client { doing, source })
    }
}
