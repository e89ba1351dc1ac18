//! The original eye's dialect: `EYE_CMD:` to its page, `EYE:` back, and strings as JSON strings.

use super::FromPage;
use eye_core::{CallId, Conn, Input, PageEvent, ReplyForm};
use eye_protocol::answer::parse_plain;
use eye_protocol::{Code, Ending, Error, Value};

/// The first frame an agent gets.
pub const AGENT_READY: &str = ":ready";
/// Sent instead of [`AGENT_READY`] when there is no page.
pub const NO_PAGE: &str = "!:No browser connected";
/// The first frame a page gets.
pub const PAGE_READY: &str = "EYE_BRIDGE:ready";

pub fn from_page(page: Conn, text: &str) -> Option<FromPage> {
    if text == "ping" {
        return Some(FromPage::Reply("pong".into()));
    }
    let (id, ending) = parse_plain(text.strip_prefix("EYE:")?)?;
    let ending = match ending {
        Ok(value) => Ok(typed(value.as_text())),
        Err(error) => Err(Error::new(Code::THREW, error.message)),
    };
    Some(FromPage::Input(Input::page(page, PageEvent::Answered { call: id.parse().ok()?, ending })))
}

/// The original serializes with `JSON.stringify`, and with `String()` where that is not possible.
fn typed(text: &str) -> Value {
    if let Ok(string) = serde_json::from_str::<String>(text) {
        return Value::Text(string);
    }
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Ok(_) => Value::Json(text.into()),
        Err(_) => Value::Rendering(text.into()),
    }
}

/// Writes a call for an original page. Without a call id it is fire and forget.
pub fn to_page(call: Option<CallId>, code: &str, out: &mut String) {
    let id = call.map_or_else(String::new, |call| call.to_string());
    out.push_str("EYE_CMD:");
    out.push_str(&id);
    out.push(':');
    out.push_str(code);
}

pub fn to_agent(form: &ReplyForm, ending: &Ending, out: &mut String) {
    if let ReplyForm::Compact(form) = form {
        return form.write(ending, out);
    }
    let ReplyForm::Line(id) = form else { return };
    out.push_str(id.as_str());
    match ending {
        Ok(Value::Rendering(text)) => {
            out.push(':');
            out.push_str(text);
        }
        Ok(value) => {
            out.push(':');
            out.push_str(&value.to_json());
        }
        // The page has left for good: sends the original's message for that.
        Err(error) if error.code == Code::SESSION => out.push_str(NO_PAGE),
        Err(error) => {
            out.push_str("!:");
            out.push_str(&error.one_line());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eye_protocol::id::LineId;

    fn answered(text: &str) -> Ending {
        match from_page(Conn(1), text) {
            Some(FromPage::Input(Input::Page { event: PageEvent::Answered { call: 7, ending }, .. })) => ending,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_original_page_says_types_by_its_quotes() {
        assert_eq!(answered(r#"EYE:7:"root""#), Ok(Value::Text("root".into())));
        assert_eq!(answered(r#"EYE:7:{"a":1}"#), Ok(Value::Json(r#"{"a":1}"#.into())));
        assert_eq!(answered("EYE:7:undefined"), Ok(Value::Rendering("undefined".into())));
        assert_eq!(answered("EYE:7!:x is not defined"), Err(Error::new(Code::THREW, "x is not defined")));
    }

    #[test]
    fn fire_and_forget_has_an_empty_id_and_its_answer_reaches_nobody() {
        let mut out = String::new();
        to_page(None, "x()", &mut out);
        assert_eq!(out, "EYE_CMD::x()");
        assert!(from_page(Conn(1), "EYE::undefined").is_none());
        assert!(from_page(Conn(1), "noise").is_none());
    }

    #[test]
    fn an_original_agent_reads_strings_in_quotes() {
        let form = ReplyForm::Line(LineId::parse("a").unwrap());
        for (ending, want) in [
            (Ok(Value::Text("root".into())), "a:\"root\""),
            (Ok(Value::Json("[1]".into())), "a:[1]"),
            (Ok(Value::Rendering("undefined".into())), "a:undefined"),
            (Err(Error::new(Code::THREW, "oops")), "a!:oops"),
        ] {
            let mut out = String::new();
            to_agent(&form, &ending, &mut out);
            assert_eq!(out, want);
        }
    }

    #[test]
    fn an_agent_that_asks_in_a_compact_form_is_answered_in_it() {
        use eye_protocol::compact::Form;
        for (form, want) in [
            (Form::Object("1".into()), r#"{"i":1,"r":"root"}"#),
            (Form::Pair("\"a\"".into()), r#"["a","root"]"#),
            (Form::Bare, r#""root""#),
        ] {
            let mut out = String::new();
            to_agent(&ReplyForm::Compact(form), &Ok(Value::Text("root".into())), &mut out);
            assert_eq!(out, want);
        }
    }
}
