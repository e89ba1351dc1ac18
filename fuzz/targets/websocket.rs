//! Frames of a WebSocket client: the decoded messages do not depend on how the bytes are cut, and are those of
//! `tungstenite`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::{Error, ErrorKind, Read, Result as IoResult, Write};
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Message, WebSocket};

#[path = "../../crates/eye-hub/src/transport/websocket/decoder.rs"]
mod decoder;
#[path = "../../crates/eye-hub/src/transport/websocket/opcode.rs"]
mod opcode;

use decoder::{Decoder, Received};

const LIMIT_BYTES: usize = 3_000;

/// The messages decoded from bytes that arrive in pieces, up to the close frame or the error.
fn decode(bytes: &[u8], piece: usize) -> (Vec<String>, Option<u16>) {
    let (mut decoder, mut all) = (Decoder::new(LIMIT_BYTES), Vec::new());
    for part in bytes.chunks(piece) {
        decoder.buffer().extend_from_slice(part);
        loop {
            match decoder.next() {
                Ok(Some(Received::Text(text))) => all.push(format!("text {text}")),
                Ok(Some(Received::Binary(bytes))) => all.push(format!("binary {bytes:?}")),
                Ok(Some(Received::Ping(bytes))) => all.push(format!("ping {bytes:?}")),
                Ok(Some(Received::Pong)) => all.push("pong".to_owned()),
                Ok(Some(Received::Close(code))) => {
                    all.push(format!("close {code:?}"));
                    return (all, None);
                }
                Ok(None) => break,
                Err(fault) => return (all, Some(fault.close().code)),
            }
        }
    }
    assert!(decoder.is_within_frame() || decoder.buffer().len() < 14);
    (all, None)
}

/// A peer that sends these bytes and then nothing.
struct Silent<'a>(&'a [u8]);

impl Read for Silent<'_> {
    fn read(&mut self, out: &mut [u8]) -> IoResult<usize> {
        match self.0.read(out) {
            Ok(0) => Err(Error::from(ErrorKind::WouldBlock)),
            read => read,
        }
    }
}

impl Write for Silent<'_> {
    fn write(&mut self, bytes: &[u8]) -> IoResult<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> IoResult<()> {
        Ok(())
    }
}

fn decode_by_tungstenite(bytes: &[u8]) -> (Vec<String>, bool) {
    let config = WebSocketConfig::default().max_message_size(Some(LIMIT_BYTES)).max_frame_size(Some(LIMIT_BYTES));
    let mut socket = WebSocket::from_raw_socket(Silent(bytes), Role::Server, Some(config));
    let mut all = Vec::new();
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => all.push(format!("text {text}")),
            Ok(Message::Binary(bytes)) => all.push(format!("binary {:?}", &bytes[..])),
            Ok(Message::Ping(bytes)) => all.push(format!("ping {:?}", &bytes[..])),
            Ok(Message::Pong(_)) => all.push("pong".to_owned()),
            // It replaces a code that may not be sent by one of its own.
            Ok(Message::Close(Some(close))) if close.reason == "Protocol violation" => return (all, true),
            Ok(Message::Close(close)) => {
                all.push(format!("close {:?}", close.map(|close| u16::from(close.code))));
                return (all, false);
            }
            Ok(Message::Frame(_)) => {}
            Err(tungstenite::Error::Io(_)) => return (all, false),
            Err(_) => return (all, true),
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let at_once = decode(bytes, usize::MAX);
    assert_eq!(at_once, decode(bytes, 1));
    assert_eq!(at_once, decode(bytes, 7));
    let (all, fault) = at_once;
    let (known, wrong) = decode_by_tungstenite(bytes);
    assert_eq!(all, known, "{fault:?}");
    assert!(!wrong || fault.is_some(), "{all:?}");
});
