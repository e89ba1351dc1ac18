//! One HTTP GET, bounded in time and bytes, to look at a page from outside. It follows no redirects and
//! keeps nothing; what the answer means is the caller's business.

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

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Get {
    /// The host's name or IP address, without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Whom to trust, when it speaks TLS.
    pub tls: Option<Arc<ClientConfig>>,
    /// Path and query.
    pub path: String,
    /// Further headers; `Host` among them.
    pub headers: Vec<(&'static str, String)>,
    /// How long all of it may take.
    pub patience: Duration,
    /// What of the body is read; the rest is left.
    pub body_bytes_max: usize,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Got {
    /// The status.
    pub status: u16,
    /// The headers, in their order; text that is no ASCII is passed over.
    pub headers: Vec<(String, String)>,
    /// The beginning of the body, or all of it.
    pub body: Vec<u8>,
    /// Whether there is more of it.
    pub cut: bool,
    /// Who answered.
    pub address: IpAddr,
}

impl Got {
    /// Every value of a header, named in lower case.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The first value of a header.
    pub fn one<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.all(name).next()
    }
}

/// Why nothing came back.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// Nothing listens there.
    #[error("{0}")]
    Unreachable(io::Error),
    /// The name is no name for TLS.
    #[error("{0} cannot be asked over TLS")]
    NotAName(String),
    /// What came is no HTTP.
    #[error("it does not speak HTTP: {0}")]
    NotHttp(hyper::Error),
    /// The request itself cannot be written.
    #[error("it cannot be asked for: {0}")]
    NotAsked(http::Error),
    /// It took too long.
    #[error("it did not answer within {} s", .0.as_secs())]
    Late(Duration),
    /// The runtime did not start.
    #[error("starting the runtime: {0}")]
    Runtime(io::Error),
}

/// Asks and waits.
pub fn get(what: &Get) -> Result<Got, FetchError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(FetchError::Runtime)?;
    let got = runtime.block_on(async { timeout(what.patience, ask(what)).await });
    got.unwrap_or(Err(FetchError::Late(what.patience)))
}

async fn ask(what: &Get) -> Result<Got, FetchError> {
    // Browsers take every name under localhost for this machine, whatever the system's names say (RFC 6761).
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
    // The rest of the body is not read, and the connection is not used again.
    connection.abort();
    Ok(Got { status: head.status.as_u16(), headers, body, cut, address })
}

async fn beginning(mut body: Incoming, bytes_max: usize) -> (Vec<u8>, bool) {
    let mut read = Vec::new();
    // A body that breaks off has said its beginning all the same.
    while let Some(Ok(frame)) = body.frame().await {
        read.extend_from_slice(frame.data_ref().map_or(&[][..], |data| data));
        if read.len() > bytes_max {
            read.truncate(bytes_max);
            return (read, true);
        }
    }
    (read, false)
}
