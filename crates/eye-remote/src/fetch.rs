//! One HTTP GET, limited in time and bytes, to fetch a page from outside. It follows no redirects and stores nothing;
//! the caller interprets the response.

use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

#[derive(Clone, Debug)]
pub struct Get {
    /// Host name or IP address, without brackets.
    pub host: String,
    pub port: u16,
    /// The trusted certificates; `None` for plain HTTP.
    pub tls: Option<Arc<ClientConfig>>,
    pub path: String,
    /// Must include `Host`.
    pub headers: Vec<(&'static str, String)>,
    /// The limit for the whole request.
    pub patience: Duration,
    /// Bytes of the body that are read; the rest is dropped.
    pub body_bytes_max: usize,
}

#[derive(Clone, Debug)]
pub struct Got {
    pub status: u16,
    /// In order; values that are not ASCII are left out.
    pub headers: Vec<(String, String)>,
    /// The body up to the limit.
    pub body: Vec<u8>,
    /// Whether the body is longer.
    pub cut: bool,
    /// The server's address.
    pub address: IpAddr,
}

impl Got {
    /// All values of a header; `name` in lower case.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The first value of a header; `name` in lower case.
    pub fn one<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.all(name).next()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// Connecting failed, TLS included.
    #[error("{0}")]
    Unreachable(io::Error),
    /// The host is not a valid name for TLS.
    #[error("{0} cannot be asked over TLS")]
    NotAName(String),
    /// The response is not HTTP.
    #[error("it does not speak HTTP: {0}")]
    NotHttp(hyper::Error),
    /// The request is not valid.
    #[error("it cannot be asked for: {0}")]
    NotAsked(http::Error),
    #[error("it did not answer within {} s", .0.as_secs())]
    Late(Duration),
    /// The runtime did not start.
    #[error("starting the runtime: {0}")]
    Runtime(io::Error),
}

/// Sends the request and waits for the response. Blocks; creates its own runtime.
pub fn get(what: &Get) -> Result<Got, FetchError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(FetchError::Runtime)?;
    let got = runtime.block_on(async { timeout(what.patience, ask(what)).await });
    got.unwrap_or(Err(FetchError::Late(what.patience)))
}

async fn ask(what: &Get) -> Result<Got, FetchError> {
    // Browsers resolve every name under localhost to this machine, whatever the system says (RFC 6761).
    let host = if what.host.ends_with(".localhost") { "localhost" } else { &what.host };
    let tcp = TcpStream::connect((host, what.port)).await.map_err(FetchError::Unreachable)?;
    let address = tcp.peer_addr().map_err(FetchError::Unreachable)?.ip().to_canonical();
    match &what.tls {
        None => exchange(what, address, TokioIo::new(tcp)).await,
        Some(config) => {
            let name = ServerName::try_from(what.host.clone()).map_err(|_| FetchError::NotAName(what.host.clone()))?;
            let tls = TlsConnector::from(config.clone()).connect(name, tcp).await.map_err(FetchError::Unreachable)?;
            exchange(what, address, TokioIo::new(tls)).await
        }
    }
}

async fn exchange<I>(what: &Get, address: IpAddr, io: I) -> Result<Got, FetchError>
where
    I: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
{
    let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.map_err(FetchError::NotHttp)?;
    let connection = tokio::spawn(connection);
    let mut request = http::Request::get(&what.path);
    for (name, value) in &what.headers {
        request = request.header(*name, value);
    }
    let request = request.body(String::new()).map_err(FetchError::NotAsked)?;
    let response = sender.send_request(request).await.map_err(FetchError::NotHttp)?;
    let (head, body) = response.into_parts();
    let text = |value: &http::HeaderValue| value.to_str().map(str::to_owned).ok();
    let headers = head.headers.iter().filter_map(|(name, value)| Some((name.to_string(), text(value)?))).collect();
    let (body, cut) = beginning(body, what.body_bytes_max).await;
    // The rest of the body is not read, so the connection cannot be reused.
    connection.abort();
    Ok(Got { status: head.status.as_u16(), headers, body, cut, address })
}

async fn beginning(mut body: Incoming, bytes_max: usize) -> (Vec<u8>, bool) {
    let mut read = Vec::new();
    // If the body breaks off, its beginning is still used.
    while let Some(Ok(frame)) = body.frame().await {
        read.extend_from_slice(frame.data_ref().map_or(&[][..], |data| data));
        if read.len() > bytes_max {
            read.truncate(bytes_max);
            return (read, true);
        }
    }
    (read, false)
}
