//! The frames of plain calls, evaluated code and its value, written and read without serde. Nearly all frames between
//! hubs are of this kind, and serde takes ten times as many instructions for them. The bytes are the same as serde's.
//! All other frames, and other ways to write the same frame, are left to serde.

use super::{Ask, Frame, Request, WireCaller, WireScope, WireTask, WireTerms, WireValue};
use eye_protocol::SessionId;
use rmp::decode::{read_int, read_str_from_slice};
use rmp::encode::{ValueWriteError, write_map_len, write_str, write_uint};
use std::sync::Arc;

/// Appends a frame. `false`: it is of another kind, and nothing was appended.
pub fn write(to: &mut Vec<u8>, frame: &Frame) -> Result<bool, ValueWriteError> {
    match frame {
        Frame::Request(request) => write_request(to, request),
        Frame::Ended { call, ending: Ok(value), delta: None } => write_value(to, *call, value),
        _ => Ok(false),
    }
}

/// Reads a frame at the beginning of these bytes, and returns the bytes after it. `None`: it is of another kind.
pub fn read(bytes: &[u8]) -> Option<(Frame, &[u8])> {
    let mut reader = Reader(bytes);
    let frame = if reader.takes(REQUEST) {
        Frame::Request(Arc::new(reader.request()?))
    } else if reader.takes(VALUE) {
        let call = reader.uint()?;
        let ending = Ok(reader.value()?);
        Frame::Ended { call, ending, delta: None }
    } else {
        return None;
    };
    Some((frame, reader.0))
}

// Maps of one to six members begin with 0x81 to 0x86, texts of one to three bytes with 0xa1 to 0xa3. Each constant
// ends with the name of the member whose value follows.
const REQUEST: &[u8] = b"\x81\xa1R\x86\xa1c";
const AGENT: &[u8] = b"\xa1a";
const CALLER: &[u8] = b"\xa1w";
const NAME: &[u8] = b"\xa1n";
const FULL_SCOPE: &[u8] = b"\xa1s\xa3All";
const FRAME: &[u8] = b"\xa1f";
const SESSION: &[u8] = b"\xa1s";
const LIFETIME: &[u8] = b"\xa1l";
const CALL: &[u8] = b"\xa1k\x81\xa1C";
const EVAL: &[u8] = b"\xa1t\x81\xa1E";
const CODE: &[u8] = b"\xa1c";
const TIMEOUT: &[u8] = b"\xa1m";
const FIRE: &[u8] = b"\xa1f\xc3";
const SILENT: &[u8] = b"\xa1q\xc3";
const VALUE: &[u8] = b"\x81\xa1E\x82\xa1c";
const TEXT: &[u8] = b"\xa1e\x81\xa2Ok\x81\xa4Text";
const JSON: &[u8] = b"\xa1e\x81\xa2Ok\x81\xa4Json";
const RENDERING: &[u8] = b"\xa1e\x81\xa2Ok\x81\xa9Rendering";

fn write_request(to: &mut Vec<u8>, request: &Request) -> Result<bool, ValueWriteError> {
    let Request { call, agent, caller, session, lifetime_ms, ask } = request;
    let WireCaller { name, scope: WireScope::All, frame: caller_frame } = caller else { return Ok(false) };
    let Ask::Call { task, timeout_ms, fire, silent } = ask else { return Ok(false) };
    let WireTask::Eval { code, frame, terms } = task else { return Ok(false) };
    if *terms != WireTerms::default() {
        return Ok(false);
    }
    to.extend_from_slice(REQUEST);
    write_uint(to, *call)?;
    to.extend_from_slice(AGENT);
    write_uint(to, *agent)?;
    to.extend_from_slice(CALLER);
    write_map_len(to, 2 + u32::from(caller_frame.is_some()))?;
    to.extend_from_slice(NAME);
    write_str(to, name)?;
    to.extend_from_slice(FULL_SCOPE);
    write_frame(to, caller_frame.as_deref())?;
    to.extend_from_slice(SESSION);
    write_str(to, session.as_str())?;
    to.extend_from_slice(LIFETIME);
    write_uint(to, *lifetime_ms)?;
    to.extend_from_slice(CALL);
    write_map_len(to, 1 + u32::from(timeout_ms.is_some()) + u32::from(*fire) + u32::from(*silent))?;
    to.extend_from_slice(EVAL);
    write_map_len(to, 1 + u32::from(frame.is_some()))?;
    to.extend_from_slice(CODE);
    write_str(to, code)?;
    write_frame(to, frame.as_deref())?;
    if let Some(timeout_ms) = timeout_ms {
        to.extend_from_slice(TIMEOUT);
        write_uint(to, *timeout_ms)?;
    }
    if *fire {
        to.extend_from_slice(FIRE);
    }
    if *silent {
        to.extend_from_slice(SILENT);
    }
    Ok(true)
}

