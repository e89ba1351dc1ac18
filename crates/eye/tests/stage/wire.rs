//! Bare TCP connections to a hub, as foreign programs open them.

use eye_testkit::{DEADLINE, Home};
use serde_json::{Value, json};
use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use tungstenite::client::IntoClientRequest;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

pub type Socket = WebSocket<MaybeTlsStream<TcpStream>>;

/// Opens a WebSocket at `/ws`.
pub fn websocket(home: &Home, query: &str, headers: &[(&'static str, &str)]) -> Socket {
    websocket_at(home, &format!("/ws?{query}"), headers)
}

/// A WebSocket to any path of the hub.
pub fn websocket_at(home: &Home, path: &str, headers: &[(&'static str, &str)]) -> Socket {
    let mut request = format!("ws://127.0.0.1:{}{path}", home.port()).into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    let (socket, _) = tungstenite::connect(request).unwrap();
    if let MaybeTlsStream::Plain(tcp) = socket.get_ref() {
        tcp.set_read_timeout(Some(DEADLINE)).unwrap();
    }
    socket
}

/// Reads a WebSocket to its end: the texts, and the close frame's code and reason.
pub fn rest_of(socket: &mut Socket) -> (Vec<String>, Option<(u16, String)>) {
    let mut texts = Vec::new();
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => texts.push(text.to_string()),
            Ok(Message::Close(frame)) => {
                return (texts, frame.map(|frame| (frame.code.into(), frame.reason.to_string())));
            }
            Ok(_) => {}
            Err(error) => panic!("the hub closes it: {error}; {texts:?}"),
        }
    }
}

/// Sends an HTTP request and returns the connection to read from. The head may contain further headers; the token may
/// be empty.
pub fn http(home: &Home, head: &str, secret: &str, body: &str) -> BufReader<TcpStream> {
    let mut tcp = TcpStream::connect(("127.0.0.1", home.port())).unwrap();
    tcp.set_read_timeout(Some(DEADLINE)).unwrap();
    let token = if secret.is_empty() { String::new() } else { format!("Authorization: Bearer {secret}\r\n") };
    let fixed = format!("Host: localhost\r\nConnection: close\r\n{token}");
    let kind = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    write!(tcp, "{head}\r\n{fixed}{kind}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    BufReader::new(tcp)
}

/// The whole answer as text.
pub fn all(mut answer: BufReader<TcpStream>) -> String {
    let mut text = Vec::new();
    answer.read_to_end(&mut text).expect("the hub ends it");
    String::from_utf8_lossy(&text).into_owned()
}

pub fn request(id: u32, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

/// Begins a session of MCP over HTTP; returns the header that names it.
pub fn mcp_session(home: &Home, headers: &str, secret: &str) -> String {
    let info = json!({ "name": "test", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
    let begun = all(http(home, &format!("POST /mcp HTTP/1.1{headers}"), secret, &request(1, "initialize", &hello)));
    let session =
        begun.lines().find_map(|line| line.to_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned));
    format!("Mcp-Session-Id: {}", session.unwrap_or_else(|| panic!("{begun}")))
}
