//! Pages that answer every call at once with `bench`, and join another hub when theirs is gone.

use crate::error::{BenchError, Doing};
use serde_json::Value as Json;
use std::net::TcpStream;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::HeaderValue;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

pub type Socket = WebSocket<TcpStream>;

/// The code that a page never answers.
pub const HELD: &str = "forever";

/// Connects as a page of this session, without sending hello.
pub fn connect(port: u16, session: &str, buffer_bytes: usize) -> Result<Socket, BenchError> {
    let stream = TcpStream::connect(("127.0.0.1", port)).doing("connecting a page")?;
    stream.set_nodelay(true).doing("connecting a page")?;
    let url = format!("ws://localhost:{port}/ws?sessionId={session}&clientType=browser");
    let mut request = url.into_client_request().doing("connecting a page")?;
    request.headers_mut().insert("Sec-WebSocket-Protocol", HeaderValue::from_static("eye"));
    request.headers_mut().insert("Origin", HeaderValue::from_static("http://localhost:5173"));
    let config = WebSocketConfig::default().read_buffer_size(buffer_bytes).write_buffer_size(0);
    let connected = tungstenite::client::client_with_config(request, stream, Some(config));
    connected.map(|(socket, _)| socket).map_err(|error| BenchError::Odd(format!("connecting a page: {error}")))
}

/// The first message of a page.
pub fn hello(session: &str) -> Message {
    Message::text(format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":\"hello\",\"method\":\"hello\",\"params\":{{\"clientType\":\"browser\",\"typed\":true,\"batch\":true,\
         \"page\":{{\"title\":\"{session}\",\"url\":\"http://localhost:5173/{session}\",\"visible\":false}}}}}}"
    ))
}

/// Joins and waits for the welcome.
pub fn join(port: u16, session: &str, buffer_bytes: usize) -> Result<Socket, BenchError> {
    let mut socket = connect(port, session, buffer_bytes)?;
    socket.send(hello(session)).doing("saying hello")?;
    socket.read().doing("waiting for the welcome")?;
    Ok(socket)
}

/// A page that answers in a thread of its own. When its hub is gone, it joins the next of these ports. It ends with the
/// last of them.
pub fn answering(ports: &[u16], session: &str) -> Result<JoinHandle<()>, BenchError> {
    let (first, rest) = ports.split_first().ok_or(BenchError::Usage)?;
    let mut socket = join(*first, session, 64 << 10)?;
    let (session, rest) = (session.to_owned(), rest.to_vec());
    Ok(thread::spawn(move || {
        serve(&mut socket);
        for port in rest {
            // A page in a browser would wait longer before it reconnects.
            while let Ok(mut socket) = join(port, &session, 64 << 10) {
                serve(&mut socket);
                thread::sleep(Duration::from_millis(10));
            }
        }
    }))
}

fn serve(socket: &mut Socket) {
    while let Ok(message) = socket.read() {
        let Message::Text(text) = message else { continue };
        let answer = answer(&text);
        if !answer.is_empty() && socket.send(Message::text(format!("[{}]", answer.join(",")))).is_err() {
            return;
        }
    }
}

/// The answers to the frames of a message.
pub fn answer(text: &str) -> Vec<String> {
    let Ok(frames) = serde_json::from_str::<Vec<Json>>(text) else { return Vec::new() };
    let answer = |frame: &Json| match frame {
        Json::String(line) => {
            let (id, code) = line.split_once(':')?;
            (code != HELD).then(|| format!("\"{id}:bench\""))
        }
        request => {
            let id = request.get("id")?;
            (request["method"] == "ping").then(|| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"pong":true}}}}"#))
        }
    };
    frames.iter().filter_map(answer).collect()
}
