//! Frames over a WebSocket to the hub that `EYE_SERVER` names, with the bearer token. One frame per text message.

use crate::failure::Failure;
use crate::places;
use eye_protocol::limits::MESSAGE_BYTES_MAX;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde::Deserialize;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::{HeaderValue, StatusCode};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, HandshakeError, Message, WebSocket};

/// Where a hub listens that was named without a port.
const PORT_DEFAULT: u16 = 8765;
/// How long the other side may take to accept the connection.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Where a hub is reached over TCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Whether it speaks TLS.
    pub tls: bool,
    /// Its name or IP address, without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// What stands before `/ws`, empty in most cases.
    pub prefix: String,
}

impl Address {
    /// Reads `ws://`, `wss://`, `http://`, `https://` or a bare host. A bare host is plain on loopback only.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let wrong = || {
            let hint = "write it as ws://localhost:8765, wss://box.local:8765 or box.local";
            Failure::usage(format!("`{text}` is no address of a hub"), hint)
        };
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, text),
        };
        let rest = rest.split(['?', '#']).next().unwrap_or(rest);
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = split_port(authority).ok_or_else(wrong)?;
        let tls = match scheme.as_deref() {
            Some("ws" | "http") => false,
            Some("wss" | "https") => true,
            Some(_) => return Err(wrong()),
            None => !is_loopback(&host),
        };
        let port = port.unwrap_or(match (&scheme, tls) {
            (None, _) => PORT_DEFAULT,
            (Some(_), true) => 443,
            (Some(_), false) => 80,
        });
        let path = path.trim_end_matches('/');
        let prefix = path.strip_suffix("ws").map_or(path, |before| before.trim_end_matches('/'));
        let prefix = if prefix.is_empty() { String::new() } else { format!("/{prefix}") };
        Ok(Self { tls, host, port, prefix })
    }

    /// Refuses to send a token where others on the way could read it. Loopback, as `ssh -L` makes it, needs no TLS.
    pub fn check_token(&self, token: Option<&str>) -> Result<(), Failure> {
        if token.is_none() || self.tls || is_loopback(&self.host) {
            return Ok(());
        }
        Err(Failure::TokenInTheClear { url: self.base() })
    }

    /// The address without secrets, for people.
    pub fn url(&self) -> String {
        format!("{}/ws", self.with_scheme("ws"))
    }

    /// The same, for whoever does not mean the WebSocket alone.
    pub fn base(&self) -> String {
        self.with_scheme("http")
    }

    fn with_scheme(&self, scheme: &str) -> String {
        let secure = if self.tls { "s" } else { "" };
        let (open, close) = if self.host.contains(':') { ("[", "]") } else { ("", "") };
        format!("{scheme}{secure}://{open}{}{close}:{}{}", self.host, self.port, self.prefix)
    }
}

fn split_port(authority: &str) -> Option<(String, Option<u16>)> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']')?;
            (host, if after.is_empty() { None } else { Some(after.strip_prefix(':')?) })
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let clean = !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._:%".contains(&b));
    let port = match port {
        Some(digits) => Some(digits.parse().ok()?),
        None => None,
    };
    clean.then(|| (host.to_owned(), port))
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Plain or encrypted bytes.
enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Stream {
    fn tcp(&self) -> &TcpStream {
        match self {
            Self::Plain(tcp) => tcp,
            Self::Tls(tls) => tls.get_ref(),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(tcp) => tcp.read(bytes),
            Self::Tls(tls) => tls.read(bytes),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(tcp) => tcp.write(bytes),
            Self::Tls(tls) => tls.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Plain(tcp) => tcp.flush(),
            Self::Tls(tls) => tls.flush(),
        }
    }
}

/// A connection over a WebSocket.
pub struct ServerLink {
    socket: WebSocket<Stream>,
}

