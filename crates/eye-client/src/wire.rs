//! One connection that a thread reads and any number of threads write: the Unix socket, or a WebSocket over plain TCP.
//! It carries frames and knows nothing of what they say.

use crate::address::{Address, Server};
use crate::error::Error;
use eye_protocol::limits::{HANDSHAKE_MS, MESSAGE_BYTES_MAX, OUTBOX_STALL_MS};
use eye_protocol::stream::{self, Decoder};
use serde::Deserialize;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{HandshakeError, Message, WebSocket};

const READ_BYTES: usize = 16 << 10;
/// A hub that takes nothing for this long is as good as gone.
const WRITE: Duration = Duration::from_millis(OUTBOX_STALL_MS);

/// The end that reads.
pub enum Reader {
    Socket { stream: Arc<UnixStream>, decoder: Decoder },
    Server(Box<WebSocket<Shared>>),
}

/// The end that writes.
#[derive(Clone)]
pub enum Writer {
    Socket { stream: Arc<UnixStream>, turn: Arc<Mutex<()>> },
    Server { socket: Arc<Mutex<WebSocket<Shared>>>, tcp: Arc<TcpStream> },
}

/// A TCP stream whose writes are whole: the reading end answers pings on it, between the writing end's frames.
#[derive(Clone)]
pub struct Shared {
    tcp: Arc<TcpStream>,
    turn: Arc<Mutex<()>>,
}

/// Connects; `query` is what a WebSocket's URL says of the client.
pub fn connect(address: &Address, query: &str) -> Result<(Reader, Writer), Error> {
    match address {
        Address::Socket(path) => over_socket(path).map_err(|source| unreachable(address, source)),
        Address::Server { url, token } => over_tcp(address, &Server::parse(url)?, token.as_deref(), query),
    }
}

fn over_socket(path: &Path) -> io::Result<(Reader, Writer)> {
    let stream = Arc::new(UnixStream::connect(path)?);
    stream.set_write_timeout(Some(WRITE))?;
    let reader = Reader::Socket { stream: Arc::clone(&stream), decoder: Decoder::default() };
    Ok((reader, Writer::Socket { stream, turn: Arc::default() }))
}

fn over_tcp(address: &Address, server: &Server, token: Option<&str>, query: &str) -> Result<(Reader, Writer), Error> {
    let broken = |source| unreachable(address, source);
    let tcp = TcpStream::connect((server.host.as_str(), server.port)).map_err(broken)?;
    tcp.set_nodelay(true).map_err(broken)?;
    tcp.set_write_timeout(Some(WRITE)).map_err(broken)?;
    tcp.set_read_timeout(Some(Duration::from_millis(HANDSHAKE_MS))).map_err(broken)?;
    let tcp = Arc::new(tcp);
    let shared = Shared { tcp: Arc::clone(&tcp), turn: Arc::default() };
    let refused = |why: String| Error::Refused { address: address.to_string(), why };
    let mut request =
        format!("{}?{query}", server.base).into_client_request().map_err(|error| refused(error.to_string()))?;
    if let Some(token) = token {
        let wrong = |_| Error::Address { address: address.to_string(), why: "its token has characters that none has" };
        let mut bearer = HeaderValue::from_str(&format!("Bearer {token}")).map_err(wrong)?;
        bearer.set_sensitive(true);
        request.headers_mut().insert("Authorization", bearer);
    }
    let limits = WebSocketConfig::default()
        .read_buffer_size(READ_BYTES)
        .max_message_size(Some(MESSAGE_BYTES_MAX))
        .max_frame_size(Some(MESSAGE_BYTES_MAX));
    let reader = match tungstenite::client::client_with_config(request, shared.clone(), Some(limits)) {
        Ok((reader, _)) => reader,
        Err(HandshakeError::Failure(tungstenite::Error::Http(response))) => {
            return Err(refused(said(response.status().as_u16(), response.body().as_deref())));
        }
        Err(HandshakeError::Failure(tungstenite::Error::Io(source))) => return Err(broken(source)),
        Err(HandshakeError::Failure(error)) => return Err(refused(error.to_string())),
        Err(HandshakeError::Interrupted(_)) => return Err(broken(ErrorKind::TimedOut.into())),
    };
    tcp.set_read_timeout(None).map_err(broken)?;
    let socket = Arc::new(Mutex::new(WebSocket::from_raw_socket(shared, Role::Client, Some(limits))));
    Ok((Reader::Server(Box::new(reader)), Writer::Server { socket, tcp }))
}

fn unreachable(address: &Address, source: io::Error) -> Error {
    Error::Unreachable { address: address.to_string(), source: Arc::new(source) }
}

/// How a hub says no over HTTP; whatever else stands there speaks in its own form.
fn said(status: u16, body: Option<&[u8]>) -> String {
    #[derive(Deserialize)]
    struct Said {
        error: String,
    }
    match serde_json::from_slice::<Said>(body.unwrap_or_default()) {
        Ok(said) => said.error,
        Err(_) => format!("HTTP status {status}"),
    }
}

impl Reader {
    /// The next frame, or why there is none any more.
    pub fn read(&mut self) -> Result<String, String> {
        match self {
            Self::Socket { stream, decoder } => read_socket(stream, decoder),
            Self::Server(socket) => read_server(socket),
        }
    }
}

fn read_socket(mut stream: &UnixStream, decoder: &mut Decoder) -> Result<String, String> {
    loop {
        if let Some(frame) = decoder.frame().map_err(|error| error.to_string())? {
            return Ok(frame.to_owned());
        }
        let mut chunk = [0; READ_BYTES];
        match stream.read(&mut chunk) {
            Ok(0) => return Err("the hub closed it".into()),
            Ok(bytes) => decoder.push(&chunk[..bytes]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn read_server(socket: &mut WebSocket<Shared>) -> Result<String, String> {
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => return Ok(text.as_str().to_owned()),
            Ok(Message::Close(Some(close))) => return Err(format!("the hub closed it: {}", close.reason)),
            Ok(Message::Close(None)) => return Err("the hub closed it".into()),
            Ok(Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
}

impl Writer {
    /// Sends one frame. A connection that does not take it is cut: half a frame cannot be taken back.
    pub fn send(&self, frame: &str) -> Result<(), String> {
        let sent = match self {
            Self::Socket { stream, turn } => {
                let mut bytes = Vec::with_capacity(frame.len() + 16);
                stream::write(frame, &mut bytes);
                let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
                (&mut &**stream).write_all(&bytes).map_err(|error| error.to_string())
            }
            Self::Server { socket, .. } => {
                let mut socket = socket.lock().unwrap_or_else(PoisonError::into_inner);
                socket.send(Message::text(frame)).map_err(|error| error.to_string())
            }
        };
        if sent.is_err() {
            self.cut();
        }
        sent
    }

    /// Ends the connection for both ends, whatever they are doing.
    pub fn cut(&self) {
        // It may have ended by itself.
        let _ = match self {
            Self::Socket { stream, .. } => stream.shutdown(Shutdown::Both),
            Self::Server { tcp, .. } => tcp.shutdown(Shutdown::Both),
        };
    }
}

impl Read for Shared {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        (&*self.tcp).read(bytes)
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        (&*self.tcp).write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
