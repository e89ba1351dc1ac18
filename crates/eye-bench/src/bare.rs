//! The lower limit: a bare WebSocket from a minimal server to the page, with nothing in between.

use crate::agents::Asks;
use crate::error::{BenchError, Doing};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use tungstenite::{Message, WebSocket};

const PAGE: &str = include_str!("../assets/bench.html");

/// Listeners for the page's document and its sockets.
pub struct Bare {
    pages: TcpListener,
    sockets: TcpListener,
}

/// The open socket to the page.
pub struct BarePage {
    socket: WebSocket<TcpStream>,
}

/// The baseline that the seed calls "today": MCP JSON over HTTP, forwarded to the page.
pub struct HttpServer {
    port: u16,
}

impl Bare {
    pub fn listen() -> Result<Self, BenchError> {
        let bind = || TcpListener::bind("127.0.0.1:0").doing("listening for the page");
        Ok(Self { pages: bind()?, sockets: bind()? })
    }

    /// The page's URL, with the ports in its query.
    pub fn page_url(&self, hub_port: u16) -> String {
        let port = |listener: &TcpListener| listener.local_addr().map_or(0, |address| address.port());
        format!("http://127.0.0.1:{}/?bare={}&hub={hub_port}", port(&self.pages), port(&self.sockets))
    }

    /// Serves the document, and waits for its two sockets: one for requests, one for the relay.
    pub fn wait_for_page(self) -> Result<(BarePage, WebSocket<TcpStream>), BenchError> {
        let pages = self.pages;
        std::thread::spawn(move || {
            for stream in pages.incoming().flatten() {
                let _ = serve_document(stream);
            }
        });
        let accept = || {
            let (stream, _) = self.sockets.accept().doing("waiting for the page")?;
            stream.set_nodelay(true).doing("setting TCP_NODELAY")?;
            tungstenite::accept(stream).map_err(|error| BenchError::Odd(error.to_string()))
        };
        Ok((BarePage { socket: accept()? }, accept()?))
    }
}

fn serve_document(mut stream: TcpStream) -> std::io::Result<()> {
    let mut head = [0; 4096];
    let count = stream.read(&mut head)?;
    let found = head[..count].starts_with(b"GET /?");
    let (status, body) = if found { ("200 OK", PAGE) } else { ("404 Not Found", "") };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

impl BarePage {
    fn read(&mut self) -> Result<String, BenchError> {
        let message = self.socket.read().doing("reading from the page")?;
        Ok(message.to_text().doing("reading from the page")?.to_owned())
    }

    /// Sends the code `count` times in one message, and waits for all answers.
    pub fn ask_in_one_message(&mut self, code: &str, count: usize) -> Result<(), BenchError> {
        let frames: Vec<String> = (0..count).map(|n| format!("{n}:{code}")).collect();
        let message = serde_json::to_string(&frames).map_err(|error| BenchError::Odd(error.to_string()))?;
        self.socket.send(Message::text(message)).doing("asking the page")?;
        let answers: Vec<String> =
            serde_json::from_str(&self.read()?).map_err(|error| BenchError::Odd(error.to_string()))?;
        if answers.len() == count {
            return Ok(());
        }
        Err(BenchError::Odd(format!("{} answers to {count} questions", answers.len())))
    }

    /// From here on, HTTP requests are forwarded to the socket, one at a time.
    pub fn into_http_server(mut self) -> Result<HttpServer, BenchError> {
        let listener = TcpListener::bind("127.0.0.1:0").doing("listening for HTTP")?;
        let port = listener.local_addr().doing("listening for HTTP")?.port();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = self.forward(stream);
            }
        });
        Ok(HttpServer { port })
    }

    fn forward(&mut self, mut stream: TcpStream) -> Result<(), BenchError> {
        let mut request = vec![0; 16 << 10];
        let count = stream.read(&mut request).doing("reading HTTP")?;
        let text = String::from_utf8_lossy(&request[..count]);
        let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        let call: serde_json::Value = serde_json::from_str(body).map_err(|error| BenchError::Odd(error.to_string()))?;
        let code = call["params"]["arguments"]["code"].as_str().unwrap_or("");
        self.socket.send(Message::text(format!("a:{code}"))).doing("asking the page")?;
        let answer = self.read()?;
        let result = serde_json::json!({ "success": true, "result": answer.get(2..), "type": "string" });
        let reply = serde_json::json!({ "content": [{ "type": "text", "text": result.to_string() }] }).to_string();
        let length = reply.len();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
        stream.write_all(format!("{head}{reply}").as_bytes()).doing("answering HTTP")
    }
}

impl Asks for BarePage {
    fn ask(&mut self, code: &str) -> Result<(), BenchError> {
        self.socket.send(Message::text(format!("a:{code}"))).doing("asking the page")?;
        self.read().map(drop)
    }

    fn ask_many(&mut self, code: &str, count: usize) -> Result<(), BenchError> {
        for n in 0..count {
            self.socket.write(Message::text(format!("{n}:{code}"))).doing("asking the page")?;
        }
        self.socket.flush().doing("asking the page")?;
        (0..count).try_for_each(|_| self.read().map(drop))
    }
}

impl HttpServer {
    pub fn port(&self) -> u16 {
        self.port
    }
}
