//! Obstacles between two machines: a proxy that lets only some requests through, and a forwarded socket.
#![allow(clippy::unwrap_used, reason = "this is test code, although no function here is a test")]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// A proxy in front of a hub.
pub struct Between {
    port: u16,
}

impl Between {
    /// Blocks connections whose first request contains one of these words (lower case) in its head: with 403, or, when
    /// `hold` is set and it is not a WebSocket, by holding the response back until it is complete.
    pub fn blocking(hub: u16, blocked: &'static [&'static str], hold: bool) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        // The thread ends with the test's process; no client connects to it by then.
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                std::thread::spawn(move || pass(client, hub, blocked, hold));
            }
        });
        Self { port }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

fn pass(mut client: TcpStream, hub: u16, blocked: &[&str], hold: bool) {
    let mut head = Vec::new();
    let mut bytes = [0; 4096];
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        match client.read(&mut bytes) {
            Ok(count @ 1..) => head.extend_from_slice(&bytes[..count]),
            Ok(0) | Err(_) => return,
        }
    }
    let text = String::from_utf8_lossy(&head).to_ascii_lowercase();
    let socket = text.contains("upgrade: websocket");
    let stopped = blocked.iter().any(|part| text.contains(part));
    if stopped && (socket || !hold) {
        let _ = client.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 6\r\nconnection: close\r\n\r\n<html>");
        return;
    }
    let Ok(mut server) = TcpStream::connect(("127.0.0.1", hub)) else { return };
    let _ = server.write_all(&head);
    let (mut back, mut down) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    let returning = std::thread::spawn(move || {
        if stopped {
            let mut all = Vec::new();
            let _ = back.read_to_end(&mut all);
            let _ = down.write_all(&all);
        } else {
            let _ = std::io::copy(&mut back, &mut down);
        }
        let _ = down.shutdown(Shutdown::Both);
    });
    let _ = std::io::copy(&mut client, &mut server);
    let _ = server.shutdown(Shutdown::Both);
    let _ = returning.join();
}

/// A Unix socket that is forwarded to another one, as by `ssh -L`.
pub struct Tunnel {
    near: PathBuf,
}

impl Tunnel {
    /// Listens on `near`, connects to `far`.
    pub fn open(near: &Path, far: &Path) -> Self {
        let listener = UnixListener::bind(near).unwrap();
        let far = far.to_owned();
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), UnixStream::connect(&far).unwrap());
                for (mut from, mut to) in [(client.try_clone().unwrap(), server.try_clone().unwrap()), (server, client)]
                {
                    std::thread::spawn(move || {
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        Self { near: near.to_owned() }
    }

    pub fn path(&self) -> &Path {
        &self.near
    }
}
