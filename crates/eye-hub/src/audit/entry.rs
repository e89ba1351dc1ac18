//! One call as the audit thread gets it, and the row that it becomes.

use eye_protocol::audit::Row;
use eye_protocol::limits::AUDIT_ARGUMENTS_BYTES_MAX;
use eye_protocol::rpc::json;
use eye_protocol::scope::Scope;
use eye_protocol::{Code, Error, SessionId};
use indexmap::IndexMap;
use ring::hmac;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

/// Hex digits of the hash that a row shows (16 bytes): enough to tell arguments apart.
pub type Digits = [u8; 32];

const MS_DIGITS: usize = 3;
/// Arguments up to this length need no allocation.
const ARGUMENTS_BYTES: usize = 62;

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Ok,
    /// Sent without waiting for an answer.
    Fired,
    Error(Code),
    /// The page, the agent or the hub went away after the call was sent.
    MayHaveRun(Code),
}

impl Ended {
    /// `sent`: the call did not end during dispatch, so a page or a server may have it.
    pub fn of<T>(outcome: &Result<T, Error>, sent: bool) -> Self {
        match outcome {
            Ok(_) => Self::Ok,
            Err(Error { code: Code::CONNECTION, .. }) if sent => Self::MayHaveRun(Code::CONNECTION),
            Err(error) => Self::Error(error.code),
        }
    }

    /// The word for this ending in a row.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Fired => "fired",
            Self::MayHaveRun(_) => "may-have-run",
            Self::Error(code) => match code {
                Code::PARSE => "parse",
                Code::REQUEST => "request",
                Code::METHOD => "method",
                Code::PARAMS => "params",
                Code::INTERNAL => "internal",
                Code::CONNECTION => "connection",
                Code::TIMEOUT => "timed-out",
                Code::SESSION => "session",
                Code::THREW => "threw",
                Code::TOOL => "tool",
                Code::SCHEMA => "schema",
                Code::DENIED => "denied",
                Code::CANCELLED => "cancelled",
                _ => "error",
            },
        }
    }

    pub fn is_error(self) -> bool {
        self.code().is_some()
    }

    /// The error code, if the call failed.
    pub fn code(self) -> Option<i32> {
        match self {
            Self::Ok | Self::Fired => None,
            Self::Error(code) | Self::MayHaveRun(code) => Some(code.0),
        }
    }
}

/// One call. The hub's thread only copies strings here; the audit thread hashes and formats them.
#[derive(Clone, Debug)]
pub struct Entry {
    /// When the request arrived, Unix time in ms.
    pub at_ms: u64,
    pub agent: Option<Arc<str>>,
    /// What the agent's token allows, and the token's name.
    pub scope: Scope,
    /// How the agent is connected.
    pub face: &'static str,
    /// The target page's session and its origin.
    pub page: Option<(SessionId, Arc<str>)>,
    pub op: Cow<'static, str>,
    /// The MCP server that was called.
    pub server: Option<Box<str>>,
    /// The first [`AUDIT_ARGUMENTS_BYTES_MAX`] bytes of the arguments.
    pub arguments: SmallVec<[u8; ARGUMENTS_BYTES]>,
    /// Size of the whole arguments.
    pub bytes: usize,
    pub ended: Ended,
    /// Duration in µs.
    pub us: u64,
    /// Size of the answer, in bytes.
    pub answered: usize,
}

impl Entry {
    pub fn new(op: Cow<'static, str>, arguments: &str) -> Self {
        Self::at(now_ms(), op, arguments)
    }

    /// An entry of a request that arrived at this Unix time, in ms.
    pub fn at(at_ms: u64, op: Cow<'static, str>, arguments: &str) -> Self {
        Self {
            at_ms,
            agent: None,
            scope: Scope::ALL,
            face: "",
            page: None,
            op,
            server: None,
            arguments: SmallVec::from_slice(cut(arguments, AUDIT_ARGUMENTS_BYTES_MAX).as_bytes()),
            bytes: arguments.len(),
            ended: Ended::Ok,
            us: 0,
            answered: 0,
        }
    }

