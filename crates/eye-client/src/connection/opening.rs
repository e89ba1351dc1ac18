//! Opens a WebSocket to a hub: TCP, TLS if the URL requires it, and the request with the token.

use super::bytes::Bytes;
use super::reader::Reader;
use super::writer::Writer;
use crate::address::Server;
use crate::error::Error;
use crate::trust::Trust;
use eye_protocol::limits::{HANDSHAKE_MS, MESSAGE_BYTES_MAX, OUTBOX_STALL_MS};
use eye_protocol::messages::SUBPROTOCOL;
use rustls::ClientConnection;
use rustls::pki_types::ServerName;
use serde::Deserialize;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::{HeaderValue, Response, StatusCode};
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{HandshakeError, WebSocket};

const READ_BYTES: usize = 16 << 10;
/// A hub that accepts no data for this long counts as gone.
pub const WRITE: Duration = Duration::from_millis(OUTBOX_STALL_MS);

/// Parts of the request that opens a WebSocket, besides its URL and its token. A Unix socket has no such request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Opening<'a> {
    /// The query, such as `clientType=agent`.
    pub query: &'a str,
    /// The `Origin` that a browser would send; programs send none.
    pub origin: Option<&'a str>,
}

impl Opening<'_> {
    /// The opening of an agent.
    pub const AGENT: Opening<'static> = Opening { query: "clientType=agent", origin: None };
}

/// Connects to the hub at this URL.
pub fn connect(
    server: &Server,
    token: Option<&str>,
    trust: &Trust,
    opening: &Opening<'_>,
) -> Result<(Reader, Writer), Error> {
    server.check_token(token)?;
    let url = server.url();
    let unreachable = |source: io::Error| Error::Unreachable { address: url.clone(), source: Arc::new(source) };
    let odd = |error: tungstenite::Error| unreachable(io::Error::other(error));
    let mut request = format!("{url}?{}", opening.query).into_client_request().map_err(odd)?;
    // Declares that we also speak lines; otherwise the hub takes everything for JSON-RPC.
    request.headers_mut().insert("Sec-WebSocket-Protocol", HeaderValue::from_static(SUBPROTOCOL));
    if let Some(token) = token {
        let mut bearer = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| Error::Token)?;
        bearer.set_sensitive(true);
        request.headers_mut().insert("Authorization", bearer);
    }
    if let Some(origin) = opening.origin {
        let origin = HeaderValue::from_str(origin).map_err(|error| odd(error.into()))?;
        request.headers_mut().insert("Origin", origin);
    }
    let bytes = dial(server, trust, &unreachable)?;
    let limits = WebSocketConfig::default()
        .read_buffer_size(READ_BYTES)
        .max_message_size(Some(MESSAGE_BYTES_MAX))
        .max_frame_size(Some(MESSAGE_BYTES_MAX));
    let reader = match tungstenite::client::client_with_config(request, bytes.share(), Some(limits)) {
        Ok((reader, _)) => reader,
        Err(HandshakeError::Failure(tungstenite::Error::Http(response))) => return Err(refused(&url, &response)),
        Err(HandshakeError::Failure(tungstenite::Error::Io(source))) => return Err(unreachable(source)),
        Err(HandshakeError::Failure(error)) => return Err(odd(error)),
        Err(HandshakeError::Interrupted(_)) => return Err(unreachable(io::ErrorKind::TimedOut.into())),
    };
    bytes.set_patience(None).map_err(unreachable)?;
    let writer = WebSocket::from_raw_socket(bytes.share(), Role::Client, Some(limits));
    Ok((Reader::Server(Box::new(reader)), Writer::of_server(writer, bytes)))
}

fn dial(server: &Server, trust: &Trust, unreachable: &impl Fn(io::Error) -> Error) -> Result<Bytes, Error> {
    let tcp = TcpStream::connect((server.host.as_str(), server.port)).map_err(unreachable)?;
    tcp.set_nodelay(true).map_err(unreachable)?;
    tcp.set_write_timeout(Some(WRITE)).map_err(unreachable)?;
    tcp.set_read_timeout(Some(Duration::from_millis(HANDSHAKE_MS))).map_err(unreachable)?;
    if !server.tls {
        return Ok(Bytes::new(tcp, None));
    }
    let tls = |error: String| Error::Tls(error);
    let name = ServerName::try_from(server.host.clone()).map_err(|error| tls(error.to_string()))?;
    let session = ClientConnection::new(trust.config()?, name).map_err(|error| tls(error.to_string()))?;
    Ok(Bytes::new(tcp, Some(session)))
}

/// Converts an HTTP refusal. A proxy between here and the hub answers in its own form.
fn refused(url: &str, response: &Response<Option<Vec<u8>>>) -> Error {
    #[derive(Deserialize)]
    struct Refusal {
        error: String,
    }
    let status = response.status();
    let body = response.body().as_deref().unwrap_or_default();
    let why = serde_json::from_slice(body).map_or_else(|_| status.to_string(), |Refusal { error }| error);
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Error::Refused { address: url.to_owned(), why },
        _ => Error::Unreachable { address: url.to_owned(), source: Arc::new(io::Error::other(why)) },
    }
}
