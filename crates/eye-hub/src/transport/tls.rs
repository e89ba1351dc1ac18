//! TLS for hubs that listen beyond loopback or serve pages over HTTPS. The files are read again when they change.

use crate::error::HubError;
use eye_platform::files;
use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

/// The first byte of a TLS connection (a handshake record); no HTTP request begins with it.
const HANDSHAKE_RECORD: u8 = 0x16;

/// Files of a certificate chain and its key, both PEM.
#[derive(Clone, Debug)]
pub struct Tls {
    pub cert: PathBuf,
    pub key: PathBuf,
}

/// Reads certificate and key, or returns an error with the next step.
pub fn acceptor(tls: &Tls) -> Result<TlsAcceptor, HubError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let stamp = Stamp::of(tls);
    let key = read(tls, &provider)?;
    let held = Mutex::new(Held { stamp, key: Arc::new(key) });
    let resolver = Resolver { tls: tls.clone(), provider: provider.clone(), held };
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| HubError::Tls(error.to_string()))?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(resolver));
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Whether a connection begins with TLS. The caller must limit the wait for the first byte.
pub async fn begins(socket: &TcpStream) -> io::Result<bool> {
    let mut first = [0];
    Ok(socket.peek(&mut first).await? == 1 && first[0] == HANDSHAKE_RECORD)
}

/// Provides the certificate: the last valid content of the files.
#[derive(Debug)]
struct Resolver {
    tls: Tls,
    provider: Arc<CryptoProvider>,
    held: Mutex<Held>,
}

#[derive(Debug)]
struct Held {
    stamp: Stamp,
    key: Arc<CertifiedKey>,
}

impl ResolvesServerCert for Resolver {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = Stamp::of(&self.tls);
        if stamp != held.stamp {
            // The two files are never replaced at once: a pair that does not fit is read again with the next
            // connection, and the old one serves until then.
            if let Ok(key) = read(&self.tls, &self.provider) {
                *held = Held { stamp, key: Arc::new(key) };
            }
        }
        Some(held.key.clone())
    }
}

/// Detects that a file changed: reading the metadata of two files costs less than reading one file.
#[derive(Debug, PartialEq, Eq)]
struct Stamp([Option<(u64, Option<SystemTime>, u64)>; 2]);

impl Stamp {
    fn of(tls: &Tls) -> Self {
        let look = |path: &Path| {
            let found = fs::metadata(path).ok()?;
            Some((files::number(&found), found.modified().ok(), found.len()))
        };
        Self([look(&tls.cert), look(&tls.key)])
    }
}

fn read(tls: &Tls, provider: &CryptoProvider) -> Result<CertifiedKey, HubError> {
    let wrong = |path: &Path, error: &dyn Display| HubError::Tls(format!("{}: {error}", path.display()));
    let certs = CertificateDer::pem_file_iter(&tls.cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| wrong(&tls.cert, &describe(&error)))?;
    if certs.is_empty() {
        return Err(wrong(&tls.cert, &"holds no certificate"));
    }
    let key = PrivateKeyDer::from_pem_file(&tls.key).map_err(|error| wrong(&tls.key, &describe(&error)))?;
    CertifiedKey::from_der(certs, key, provider).map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => wrong(&tls.key, &"is not the key of that certificate"),
        error => wrong(&tls.cert, &error),
    })
}

/// The library's message, except for the most frequent errors.
fn describe(error: &rustls_pki_types::pem::Error) -> String {
    match error {
        rustls_pki_types::pem::Error::Io(error) => match error.kind() {
            io::ErrorKind::NotFound => "there is no such file".into(),
            io::ErrorKind::PermissionDenied => "may not be read by this user".into(),
            _ => error.to_string(),
        },
        rustls_pki_types::pem::Error::NoItemsFound => "holds no PEM of that kind".into(),
        error => error.to_string(),
    }
}
