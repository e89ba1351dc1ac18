//! Lines of eye's own dialect that are passed on without being kept: code for a page, and the value of a page. The same
//! as [`super::eye`] reads and writes.

use eye_core::CallId;
use eye_protocol::id::split_call_number;
use eye_protocol::line::Line;

/// The parts of a value in a page's line: the call, what kind of value it is, and its text. `None`: it is another line.
pub fn value_of(line: &str, typed: bool) -> Option<(CallId, char, &str)> {
    let (call, mark, text) = split_call_number(line, if typed { b":=~" } else { b":" })?;
    Some((call, mark.into(), text))
}

/// Writes a value for an agent into `out`.
pub fn value_to_agent(id: &str, mark: char, text: &str, out: &mut String) {
    out.push_str(id);
    out.push(mark);
    out.push_str(text);
}

/// Writes a call of code for a page into `out`.
pub fn code_to_page(call: CallId, code: &str, out: &mut String) {
    Line::Ask { id: itoa::Buffer::new().format(call), code }.write(out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::FromPage;
    use crate::dialect::eye::page_line;
    use eye_core::{Conn, Input, PageEvent};
    use eye_protocol::answer::write_typed;

    #[test]
    fn the_parts_of_a_value_are_what_the_whole_line_says() {
        for (typed, line) in [
            (true, "7:a:b"),
            (true, "7={}"),
            (true, "7~<a>"),
            (true, "7!-3 x"),
            (true, "a:x"),
            (false, "7:x=y"),
            (false, "7=x"),
            (false, "7!:x"),
        ] {
            let whole = page_line(Conn(1), typed, line);
            let Some((call, mark, text)) = value_of(line, typed) else {
                let ending = |from| match from {
                    FromPage::Input(Input::Page { event: PageEvent::Answered { ending, .. }, .. }) => Some(ending),
                    _ => None,
                };
                assert!(whole.and_then(ending).is_none_or(|ending| ending.is_err()), "{line}");
                continue;
            };
            let Some(FromPage::Input(Input::Page { event: PageEvent::Answered { call: known, ending }, .. })) = whole
            else {
                panic!("{line}")
            };
            let [mut long, mut short] = [String::new(), String::new()];
            write_typed("i", &ending, &mut long);
            value_to_agent("i", mark, text, &mut short);
            assert_eq!((known, long), (call, short));
        }
    }
}
