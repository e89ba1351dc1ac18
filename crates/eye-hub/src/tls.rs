//! TLS for whoever listens beyond loopback, or serves pages over HTTPS.

use crate::config::{HubError, Tls};
use rustls::ServerConfig;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

/// Reads certificate and key.
pub fn acceptor(tls: &Tls) -> Result<TlsAcceptor, HubError> {
    let wrong =
        |path: &std::path::Path, error: &dyn std::fmt::Display| HubError::Tls(format!("{}: {error}", path.display()));
    let certs = CertificateDer::pem_file_iter(&tls.cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| wrong(&tls.cert, &error))?;
    if certs.is_empty() {
        return Err(wrong(&tls.cert, &"holds no certificate"));
    }
    let key = PrivateKeyDer::from_pem_file(&tls.key).map_err(|error| wrong(&tls.key, &error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| HubError::Tls(error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(certs, key)
        .map_err(|error| wrong(&tls.cert, &error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
