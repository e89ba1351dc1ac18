//! Where certificates lie, how long they last, and why there may be none.

use std::io;
use std::path::PathBuf;
use time::Duration;

/// The longest that every browser takes from a root that a person added, with room for another month.
pub const VALID: Duration = Duration::days(397);
/// Clocks differ.
pub const SLACK: Duration = Duration::days(1);

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file cannot be used.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file holds something else.
    #[error("{} holds {what}", path.display())]
    Broken {
        /// Which.
        path: PathBuf,
        /// What.
        what: String,
    },
    /// What is no name of a machine.
    #[error("`{0}` is no host name or address")]
    NotAName(String),
    /// None was made yet.
    #[error("there is no certificate yet")]
    Missing,
    /// It could not be made.
    #[error("the certificate could not be made: {0}")]
    NotMade(#[from] rcgen::Error),
}

/// Where everything lies.
#[derive(Clone, Debug)]
pub struct Place(PathBuf);

impl Place {
    /// The folder; it need not exist.
    pub fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// The authority's certificate, which browsers are given.
    pub fn authority(&self) -> PathBuf {
        self.0.join("ca.pem")
    }

    /// The authority's key.
    pub fn authority_key(&self) -> PathBuf {
        self.0.join("ca-key.pem")
    }

    /// The certificate that the hub shows.
    pub fn cert(&self) -> PathBuf {
        self.0.join("cert.pem")
    }

    /// Its key.
    pub fn key(&self) -> PathBuf {
        self.0.join("key.pem")
    }
}
