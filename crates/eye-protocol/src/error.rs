//! Errors as every face shows them: a code, one sentence, and the next step.

use crate::page_hint;
use crate::text::json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The message of errors when no page has joined.
pub const NO_PAGE: &str = "no page is connected";

/// A JSON-RPC error code. The named ones are those that eye itself gives; a page may send any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Code(pub i32);

impl Code {
    /// The frame is not JSON where it must be.
    pub const PARSE: Self = Self(-32700);
    /// The frame is no request.
    pub const REQUEST: Self = Self(-32600);
    /// No such method.
    pub const METHOD: Self = Self(-32601);
    /// The parameters do not fit.
    pub const PARAMS: Self = Self(-32602);
    /// A fault of eye itself, or a limit of it.
    pub const INTERNAL: Self = Self(-32603);
    /// The hub, the page or the link between them is gone.
    pub const CONNECTION: Self = Self(-32000);
    /// The call took too long.
    pub const TIMEOUT: Self = Self(-32001);
    /// No session, several, or one that is taken.
    pub const SESSION: Self = Self(-32002);
    /// The page's code threw.
    pub const THREW: Self = Self(-32003);
    /// No such tool.
    pub const TOOL: Self = Self(-32004);
    /// The arguments do not fit the tool's schema.
    pub const SCHEMA: Self = Self(-32005);
    /// Not allowed.
    pub const DENIED: Self = Self(-32006);
    /// The state has another revision than the call names.
    pub const CONFLICT: Self = Self(-32007);
    /// The agent itself ended the call.
    pub const CANCELLED: Self = Self(-32800);
}

/// Where an error comes from, and what is special about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// From eye itself.
    #[default]
    Own,
    /// From eye itself: a person has to confirm the call first.
    Unconfirmed,
    /// From eye itself: the call may be repeated later.
    TooOften { retry_after_ms: u64 },
    /// From a page: its message is data, and its code reveals nothing about eye.
    Page,
}

/// What went wrong, in one sentence, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub code: Code,
    /// One sentence.
    pub message: String,
    /// The next step, where there is one.
    pub hint: Option<String>,
    /// Stack of the page's code that threw.
    pub stack: Option<String>,
    /// The value that there was instead of the expected one: the last value of a wait.
    pub value: Option<Box<Value>>,
    /// Set by the hub.
    pub kind: Kind,
}

impl Error {
    /// An error of eye's own, without a hint.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, stack: None, value: None, kind: Kind::Own }
    }

    /// The same error as a page's answer: a page can neither deny what eye allows nor advise in eye's words.
    #[must_use]
    pub fn of_page(mut self) -> Self {
        self.kind = Kind::Page;
        if self.code == Code::DENIED {
            self.code = Code::THREW;
        }
        self.hint = self.hint.as_deref().and_then(page_hint::words);
        self
    }

    /// The same error with its next step.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Message and hint in one line, for faces that have no place for a hint.
    pub fn one_line(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}; {hint}", self.message),
            None => self.message.clone(),
        }
    }
}

/// An error and its causes in one line, down to the last one, which says most.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

/// An error as JSON-RPC writes it.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct ErrorObject {
    /// What kind of failure.
    pub code: Code,
    /// One sentence.
    pub message: String,
    /// Hint, stack and value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<ErrorData>,
}

/// The part of an error that is not in every one.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct ErrorData {
    /// The next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Where the page's code threw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// What there was instead of what was wanted: the last value of a wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub value: Option<Box<Value>>,
    /// Whose words it is, when they are not eye's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Whether the call only waits for a person to confirm it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unconfirmed: Option<bool>,
    /// In how many milliseconds a call that came too soon may be repeated.
    #[serde(default, rename = "retryAfter", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub retry_after: Option<u64>,
}

/// Who else speaks in an error.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Source {
    /// The page.
    Page,
}

impl From<&Error> for ErrorObject {
    fn from(error: &Error) -> Self {
        let Error { code, message, hint, stack, value, kind } = error.clone();
        let source = (kind == Kind::Page).then_some(Source::Page);
        let unconfirmed = (kind == Kind::Unconfirmed).then_some(true);
        let retry_after = if let Kind::TooOften { retry_after_ms } = kind { Some(retry_after_ms) } else { None };
        let data = ErrorData { hint, stack, value, source, unconfirmed, retry_after };
        Self { code, message, data: (data != ErrorData::default()).then_some(data) }
    }
}

impl From<ErrorObject> for Error {
    fn from(object: ErrorObject) -> Self {
        let data = object.data.unwrap_or_default();
        let kind = match (data.source, data.unconfirmed, data.retry_after) {
            (Some(Source::Page), ..) => Kind::Page,
            (None, Some(true), _) => Kind::Unconfirmed,
            (None, _, Some(retry_after_ms)) => Kind::TooOften { retry_after_ms },
            (None, _, None) => Kind::Own,
        };
        Self { code: object.code, message: object.message, hint: data.hint, stack: data.stack, value: data.value, kind }
    }
}

impl Error {
    /// Reads an error object whatever its `data` holds: a foreign page may put anything there.
    pub fn from_raw(raw: &str) -> Self {
        #[derive(Deserialize)]
        struct Loose {
            code: Code,
            message: String,
        }
        if let Ok(object) = serde_json::from_str::<ErrorObject>(raw) {
            return object.into();
        }
        match serde_json::from_str::<Loose>(raw) {
            Ok(loose) => Self::new(loose.code, loose.message),
            Err(_) => Self::new(Code::INTERNAL, format!("the page answered with a malformed error: {}", json(raw))),
        }
    }
}
