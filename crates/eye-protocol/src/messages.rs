//! Params and results of the JSON-RPC methods. Field names are the wire's.

use crate::answer::{Ending, Value};
use crate::error::{Error, ErrorObject};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The version of this protocol; its first number must match.
pub const PROTOCOL_VERSION: &str = "1.0.0";

/// The WebSocket subprotocol of peers that speak lines beside JSON-RPC. A peer that offers none and names its side in
/// the query speaks only JSON-RPC.
pub const SUBPROTOCOL: &str = "eye";

/// Whether a peer's protocol version is compatible with ours.
pub fn version_fits(version: &str) -> bool {
    version.split('.').next() == Some("1")
}

/// Which side a connection is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ClientType {
    /// A page: it provides.
    Browser,
    /// An agent: it asks.
    Agent,
}

/// Params of `hello`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct Hello {
    /// Which side; the query of the URL says it too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_type: Option<ClientType>,
    /// Protocol version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Wants typed answers.
    #[serde(default)]
    pub typed: bool,
    /// Wants batches.
    #[serde(default)]
    pub batch: bool,
    /// What a page is capable of; tools that need more are refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<String>>,
    /// An agent takes binary results as binary messages.
    #[serde(default)]
    pub binary: bool,
    /// A page says what it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageInfo>,
    /// An agent says who it is, across connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The page its calls go to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Timeout of its calls in ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// The frame its calls are evaluated in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// A token that lowers an agent which may do everything, as `EYE_TOKEN` does on the Unix socket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The agent's own version, when it is eye's CLI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
}

/// Result of `hello`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct Welcome {
    /// The page's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Protocol version.
    pub version: String,
    /// The hub's own version.
    pub hub: String,
    /// The highest ref (`e41` is 41) that the session's pages have given: the next document counts on from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_ref: Option<u32>,
}

/// What a page says of itself, in `hello` and, in parts, in `page/info`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct PageInfo {
    /// `document.title`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `location.href`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The name its author gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// Whether a person can see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visible: Option<bool>,
    /// Whether it is a frame inside another page. Frames are asked only by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<bool>,
    /// The session of the page around it, where a frame knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Whether it evaluates code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eval: Option<bool>,
    /// Why it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eval_blocked: Option<String>,
    /// What agents are told instead of being served, while a person has paused them; empty once they may go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    /// The highest ref that the page has given to agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_ref: Option<u32>,
    /// Whether its document is still loading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loading: Option<bool>,
    /// Where the document is about to go; empty once it stays after all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaving: Option<String>,
    /// The browser's own dialog that stops the page, as `confirm: text`; empty once it is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialog: Option<String>,
    /// Where it is, if a browser that eye drives shows it. The driver says it inside of the hub: read from no wire.
    #[serde(skip)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub shown_in: Option<ShownIn>,
}

/// The browser that shows a driven page, and its window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownIn {
    /// The profile of eye's own browser, or the name of the pairing of a person's own browser.
    pub browser: String,
    /// Counted from 1 in the order in which windows come; absent where every page has a window of its own.
    pub window: Option<u32>,
}

/// Params of `call/navigating`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct Navigating {
    /// The call, by the hub's id.
    pub id: String,
    /// Where it goes.
    pub url: String,
}

/// Params of `call/cancel` to a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CancelPage {
    /// The call, by the hub's id.
    pub id: String,
}

/// Params of `call/cancel` from an agent: its own id, string or number.
#[derive(Clone, Debug, Deserialize)]
pub struct CancelAgent {
    /// The id as the agent wrote it.
    pub id: Box<RawValue>,
}

/// Params of `eval` to a page, for what a line frame cannot say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct EvalInPage {
    /// What to evaluate.
    pub code: String,
    /// In which frame, when not in the page itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// Whether the state is to be published before the answer.
    #[serde(default, skip_serializing_if = "is_false")]
    pub delta: bool,
    /// Only if the state has this revision.
    #[serde(default, rename = "ifRevision", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub if_revision: Option<u64>,
}

/// What becomes of a call's answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum EvalMode {
    /// It is sent back.
    #[default]
    Answer,
    /// There is none.
    Fire,
    /// The hub keeps it until it is collected.
    Keep,
}

/// Params of `eval` from an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct Eval {
    /// What to evaluate.
    pub code: String,
    /// In which page: an id, an alias, or part of a title or URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// In which frame of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// How long, in ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// What becomes of the answer.
    #[serde(default)]
    pub mode: EvalMode,
    /// The id to keep it under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<String>,
    /// Whether the answer is to carry the change of state that it caused.
    #[serde(default, skip_serializing_if = "is_false")]
    pub delta: bool,
    /// Only if the state has this revision.
    #[serde(default, rename = "ifRevision", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub if_revision: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
pub(crate) fn is_false(value: &bool) -> bool {
    !value
}

