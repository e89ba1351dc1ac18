//! The compact JSON forms: requests and answers in JSON without the JSON-RPC envelope.

use crate::answer::{Ending, Value};
use crate::limits::RPC_ID_BYTES_MAX;
use crate::text::json;
use serde::Deserialize;

/// A request in a compact form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compact {
    /// How the request was written, which decides how it is answered.
    pub form: Form,
    pub code: String,
}

/// How a compact request was written. Ids are kept as the JSON text they came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// `{"i":1,"c":"x"}`
    Object(String),
    /// `["a","x"]`
    Pair(String),
    /// `{"c":"x"}` or `"x"`: answered in the order of the requests.
    Bare,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ObjectForm {
    i: Option<Id>,
    c: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Integer(i64),
    Number(f64),
    Text(String),
}

impl Id {
    fn into_json(self) -> Option<String> {
        let text = match self {
            Self::Integer(number) => number.to_string(),
            Self::Number(number) => serde_json::Number::from_f64(number)?.to_string(),
            Self::Text(text) => json(&text),
        };
        (text.len() <= RPC_ID_BYTES_MAX).then_some(text)
    }
}

impl Compact {
    /// Reads a frame. `None`: it is not one of the forms as a whole.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim_start().as_bytes().first()? {
            b'"' => {
                let code = serde_json::from_str(text).ok()?;
                Some(Self { form: Form::Bare, code })
            }
            b'{' => {
                // Bare keys are JSON5; most frames are plain JSON, whose parser is faster.
                let object: ObjectForm = serde_json::from_str(text).ok().or_else(|| json5::from_str(text).ok())?;
                let form = match object.i {
                    Some(id) => Form::Object(id.into_json()?),
                    None => Form::Bare,
                };
                Some(Self { form, code: object.c })
            }
            b'[' => {
                let (id, code): (Id, String) = serde_json::from_str(text).ok()?;
                Some(Self { form: Form::Pair(id.into_json()?), code })
            }
            _ => None,
        }
    }
}

impl Form {
    /// Writes the answer in the form of the request.
    pub fn write(&self, ending: &Ending, out: &mut String) {
        let value = |value: &Value| value.to_json();
        let text = match (self, ending) {
            (Self::Object(id), Ok(v)) => format!(r#"{{"i":{id},"r":{}}}"#, value(v)),
            (Self::Object(id), Err(e)) => format!(r#"{{"i":{id},"e":{}}}"#, json(&e.one_line())),
            (Self::Pair(id), Ok(v)) => format!("[{id},{}]", value(v)),
            (Self::Pair(id), Err(e)) => format!("[{id},null,{}]", json(&e.one_line())),
            (Self::Bare, Ok(v)) => value(v),
            (Self::Bare, Err(e)) => format!(r#"{{"e":{}}}"#, json(&e.one_line())),
        };
        out.push_str(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Code, Error};
    use proptest::prelude::*;

    fn answered(request: &str, ending: &Ending) -> String {
        let mut out = String::new();
        Compact::parse(request).expect(request).form.write(ending, &mut out);
        out
    }

    #[test]
    fn each_form_is_answered_in_kind() {
        let root = Ok(Value::Text("root".into()));
        let three = Ok(Value::Json("3".into()));
        let oops = Err(Error::new(Code::THREW, "oops"));
        assert_eq!(answered(r#"{"i":1,"c":"x"}"#, &root), r#"{"i":1,"r":"root"}"#);
        assert_eq!(answered(r#"{ i: "a", c: "x" }"#, &three), r#"{"i":"a","r":3}"#);
        assert_eq!(answered(r#"{i:1,c:"x"}"#, &oops), r#"{"i":1,"e":"oops"}"#);
        assert_eq!(answered(r#"{c:"x"}"#, &root), r#""root""#);
        assert_eq!(answered(r#""x""#, &three), "3");
        assert_eq!(answered(r#"["a","x"]"#, &root), r#"["a","root"]"#);
        assert_eq!(answered(r#"[1.5,"x"]"#, &oops), r#"[1.5,null,"oops"]"#);
        assert_eq!(answered(r#""x""#, &oops), r#"{"e":"oops"}"#);
        assert_eq!(answered(r#""x""#, &Ok(Value::Rendering("undefined".into()))), r#""undefined""#);
    }

    #[test]
    fn anything_else_is_code() {
        for text in [
            "{}",
            "{c:1}",
            "{i:1}",
            r#"{c:"x",d:1}"#,
            r#"["a"]"#,
            r#"["a","b","c"]"#,
            "x",
            "[1,2]",
            r#"{i:null1,c:"x"}"#,
        ] {
            assert_eq!(Compact::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[\\[{\"].*") {
            let _ = Compact::parse(&text);
        }

        #[test]
        fn code_survives_every_form(code in ".*") {
            let quoted = json(&code);
            for text in [format!(r#"{{"i":1,"c":{quoted}}}"#), format!("{{i:1,c:{quoted}}}"), format!("[1,{quoted}]"), quoted.clone()] {
                prop_assert_eq!(&Compact::parse(&text).expect("a form").code, &code);
            }
        }
    }
}
