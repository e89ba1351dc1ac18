//! Fetches the page as a browser's navigation does: follows and records redirects, sends no cookies, reads a bounded
//! part of the body.

use crate::trust::roots;
use eye_remote::fetch::{self, FetchError, Get, Got};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use url::Url;

/// The limit of browsers.
const REDIRECTS_MAX: usize = 20;
/// Timeout for one response.
const PATIENCE: Duration = Duration::from_secs(10);
/// Only the beginning of a document is read: policies and tags are there.
const BODY_BYTES_MAX: usize = 1 << 20;
/// A browser's user agent, so that the page answers as it would to a browser.
const AGENT: &str =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36";

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Redirect {
    pub from: String,
    pub status: u16,
    pub to: String,
}

#[derive(Clone, Debug)]
pub struct Visit {
    /// The final address, after redirects.
    pub url: Url,
    pub redirects: Vec<Redirect>,
    /// The final response.
    pub got: Got,
    /// Why a browser would not trust the certificate.
    pub distrust: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum VisitError {
    #[error("{url} cannot be reached: {source}")]
    Unreachable {
        /// The page, the target of a redirect, or the hub's `/why`.
        url: Url,
        source: FetchError,
    },
    #[error("{url} redirects more than {REDIRECTS_MAX} times")]
    Endless {
        /// The first address.
        url: Url,
    },
    /// The redirect's target is not an HTTP address.
    #[error("{url} redirects to {to}, which is no page of the web")]
    Astray {
        url: Url,
        /// The `Location` header as sent.
        to: String,
    },
    #[error("TLS: {0}")]
    Tls(String),
}

/// Fetches a page and follows its redirects.
pub fn visit(begin: &Url) -> Result<Visit, VisitError> {
    let mut url = begin.clone();
    let mut redirects = Vec::new();
    while redirects.len() <= REDIRECTS_MAX {
        let (got, distrust) = one(&url, &page_headers(&url))?;
        let Some(to) = got.one("location").filter(|_| is_redirect(got.status)) else {
            return Ok(Visit { url, redirects, got, distrust });
        };
        let next = url.join(to).ok().filter(is_of_the_web);
        let Some(mut next) = next else {
            return Err(VisitError::Astray { to: to.to_owned(), url });
        };
        if next.fragment().is_none() {
            next.set_fragment(url.fragment());
        }
        redirects.push(Redirect { from: url.to_string(), status: got.status, to: next.to_string() });
        url = next;
    }
    Err(VisitError::Endless { url: begin.clone() })
}

/// One GET with an origin, as a page's script would send it. The certificate is not enforced: the request holds no
/// secret.
pub fn ask_as(url: &Url, origin: &str) -> Result<Got, VisitError> {
    let headers = vec![("host", authority(url)), ("origin", origin.to_owned()), ("user-agent", AGENT.to_owned())];
    one(url, &headers).map(|(got, _)| got)
}

/// Whether the URL is one that a browser opens over HTTP.
pub fn is_of_the_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

fn page_headers(url: &Url) -> Vec<(&'static str, String)> {
    vec![
        ("host", authority(url)),
        ("user-agent", AGENT.to_owned()),
        ("accept", "text/html,application/xhtml+xml,*/*;q=0.8".to_owned()),
        ("accept-encoding", "identity".to_owned()),
        ("sec-fetch-dest", "document".to_owned()),
        ("sec-fetch-mode", "navigate".to_owned()),
        ("sec-fetch-site", "none".to_owned()),
        ("upgrade-insecure-requests", "1".to_owned()),
    ]
}

fn authority(url: &Url) -> String {
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    format!("{}{port}", url.host_str().unwrap_or_default())
}

fn one(url: &Url, headers: &[(&'static str, String)]) -> Result<(Got, Option<String>), VisitError> {
    let witness = Arc::new(Witness::new()?);
    let tls = if url.scheme() == "https" { Some(witness.clone().config()?) } else { None };
    let query = url.query().map_or_else(String::new, |query| format!("?{query}"));
    let host = url.host_str().unwrap_or_default();
    let get = Get {
        host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
        port: url.port_or_known_default().unwrap_or(80),
        tls,
        path: format!("{}{query}", url.path()),
        headers: headers.to_vec(),
        patience: PATIENCE,
        body_bytes_max: BODY_BYTES_MAX,
    };
    let got = fetch::get(&get).map_err(|source| VisitError::Unreachable { url: url.clone(), source })?;
    Ok((got, witness.saw()))
}

/// Verifies a certificate as a browser does and records the fault, but continues: a page under development often has a
/// certificate that only its author's browser trusts, and the request holds no secret.
#[derive(Debug)]
struct Witness {
    judge: Arc<WebPkiServerVerifier>,
    saw: Mutex<Option<String>>,
}

impl Witness {
    fn new() -> Result<Self, VisitError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let judge = WebPkiServerVerifier::builder_with_provider(Arc::new(roots()), provider)
            .build()
            .map_err(|error| VisitError::Tls(error.to_string()))?;
        Ok(Self { judge, saw: Mutex::new(None) })
    }

    fn config(self: Arc<Self>) -> Result<Arc<ClientConfig>, VisitError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| VisitError::Tls(error.to_string()))?
            .dangerous()
            .with_custom_certificate_verifier(self)
            .with_no_client_auth();
        Ok(Arc::new(config))
    }

    fn saw(&self) -> Option<String> {
        self.saw.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ServerCertVerifier for Witness {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let judged = self.judge.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        if let Err(error) = judged {
            *self.saw.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.judge.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.judge.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.judge.supported_verify_schemes()
    }
}
