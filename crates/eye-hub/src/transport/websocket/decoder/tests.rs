use super::*;
use proptest::prelude::*;

const MASK: [u8; 4] = [1, 2, 3, 4];

fn frame(bits: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![bits];
    match payload.len() {
        short @ 0..126 => bytes.push(0x80 | u8::try_from(short).unwrap()),
        long @ 126..65_536 => {
            bytes.push(0xfe);
            bytes.extend_from_slice(&u16::try_from(long).unwrap().to_be_bytes());
        }
        long => {
            bytes.push(0xff);
            bytes.extend_from_slice(&(long as u64).to_be_bytes());
        }
    }
    bytes.extend_from_slice(&MASK);
    bytes.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    bytes
}

/// The decoder's messages for bytes that arrive in pieces of these sizes, up to a fault.
fn decode(bytes: &[u8], sizes: &[usize], limit_bytes: usize) -> (Vec<String>, Option<Fault>) {
    let (mut decoder, mut received, mut rest) = (Decoder::new(limit_bytes), Vec::new(), bytes);
    let mut sizes = sizes.iter().cycle();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(sizes.next().map_or(rest.len(), |size| (*size).min(rest.len())));
        rest = after;
        decoder.buffer().extend_from_slice(piece);
        loop {
            match decoder.next() {
                Ok(Some(Received::Text(text))) => received.push(format!("text {text}")),
                Ok(Some(Received::Binary(bytes))) => received.push(format!("binary {bytes:?}")),
                Ok(Some(Received::Ping(bytes))) => received.push(format!("ping {bytes:?}")),
                Ok(Some(Received::Pong)) => received.push("pong".into()),
                Ok(Some(Received::Close(code))) => received.push(format!("close {code:?}")),
                Ok(None) => break,
                Err(fault) => return (received, Some(fault)),
            }
        }
    }
    (received, None)
}

/// The messages as `tungstenite` decodes them, and whether there was a fault.
fn decode_by_tungstenite(bytes: &[u8], limit_bytes: usize) -> (Vec<String>, bool) {
    use tungstenite::protocol::{Role, WebSocketConfig};
    use tungstenite::{Message, WebSocket};
    struct Bytes<'a>(&'a [u8]);
    impl std::io::Read for Bytes<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            match self.0.read(out) {
                Ok(0) => Err(std::io::ErrorKind::WouldBlock.into()),
                read => read,
            }
        }
    }
    impl std::io::Write for Bytes<'_> {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let config = WebSocketConfig::default().max_message_size(Some(limit_bytes)).max_frame_size(Some(limit_bytes));
    let mut socket = WebSocket::from_raw_socket(Bytes(bytes), Role::Server, Some(config));
    let mut received = Vec::new();
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => received.push(format!("text {text}")),
            Ok(Message::Binary(bytes)) => received.push(format!("binary {:?}", &bytes[..])),
            Ok(Message::Ping(bytes)) => received.push(format!("ping {:?}", &bytes[..])),
            Ok(Message::Pong(_)) => received.push("pong".into()),
            // It reports a forbidden close code as one of its own.
            Ok(Message::Close(Some(close))) if close.reason == "Protocol violation" => return (received, true),
            Ok(Message::Close(close)) => {
                received.push(format!("close {:?}", close.map(|close| u16::from(close.code))));
                return (received, false);
            }
            Ok(Message::Frame(_)) => {}
            Err(tungstenite::Error::Io(_)) => return (received, false),
            Err(_) => return (received, true),
        }
    }
}

#[test]
fn messages_are_read_however_they_are_cut() {
    let long = "é".repeat(PART_BYTES);
    let mut bytes = frame(0x81, b"a:1");
    bytes.extend(frame(0x82, &[0, 255]));
    bytes.extend(frame(0x01, "sch\u{f6}n".as_bytes().split_at(4).0));
    bytes.extend(frame(0x89, b"now"));
    bytes.extend(frame(0x80, "sch\u{f6}n".as_bytes().split_at(4).1));
    bytes.extend(frame(0x81, long.as_bytes()));
    bytes.extend(frame(0x81, b""));
    bytes.extend(frame(0x88, &[3, 232, b'x']));
    let expected = ["text a:1", "binary [0, 255]", "ping [110, 111, 119]", "text schön", &format!("text {long}")];
    let expected: Vec<String> =
        expected.iter().chain(&["text ", "close Some(1000)"]).map(|&one| one.to_owned()).collect();
    for sizes in [&[1][..], &[7, 4_000], &[usize::MAX], &[65_536, 3]] {
        assert_eq!(decode(&bytes, sizes, 1 << 20), (expected.clone(), None), "{sizes:?}");
    }
}

