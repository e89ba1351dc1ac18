//! The lower limit: a relay that only copies. A Unix socket in, a WebSocket to the page out, two threads, no logic.

use crate::agents::Asks;
use crate::error::{BenchError, Doing};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket};

/// An agent behind the relay.
pub struct Relayed {
    stream: BufReader<UnixStream>,
}

impl Relayed {
    /// Starts a relay between a socket in the folder and the page, and connects to it.
    pub fn connect(folder: &Path, page: WebSocket<TcpStream>) -> Result<Self, BenchError> {
        let path = folder.join("relay.sock");
        let listener = UnixListener::bind(&path).doing("listening for the relay")?;
        let agent = UnixStream::connect(&path).doing("connecting to the relay")?;
        let (inside, _) = listener.accept().doing("accepting at the relay")?;
        let mut to_agent = inside.try_clone().doing("sharing a socket")?;
        let shared = page.get_ref().try_clone().doing("sharing a socket")?;
        let mut to_page = WebSocket::from_raw_socket(shared, Role::Server, None);
        let mut from_page = page;
        std::thread::spawn(move || {
            for line in BufReader::new(inside).lines() {
                let Ok(line) = line else { return };
                if to_page.send(Message::text(line)).is_err() {
                    return;
                }
            }
        });
        std::thread::spawn(move || {
            while let Ok(message) = from_page.read() {
                let Ok(text) = message.to_text() else { return };
                if to_agent.write_all(format!("{text}\n").as_bytes()).is_err() {
                    return;
                }
            }
        });
        Ok(Self { stream: BufReader::new(agent) })
    }
}

impl Asks for Relayed {
    fn ask(&mut self, code: &str) -> Result<(), BenchError> {
        self.ask_many(code, 1)
    }

    fn ask_many(&mut self, code: &str, count: usize) -> Result<(), BenchError> {
        let text = format!("a:{code}\n").repeat(count);
        self.stream.get_mut().write_all(text.as_bytes()).doing("asking the relay")?;
        for _ in 0..count {
            let mut line = String::new();
            self.stream.read_line(&mut line).doing("reading from the relay")?;
        }
        Ok(())
    }
}
