//! Writes a row's JSON members one by one: every call writes a row, and most of its texts need no escaping.

/// Longer names, which agents choose, are cut to this.
pub const NAME_BYTES_MAX: usize = 256;

/// A JSON object that is being written.
pub struct Members<'a>(&'a mut Vec<u8>);

impl<'a> Members<'a> {
    /// Begins an object. Its first member's text needs no escaping.
    pub fn begin(out: &'a mut Vec<u8>, name: &str, text: &str) -> Self {
        out.extend_from_slice(b"{\"");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":\"");
        out.extend_from_slice(text.as_bytes());
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

    /// Writes a name, cut to [`NAME_BYTES_MAX`]; omits an absent or empty name.
    pub fn name(&mut self, name: &str, text: Option<&str>) {
        match text {
            None | Some("") => {}
            Some(text) if text.len() > NAME_BYTES_MAX => {
                self.text(name, &text[..text.floor_char_boundary(NAME_BYTES_MAX)]);
            }
            Some(text) => self.text(name, text),
        }
    }

    /// Writes any text.
    pub fn text(&mut self, name: &str, text: &str) {
        if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
            return self.plain(name, text.as_bytes());
        }
        self.key(name);
        // It cannot fail: strings always serialize, and a `Vec` accepts all bytes.
        let _ = serde_json::to_writer(&mut *self.0, text);
    }

    /// Writes text that needs no escaping.
    pub fn plain(&mut self, name: &str, text: &[u8]) {
        self.key(name);
        self.0.push(b'"');
        self.0.extend_from_slice(text);
        self.0.push(b'"');
    }

    pub fn number(&mut self, name: &str, number: impl itoa::Integer) {
        self.key(name);
        self.0.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    }

    /// Closes the object.
    pub fn end(self) {
        self.0.push(b'}');
    }

    fn key(&mut self, name: &str) {
        self.0.extend_from_slice(b",\"");
        self.0.extend_from_slice(name.as_bytes());
        self.0.extend_from_slice(b"\":");
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
            let mut row = Members::begin(&mut out, "time", "now");
            row.text("a", &text);
            row.text("b", &any);
            row.number("n", -7);
            row.end();
            let read: Value = serde_json::from_slice(&out).unwrap();
            prop_assert_eq!(read, json!({ "time": "now", "a": text, "b": any, "n": -7 }));
        }
    }

    #[test]
    fn long_names_are_cut_between_characters_and_empty_ones_left_out() {
        let mut out = Vec::new();
        let mut row = Members::begin(&mut out, "time", "");
        row.name("a", Some(""));
        row.name("b", None);
        row.name("c", Some(&"é".repeat(NAME_BYTES_MAX)));
        row.name("d", Some(&format!("x{}", "é".repeat(NAME_BYTES_MAX))));
        row.end();
        let read: Value = serde_json::from_slice(&out).unwrap();
        let (even, odd) = ("é".repeat(NAME_BYTES_MAX / 2), format!("x{}", "é".repeat(NAME_BYTES_MAX / 2 - 1)));
        assert_eq!(read, json!({ "time": "", "c": even, "d": odd }));
    }
}