#[test]
fn what_is_no_frame_of_a_client_is_refused_with_its_code() {
    let limit = 100;
    let close = |bytes: &[u8]| decode(bytes, &[usize::MAX], limit).1.map(|fault| fault.close().code);
    let mut unmasked = frame(0x81, b"x");
    unmasked[1] &= 0x7f;
    for (why, bytes, code) in [
        ("not masked", unmasked, 1002),
        ("compressed", frame(0xc1, b"x"), 1002),
        ("an unknown kind", frame(0x83, b"x"), 1002),
        ("a ping in parts", frame(0x09, b"x"), 1002),
        ("a long ping", frame(0x89, &[0; 126]), 1002),
        ("a continuation of nothing", frame(0x80, b"x"), 1002),
        ("two messages at once", [frame(0x01, b"x"), frame(0x81, b"y")].concat(), 1002),
        ("half a close code", frame(0x88, &[3]), 1002),
        ("a close code for this side only", frame(0x88, &1006_u16.to_be_bytes()), 1002),
        ("a close reason that is not text", frame(0x88, &[3, 232, 255]), 1007),
        ("bytes that are no text", frame(0x81, &[0xc3, 0x28]), 1007),
        ("half a character", frame(0x81, &[0xc3]), 1007),
        ("half a character in parts", [frame(0x01, &[0xc3]), frame(0x80, b"")].concat(), 1007),
        ("too long", frame(0x81, &[b'x'; 101]), 1009),
        ("too long in parts", [frame(0x01, &[b'x'; 60]), frame(0x80, &[b'x'; 41])].concat(), 1009),
        ("too long for any memory", vec![0x81, 0xff, 255, 255, 255, 255, 255, 255, 255, 255], 1009),
    ] {
        assert_eq!(close(&bytes), Some(code), "{why}");
    }
    assert_eq!(close(&frame(0x81, &[b'x'; 100])), None);
}

#[test]
fn a_large_message_takes_memory_as_it_comes() {
    let mut decoder = Decoder::new(usize::MAX);
    decoder.buffer().extend_from_slice(&[0x81, 0xff, 0, 0, 0x7f, 255, 255, 255, 255, 255, 0, 0, 0, 0]);
    assert_eq!(decoder.next(), Ok(None));
    assert!(decoder.is_within_frame());
    assert!(decoder.buffer().capacity() <= PART_BYTES + READ_BYTES);
}

#[test]
fn an_idle_connection_keeps_a_small_buffer() {
    let mut decoder = Decoder::new(1 << 20);
    decoder.buffer().extend_from_slice(&frame(0x81, &vec![b'x'; 300_000]));
    assert!(matches!(decoder.next(), Ok(Some(Received::Text(_)))));
    assert!(decoder.buffer().capacity() <= READ_BYTES);
}

fn any_frame() -> impl Strategy<Value = Vec<u8>> {
    let bits = prop_oneof![
        4 => Just(0x81), 2 => Just(0x01), 2 => Just(0x80), 1 => Just(0x00), 1 => Just(0x82), 1 => Just(0x89),
        1 => Just(0x8a), 1 => Just(0x88), 1 => any::<u8>()
    ];
    let payload = prop_oneof![
        6 => "[a-zé€😀]{0,40}".prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 0..200),
        1 => (60_000_usize..70_000).prop_map(|length| vec![b'x'; length]),
    ];
    (bits, payload).prop_map(|(bits, payload)| frame(bits, &payload))
}

#[test]
fn room_for_a_message_of_many_frames_grows_in_few_steps() {
    let mut bytes = frame(0x01, b"a");
    (0..4_000).for_each(|_| bytes.extend(frame(0x00, b"a")));
    let mut decoder = Decoder::new(4 << 20);
    let mut rooms = std::collections::BTreeSet::new();
    for one in bytes.chunks(7) {
        decoder.buffer().extend_from_slice(one);
        assert_eq!(decoder.next(), Ok(None));
        if let Some(Parts::Text(text, _)) = &decoder.parts {
            rooms.insert(text.capacity());
        }
    }
    assert!(rooms.len() < 20, "{rooms:?}");
}

#[test]
fn room_for_a_large_message_is_made_once_and_only_when_some_of_it_is_there() {
    let bytes = frame(0x81, "ä".repeat(1 << 20).as_bytes());
    let mut decoder = Decoder::new(4 << 20);
    let mut rooms = Vec::new();
    for piece in bytes.chunks(PART_BYTES - 1) {
        decoder.buffer().extend_from_slice(piece);
        if let Ok(Some(Received::Text(text))) = decoder.next() {
            assert_eq!(text.into_owned().capacity(), 2 << 20);
        }
        if let Some(Parts::Text(text, _)) = &decoder.parts {
            rooms.push((text.len(), text.capacity()));
        }
    }
    let (early, late): (Vec<_>, Vec<_>) = rooms.iter().partition(|(there, _)| *there < (2 << 20) / ROOM_AFTER_PART);
    assert!(!early.is_empty() && early.iter().all(|(_, room)| *room < 512 << 10), "{early:?}");
    assert!(late.iter().all(|(_, room)| *room == 2 << 20), "{late:?}");
}

proptest! {
    #[test]
    fn it_decodes_what_tungstenite_decodes(
        frames in proptest::collection::vec(any_frame(), 0..8),
        sizes in proptest::collection::vec(1_usize..9_000, 1..5),
    ) {
        let bytes = frames.concat();
        let limit = 66_000;
        let (received, fault) = decode(&bytes, &sizes, limit);
        let closed = received.iter().position(|one| one.starts_with("close"));
        let (known, wrong) = decode_by_tungstenite(&bytes, limit);
        // Nothing after a close counts.
        let until = closed.map_or(received.len(), |at| at + 1);
        prop_assert_eq!(&received[..until], &known[..], "{:?}", fault);
        prop_assert_eq!(fault.is_some() && closed.is_none(), wrong, "{:?}", fault);
    }

    #[test]
    fn any_bytes_are_read_or_refused_the_same_however_they_are_cut(
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        sizes in proptest::collection::vec(1_usize..40, 1..4),
    ) {
        prop_assert_eq!(decode(&bytes, &sizes, 1_000), decode(&bytes, &[usize::MAX], 1_000));
    }
}
