//! Topics and mailboxes on the wire: params of `topic/*` and `mailbox/*`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Params of `topic/publish`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Publish {
    pub topic: String,
    /// Any JSON, raw.
    pub message: Box<RawValue>,
    /// What the sender calls itself; the hub adds who it is. Older clients call this member `from`.
    #[serde(default, rename = "as", alias = "from", skip_serializing_if = "Option::is_none")]
    pub own_word: Option<String>,
    /// Whether the message waits when there is no subscriber. Absent: it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<bool>,
    /// How long the message waits, in ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// From an agent: pages of every origin receive it, not only those of the origin of the page it uses.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}

/// Params of `topic/subscribe` and `topic/unsubscribe`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Subscribe {
    /// A topic, or a prefix of topics followed by `*`.
    pub topic: String,
}

/// Params of the notification `topic/message`.
#[derive(Clone, Debug, Serialize)]
pub struct Message<'a> {
    pub topic: &'a str,
    pub message: &'a RawValue,
    /// The sender as the hub knows it: never a page's free choice.
    pub from: &'a str,
    /// What the sender calls itself. People see `FROM/AS`.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    pub own_word: Option<&'a str>,
    /// The origin of the page that sent it; absent for an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<&'a str>,
    /// Unix time in milliseconds.
    pub time: u64,
}

/// Params of `mailbox/put`.
#[derive(Clone, Debug, Deserialize)]
pub struct Put {
    /// Any JSON, raw.
    pub message: Box<RawValue>,
}

/// Params of `mailbox/read`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReadMail {
    /// `None`: the agent's own page.
    #[serde(default, alias = "sessionId", skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// How long to wait for the first letter, in ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
}
