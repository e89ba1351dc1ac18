//! The certificates that are trusted for TLS connections to a hub.

use crate::error::Error;
use rustls::{ClientConfig, RootCertStore};
use std::fmt;
use std::sync::Arc;

/// Trusted certificates. By default those of this machine, or of `SSL_CERT_FILE`.
#[derive(Clone, Default)]
pub struct Trust(Option<Arc<ClientConfig>>);

impl Trust {
    /// Trusts only these roots.
    pub fn new(roots: RootCertStore) -> Result<Self, Error> {
        configure(roots).map(|config| Self(Some(config)))
    }

    /// The TLS configuration. Reads the machine's certificates here, not before they are needed.
    pub fn config(&self) -> Result<Arc<ClientConfig>, Error> {
        match &self.0 {
            Some(config) => Ok(Arc::clone(config)),
            None => configure(system_roots()),
        }
    }
}

impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Trust(given)" } else { "Trust(system)" })
    }
}

/// The root certificates of this machine, or of `SSL_CERT_FILE`.
pub fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

fn configure(roots: RootCertStore) -> Result<Arc<ClientConfig>, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Tls(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}