    /// The arguments without the folder and the environment that the command line sends to the gateway: the environment
    /// holds secrets. Empty if they cannot be parsed.
    pub fn without_environment(&self) -> Cow<'_, [u8]> {
        if !self.op.starts_with("gateway/") {
            return Cow::Borrowed(&self.arguments);
        }
        let members: Option<IndexMap<String, Box<RawValue>>> = serde_json::from_slice(&self.arguments).ok();
        members.map_or(Cow::Borrowed(b""), |mut members| {
            members.retain(|name, _| !matches!(name.as_str(), "env" | "cwd" | "agent"));
            Cow::Owned(json(&members).into_bytes())
        })
    }
}

/// A row that reports `count` missing rows.
pub fn dropped_line(count: u64, why: &str) -> String {
    let time = rfc3339(now_ms());
    json(&Row { time: &*time, dropped: Some(count), why: Some(why), ..Row::default() })
}

/// Unix time in ms.
pub fn now_ms() -> u64 {
    let since = std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// UTC with milliseconds. These texts sort in the order of their times.
pub fn rfc3339(at_ms: u64) -> String {
    humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(at_ms)).to_string()
}

/// Writes times as [`rfc3339`] does. Within one second it rewrites only the milliseconds.
#[derive(Debug, Default)]
pub struct Clock {
    second: Option<u64>,
    text: String,
}

impl Clock {
    pub fn text(&mut self, at_ms: u64) -> &str {
        let (second, ms) = (at_ms / 1000, at_ms % 1000);
        if self.second != Some(second) {
            (self.second, self.text) = (Some(second), rfc3339(at_ms));
            return &self.text;
        }
        self.text.truncate(self.text.len() - MS_DIGITS - 1);
        for digit in [ms / 100, ms / 10 % 10, ms % 10] {
            self.text.push(char::from(b'0' + u8::try_from(digit).unwrap_or(0)));
        }
        self.text.push('Z');
        &self.text
    }
}

fn cut(text: &str, bytes_max: usize) -> &str {
    if text.len() <= bytes_max { text } else { &text[..text.floor_char_boundary(bytes_max)] }
}

/// Hex digits of a keyed hash.
pub fn hash(key: &hmac::Key, bytes: &[u8]) -> Digits {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = Digits::default();
    for (pair, byte) in text.chunks_exact_mut(2).zip(hmac::sign(key, bytes).as_ref()) {
        pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
    text
}

/// Reads the member `name` of the arguments. They may be cut off after it.
pub fn tool_name(arguments: &str) -> Option<String> {
    struct Finding<'a>(&'a mut Option<String>);
    impl<'de> DeserializeSeed<'de> for Finding<'_> {
        type Value = ();
        fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_map(self)
        }
    }
    impl<'de> Visitor<'de> for Finding<'_> {
        type Value = ();
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                if key == "name" {
                    *self.0 = Some(map.next_value()?);
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(())
        }
    }
    let mut found = None;
    // A name that was read before the text is cut off counts, so the parse error is ignored.
    let _ = Finding(&mut found).deserialize(&mut serde_json::Deserializer::from_str(arguments));
    found
}

#[cfg(test)]
mod tests {
    use super::super::rows::Rows;
    use super::*;

    fn key(text: &str) -> hmac::Key {
        hmac::Key::new(hmac::HMAC_SHA256, text.as_bytes())
    }

    fn line(entry: &Entry, contents: bool) -> String {
        let mut line = Vec::new();
        Rows::new(key("k"), contents).write(entry, &mut line);
        String::from_utf8(line).unwrap()
    }

    fn row(entry: &Entry, contents: bool) -> Row {
        serde_json::from_str(&line(entry, contents)).unwrap()
    }

