//! The members of a row, written one by one: a row is written for every call, and most of its texts are plain.

/// Longer names, which agents choose, are cut to this.
pub const NAME_BYTES_MAX: usize = 256;

/// The name of a member as it stands in a row: behind a comma, before the value.
macro_rules! key {
    ($name:literal) => {
        $crate::audit::members::Key(concat!(",\"", $name, "\":"))
    };
}
pub(crate) use key;

/// Such a name, made by [`key`].
#[derive(Clone, Copy, Debug)]
pub struct Key(pub &'static str);

/// Writes the members of a JSON object, one after the other.
pub struct Members<'a>(&'a mut Vec<u8>);

impl<'a> Members<'a> {
    /// Begins with the time, which needs no escaping.
    pub fn begin(out: &'a mut Vec<u8>, time: &str) -> Self {
        out.extend_from_slice(b"{\"time\":\"");
        out.extend_from_slice(time.as_bytes());
        out.push(b'"');
        Self(out)
    }

    /// Appends to an object that has members already, or writes members for [`Self::written`].
    pub fn more(out: &'a mut Vec<u8>) -> Self {
        Self(out)
    }

    /// Appends members that [`Self::more`] wrote to another buffer.
    pub fn written(&mut self, members: &[u8]) {
        self.0.extend_from_slice(members);
    }

    /// Writes a name, shortened to a limit. `None` writes nothing.
    pub fn name(&mut self, key: Key, text: Option<&str>) {
        match text {
            None | Some("") => {}
            Some(text) if text.len() > NAME_BYTES_MAX => {
                self.text(key, &text[..text.floor_char_boundary(NAME_BYTES_MAX)]);
            }
            Some(text) => self.text(key, text),
        }
    }

    /// Writes text that may need escapes.
    pub fn text(&mut self, key: Key, text: &str) {
        if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
            return self.plain(key, text.as_bytes());
        }
        self.key(key);
        // Writing text into a vector cannot fail.
        let _ = serde_json::to_writer(&mut *self.0, text);
    }

    /// Writes text that needs no escapes.
    pub fn plain(&mut self, key: Key, text: &[u8]) {
        self.key(key);
        self.0.push(b'"');
        self.0.extend_from_slice(text);
        self.0.push(b'"');
    }

    /// Writes a number.
    pub fn number(&mut self, key: Key, number: impl itoa::Integer) {
        self.key(key);
        self.0.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    }

    /// Closes the object.
    pub fn end(self) {
        self.0.push(b'}');
    }

    fn key(&mut self, Key(key): Key) {
        self.0.extend_from_slice(key.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    proptest! {
        #[test]
        fn whatever_a_name_holds_it_is_read_as_it_was(text in ".*", any in prop::collection::vec(any::<char>(), 0..40)) {
            let any: String = any.into_iter().collect();
            let mut out = Vec::new();
            let mut row = Members::begin(&mut out, "now");
            row.text(key!("a"), &text);
            row.text(key!("b"), &any);
            row.number(key!("n"), -7);
            row.end();
            let read: Value = serde_json::from_slice(&out).unwrap();
            prop_assert_eq!(read, json!({ "time": "now", "a": text, "b": any, "n": -7 }));
        }
    }

    #[test]
    fn long_names_are_cut_between_characters_and_empty_ones_left_out() {
        let mut out = Vec::new();
        let mut row = Members::begin(&mut out, "");
        row.name(key!("a"), Some(""));
        row.name(key!("b"), None);
        row.name(key!("c"), Some(&"é".repeat(NAME_BYTES_MAX)));
        row.name(key!("d"), Some(&format!("x{}", "é".repeat(NAME_BYTES_MAX))));
        row.end();
        let read: Value = serde_json::from_slice(&out).unwrap();
        let (even, odd) = ("é".repeat(NAME_BYTES_MAX / 2), format!("x{}", "é".repeat(NAME_BYTES_MAX / 2 - 1)));
        assert_eq!(read, json!({ "time": "", "c": even, "d": odd }));
    }
}
