//! Finds where the values of a JSON text begin and end, without parsing them. It accepts exactly what `serde_json`
//! accepts as a raw value.
//!
//! Two things that `serde_json` does not do: it pauses, because a page may send megabytes while others wait for the
//! core, and it returns the parts of one pass as slices of the text.

use std::borrow::Cow;

/// Called now and then by work that takes long, so that others can use the processor.
pub type Pause = fn();

/// Bytes of text that take less than a tenth of a millisecond, value by value.
const BYTES_A_PAUSE: usize = 16 << 10;
/// Copying text takes a quarter of that, and long strings an eighth.
const COPIED_A_PAUSE: usize = 4 * BYTES_A_PAUSE;
const MANY_PLAIN: usize = 32;
const MANY_PLAIN_COUNT: usize = MANY_PLAIN / 8;

/// The members of an object, each with its name as it is written (see [`name`]) and its value. `None`: not an object.
pub fn members<'a>(text: &'a str, pause: Pause, mut each: impl FnMut(&'a str, &'a str)) -> Option<()> {
    let mut scan = Scan::new(text, pause);
    scan.expect(b'{')?;
    if !scan.eat(b'}') {
        loop {
            let name = scan.name()?;
            each(name, scan.value()?);
            if scan.ends(b'}')? {
                break;
            }
        }
    }
    scan.end()
}

/// The values of these members of an object as raw text, or what is wrong with the object.
pub fn named<'a, const N: usize>(
    text: &'a str,
    names: [&str; N],
    pause: Pause,
) -> Result<[Option<&'a str>; N], &'static str> {
    let (mut values, mut twice) = ([None; N], false);
    let object = members(text, pause, |raw, value| {
        let name = name(raw);
        if let Some(at) = names.iter().position(|wanted| name.as_deref() == Some(wanted)) {
            twice |= values[at].replace(value).is_some();
        }
    });
    match object {
        None => Err("not a JSON object"),
        Some(()) if twice => Err("a member is there twice"),
        Some(()) => Ok(values),
    }
}

/// The elements of an array. `None`: not an array.
pub fn elements(text: &str, pause: Pause) -> Option<Vec<&str>> {
    let mut scan = Scan::new(text, pause);
    let mut elements = Vec::new();
    scan.expect(b'[')?;
    if !scan.eat(b']') {
        loop {
            elements.push(scan.value()?);
            if scan.ends(b']')? {
                break;
            }
        }
    }
    scan.end()?;
    Some(elements)
}

/// The text of a name, without its quotes and escapes.
pub fn name(raw: &str) -> Option<Cow<'_, str>> {
    if raw.contains('\\') {
        return serde_json::from_str(raw).ok().map(Cow::Owned);
    }
    raw.strip_prefix('"')?.strip_suffix('"').map(Cow::Borrowed)
}

/// Copies a text with pauses: it takes long where memory has to be found.
pub fn copy(text: &str, pause: Pause) -> Box<str> {
    let mut copied = String::with_capacity(text.len());
    let mut rest = text;
    while rest.len() > COPIED_A_PAUSE {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(COPIED_A_PAUSE));
        copied.push_str(piece);
        rest = after;
        pause();
    }
    copied.push_str(rest);
    copied.into()
}

