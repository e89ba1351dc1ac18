//! The extension's protocol at the real hub, without the extension.

use eye_testkit::{DEADLINE, Home};
use ring::hmac;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::net::TcpStream;
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// The origin that browsers send for the extension.
pub const ORIGIN: &str = "chrome-extension://ideahddmfnocldhgfkollgmdihcnhibj";

const NONCE: &str = "ABCDEFGHJKMNPQRSTVWXYZ0123456789";

/// The result of a pairing.
#[derive(Clone, Debug)]
pub struct Pairing {
    pub id: String,
    /// The secret shared by both sides.
    pub secret: String,
    /// The name of its token.
    pub name: String,
}

/// A code that `eye extension` prints, without its port.
pub fn code(home: &Home, more: &[&str]) -> String {
    let dir = home.path("extension").display().to_string();
    let ran = home.eye(["extension", "--json", "--dir", &dir].iter().chain(more));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let printed: Value = serde_json::from_str(&ran.stdout).unwrap();
    let code = printed["code"].as_str().unwrap();
    let (port, code) = code.split_once('-').unwrap();
    assert_eq!(port, home.port().to_string());
    code.replace('-', "")
}

/// Opens the WebSocket. `Err`: the status of the refusal.
pub fn knock(home: &Home, host: &str, origin: Option<&str>, id: Option<&str>) -> Result<WebSocket<TcpStream>, u16> {
    let mut request = format!("ws://127.0.0.1:{}/extension", home.port()).into_client_request().unwrap();
    let headers = request.headers_mut();
    headers.insert("host", host.parse().unwrap());
    let id = id.map_or_else(String::new, |id| format!(", id.{id}"));
    headers.insert("sec-websocket-protocol", format!("eye.extension, nonce.{NONCE}{id}").parse().unwrap());
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

/// The next text. `Err`: the close code.
pub fn next(socket: &mut WebSocket<TcpStream>) -> Result<Value, u16> {
    loop {
        match socket.read().unwrap() {
            Message::Text(text) => return Ok(serde_json::from_str(&text).unwrap()),
            Message::Close(frame) => return Err(frame.unwrap().code.into()),
            _ => {}
        }
    }
}

/// Proves knowledge of a secret, after the hub has. Returns whether the hub's proof was right.
pub fn prove(socket: &mut WebSocket<TcpStream>, secret: &str) -> Result<bool, u16> {
    let call = next(socket)?;
    let theirs = call["params"]["nonce"].as_str().unwrap().to_owned();
    let wanted = proof(secret, &format!("hub {NONCE} {theirs}"));
    let known = call["params"]["proofs"].as_array().unwrap().iter().any(|proof| *proof == *wanted);
    let answer =
        json!({ "method": "Eye.prove", "params": { "proof": proof(secret, &format!("extension {theirs} {NONCE}")) } });
    socket.send(Message::text(answer.to_string())).unwrap();
    Ok(known)
}

/// Pairs with a code. `Err`: the close code.
pub fn pair(home: &Home, code: &str) -> Result<(WebSocket<TcpStream>, Pairing), u16> {
    let mut socket = knock(home, &host(home), Some(ORIGIN), None)?;
    prove(&mut socket, code)?;
    let paired = next(&mut socket)?;
    assert_eq!(paired["method"], "Eye.paired");
    let text = |name: &str| paired["params"][name].as_str().unwrap().to_owned();
    Ok((socket, Pairing { id: text("id"), secret: text("secret"), name: text("name") }))
}

/// Connects as a paired extension. `Err`: the close code.
pub fn enter(home: &Home, pairing: &Pairing) -> Result<WebSocket<TcpStream>, u16> {
    let mut socket = knock(home, &host(home), Some(ORIGIN), Some(&pairing.id))?;
    assert!(prove(&mut socket, &pairing.secret)?, "the hub proves that it is the one");
    let first = next(&mut socket)?;
    assert_eq!(first["method"], "Browser.getVersion", "the browser is asked from here on");
    Ok(socket)
}

pub fn host(home: &Home) -> String {
    format!("localhost:{}", home.port())
}

fn proof(secret: &str, text: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, text.as_bytes());
    tag.as_ref().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// The status of an upgrade at another path, with the extension's origin.
pub fn upgrade(home: &Home, path: &str, protocol: &str) -> u16 {
    let mut request = format!("ws://127.0.0.1:{}{path}", home.port()).into_client_request().unwrap();
    request.headers_mut().insert("origin", ORIGIN.parse().unwrap());
    request.headers_mut().insert("sec-websocket-protocol", protocol.parse().unwrap());
    match tungstenite::connect(request) {
        Ok((_, response)) => response.status().as_u16(),
        Err(tungstenite::Error::Http(response)) => response.status().as_u16(),
        Err(error) => panic!("{error}"),
    }
}
