//! The HTTP client for upstreams and their authorization servers. It follows no redirects and keeps no cookies.

use bytes::Bytes;
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// The limit for opening a connection.
pub const CONNECT: Duration = Duration::from_secs(10);

pub type HttpClient = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// A client for `https` with the system's certificates, or for `http` only, which needs none.
pub fn http_client(https: bool) -> io::Result<HttpClient> {
    let mut tcp = HttpConnector::new();
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(Some(CONNECT));
    tcp.enforce_http(false);
    let builder = HttpsConnectorBuilder::new();
    let builder = if https {
        builder.with_provider_and_native_roots(rustls::crypto::ring::default_provider())?
    } else {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.map_err(io::Error::other)?.with_root_certificates(rustls::RootCertStore::empty());
        builder.with_tls_config(config.with_no_client_auth())
    };
    let connector = builder.https_or_http().enable_http1().wrap_connector(tcp);
    Ok(Client::builder(TokioExecutor::new()).build(connector))
}
