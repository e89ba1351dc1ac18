//! Frames of a client, however their bytes arrive. A large message is unmasked and checked part by part.

use super::opcode::Opcode;
use eye_protocol::close::Close;
use std::borrow::Cow;
use std::str::from_utf8;

/// Room to read into while nothing large is on its way. Every idle page has it.
const READ_BYTES: usize = 4 << 10;
/// Room to read into for the rest of a large frame, and the most that is unmasked and checked at once.
const PART_BYTES: usize = 64 << 10;
/// The most a control frame holds.
const CONTROL_BYTES_MAX: usize = 125;

/// What a client sent.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard<'a> {
    /// A message of text.
    Text(Cow<'a, str>),
    /// A message of bytes.
    Binary(Cow<'a, [u8]>),
    /// Wants a pong with the same bytes.
    Ping(Vec<u8>),
    /// Nothing that wants an answer.
    Pong,
    /// The client ends the connection, for this reason.
    Close(Option<u16>),
}

/// Why the connection cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Not a frame of a client.
    Protocol(&'static str),
    /// Text that is not UTF-8.
    NotUtf8,
    /// A message over the limit.
    TooBig(usize),
}

impl Fault {
    /// What the client is told.
    pub fn close(self) -> Close {
        match self {
            Self::Protocol(why) => Close { code: 1002, reason: why.into() },
            Self::NotUtf8 => Close { code: 1007, reason: "text that is not UTF-8".into() },
            Self::TooBig(limit_bytes) => Close::too_big(limit_bytes),
        }
    }
}

/// The head of the frame whose payload is being read.
#[derive(Clone, Copy, Debug)]
struct Frame {
    opcode: Opcode,
    last: bool,
    mask: [u8; 4],
    /// Bytes of the payload, and how many of them were taken.
    length: usize,
    taken: usize,
}

/// A message that comes in parts.
#[derive(Debug)]
enum Parts {
    /// Text, and the beginning of a character whose rest is in the next part.
    Text(String, Vec<u8>),
    Binary(Vec<u8>),
}

/// Cuts a stream of bytes into messages.
#[derive(Debug)]
pub struct Decoder {
    bytes: Vec<u8>,
    start: usize,
    frame: Option<Frame>,
    parts: Option<Parts>,
    limit_bytes: usize,
}

impl Decoder {
    /// Nothing was read yet. Larger messages than this are refused.
    pub fn new(limit_bytes: usize) -> Self {
        Self { bytes: Vec::new(), start: 0, frame: None, parts: None, limit_bytes }
    }

    /// The buffer to read into, behind what is there already, with room.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        self.bytes.drain(..self.start);
        self.start = 0;
        let wanted = self.frame.map_or(0, |frame| frame.length - frame.taken).clamp(READ_BYTES, PART_BYTES);
        if self.bytes.is_empty() && self.bytes.capacity() > wanted {
            self.bytes = Vec::new();
        }
        self.bytes.reserve_exact(wanted);
        &mut self.bytes
    }

    /// Whether a part of a frame was taken, and the rest is on its way.
    pub fn is_within_frame(&self) -> bool {
        self.frame.is_some()
    }

    /// The next message; `None` when it is not all there yet.
    pub fn next(&mut self) -> Result<Option<Heard<'_>>, Fault> {
        loop {
            let frame = match self.frame {
                Some(frame) => frame,
                None => match self.head()? {
                    Some(frame) => frame,
                    None => return Ok(None),
                },
            };
            let there = (self.bytes.len() - self.start).min(frame.length - frame.taken);
            let whole = frame.taken == 0 && there == frame.length;
            if frame.opcode.is_control() {
                self.frame = Some(frame);
                if !whole {
                    return Ok(None);
                }
                let payload = self.take(frame, there);
                return control(frame.opcode, payload).map(Some);
            }
            if whole && frame.last && self.parts.is_none() && frame.length <= PART_BYTES {
                let payload = self.take(frame, there);
                return Ok(Some(match frame.opcode {
                    Opcode::Text => Heard::Text(Cow::Borrowed(from_utf8(payload).map_err(|_| Fault::NotUtf8)?)),
                    _ => Heard::Binary(Cow::Borrowed(payload)),
                }));
            }
            self.frame = Some(frame);
            if there == 0 && frame.length > frame.taken {
                return Ok(None);
            }
            if let Some(message) = self.take_part(frame, there)? {
                return Ok(Some(message));
            }
        }
    }

    /// Reads the head of the next frame, once it is all there.
    fn head(&mut self) -> Result<Option<Frame>, Fault> {
        let bytes = &self.bytes[self.start..];
        let [first, second, rest @ ..] = bytes else { return Ok(None) };
        if first & 0x70 != 0 {
            return Err(Fault::Protocol("no extension was agreed on"));
        }
        let opcode = Opcode::of(first & 0x0f).ok_or(Fault::Protocol("an unknown kind of frame"))?;
        if second & 0x80 == 0 {
            return Err(Fault::Protocol("a client's frames are masked"));
        }
        let (length, rest) = match (second & 0x7f, rest.split_first_chunk(), rest.split_first_chunk()) {
            (126, Some((length, rest)), _) => (u64::from(u16::from_be_bytes(*length)), rest),
            (127, _, Some((length, rest))) => (u64::from_be_bytes(*length), rest),
            (126 | 127, ..) => return Ok(None),
            (length, ..) => (u64::from(length), rest),
        };
        let last = first & 0x80 != 0;
        if opcode.is_control() && (!last || length > CONTROL_BYTES_MAX as u64) {
            return Err(Fault::Protocol("a control frame is whole and short"));
        }
        if (opcode == Opcode::Continuation) != self.parts.is_some() && !opcode.is_control() {
            return Err(Fault::Protocol("a message ends before the next begins"));
        }
        let before = match &self.parts {
            Some(Parts::Text(text, rest)) if !opcode.is_control() => text.len() + rest.len(),
            Some(Parts::Binary(bytes)) if !opcode.is_control() => bytes.len(),
            Some(_) | None => 0,
        };
        let length = usize::try_from(length).ok();
        let length = length.filter(|length| before.saturating_add(*length) <= self.limit_bytes);
        let length = length.ok_or(Fault::TooBig(self.limit_bytes))?;
        let Some((mask, rest)) = rest.split_first_chunk() else { return Ok(None) };
        let frame = Frame { opcode, last, mask: *mask, length, taken: 0 };
        self.start = self.bytes.len() - rest.len();
        if !opcode.is_control() && opcode != Opcode::Continuation && (!last || length > PART_BYTES) {
            self.begin_parts(opcode);
        }
        Ok(Some(frame))
    }

    fn begin_parts(&mut self, opcode: Opcode) {
        let text = || Parts::Text(String::new(), Vec::new());
        self.parts = Some(if opcode == Opcode::Text { text() } else { Parts::Binary(Vec::new()) });
    }

    /// Takes what is there of the frame's payload, unmasked.
    fn take(&mut self, frame: Frame, there: usize) -> &mut [u8] {
        let start = self.start;
        self.start += there;
        let taken = frame.taken + there;
        self.frame = (taken < frame.length).then_some(Frame { taken, ..frame });
        let payload = &mut self.bytes[start..start + there];
        unmask(payload, frame.mask, frame.taken);
        payload
    }

    /// Takes what is there of a message that comes in parts; gives the message when that was the rest.
    fn take_part(&mut self, frame: Frame, there: usize) -> Result<Option<Heard<'static>>, Fault> {
        if self.parts.is_none() {
            self.begin_parts(frame.opcode);
        }
        let mut parts = self.parts.take();
        let payload = self.take(frame, there);
        match &mut parts {
            Some(Parts::Text(text, rest)) => add_text(text, rest, payload)?,
            Some(Parts::Binary(bytes)) => bytes.extend_from_slice(payload),
            None => {}
        }
        if self.frame.is_some() || !frame.last {
            self.parts = parts;
            return Ok(None);
        }
        match parts {
            Some(Parts::Text(_, rest)) if !rest.is_empty() => Err(Fault::NotUtf8),
            Some(Parts::Text(text, _)) => Ok(Some(Heard::Text(Cow::Owned(text)))),
            Some(Parts::Binary(bytes)) => Ok(Some(Heard::Binary(Cow::Owned(bytes)))),
            None => Ok(None),
        }
    }
}

