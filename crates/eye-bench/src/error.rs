//! The errors of a benchmark run.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// Called by hand without its arguments.
    #[error("run `cargo xtask bench`")]
    Usage,
    #[error("{doing}: {source}")]
    Io {
        /// A participle phrase, such as "reading the token".
        doing: &'static str,
        source: io::Error,
    },
    /// A WebSocket failed.
    #[error("{doing}: {source}")]
    Socket {
        /// A participle phrase, such as "reading the token".
        doing: &'static str,
        source: Box<tungstenite::Error>,
    },
    /// A hub was not reached, or is gone.
    #[error("{doing}: {source}")]
    Client {
        /// A participle phrase, such as "reading the token".
        doing: &'static str,
        source: eye_client::Error,
    },
    /// An unexpected answer or state.
    #[error("{0}")]
    Odd(String),
}

/// Adds the failed action to an error.
pub trait Doing<T> {
    /// `what` is a participle phrase, such as "reading the token".
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