/// A position in a text.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    pause: Pause,
    pause_at: usize,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, pause: Pause) -> Self {
        Self { text, at: 0, pause, pause_at: BYTES_A_PAUSE }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// The next byte that is not white space.
    #[inline]
    fn here(&mut self) -> Option<u8> {
        match self.peek()? {
            0..=b' ' => {
                self.space();
                self.peek()
            }
            byte => Some(byte),
        }
    }

    #[cold]
    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
            self.rest();
        }
    }

    /// Skips white space, and then this byte if it is the next.
    #[inline]
    fn eat(&mut self, wanted: u8) -> bool {
        let is_there = self.here() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, wanted: u8) -> Option<()> {
        self.eat(wanted).then_some(())
    }

    /// Whether the container of the last value ends here. `None`: neither an end nor a comma is here.
    #[inline]
    fn ends(&mut self, close: u8) -> Option<bool> {
        let byte = self.here()?;
        self.at += 1;
        if byte == b',' { Some(false) } else { (byte == close).then_some(true) }
    }

    fn end(mut self) -> Option<()> {
        self.space();
        (self.at == self.text.len()).then_some(())
    }

    /// The name of a member, with its quotes.
    fn name(&mut self) -> Option<&'a str> {
        self.space();
        let start = self.at;
        self.string()?;
        let name = &self.text[start..self.at];
        self.expect(b':')?;
        Some(name)
    }

    /// A value and all that is in it.
    fn value(&mut self) -> Option<&'a str> {
        self.space();
        let start = self.at;
        let mut open = Open::default();
        loop {
            self.rest();
            match self.here()? {
                b'{' => {
                    self.at += 1;
                    if !self.eat(b'}') {
                        open.push(true);
                        self.name()?;
                        continue;
                    }
                }
                b'[' => {
                    self.at += 1;
                    if !self.eat(b']') {
                        open.push(false);
                        continue;
                    }
                }
                b'"' => self.string()?,
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'n' => self.word("null")?,
                _ => self.number()?,
            }
            loop {
                let Some(is_object) = open.last() else { return Some(&self.text[start..self.at]) };
                if !self.ends(if is_object { b'}' } else { b']' })? {
                    if is_object {
                        self.name()?;
                    }
                    break;
                }
                open.pop();
            }
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let is_there = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        self.at += word.len();
        is_there.then_some(())
    }

    #[inline]
    fn number(&mut self) -> Option<()> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.next()? {
            b'0' => {}
            b'1'..=b'9' => self.digits(),
            _ => return None,
        }
        if !matches!(self.peek(), Some(b'.' | b'e' | b'E')) {
            return Some(());
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.some_digits()?;
        }
        Some(())
    }

    fn some_digits(&mut self) -> Option<()> {
        let start = self.at;
        self.digits();
        (self.at > start).then_some(())
    }

    #[inline]
    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
            self.rest();
        }
    }

    fn string(&mut self) -> Option<()> {
        if self.next()? != b'"' {
            return None;
        }
        loop {
            self.rest();
            self.plain();
            match self.next()? {
                b'"' => return Some(()),
                b'\\' => match self.next()? {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                    b'u' => {
                        let digits = self.text.as_bytes().get(self.at..self.at + 4)?;
                        if !digits.iter().all(u8::is_ascii_hexdigit) {
                            return None;
                        }
                        self.at += 4;
                    }
                    _ => return None,
                },
                0..b' ' => return None,
                _ => {}
            }
        }
    }

    /// Skips bytes of a string that stand for themselves, many at a time in a long string.
    fn plain(&mut self) {
        let ends = |byte: &u8| *byte < b' ' || *byte == b'"' || *byte == b'\\';
        let bytes = self.text.as_bytes();
        let short = bytes[self.at..].iter().take(MANY_PLAIN).take_while(|byte| !ends(byte)).count();
        self.at += short;
        if short < MANY_PLAIN {
            return;
        }
        while let Some(many) = bytes.get(self.at..self.at + MANY_PLAIN) {
            // Without an early exit this is a few instructions of a vector unit.
            if many.iter().fold(false, |any, byte| any | ends(byte)) {
                break;
            }
            self.at += MANY_PLAIN;
            self.pause_at += MANY_PLAIN - MANY_PLAIN_COUNT;
            self.rest();
        }
        self.at += bytes[self.at..].iter().take_while(|byte| !ends(byte)).count();
    }

    #[inline]
    fn rest(&mut self) {
        if self.at >= self.pause_at {
            self.pause_at = self.at + BYTES_A_PAUSE;
            (self.pause)();
        }
    }
}

/// Which containers are open: one bit for each. Those beyond 64 are on the heap.
#[derive(Default)]
struct Open {
    last: u64,
    depth: usize,
    outer: Vec<u64>,
}