fn control(opcode: Opcode, payload: &[u8]) -> Result<Heard<'static>, Fault> {
    Ok(match (opcode, payload) {
        (Opcode::Ping, payload) => Heard::Ping(payload.to_vec()),
        (Opcode::Close, []) => Heard::Close(None),
        (Opcode::Close, [a, b, reason @ ..]) => {
            let code = u16::from_be_bytes([*a, *b]);
            if !matches!(code, 1000..=1003 | 1007..=1013 | 3000..=4999) {
                return Err(Fault::Protocol("a close code that may not be sent"));
            }
            from_utf8(reason).map_err(|_| Fault::NotUtf8)?;
            Heard::Close(Some(code))
        }
        (Opcode::Close, _) => return Err(Fault::Protocol("half a close code")),
        _ => Heard::Pong,
    })
}

/// Adds bytes to a text. `rest`: the beginning of a character, which the bytes go on with.
fn add_text(text: &mut String, rest: &mut Vec<u8>, mut bytes: &[u8]) -> Result<(), Fault> {
    while let ([first, after @ ..], false) = (bytes, rest.is_empty()) {
        rest.push(*first);
        bytes = after;
        match from_utf8(rest) {
            Ok(whole) => {
                text.push_str(whole);
                rest.clear();
            }
            Err(error) if error.error_len().is_none() => {}
            Err(_) => return Err(Fault::NotUtf8),
        }
    }
    match from_utf8(bytes) {
        Ok(whole) => text.push_str(whole),
        Err(error) if error.error_len().is_none() => {
            let (whole, begun) = bytes.split_at(error.valid_up_to());
            text.push_str(from_utf8(whole).map_err(|_| Fault::NotUtf8)?);
            rest.extend_from_slice(begun);
        }
        Err(_) => return Err(Fault::NotUtf8),
    }
    Ok(())
}

