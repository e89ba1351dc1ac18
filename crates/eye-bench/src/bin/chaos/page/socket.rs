//! A page's WebSocket, read with a deadline, in batches.

use serde_json::{Value as Json, json};
use std::io;
use std::net::TcpStream;
use std::time::Duration;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::{Error, Message, WebSocket};

pub enum Received {
    /// The frames of one message.
    Frames(Vec<Json>),
    /// No message arrived in time.
    Nothing,
    /// The connection is over.
    Closed,
}

pub struct Socket(WebSocket<TcpStream>);

impl Socket {
    /// Joins the hub under a session, with one tool and a small document.
    pub fn join(port: u16, session: &str) -> Result<Self, Box<Error>> {
        let stream = TcpStream::connect(("127.0.0.1", port)).map_err(|error| Box::new(Error::Io(error)))?;
        let prepared = stream.set_nodelay(true).and_then(|()| stream.set_read_timeout(Some(Duration::from_secs(10))));
        prepared.and_then(|()| stream.set_write_timeout(Some(Duration::from_secs(10)))).map_err(Error::Io)?;
        let url = format!("ws://localhost:{port}/ws?sessionId={session}&clientType=browser");
        let mut request = url.into_client_request()?;
        request.headers_mut().insert("Sec-WebSocket-Protocol", HeaderValue::from_static("eye"));
        request.headers_mut().insert("Origin", HeaderValue::from_static("http://localhost:5173"));
        let (socket, _) = tungstenite::client(request, stream).map_err(|error| match error {
            tungstenite::HandshakeError::Failure(error) => error,
            tungstenite::HandshakeError::Interrupted(_) => Error::ConnectionClosed,
        })?;
        let mut socket = Self(socket);
        let page = json!({ "title": session, "url": format!("http://localhost:5173/{session}"), "visible": true });
        let hello = json!({ "clientType": "browser", "version": "1.0.0", "typed": true, "batch": true, "page": page });
        socket.0.send(Message::text(rpc(Some("hello"), "hello", &hello)))?;
        let schema = json!({ "type": "object", "properties": { "nonce": { "type": "string" } } });
        let tool = json!({ "name": "echo", "description": "Answers its nonce.", "inputSchema": schema });
        let state = json!({ "state": { "n": 1 }, "revision": 1 });
        socket.send(&[
            rpc(Some("tools"), "tools/register", &json!({ "tools": [tool] })),
            rpc(None, "state/update", &state),
        ])?;
        // The welcome; calls may follow at once.
        socket.0.read()?;
        Ok(socket)
    }

    /// The frames of the next message, waiting at most `wait`.
    pub fn next(&mut self, wait: Duration) -> Received {
        if self.0.get_ref().set_read_timeout(Some(wait)).is_err() {
            return Received::Closed;
        }
        match self.0.read() {
            Ok(Message::Text(text)) => match serde_json::from_str(&text) {
                Ok(frames) => Received::Frames(frames),
                Err(_) => Received::Closed,
            },
            Ok(Message::Close(_)) => Received::Closed,
            Ok(_) => Received::Nothing,
            Err(Error::Io(error)) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                Received::Nothing
            }
            Err(_) => Received::Closed,
        }
    }

    /// Sends frames that are already JSON, in batches.
    pub fn send(&mut self, frames: &[String]) -> Result<(), Box<Error>> {
        for batch in frames.chunks(eye_protocol::limits::BATCH_FRAMES_MAX) {
            self.0.send(Message::text(format!("[{}]", batch.join(","))))?;
        }
        Ok(())
    }
}

fn rpc(id: Option<&str>, method: &str, params: &Json) -> String {
    match id {
        Some(id) => json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }),
        None => json!({ "jsonrpc": "2.0", "method": method, "params": params }),
    }
    .to_string()
}