fn write_frame(to: &mut Vec<u8>, frame: Option<&str>) -> Result<(), ValueWriteError> {
    let Some(frame) = frame else { return Ok(()) };
    to.extend_from_slice(FRAME);
    write_str(to, frame)
}

fn write_value(to: &mut Vec<u8>, call: u64, value: &WireValue) -> Result<bool, ValueWriteError> {
    let (kind, text) = match value {
        WireValue::Text(text) => (TEXT, text),
        WireValue::Json(text) => (JSON, text),
        WireValue::Rendering(text) => (RENDERING, text),
        WireValue::Bytes { .. } => return Ok(false),
    };
    to.extend_from_slice(VALUE);
    write_uint(to, call)?;
    to.extend_from_slice(kind);
    write_str(to, text)?;
    Ok(true)
}

/// The bytes that are not read yet.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Skips these bytes if they are next.
    fn takes(&mut self, next: &[u8]) -> bool {
        let rest = self.0.strip_prefix(next);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn expects(&mut self, next: &[u8]) -> Option<()> {
        self.takes(next).then_some(())
    }

    fn uint(&mut self) -> Option<u64> {
        read_int(&mut self.0).ok()
    }

    fn text(&mut self) -> Option<&'a str> {
        let (text, rest) = read_str_from_slice(self.0).ok()?;
        self.0 = rest;
        Some(text)
    }

    /// The length of a map with few members.
    fn members(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        first.checked_sub(0x80).filter(|members| *members < 0x10)
    }

    /// The member `f` of a caller or a task.
    fn frame(&mut self) -> Option<Box<str>> {
        self.expects(FRAME)?;
        self.text().map(Into::into)
    }

    fn request(&mut self) -> Option<Request> {
        let call = self.uint()?;
        self.expects(AGENT)?;
        let agent = self.uint()?;
        self.expects(CALLER)?;
        let members = self.members()?;
        self.expects(NAME)?;
        let name = self.text()?.into();
        self.expects(FULL_SCOPE)?;
        let frame = match members {
            2 => None,
            3 => Some(self.frame()?),
            _ => return None,
        };
        let caller = WireCaller { name, scope: WireScope::All, frame };
        self.expects(SESSION)?;
        let session = SessionId::parse(self.text()?)?;
        self.expects(LIFETIME)?;
        let lifetime_ms = self.uint()?;
        self.expects(CALL)?;
        let ask = self.call()?;
        Some(Request { call, agent, caller, session, lifetime_ms, ask })
    }

    fn call(&mut self) -> Option<Ask> {
        let members = self.members()?;
        self.expects(EVAL)?;
        let of_eval = self.members()?;
        self.expects(CODE)?;
        let code = self.text()?.to_owned();
        // Counted, because the call has a member `f`, too.
        let frame = match of_eval {
            1 => None,
            2 => Some(self.frame()?),
            _ => return None,
        };
        let timeout_ms = if self.takes(TIMEOUT) { Some(self.uint()?) } else { None };
        let (fire, silent) = (self.takes(FIRE), self.takes(SILENT));
        let all = 1 + u8::from(timeout_ms.is_some()) + u8::from(fire) + u8::from(silent);
        let task = WireTask::Eval { code, frame, terms: WireTerms::default() };
        (members == all).then_some(Ask::Call { task, timeout_ms, fire, silent })
    }

    fn value(&mut self) -> Option<WireValue> {
        let value = if self.takes(TEXT) {
            WireValue::Text
        } else if self.takes(JSON) {
            WireValue::Json
        } else {
            self.expects(RENDERING)?;
            WireValue::Rendering
        };
        Some(value(self.text()?.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::select;

    fn number() -> impl Strategy<Value = u64> {
        prop_oneof![0..300_u64, any::<u64>()]
    }

    fn frame() -> impl Strategy<Value = Option<Box<str>>> {
        proptest::option::of(any::<String>().prop_map(Into::into))
    }

    fn request() -> impl Strategy<Value = Frame> {
        let terms =
            prop_oneof![9 => Just(WireTerms::default()), 1 => Just(WireTerms { delta: true, if_revision: None })];
        let code = prop_oneof![any::<String>(), Just("long ".repeat(20_000))];
        let ask = (code, frame(), terms, proptest::option::of(number()), any::<[bool; 2]>());
        let ask = ask.prop_map(|(code, frame, terms, timeout_ms, [fire, silent])| {
            let task = WireTask::Eval { code, frame, terms };
            Ask::Call { task, timeout_ms, fire, silent }
        });
        (
            number(),
            number(),
            any::<String>(),
            frame(),
            "[a-z]{1,40}",
            number(),
            prop_oneof![9 => ask, 1 => Just(Ask::Info)],
        )
            .prop_map(|(call, agent, name, frame, session, lifetime_ms, ask)| {
                let caller = WireCaller { name: name.into(), scope: WireScope::All, frame };
                let session = SessionId::parse(&session).unwrap();
                Frame::Request(Arc::new(Request { call, agent, caller, session, lifetime_ms, ask }))
            })
    }

    fn value() -> impl Strategy<Value = Frame> {
        let kind = select(vec![WireValue::Text as fn(String) -> WireValue, WireValue::Json, WireValue::Rendering]);
        (number(), kind, any::<String>(), proptest::option::weighted(0.1, any::<String>())).prop_map(
            |(call, kind, text, delta)| Frame::Ended { call, ending: Ok(kind(text)), delta: delta.map(Into::into) },
        )
    }

    /// What serde reads, and how many bytes of it.
    fn read_by_serde(bytes: &[u8]) -> Option<(Frame, usize)> {
        let mut reader = rmp_serde::Deserializer::new(bytes);
        let frame = serde::Deserialize::deserialize(&mut reader).ok()?;
        Some((frame, reader.into_inner().len()))
    }

    proptest! {
        #[test]
        fn what_is_written_is_what_serde_writes_and_is_read_as_serde_reads_it(frame in prop_oneof![request(), value()]) {
            let expected = rmp_serde::to_vec_named(&frame).unwrap();
            let mut written = b"before".to_vec();
            if write(&mut written, &frame).unwrap() {
                prop_assert_eq!(&written[6..], &expected);
                let mut bytes = expected.clone();
                bytes.extend_from_slice(b"after");
                let read = read(&bytes);
                prop_assert_eq!(read, Some((frame, &b"after"[..])));
            } else {
                prop_assert_eq!(written, b"before");
                prop_assert_eq!(read(&expected), None);
            }
        }

        #[test]
        fn changed_bytes_are_read_as_serde_reads_them_or_left_to_it(
            frame in prop_oneof![request(), value()],
            changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
            cut in proptest::option::of(any::<prop::sample::Index>()),
        ) {
            let mut bytes = rmp_serde::to_vec_named(&frame).unwrap();
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            if let Some((read, rest)) = read(&bytes) {
                prop_assert_eq!(Some((read, rest.len())), read_by_serde(&bytes));
            }
        }
    }

    #[test]
    fn plain_calls_are_not_left_to_serde() {
        let caller = WireCaller { name: "a".into(), scope: WireScope::All, frame: None };
        let task = WireTask::Eval { code: "1".into(), frame: None, terms: WireTerms::default() };
        let ask = Ask::Call { task, timeout_ms: None, fire: false, silent: false };
        let session = SessionId::parse("s").unwrap();
        let request = Request { call: 1, agent: 2, caller, session, lifetime_ms: 30_000, ask };
        let ending = Ok(WireValue::Json("2".into()));
        for frame in [Frame::Request(Arc::new(request)), Frame::Ended { call: 1, ending, delta: None }] {
            let mut written = Vec::new();
            assert!(write(&mut written, &frame).unwrap());
            assert_eq!(read(&written), Some((frame, &b""[..])));
        }
    }
}
