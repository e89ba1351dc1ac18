//! Makes control and direction characters visible, so that text from elsewhere cannot steer a terminal or forge lines.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether this character misleads a terminal or a reader: C0, DEL, C1, bidirectional controls, line separators.
/// Newline and tab count too; callers that keep lines exclude them.
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Text of several lines: newlines and tabs stay, every other unsafe character is written as an escape.
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_unsafe(c) && c != '\n' && c != '\t')
}

/// Text of one line: newlines and tabs are escaped too.
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, is_unsafe)
}

fn escaped(text: &str, escape: impl Fn(char) -> bool) -> Cow<'_, str> {
    let Some(first) = text.find(&escape) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first]);
    for c in text[first..].chars() {
        match c {
            c if !escape(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_and_direction_character_becomes_visible() {
        let controls = (0..0x20_u32).chain(0x7f..0xa0);
        let others = [0x61c, 0x200e, 0x200f].into_iter().chain(0x2028..=0x202e).chain(0x2066..=0x2069);
        for c in controls.chain(others).filter_map(char::from_u32) {
            let shown = line(&format!("a{c}b")).into_owned();
            assert!(shown.starts_with("a\\") && shown.ends_with('b') && !shown.contains(c), "{c:?}: {shown}");
            let kept = c == '\n' || c == '\t';
            assert_eq!(lines(&format!("a{c}b")).contains(c), kept, "{c:?}");
        }
    }

    #[test]
    fn other_text_stays_as_it_is() {
        let text = "ä ✓ 日本 \u{1f441} \u{a0}";
        assert!(matches!(line(text), Cow::Borrowed(same) if same == text));
        assert_eq!(lines("\u{1b}]52;c;aGk=\u{7}\u{9b}\u{202e}"), "\\x1b]52;c;aGk=\\x07\\u009b\\u202e");
        assert_eq!(line("a\r\n\tb"), "a\\r\\n\\tb");
    }
}
