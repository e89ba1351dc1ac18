//! Topics and mailboxes on the wire: params of `topic/*` and `mailbox/*`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Params of `topic/publish`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Publish {
    /// Under which topic.
    pub topic: String,
    /// Any JSON, raw.
    pub message: Box<RawValue>,
    /// The sender's own word for who says it; the hub writes who that is. Older clients call it `from`.
    #[serde(default, rename = "as", alias = "from", skip_serializing_if = "Option::is_none")]
    pub own_word: Option<String>,
    /// Whether it waits when there is no subscriber. Absent: it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<bool>,
    /// How long it waits, in ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// From an agent: pages of every origin hear it, not only those of the page it uses.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}

/// Params of `topic/subscribe` and `topic/unsubscribe`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Subscribe {
    /// Which; one that ends in `*` stands for all that begin so.
    pub topic: String,
}

/// Params of the notification `topic/message`.
#[derive(Clone, Debug, Serialize)]
pub struct Message<'a> {
    /// Under which topic.
    pub topic: &'a str,
    /// As it was published.
    pub message: &'a RawValue,
    /// Who said it, as the hub knows it: never a page's free choice.
    pub from: &'a str,
    /// The sender's own word for itself. People see `FROM/AS`.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    pub own_word: Option<&'a str>,
    /// The origin of a page that said it; absent for an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<&'a str>,
    /// When, in ms since 1970.
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
    /// Of which page.
    #[serde(default, alias = "sessionId", skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// How long to wait for the first, in ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
}