impl ServerLink {
    /// Connects as an agent.
    pub fn connect(address: &Address, token: Option<&str>) -> Result<Self, Failure> {
        address.check_token(token)?;
        let url = address.url();
        let unreachable = |why: String| Failure::Unreachable { url: url.clone(), why };
        let tcp = TcpStream::connect((address.host.as_str(), address.port)).map_err(|e| unreachable(e.to_string()))?;
        tcp.set_nodelay(true).map_err(|e| unreachable(e.to_string()))?;
        tcp.set_read_timeout(Some(HANDSHAKE)).map_err(|e| unreachable(e.to_string()))?;
        let stream = if address.tls { encrypt(tcp, &address.host).map_err(unreachable)? } else { Stream::Plain(tcp) };
        let mut request =
            format!("{url}?clientType=agent").into_client_request().map_err(|error| unreachable(error.to_string()))?;
        if let Some(token) = token {
            let mut bearer = HeaderValue::from_str(&format!("Bearer {token}"))
                .map_err(|_| Failure::usage("the token holds characters that no token has", "see eye token show"))?;
            bearer.set_sensitive(true);
            request.headers_mut().insert("Authorization", bearer);
        }
        let config = WebSocketConfig::default()
            .read_buffer_size(16 << 10)
            .max_message_size(Some(MESSAGE_BYTES_MAX))
            .max_frame_size(Some(MESSAGE_BYTES_MAX));
        match tungstenite::client::client_with_config(request, stream, Some(config)) {
            Ok((socket, _)) => Ok(Self { socket }),
            Err(HandshakeError::Failure(Error::Http(response))) => Err(refused(&url, *response)),
            Err(HandshakeError::Failure(error)) => Err(unreachable(error.to_string())),
            Err(HandshakeError::Interrupted(_)) => Err(unreachable("it did not answer in time".into())),
        }
    }

    /// Sends frames, one message each, in one flush.
    pub fn send(&mut self, frames: &[&str]) -> Result<(), Failure> {
        for frame in frames {
            self.socket.write(Message::text(*frame)).map_err(|_| Failure::HubGone)?;
        }
        self.socket.flush().map_err(|_| Failure::HubGone)
    }

    /// The next frame; `None` when the hub closed the connection.
    pub fn receive(&mut self) -> Result<Option<String>, Failure> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Ok(Some(text.as_str().to_owned())),
                Ok(Message::Close(_)) | Err(Error::ConnectionClosed | Error::AlreadyClosed) => return Ok(None),
                Ok(_) => {}
                Err(Error::Io(error)) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    return Err(Failure::HubSilent);
                }
                Err(Error::Io(_) | Error::Protocol(_)) => return Ok(None),
                Err(error) => return Err(Failure::Garbled(error.to_string())),
            }
        }
    }

    /// How long to wait for a frame.
    pub fn set_patience(&mut self, patience: Option<Duration>) -> Result<(), Failure> {
        self.socket.get_ref().tcp().set_read_timeout(patience).map_err(Failure::io("set a timeout"))
    }
}

/// How a hub says no over HTTP.
#[derive(Deserialize)]
struct Said {
    error: String,
}

fn refused(url: &str, response: tungstenite::http::Response<Option<Vec<u8>>>) -> Failure {
    let status = response.status();
    let body = response.into_body().unwrap_or_default();
    let why = match serde_json::from_slice::<Said>(&body) {
        Ok(said) => said.error,
        // Whatever stands between us and the hub speaks in its own form.
        Err(_) => status.to_string(),
    };
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Failure::Refused { url: url.to_owned(), why },
        _ => Failure::Unreachable { url: url.to_owned(), why },
    }
}

/// The roots that are trusted: this machine's, or `SSL_CERT_FILE`'s, and the authority of `eye tls`, which can sign
/// for this machine's own names only.
pub fn roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let own = places::tls_folder()
        .ok()
        .and_then(|folder| CertificateDer::from_pem_file(crate::certificate::Place::new(folder).authority()).ok());
    roots.add_parsable_certificates(own);
    roots
}

/// Whom to trust over TLS.
pub fn trust() -> Result<Arc<ClientConfig>, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots())
        .with_no_client_auth();
    Ok(Arc::new(config))
}

fn encrypt(tcp: TcpStream, host: &str) -> Result<Stream, String> {
    let name = ServerName::try_from(host.to_owned()).map_err(|error| error.to_string())?;
    let session = ClientConnection::new(trust()?, name).map_err(|error| error.to_string())?;
    Ok(Stream::Tls(Box::new(StreamOwned::new(session, tcp))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_in_every_spelling() {
        for (text, want) in [
            ("ws://localhost:8765", "ws://localhost:8765/ws"),
            ("http://127.0.0.1:9", "ws://127.0.0.1:9/ws"),
            ("https://box.local", "wss://box.local:443/ws"),
            ("wss://box.local:1/ws", "wss://box.local:1/ws"),
            ("wss://box.local/eye/", "wss://box.local:443/eye/ws"),
            ("ws://[::1]:7/ws?x=1", "ws://[::1]:7/ws"),
            ("localhost", "ws://localhost:8765/ws"),
            ("127.0.0.1:9", "ws://127.0.0.1:9/ws"),
            ("box.local", "wss://box.local:8765/ws"),
        ] {
            assert_eq!(Address::parse(text).unwrap().url(), want, "{text}");
        }
        for text in ["ftp://x", "ws://", "", "ws://a b", "ws://a:port", "ws://user@host"] {
            assert!(Address::parse(text).is_err(), "{text}");
        }
    }
}
