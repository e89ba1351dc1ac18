//! A real hub in this process (`eye-testkit`'s), and peers on real sockets that a test controls.

pub mod btcp;

use eye_hub::{Config, HubError, Tls};
use eye_testkit::DEADLINE;
use eye_testkit::inside::InProcessHub;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::ops::Deref;
use std::os::unix::net::UnixStream;
use tungstenite::client::IntoClientRequest;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, Message, WebSocket};

pub const ORIGIN: &str = "http://localhost:5173";

/// A hub that ends when this value is dropped, and ways to connect to it.
pub struct Hub(InProcessHub);

impl Deref for Hub {
    type Target = InProcessHub;

    fn deref(&self) -> &InProcessHub {
        &self.0
    }
}

impl Hub {
    pub fn start() -> Self {
        Self(InProcessHub::start())
    }

    pub fn start_with(change: impl FnOnce(&mut Config)) -> Self {
        Self(InProcessHub::start_with(change))
    }

    pub fn agent(&self) -> Agent {
        Agent::connect(&self.socket)
    }

    /// A page that has sent hello and received its welcome.
    pub fn page(&self, session: &str) -> Page {
        let mut page = self.page_silent(session, ORIGIN);
        page.send(r#"{"jsonrpc":"2.0","id":"hello","method":"hello","params":{"typed":true,"page":{"title":"Test","url":"http://localhost:5173/"}}}"#);
        assert!(page.receive().contains("sessionId"), "a page is welcomed");
        page
    }

    /// A page that has connected and sent nothing.
    pub fn page_silent(&self, session: &str, origin: &str) -> Page {
        let path = format!("/ws?sessionId={session}&clientType=browser");
        Page(self.connect(&path, &[("origin", origin)]).expect("the page connects"))
    }

    /// A WebSocket, or the HTTP status of the refusal.
    pub fn connect(&self, path: &str, headers: &[(&'static str, &str)]) -> Result<WebSocket<TcpStream>, u16> {
        let mut request = format!("ws://{}{path}", self.listen).into_client_request().expect("a request");
        // Our own clients offer the subprotocol; BTCP clients send a version, and the originals have their own paths.
        if path.contains("clientType=") && !path.contains("version=") {
            request.headers_mut().insert("sec-websocket-protocol", "eye".parse().expect("a header"));
        }
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().expect("a header"));
        }
        let limits = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        match tungstenite::client::client_with_config(request, self.tcp(), Some(limits)) {
            Ok((socket, _)) => Ok(socket),
            Err(tungstenite::HandshakeError::Failure(Error::Http(response))) => Err(response.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    pub fn tcp(&self) -> TcpStream {
        let stream = TcpStream::connect(self.listen).expect("the hub listens");
        stream.set_read_timeout(Some(DEADLINE)).expect("a timeout can be set");
        stream
    }

    /// Sends a raw HTTP request and returns the whole response.
    pub fn http(&self, path: &str, headers: &str) -> String {
        let mut stream = self.tcp();
        write!(stream, "GET {path} HTTP/1.1\r\nconnection: close\r\n{headers}\r\n").expect("a request is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer comes");
        answer
    }

    /// As [`Self::http`], over TLS, trusting this certificate.
    pub fn https(&self, path: &str, headers: &str, certificate: Vec<u8>) -> String {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(certificate.into()).expect("a certificate");
        let config = rustls::ClientConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
            .with_safe_default_protocol_versions()
            .expect("the usual versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = rustls_pki_types::ServerName::try_from("localhost").expect("a name");
        let connection = rustls::ClientConnection::new(config.into(), name).expect("a connection");
        let mut stream = rustls::StreamOwned::new(connection, self.tcp());
        write!(stream, "GET {path} HTTP/1.1\r\nconnection: close\r\n{headers}\r\n").expect("a request is sent");
        let mut answer = Vec::new();
        // The server may close without a TLS close message; the response is complete then.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).expect("text")
    }

    /// Waits for the hub to end by itself.
    pub fn join(self) -> Result<(), HubError> {
        self.0.join()
    }
}

/// An agent on the Unix socket.
pub struct Agent {
    pub stream: UnixStream,
    decoder: eye_protocol::stream::Decoder,
}

impl Agent {
    pub fn connect(socket: &std::path::Path) -> Self {
        let stream = UnixStream::connect(socket).expect("the hub listens");
        stream.set_read_timeout(Some(DEADLINE)).expect("a timeout can be set");
        Self { stream, decoder: eye_protocol::stream::Decoder::default() }
    }

    pub fn send(&mut self, frame: &str) {
        self.send_all(&[frame]);
    }

    pub fn send_all(&mut self, frames: &[&str]) {
        let mut bytes = Vec::new();
        for frame in frames {
            eye_protocol::stream::write(frame, &mut bytes);
        }
        self.stream.write_all(&bytes).expect("the hub reads");
    }

    /// The next frame; `None` when the hub has closed the connection.
    pub fn receive(&mut self) -> Option<String> {
        loop {
            if let Some(frame) = self.decoder.frame().expect("the hub writes frames") {
                return Some(frame.to_owned());
            }
            let mut bytes = [0; 16384];
            match self.stream.read(&mut bytes) {
                Ok(0) => return None,
                Ok(count) => self.decoder.push(&bytes[..count]),
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("{error}"),
            }
        }
    }

    pub fn ask(&mut self, frame: &str) -> String {
        self.send(frame);
        self.receive().expect("an answer")
    }

    /// Waits until `count` pages are connected.
    pub fn wait_for_pages(&mut self, count: usize) {
        let deadline = std::time::Instant::now() + DEADLINE;
        while !self.ask(r#"{"jsonrpc":"2.0","id":1,"method":"hub/status"}"#).contains(&format!("\"pages\":{count},")) {
            assert!(std::time::Instant::now() < deadline, "{count} pages are connected in time");
        }
    }
}

/// A page on a WebSocket.
pub struct Page(pub WebSocket<TcpStream>);

impl Page {
    pub fn send(&mut self, frame: &str) {
        self.0.send(Message::text(frame)).expect("the hub reads");
    }

    pub fn receive(&mut self) -> String {
        match self.0.read().expect("a message") {
            Message::Text(text) => text.to_string(),
            other => panic!("{other:?}"),
        }
    }

    /// The hub's close code and reason; skips text messages before it.
    pub fn closed(&mut self) -> (u16, String) {
        loop {
            match self.0.read().expect("a close frame") {
                Message::Close(Some(frame)) => return (frame.code.into(), frame.reason.to_string()),
                Message::Text(_) | Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

/// A certificate for localhost, and its key, as files.
pub fn certificate(home: &std::path::Path) -> (Tls, Vec<u8>) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).expect("a certificate");
    let tls = Tls { cert: home.join("cert.pem"), key: home.join("key.pem") };
    std::fs::write(&tls.cert, made.cert.pem()).expect("a file");
    std::fs::write(&tls.key, made.signing_key.serialize_pem()).expect("a file");
    (tls, made.cert.der().to_vec())
}