    #[test]
    fn a_row_holds_size_and_hash_and_no_contents() {
        let entry = Entry::new("eval".into(), "secret");
        let row = row(&entry, false);
        assert_eq!((row.bytes, row.args, row.ending.as_deref()), (Some(6), None, Some("ok")));
        assert_eq!(row.hash.as_ref().map(String::len), Some(32));
        assert_eq!(row.hash.as_deref().map(str::as_bytes), Some(&hash(&key("k"), b"secret")[..]));
        assert_ne!(
            hash(&key("k"), b"secret"),
            hash(&key("other"), b"secret"),
            "without the key the hash cannot be guessed"
        );
        assert!(!line(&entry, false).contains("secret"));
    }

    #[test]
    fn arguments_are_cut_at_their_limit_and_counted_whole() {
        for len in [AUDIT_ARGUMENTS_BYTES_MAX, AUDIT_ARGUMENTS_BYTES_MAX + 1] {
            let entry = Entry::new("eval".into(), &"x".repeat(len));
            assert_eq!((entry.arguments.len(), entry.bytes), (AUDIT_ARGUMENTS_BYTES_MAX, len));
        }
        let entry = Entry::new("eval".into(), &"é".repeat(AUDIT_ARGUMENTS_BYTES_MAX));
        assert_eq!(entry.arguments.len(), AUDIT_ARGUMENTS_BYTES_MAX);
    }

    #[test]
    fn a_tool_is_named_also_where_its_arguments_are_cut() {
        for text in [r#"{"name":"buy","arguments":{"#, r#"{"page":{"a":[1]},"name":"buy"}"#] {
            assert_eq!(tool_name(text).as_deref(), Some("buy"), "{text}");
        }
        for text in ["", "[]", r#"{"arguments":{"name":"no"}}"#, r#"{"name":1}"#] {
            assert_eq!(tool_name(text), None, "{text}");
        }
    }

    #[test]
    fn the_environment_of_the_command_line_is_in_no_row() {
        let arguments = r#"{"name":"t","env":{"KEY":"s3cret"},"cwd":"/home","arguments":{"a":1}}"#;
        let entry = Entry::new("gateway/call".into(), arguments);
        let shown = row(&entry, true);
        assert_eq!(shown.args.as_deref(), Some(r#"{"name":"t","arguments":{"a":1}}"#));
        assert_eq!(shown.tool.as_deref(), Some("t"));
        let cut_off = Entry::new("gateway/call".into(), &arguments[..30]);
        assert_eq!(row(&cut_off, true).args.as_deref(), Some(""));
    }

    #[test]
    fn endings_have_a_word_each() {
        let error = |code| Err::<(), _>(Error::new(code, "x"));
        assert_eq!(Ended::of(&error(Code::CONNECTION), true).word(), "may-have-run");
        assert_eq!(Ended::of(&error(Code::CONNECTION), false).word(), "connection");
        assert_eq!(Ended::of(&error(Code::TIMEOUT), true).word(), "timed-out");
        assert_eq!(Ended::of(&error(Code(5)), true).word(), "error");
        assert_eq!(Ended::of(&Ok(()), true).code(), None);
    }

    #[test]
    fn a_hash_is_what_other_programs_compute() {
        // HMAC-SHA256 of "what do ya want for nothing?" with the key "Jefe": RFC 4231, test case 2, its first half.
        let hash = hash(&key("Jefe"), b"what do ya want for nothing?");
        assert_eq!(std::str::from_utf8(&hash).unwrap(), "5bdcc146bf60754e6a042426089575c7");
    }

    #[test]
    fn the_clock_writes_every_time_as_it_is() {
        let mut clock = Clock::default();
        for at_ms in [0, 7, 999, 1_000, 1_010, 999, 1_700_000_000_123, 1_700_000_000_120, 1_699_999_999_999] {
            assert_eq!(clock.text(at_ms), rfc3339(at_ms), "{at_ms}");
        }
    }

    #[test]
    fn times_compare_as_texts() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert!(rfc3339(999) < rfc3339(1_000) && rfc3339(1_700_000_000_000) < rfc3339(1_700_000_000_001));
    }
}
