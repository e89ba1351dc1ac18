//! A console at the real hub, and the steps to connect one.

use eye_testkit::{DEADLINE, Home};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// A link that opens the console once.
pub fn link(home: &Home, more: &[&str]) -> String {
    let ran = home.eye(["console", "--print"].iter().chain(more));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    ran.stdout.trim().to_owned()
}

pub fn code(link: &str) -> &str {
    link.split_once('#').unwrap().1
}

pub fn host(home: &Home) -> String {
    format!("console.localhost:{}", home.port())
}

pub fn own(home: &Home) -> String {
    format!("http://{}", host(home))
}

/// Sends an HTTP request; returns the whole answer.
pub fn request(home: &Home, method: &str, path: &str, host: &str, origin: Option<&str>, body: &str) -> String {
    let mut tcp = TcpStream::connect(("127.0.0.1", home.port())).unwrap();
    let origin = origin.map_or_else(String::new, |origin| format!("Origin: {origin}\r\n"));
    let length = body.len();
    write!(
        tcp,
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{origin}Content-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = Vec::new();
    tcp.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

pub fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_else(|| panic!("{answer}"))
}

/// Exchanges a code for a key. `Err`: the status of the refusal.
pub fn exchange(home: &Home, code: &str) -> Result<String, u16> {
    let answer = request(home, "POST", "/key", &host(home), Some(&own(home)), code);
    if status(&answer) != 200 {
        return Err(status(&answer));
    }
    let body: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    Ok(body["key"].as_str().unwrap().to_owned())
}

/// Opens the WebSocket as a console. `Err`: the status of the refusal.
pub fn knock(home: &Home, host: &str, origin: Option<&str>, key: &str) -> Result<WebSocket<TcpStream>, u16> {
    let mut request = format!("ws://127.0.0.1:{}/ws", home.port()).into_client_request().unwrap();
    let headers = request.headers_mut();
    headers.insert("host", host.parse().unwrap());
    headers.insert("sec-websocket-protocol", format!("eye.console, key.{key}").parse().unwrap());
    if let Some(origin) = origin {
        headers.insert("origin", origin.parse().unwrap());
    }
    let tcp = TcpStream::connect(("127.0.0.1", home.port())).unwrap();
    tcp.set_read_timeout(Some(DEADLINE)).unwrap();
    match tungstenite::client(request, tcp) {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(response))) => {
            Err(response.status().as_u16())
        }
        Err(error) => panic!("{error}"),
    }
}

pub struct Console(WebSocket<TcpStream>);

impl Console {
    /// Opens a console with a fresh link, and watches.
    pub fn open(home: &Home) -> Self {
        let key = exchange(home, code(&link(home, &[]))).unwrap();
        let mut console = Self(knock(home, &host(home), Some(&own(home)), &key).unwrap());
        console.send("watch", "console/watch", &json!({}));
        assert!(console.until(|frame| frame["id"] == "watch")["result"]["pages"].is_array());
        console
    }

    /// An agent instead of a console: on a WebSocket, with the hub's token.
    pub fn agent(home: &Home) -> Self {
        let token = home.eye(["token", "show"]);
        assert_eq!(token.code, 0, "{token:?}");
        let url = format!("ws://127.0.0.1:{}/ws?clientType=agent&version=1", home.port());
        let mut request = url.into_client_request().unwrap();
        let bearer = format!("Bearer {}", token.stdout.trim());
        request.headers_mut().insert("authorization", bearer.parse().unwrap());
        let tcp = TcpStream::connect(("127.0.0.1", home.port())).unwrap();
        tcp.set_read_timeout(Some(DEADLINE)).unwrap();
        Self(tungstenite::client(request, tcp).unwrap().0)
    }

    /// Sends a notification.
    pub fn send_frame(&mut self, frame: &Value) {
        self.0.send(Message::text(frame.to_string())).unwrap();
    }

    pub fn send(&mut self, id: &str, method: &str, params: &Value) {
        let frame = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.0.send(Message::text(frame.to_string())).unwrap();
    }

    pub fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + DEADLINE;
        loop {
            assert!(Instant::now() < end, "the console was not told");
            let Message::Text(text) = self.0.read().unwrap() else { continue };
            let frame: Value = serde_json::from_str(&text).unwrap();
            if wanted(&frame) {
                return frame;
            }
        }
    }

    /// Sends a request and returns the response.
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        self.send("ask", method, params);
        self.until(|frame| frame["id"] == "ask")
    }

    /// Pauses or resumes something: `{what, name?}`.
    pub fn pauses(&mut self, what: &Value, paused: bool) {
        let mut params = what.clone();
        params["paused"] = json!(paused);
        let answer = self.request("console/pause", &params);
        assert!(answer["error"].is_null(), "{answer}");
    }

    /// Waits until this many calls wait because of a pause.
    pub fn until_waiting(&mut self, count: usize) {
        self.until(|frame| frame["params"]["control"]["waiting"] == count);
    }
}
