//! The agents that ask: on the Unix socket, and on a WebSocket.

use crate::error::{BenchError, Doing};
use eye_protocol::stream::Decoder;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// Whoever can ask one thing, or many at once.
pub trait Agent {
    /// Asks and waits.
    fn ask(&mut self, code: &str) -> Result<(), BenchError>;
    /// Asks so many times at once and waits for all.
    fn ask_many(&mut self, code: &str, count: usize) -> Result<(), BenchError>;
}

/// An agent on the Unix socket.
pub struct UnixAgent {
    stream: UnixStream,
    decoder: Decoder,
    buffer: Vec<u8>,
}

impl UnixAgent {
    /// Connects and says hello.
    pub fn connect(socket: &Path, target: Option<&str>) -> Result<Self, BenchError> {
        let mut stream = UnixStream::connect(socket).doing("connecting to the Unix socket")?;
        stream.write_all(format!("{}\n", hello(target)).as_bytes()).doing("saying hello")?;
        Ok(Self { stream, decoder: Decoder::default(), buffer: vec![0; 64 << 10] })
    }

    /// Sends a JSON-RPC request and gives its result.
    pub fn request(&mut self, method: &str) -> Result<serde_json::Value, BenchError> {
        let request = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\"}}\n");
        self.stream.write_all(request.as_bytes()).doing("asking")?;
        let frame = self.frame()?;
        let mut value: serde_json::Value =
            serde_json::from_str(&frame).map_err(|error| BenchError::Odd(error.to_string()))?;
        Ok(value["result"].take())
    }

    /// Sends one frame and gives the next one that comes.
    pub fn ask_raw(&mut self, frame: &str) -> Result<String, BenchError> {
        self.stream.write_all(format!("{frame}\n").as_bytes()).doing("asking")?;
        self.frame()
    }

    /// The next notification of that method; what else comes is passed over.
    pub fn next_notification(&mut self, method: &str) -> Result<String, BenchError> {
        let method = format!("\"method\":\"{method}\"");
        loop {
            let frame = self.frame()?;
            if frame.contains(&method) {
                return Ok(frame);
            }
        }
    }

    /// How many notifications of that method have come until now.
    pub fn drain(&mut self, method: &str) -> Result<usize, BenchError> {
        let method = format!("\"method\":\"{method}\"");
        self.stream.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":\"drained\",\"method\":\"ping\"}\n").doing("asking")?;
        let mut count = 0;
        loop {
            let frame = self.frame()?;
            if frame.contains("\"id\":\"drained\"") {
                return Ok(count);
            }
            count += usize::from(frame.contains(&method));
        }
    }

    /// Sends code to fire and forget so many times.
    pub fn fire_many(&mut self, code: &str, count: usize) -> Result<(), BenchError> {
        let text = format!(":{code}\n").repeat(count);
        self.stream.write_all(text.as_bytes()).doing("firing")
    }

    fn frame(&mut self) -> Result<String, BenchError> {
        loop {
            match self.decoder.frame() {
                Ok(Some(frame)) => return Ok(frame.to_owned()),
                Ok(None) => {}
                Err(error) => return Err(BenchError::Odd(error.to_string())),
            }
            let count = self.stream.read(&mut self.buffer).doing("reading an answer")?;
            if count == 0 {
                return Err(BenchError::Odd("the hub closed the connection".into()));
            }
            self.decoder.push(&self.buffer[..count]);
        }
    }
}

impl Agent for UnixAgent {
    fn ask(&mut self, code: &str) -> Result<(), BenchError> {
        self.stream.write_all(format!("a:{code}\n").as_bytes()).doing("asking")?;
        check(&self.frame()?)
    }

    fn ask_many(&mut self, code: &str, count: usize) -> Result<(), BenchError> {
        let mut text = String::new();
        for n in 0..count {
            let _ = writeln!(text, "{n}:{code}");
        }
        self.stream.write_all(text.as_bytes()).doing("asking")?;
        (0..count).try_for_each(|_| check(&self.frame()?))
    }
}

/// An agent on a WebSocket.
pub struct SocketAgent {
    socket: WebSocket<TcpStream>,
}

impl SocketAgent {
    /// Connects with the token and says hello.
    pub fn connect(port: u16, token: &str, target: Option<&str>) -> Result<Self, BenchError> {
        let stream = TcpStream::connect(("127.0.0.1", port)).doing("connecting to the hub")?;
        stream.set_nodelay(true).doing("setting TCP_NODELAY")?;
        let url = format!("ws://127.0.0.1:{port}/ws?clientType=agent");
        let mut request = url.into_client_request().doing("making a request")?;
        let bearer = format!("Bearer {token}").parse().map_err(|_| BenchError::Odd("the token is no header".into()))?;
        request.headers_mut().insert("authorization", bearer);
        let (mut socket, _) =
            tungstenite::client(request, stream).map_err(|error| BenchError::Odd(error.to_string()))?;
        socket.send(Message::text(hello(target))).doing("saying hello")?;
        Ok(Self { socket })
    }
}

impl SocketAgent {
    /// Sends one frame and gives the next one that comes.
    pub fn ask_raw(&mut self, frame: &str) -> Result<String, BenchError> {
        self.socket.send(Message::text(frame)).doing("asking")?;
        let answer = self.socket.read().doing("reading an answer")?;
        Ok(answer.to_text().doing("reading an answer")?.to_owned())
    }
}

impl Agent for SocketAgent {
    fn ask(&mut self, code: &str) -> Result<(), BenchError> {
        self.socket.send(Message::text(format!("a:{code}"))).doing("asking")?;
        check(self.socket.read().doing("reading an answer")?.to_text().doing("reading an answer")?)
    }

    fn ask_many(&mut self, code: &str, count: usize) -> Result<(), BenchError> {
        for n in 0..count {
            self.socket.write(Message::text(format!("{n}:{code}"))).doing("asking")?;
        }
        self.socket.flush().doing("asking")?;
        for _ in 0..count {
            check(self.socket.read().doing("reading an answer")?.to_text().doing("reading an answer")?)?;
        }
        Ok(())
    }
}

fn hello(target: Option<&str>) -> String {
    let target = target.map_or(String::new(), |target| format!(",\"target\":\"{target}\""));
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"hello\",\"params\":{{\"clientType\":\"agent\",\"typed\":true{target}}}}}"
    )
}

/// A benchmark of errors measures nothing.
fn check(answer: &str) -> Result<(), BenchError> {
    match answer.split_once(['!', ':', '=']) {
        Some((_, rest)) if rest.starts_with("bench") => Ok(()),
        _ => Err(BenchError::Odd(format!("unexpected answer: {answer}"))),
    }
}
