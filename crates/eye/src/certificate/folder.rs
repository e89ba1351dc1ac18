//! Paths and lifetimes of certificates, and the errors of making them.

use std::io;
use std::path::PathBuf;
use time::Duration;

/// The longest lifetime that every browser accepts under a root that a person added, with room for another month.
pub const VALID: Duration = Duration::days(397);
/// Certificates start this much in the past, because clocks differ.
pub const SLACK: Duration = Duration::days(1);

#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// The file of a certificate or of a key.
        path: PathBuf,
        source: io::Error,
    },
    #[error("{} holds {what}", path.display())]
    Broken {
        path: PathBuf,
        /// What the file holds instead of a certificate.
        what: String,
    },
    #[error("`{0}` is no host name or address")]
    NotAName(String),
    #[error("there is no certificate yet")]
    Missing,
    #[error("the certificate could not be made: {0}")]
    NotMade(#[from] rcgen::Error),
}

/// The folder of the certificates. It need not exist.
#[derive(Clone, Debug)]
pub struct CertificateFolder(PathBuf);

impl CertificateFolder {
    pub fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// The authority's certificate, which browsers import.
    pub fn authority(&self) -> PathBuf {
        self.0.join("ca.pem")
    }

    pub fn authority_key(&self) -> PathBuf {
        self.0.join("ca-key.pem")
    }

    /// The certificate that the hub presents.
    pub fn cert(&self) -> PathBuf {
        self.0.join("cert.pem")
    }

    /// The hub's private key.
    pub fn key(&self) -> PathBuf {
        self.0.join("key.pem")
    }
}