/// Takes the mask off a part of a payload that begins so far into it.
fn unmask(bytes: &mut [u8], mut mask: [u8; 4], at: usize) {
    mask.rotate_left(at % 4);
    let [a, b, c, d] = mask;
    let wide = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let mut chunks = bytes.chunks_exact_mut(8);
    for chunk in &mut chunks {
        let mut eight = [0; 8];
        eight.copy_from_slice(chunk);
        chunk.copy_from_slice(&(u64::from_ne_bytes(eight) ^ wide).to_ne_bytes());
    }
    for (byte, mask) in chunks.into_remainder().iter_mut().zip(mask.iter().cycle()) {
        *byte ^= mask;
    }
}

#[cfg(test)]
mod tests {
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

    /// What a decoder makes of bytes that come in pieces of these sizes, up to a fault.
    fn heard(bytes: &[u8], sizes: &[usize], limit_bytes: usize) -> (Vec<String>, Option<Fault>) {
        let (mut decoder, mut heard, mut rest) = (Decoder::new(limit_bytes), Vec::new(), bytes);
        let mut sizes = sizes.iter().cycle();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(sizes.next().map_or(rest.len(), |size| (*size).min(rest.len())));
            rest = after;
            decoder.buffer().extend_from_slice(piece);
            loop {
                match decoder.next() {
                    Ok(Some(Heard::Text(text))) => heard.push(format!("text {text}")),
                    Ok(Some(Heard::Binary(bytes))) => heard.push(format!("binary {bytes:?}")),
                    Ok(Some(Heard::Ping(bytes))) => heard.push(format!("ping {bytes:?}")),
                    Ok(Some(Heard::Pong)) => heard.push("pong".into()),
                    Ok(Some(Heard::Close(code))) => heard.push(format!("close {code:?}")),
                    Ok(None) => break,
                    Err(fault) => return (heard, Some(fault)),
                }
            }
        }
        (heard, None)
    }

    /// The same by `tungstenite`; a fault is only that there is one.
    fn heard_by_tungstenite(bytes: &[u8], limit_bytes: usize) -> (Vec<String>, bool) {
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
        let mut heard = Vec::new();
        loop {
            match socket.read() {
                Ok(Message::Text(text)) => heard.push(format!("text {text}")),
                Ok(Message::Binary(bytes)) => heard.push(format!("binary {:?}", &bytes[..])),
                Ok(Message::Ping(bytes)) => heard.push(format!("ping {:?}", &bytes[..])),
                Ok(Message::Pong(_)) => heard.push("pong".into()),
                // It gives a code that may not be sent as one of its own.
                Ok(Message::Close(Some(close))) if close.reason == "Protocol violation" => return (heard, true),
                Ok(Message::Close(close)) => {
                    heard.push(format!("close {:?}", close.map(|close| u16::from(close.code))));
                    return (heard, false);
                }
                Ok(Message::Frame(_)) => {}
                Err(tungstenite::Error::Io(_)) => return (heard, false),
                Err(_) => return (heard, true),
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
        let whole = ["text a:1", "binary [0, 255]", "ping [110, 111, 119]", "text schön", &format!("text {long}")];
        let whole: Vec<String> =
            whole.iter().chain(&["text ", "close Some(1000)"]).map(|&one| one.to_owned()).collect();
        for sizes in [&[1][..], &[7, 4_000], &[usize::MAX], &[65_536, 3]] {
            assert_eq!(heard(&bytes, sizes, 1 << 20), (whole.clone(), None), "{sizes:?}");
        }
    }

    #[test]
    fn what_is_no_frame_of_a_client_is_refused_with_its_code() {
        let limit = 100;
        let close = |bytes: &[u8]| heard(bytes, &[usize::MAX], limit).1.map(|fault| fault.close().code);
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
        assert!(matches!(decoder.next(), Ok(Some(Heard::Text(_)))));
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

    proptest! {
        #[test]
        fn it_hears_what_tungstenite_hears(
            frames in proptest::collection::vec(any_frame(), 0..8),
            sizes in proptest::collection::vec(1_usize..9_000, 1..5),
        ) {
            let bytes = frames.concat();
            let limit = 66_000;
            let (heard, fault) = heard(&bytes, &sizes, limit);
            let closed = heard.iter().position(|one| one.starts_with("close"));
            let (known, wrong) = heard_by_tungstenite(&bytes, limit);
            // Of what comes behind a close, nothing counts.
            let until = closed.map_or(heard.len(), |at| at + 1);
            prop_assert_eq!(&heard[..until], &known[..], "{:?}", fault);
            prop_assert_eq!(fault.is_some() && closed.is_none(), wrong, "{:?}", fault);
        }

        #[test]
        fn any_bytes_are_read_or_refused_the_same_however_they_are_cut(
            bytes in proptest::collection::vec(any::<u8>(), 0..400),
            sizes in proptest::collection::vec(1_usize..40, 1..4),
        ) {
            prop_assert_eq!(heard(&bytes, &sizes, 1_000), heard(&bytes, &[usize::MAX], 1_000));
        }
    }
}
