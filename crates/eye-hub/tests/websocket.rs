//! The hub's WebSocket as clients see it: pings, closes, fragmented messages, and malformed frames.

use crate::stage::{Hub, ORIGIN};
use std::io::Write;
use std::net::TcpStream;
use tungstenite::protocol::CloseFrame;
use tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tungstenite::protocol::frame::{Frame, FrameHeader};
use tungstenite::{Error, Message, WebSocket};

const HELLO: &str = r#"{"jsonrpc":"2.0","id":"hello","method":"hello","params":{"typed":true,"page":{"title":"Test","url":"http://localhost:5173/"}}}"#;

fn connect(hub: &Hub) -> WebSocket<TcpStream> {
    let path = "/ws?sessionId=a&clientType=browser";
    hub.connect(path, &[("origin", ORIGIN)]).expect("the page connects")
}

fn part(opcode: Data, last: bool, text: &str) -> Message {
    Message::Frame(Frame::message(text.to_owned(), OpCode::Data(opcode), last))
}

/// The close that ends a connection.
fn closed(socket: &mut WebSocket<TcpStream>) -> Option<(u16, String)> {
    loop {
        match socket.read() {
            Ok(Message::Close(close)) => return close.map(|close| (close.code.into(), close.reason.to_string())),
            Ok(_) => {}
            Err(Error::ConnectionClosed) => return None,
            Err(error) => panic!("it ended without a close: {error}"),
        }
    }
}

#[test]
fn a_ping_is_answered_also_in_the_middle_of_a_message() {
    let hub = Hub::start();
    let mut socket = connect(&hub);
    let (first, second) = HELLO.split_at(30);
    socket.send(part(Data::Text, false, first)).unwrap();
    socket.send(Message::Ping("are you there".into())).unwrap();
    assert_eq!(socket.read().unwrap(), Message::Pong("are you there".into()));
    socket.send(part(Data::Continue, true, second)).unwrap();
    assert!(socket.read().unwrap().to_text().unwrap().contains("sessionId"));
    socket.send(Message::Pong("nobody asked".into())).unwrap();
    socket.send(Message::Ping("".into())).unwrap();
    assert_eq!(socket.read().unwrap(), Message::Pong("".into()));
}

#[test]
fn a_client_that_closes_is_answered_with_its_code() {
    let hub = Hub::start();
    for (sent, answered) in [(None, 1000), (Some(4321), 4321)] {
        let mut socket = connect(&hub);
        let close = sent.map(|code| CloseFrame { code: CloseCode::from(code), reason: "done".into() });
        socket.close(close).unwrap();
        assert_eq!(closed(&mut socket), Some((answered, String::new())));
        // The server closes the connection first.
        assert!(matches!(socket.read(), Err(Error::ConnectionClosed | Error::AlreadyClosed)));
    }
}

#[test]
fn what_is_no_frame_of_a_client_closes_with_its_code_and_concerns_nobody_else() {
    let hub = Hub::start();
    let mut page = hub.page("other");
    let masked = |first: u8, payload: &[u8]| {
        let length = u8::try_from(payload.len()).unwrap();
        [&[first, 0x80 | length, 0, 0, 0, 0], payload].concat()
    };
    let mut too_long = vec![0x81, 0xff];
    too_long.extend_from_slice(&(1_u64 << 40).to_be_bytes());
    for (why, bytes, code) in [
        ("not masked", vec![0x81, 1, b'x'], 1002),
        ("compressed", masked(0xc1, b"x"), 1002),
        ("not text", masked(0x81, &[0xff]), 1007),
        ("too long", too_long, 1009),
    ] {
        let mut socket = connect(&hub);
        socket.get_mut().write_all(&bytes).unwrap();
        assert_eq!(closed(&mut socket).map(|close| close.0), Some(code), "{why}");
    }
    let mut agent = hub.agent();
    agent.send("a:1");
    let call = page.receive();
    let id = call.split(':').next().unwrap().to_owned();
    page.send(&format!("{id}:s:fine"));
    assert!(agent.receive().unwrap().contains("fine"));
}

#[test]
fn a_head_that_claims_more_than_it_sends_waits_without_harm() {
    let hub = Hub::start();
    let mut socket = connect(&hub);
    let header = FrameHeader { opcode: OpCode::Data(Data::Text), mask: Some([0; 4]), ..FrameHeader::default() };
    let mut head = Vec::new();
    header.format(15 << 20, &mut head).unwrap();
    socket.get_mut().write_all(&head).unwrap();
    let mut agent = hub.agent();
    assert!(agent.ask(r#"{"jsonrpc":"2.0","id":1,"method":"hub/status"}"#).contains("\"version\""));
}
