//! Messages of a browser: answers, events, and the few events that this crate handles itself.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Debug, Deserialize)]
pub struct Incoming<'a> {
    /// The id of the command that it answers.
    pub id: Option<u64>,
    /// The name of the event.
    #[serde(borrow)]
    pub method: Option<Cow<'a, str>>,
    /// The content of the event.
    #[serde(borrow)]
    pub params: Option<&'a RawValue>,
    /// The result of the command.
    #[serde(borrow)]
    pub result: Option<&'a RawValue>,
    /// The error of the command.
    pub error: Option<Failure>,
    /// The session it belongs to; `None`: the browser's own.
    #[serde(borrow, rename = "sessionId")]
    pub session: Option<Cow<'a, str>>,
}

/// An error of the browser.
#[derive(Debug, Deserialize)]
pub struct Failure {
    #[serde(default)]
    pub code: i64,
    #[serde(default)]
    pub message: String,
    /// More detail.
    #[serde(default)]
    pub data: Option<String>,
}

/// An event of a session.
#[derive(Clone, Debug)]
pub struct Event {
    /// Such as `Page.frameNavigated`.
    pub method: Cow<'static, str>,
    pub params: Box<RawValue>,
    /// The note of the command whose result this is ([`super::Session::note`]); `None` for events of the browser.
    pub note: Option<i64>,
}

impl Event {
    /// Parses the params. `None`: they are not of this type.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Option<T> {
        serde_json::from_str(self.params.get()).ok()
    }
}

/// A CDP target, such as a tab.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetInfo {
    /// Lasts as long as the tab.
    pub target_id: String,
    /// `page`, `iframe`, `worker`, …
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub title: String,
    /// Empty for a popup that has not begun to load.
    #[serde(default)]
    pub url: String,
    /// The id of the target that opened it.
    #[serde(default)]
    pub opener_id: Option<String>,
    /// The browser context (profile) of the target.
    #[serde(default)]
    pub browser_context_id: Option<String>,
    /// The extension reaches it without the debugger: by messages to the page client, and by pictures.
    #[serde(default)]
    pub scripted: bool,
    /// The id of its window, if the extension reports one.
    #[serde(default)]
    pub window_id: Option<i64>,
}

/// `Target.attachedToTarget`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachedToTarget {
    pub session_id: String,
    pub target_info: TargetInfo,
    /// Whether the target waits for `Runtime.runIfWaitingForDebugger`.
    #[serde(default)]
    pub waiting_for_debugger: bool,
}

/// `Target.detachedFromTarget`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DetachedFromTarget {
    pub session_id: String,
}

/// `Page.javascriptDialogOpening`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DialogOpening {
    #[serde(default)]
    pub message: String,
    #[serde(rename = "type")]
    pub kind: String,
    /// The default text of a prompt.
    #[serde(default)]
    pub default_prompt: String,
}
