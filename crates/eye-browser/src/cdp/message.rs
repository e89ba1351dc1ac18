//! What a browser says: answers, events, and the few events that this crate itself acts upon.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// One message of a browser.
#[derive(Debug, Deserialize)]
pub struct Incoming<'a> {
    /// The command that it answers.
    pub id: Option<u64>,
    /// The event that it is.
    #[serde(borrow)]
    pub method: Option<Cow<'a, str>>,
    /// What the event holds.
    #[serde(borrow)]
    pub params: Option<&'a RawValue>,
    /// What the command came to.
    #[serde(borrow)]
    pub result: Option<&'a RawValue>,
    /// Why it came to nothing.
    pub error: Option<Failure>,
    /// Whose session it is of; none is the browser's own.
    #[serde(borrow, rename = "sessionId")]
    pub session: Option<Cow<'a, str>>,
}

/// A refusal of the browser.
#[derive(Debug, Deserialize)]
pub struct Failure {
    /// Its code.
    #[serde(default)]
    pub code: i64,
    /// Its words.
    #[serde(default)]
    pub message: String,
    /// More of them.
    #[serde(default)]
    pub data: Option<String>,
}

/// An event of a session.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its name, such as `Page.frameNavigated`.
    pub method: Box<str>,
    /// What it holds, as JSON text.
    pub params: Box<RawValue>,
    /// What was noted of the command whose result it is ([`super::Session::note`]); events of the browser's own have
    /// none.
    pub note: Option<i64>,
}

impl Event {
    /// What it holds, as a value of this type. `None`: it holds something else.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Option<T> {
        serde_json::from_str(self.params.get()).ok()
    }
}

/// What a target is.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetInfo {
    /// Its id, which lasts as long as the tab.
    pub target_id: String,
    /// `page`, `iframe`, `worker`, …
    #[serde(rename = "type")]
    pub kind: String,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// Its address; empty for a popup that has not begun to load.
    #[serde(default)]
    pub url: String,
    /// The target that opened it.
    #[serde(default)]
    pub opener_id: Option<String>,
    /// The profile in the browser that it belongs to.
    #[serde(default)]
    pub browser_context_id: Option<String>,
    /// The extension reaches it without the debugger: by messages to the page client, and pictures.
    #[serde(default)]
    pub scripted: bool,
    /// The window that it is in, as the extension says it.
    #[serde(default)]
    pub window_id: Option<i64>,
}

/// `Target.attachedToTarget`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachedToTarget {
    /// The new session.
    pub session_id: String,
    /// What it is of.
    pub target_info: TargetInfo,
    /// Whether it waits.
    #[serde(default)]
    pub waiting_for_debugger: bool,
}

/// `Target.detachedFromTarget`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DetachedFromTarget {
    /// The session that is no more.
    pub session_id: String,
}

/// `Page.javascriptDialogOpening`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DialogOpening {
    /// Its text.
    #[serde(default)]
    pub message: String,
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: String,
    /// What a prompt suggests.
    #[serde(default)]
    pub default_prompt: String,
}
