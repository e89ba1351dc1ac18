//! A client of a nats-server that is not a hub: subscribes to subjects and publishes bytes, directly in the NATS
//! protocol.

use crate::deadline::DEADLINE;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};

/// A connection to a server.
#[derive(Debug)]
pub struct NatsPeer {
    reader: BufReader<TcpStream>,
    writer: TcpStream,
    last: u64,
    /// Messages that arrived while it waited for something else.
    aside: VecDeque<(String, Vec<u8>)>,
}

impl NatsPeer {
    pub(super) fn open(port: u16) -> Self {
        let writer = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("the server answers");
        writer.set_read_timeout(Some(DEADLINE)).expect("a deadline");
        let reader = BufReader::new(writer.try_clone().expect("a second handle"));
        let mut peer = Self { reader, writer, last: 0, aside: VecDeque::new() };
        assert!(peer.line().starts_with("INFO"), "a server begins with INFO");
        peer.write(b"CONNECT {\"verbose\":false}\r\n");
        peer.settle();
        peer
    }

    /// Subscribes to a subject.
    pub fn subscribe(&mut self, subject: &str) {
        self.last += 1;
        let line = format!("SUB {subject} {}\r\n", self.last);
        self.write(line.as_bytes());
        self.settle();
    }

    /// Publishes bytes to a subject.
    pub fn publish(&mut self, subject: &str, bytes: &[u8]) {
        let mut frame = format!("PUB {subject} {}\r\n", bytes.len()).into_bytes();
        frame.extend_from_slice(bytes);
        frame.extend_from_slice(b"\r\n");
        self.write(&frame);
    }

    /// Sends a request to a subject and waits for the answer.
    pub fn ask(&mut self, subject: &str, bytes: &[u8]) -> Vec<u8> {
        let inbox = format!("_INBOX.peer.{}", self.last);
        self.subscribe(&inbox);
        let mut frame = format!("PUB {subject} {inbox} {}\r\n", bytes.len()).into_bytes();
        frame.extend_from_slice(bytes);
        frame.extend_from_slice(b"\r\n");
        self.write(&frame);
        loop {
            match self.next() {
                Some((subject, answer)) if subject == inbox => return answer,
                other => self.aside.extend(other),
            }
        }
    }

    /// Waits for the next message. Returns its subject and its bytes.
    pub fn receive(&mut self) -> (String, Vec<u8>) {
        loop {
            if let Some(message) = self.aside.pop_front().or_else(|| self.next()) {
                return message;
            }
        }
    }

    /// Waits until the server has handled all commands so far.
    pub fn settle(&mut self) {
        self.write(b"PING\r\n");
        while let Some(message) = self.next() {
            self.aside.push_back(message);
        }
    }

    /// The next message; `None` when the server has handled all commands so far.
    fn next(&mut self) -> Option<(String, Vec<u8>)> {
        loop {
            let line = self.line();
            let mut words = line.split_whitespace();
            match words.next() {
                Some("PING") => self.write(b"PONG\r\n"),
                Some("PONG") => return None,
                Some("MSG") => {
                    let subject = words.next().expect("a message has a subject").to_owned();
                    let bytes = words.last().and_then(|length| length.parse().ok()).expect("a message has a length");
                    let mut payload = vec![0_u8; bytes + 2];
                    self.reader.read_exact(&mut payload).expect("a message has its bytes");
                    payload.truncate(bytes);
                    return Some((subject, payload));
                }
                _ => assert!(!line.starts_with("-ERR"), "the server refuses something: {line}"),
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).expect("the server reads");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.reader.read_line(&mut line).expect("the server says something") > 0, "the server has closed");
        line.truncate(line.trim_end().len());
        line
    }
}