/// Params of `hub/serve`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Serve {
    /// An absolute path of a file or folder on the hub's machine.
    pub path: String,
}

/// The params of a verb that the hub reads. All params go to the page.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Verb {
    /// `None`: the agent's own page.
    #[serde(default)]
    pub page: Option<String>,
    /// Timeout in milliseconds.
    #[serde(default)]
    pub timeout: Option<u64>,
    /// Whether the answer is to carry the change of state that the call caused.
    #[serde(default)]
    pub delta: bool,
    /// Only if the state has this revision.
    #[serde(default, rename = "ifRevision")]
    pub if_revision: Option<u64>,
    /// Whether it may run twice: then it outlives a reload.
    #[serde(default)]
    pub again: bool,
}

/// Params of `collect`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct Collect {
    /// Which; all when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// How long to wait for the pending ones, in ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
}

/// Result of `collect`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct Collected {
    /// What has ended, in the order it was asked.
    pub results: Vec<Kept>,
    /// What has not.
    pub pending: Vec<String>,
}

/// One kept result.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct Kept {
    /// Its id.
    pub id: String,
    /// Its JSON value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub value: Option<Box<RawValue>>,
    /// Its rendering, when JSON cannot hold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendering: Option<String>,
    /// Its error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorObject>,
}

impl Kept {
    /// A kept result of a call, from its ending.
    pub fn new(id: String, ending: &Ending) -> Self {
        let mut kept = Self { id, value: None, rendering: None, error: None };
        match ending {
            Ok(Value::Rendering(text)) => kept.rendering = Some(text.clone()),
            Ok(value @ Value::Bytes(_)) => kept.rendering = Some(value.as_text().to_owned()),
            Ok(value) => match RawValue::from_string(value.to_json()) {
                Ok(raw) => kept.value = Some(raw),
                // A page that sends broken JSON must not break the answer around it.
                Err(_) => kept.rendering = Some(value.as_text().to_owned()),
            },
            Err(error) => kept.error = Some(error.into()),
        }
        kept
    }

    /// The ending of the call.
    pub fn into_ending(self) -> Ending {
        if let Some(error) = self.error {
            return Err(Error::from(error));
        }
        if let Some(rendering) = self.rendering {
            return Ok(Value::Rendering(rendering));
        }
        let json = self.value.map_or_else(|| "null".to_owned(), |raw| raw.get().to_owned());
        Ok(match serde_json::from_str::<String>(&json) {
            Ok(text) => Value::Text(text),
            Err(_) => Value::Json(json),
        })
    }
}

/// Params of `session/use`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct Use {
    /// An id, an alias, an origin, or part of a title or URL.
    pub page: String,
    /// What it is called from now on; the empty name takes that back.
    #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Params of `session/forget`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct Forget {
    /// An id, an alias, an origin, or part of a title or URL.
    pub page: String,
}

/// Params of `hub/stop`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// How long calls under way may take until they are ended, in ms. Without it they are ended at once.
    pub drain: Option<u64>,
}

/// Where a session's page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Presence {
    /// Connected.
    Connected,
    /// Reloading, or restarting with the hub: calls wait.
    Away,
    /// Not there, and not expected: calls fail.
    Gone,
}

/// One session, as a list shows it.
#[expect(clippy::struct_excessive_bools, reason = "a row of a table, not a state")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct SessionRow {
    /// Its id.
    pub id: String,
    /// The hub that holds it, when that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hub: Option<String>,
    /// The name that a person gave it, which pages cannot take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The name its author gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// The page's title.
    pub title: String,
    /// The page's URL.
    pub url: String,
    /// The origin that holds the session.
    pub origin: String,
    /// Where the page is.
    pub state: Presence,
    /// Whether a person can see it.
    pub visible: bool,
    /// Whether it is a frame inside another page.
    #[serde(default)]
    pub frame: bool,
    /// The session of the page around it, if it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The browser that shows it, where eye drives several: a profile, or the pairing of an extension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<String>,
    /// The window of that browser, where granted tabs are in several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// Whether it evaluates code.
    pub eval: bool,
    /// How many tools it offers.
    #[serde(default)]
    pub tools: usize,
    /// Calls under way.
    pub pending: usize,
    /// Since the last call or join, in ms.
    pub idle_ms: u64,
    /// Since an agent last asked it, in ms; absent when none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_ms: Option<u64>,
    /// Who that was: the agent's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_by: Option<String>,
    /// Whether it is the asking agent's page.
    pub current: bool,
}

/// Result of `session/list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct Sessions {
    /// All of them: connected first, then by last use.
    pub sessions: Vec<SessionRow>,
    /// Other hubs may hold more pages than this one lists: name them by id, name, origin, title or URL.
    #[serde(default, skip_serializing_if = "is_false")]
    pub partial: bool,
}

/// Params of `hub/retiring`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
pub struct Retiring {
    /// The version of the hub that makes room.
    pub version: String,
}