impl Open {
    fn push(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.outer.push(self.last);
        }
        self.last = self.last << 1 | u64::from(is_object);
        self.depth += 1;
    }

    fn last(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.last & 1 == 1)
    }

    fn pop(&mut self) {
        self.last >>= 1;
        self.depth -= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.last = self.outer.pop().unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::value::RawValue;
    use std::cell::Cell;

    #[test]
    fn members_are_given_as_they_are_written() {
        let mut all = Vec::new();
        let text = " {\"a\" : [1, {\"b\":\"}\\\"\"}] , \"\\u0062\":\tnull}\n";
        assert!(members(text, || {}, |name, value| all.push((name, value))).is_some());
        assert_eq!(all, [("\"a\"", "[1, {\"b\":\"}\\\"\"}]"), ("\"\\u0062\"", "null")]);
        assert_eq!(name(all[1].0).as_deref(), Some("b"));
        assert_eq!(name(r#""\ud800""#), None);
        assert_eq!(elements("[ ]", || {}), Some(vec![]));
        assert_eq!(members("[]", || {}, |_, _| {}), None);
    }

    #[test]
    fn containers_are_distinguished_at_every_depth() {
        let nested = |depth: usize| {
            let (open, close): (String, String) =
                (0..depth).map(|n| if n % 3 == 0 { ("{\"a\":", '}') } else { ("[", ']') }).unzip();
            (open, close.chars().rev().collect::<String>())
        };
        for depth in [1, 63, 64, 65, 66, 127, 128, 129, 1_000] {
            let (open, close) = nested(depth);
            let text = format!("[{open}0{close},1]");
            assert_eq!(elements(&text, || {}).map(|all| all.len()), Some(2), "{depth}");
            for n in 0..depth {
                let mut wrong = close.clone().into_bytes();
                wrong[n] ^= b']' ^ b'}';
                let wrong = format!("[{open}0{}]", String::from_utf8(wrong).unwrap());
                assert_eq!(elements(&wrong, || {}), None, "{depth}, the {n}th");
            }
        }
    }

    #[test]
    fn large_texts_are_gone_over_with_pauses() {
        thread_local!(static PAUSES: Cell<usize> = const { Cell::new(0) });
        let pause = || PAUSES.set(PAUSES.get() + 1);
        for (part, mib) in
            [("0,", 1), ("[[", 1), ("{\"a\":", 1), ("\"\\n\",", 1), ("x", 8), ("\\n", 1), (" ", 1), ("9", 1)]
        {
            PAUSES.set(0);
            let many = part.repeat((mib << 20) / part.len());
            let text = if part == "x" || part == "\\n" { format!("[\"{many}\"]") } else { format!("[{many}") };
            let _ = elements(&text, pause);
            assert!(PAUSES.get() >= 60, "{} pauses in {part}", PAUSES.get());
        }
        PAUSES.set(0);
        let text = "ä".repeat(1 << 21);
        assert_eq!(*copy(&text, pause), text);
        assert!(PAUSES.get() >= 30);
        elements("[1,2,3]", || panic!("it is small"));
    }

    fn theirs(text: &str) -> Option<Vec<&str>> {
        let raws: Vec<&RawValue> = serde_json::from_str(text).ok()?;
        Some(raws.into_iter().map(RawValue::get).collect())
    }

    proptest! {
        #[test]
        fn a_text_is_split_as_serde_json_splits_it(
            inner in r#"([\[\]{}:,"\\0-9eE.+\-a-zä \n\x01]|"a":|true|null|\\u00e4|-1\.5e7|\[\]){0,20}"#,
        ) {
            let text = format!("[{inner}]");
            prop_assert_eq!(elements(&text, || {}), theirs(&text));
            let text = format!("[{{{inner}}}]");
            prop_assert_eq!(elements(&text, || {}), theirs(&text));
            let text = format!("[\"{inner}\"]");
            prop_assert_eq!(elements(&text, || {}), theirs(&text));
        }

        #[test]
        fn any_text_is_split_or_refused(text in ".*") {
            prop_assert_eq!(elements(&text, || {}), theirs(&text));
        }
    }
}
