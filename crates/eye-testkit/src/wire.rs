//! A WebSocket that one thread reads and others write, over plain TCP.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex, PoisonError};
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::protocol::Role;
use tungstenite::{Error, Message, WebSocket};

/// One end that reads, and answers pings by itself.
pub type Reader = WebSocket<Shared>;

/// The end that writes.
#[derive(Clone)]
pub struct Writer {
    socket: Arc<Mutex<WebSocket<Shared>>>,
    tcp: Arc<TcpStream>,
}

/// A TCP stream whose writes are whole: two WebSocket ends may share it without mixing their frames.
#[derive(Clone)]
pub struct Shared {
    tcp: Arc<TcpStream>,
    turn: Arc<Mutex<()>>,
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

/// Connects to `ws://127.0.0.1:port`.
pub fn connect(port: u16, path: &str, origin: Option<&str>) -> Result<(Reader, Writer), Error> {
    let tcp = Arc::new(TcpStream::connect(("127.0.0.1", port))?);
    tcp.set_nodelay(true)?;
    let shared = Shared { tcp: Arc::clone(&tcp), turn: Arc::default() };
    let mut request = format!("ws://127.0.0.1:{port}{path}").into_client_request()?;
    if let Some(origin) = origin {
        request.headers_mut().insert("Origin", HeaderValue::from_str(origin)?);
    }
    let (reader, _) = tungstenite::client::client(request, shared.clone()).map_err(|error| match error {
        tungstenite::HandshakeError::Failure(error) => error,
        tungstenite::HandshakeError::Interrupted(_) => Error::ConnectionClosed,
    })?;
    let socket = Arc::new(Mutex::new(WebSocket::from_raw_socket(shared, Role::Client, None)));
    Ok((reader, Writer { socket, tcp }))
}

impl Writer {
    /// Sends one text message. A connection that is gone is noticed by its reader.
    pub fn send(&self, text: &str) {
        let mut socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = socket.send(Message::text(text));
    }

    /// Cuts the connection without a word, as a crash does.
    pub fn cut(&self) {
        let _ = self.tcp.shutdown(std::net::Shutdown::Both);
    }
}
