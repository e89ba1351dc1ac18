//! State on the wire: params and results of `state/*`.

use crate::error::{Code, Error};
use crate::scan::{self, Pause};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Params of `state/update`, and a page's answer to `state/get`.
#[derive(Clone, Debug)]
pub struct WholeState {
    /// The document as JSON text.
    pub state: Box<str>,
    pub revision: u64,
}

impl WholeState {
    /// Reads it from JSON text, which may be large.
    pub fn parse(text: &str, pause: Pause) -> Result<Self, Error> {
        let (state, revision) = revised(text, "state", pause)?;
        Ok(Self { state, revision })
    }
}

/// Params of `state/patch`.
#[derive(Clone, Debug)]
pub struct Change {
    /// RFC 6902, raw.
    pub patch: Box<str>,
    /// The revision it leads to.
    pub revision: u64,
}

impl Change {
    /// Reads it from JSON text, which may be large.
    pub fn parse(text: &str, pause: Pause) -> Result<Self, Error> {
        let (patch, revision) = revised(text, "patch", pause)?;
        Ok(Self { patch, revision })
    }
}

/// A member of an object, as it is written, and the revision beside it.
fn revised(text: &str, member: &str, pause: Pause) -> Result<(Box<str>, u64), Error> {
    let invalid = |what: &str| Error::new(Code::PARAMS, what);
    let [value, revision] = scan::named(text, [member, "revision"], pause).map_err(invalid)?;
    let value = value.ok_or_else(|| invalid(&format!("`{member}` is missing")))?;
    let revision = revision.ok_or_else(|| invalid("`revision` is missing"))?;
    let revision = revision.parse().map_err(|_| invalid("`revision` is no whole number"))?;
    Ok((scan::copy(value, pause), revision))
}

/// Params of `state/get` from an agent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GetState {
    /// `None`: the agent's own page.
    #[serde(default, alias = "sessionId", skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// `None`: the whole state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether the page is asked first.
    #[serde(default)]
    pub fresh: bool,
    /// Only what changed after this revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
}

/// Params of `state/watch` and `state/unwatch`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Watch {
    /// `None`: the agent's own page.
    #[serde(default, alias = "sessionId", skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// Result of `state/get` for an agent.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StateAnswer {
    /// The value that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Box<RawValue>>,
    /// The changes, if they were requested and are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<Box<RawValue>>,
    pub revision: u64,
    /// `page` or `cache`.
    pub source: &'static str,
    /// Whether the page was not asked.
    pub was_cached: bool,
    /// Whether its page is gone, or has not published since it came back.
    pub stale: bool,
    /// Milliseconds since the state arrived.
    pub age_ms: u64,
    /// When the state arrived, as RFC 3339.
    pub time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// Params of `state/save`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Save {
    /// `None`: the agent's own page.
    #[serde(default, alias = "sessionId", skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    pub name: String,
}

/// Params of `state/restore`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Restore {
    /// `None`: the agent's own page.
    #[serde(default, alias = "sessionId", skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    pub name: String,
    /// Only if the state has this revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_revision: Option<u64>,
}

/// Result of `state/save`, and one of `state/saved`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saved {
    pub name: String,
    /// The revision that the state had.
    pub revision: u64,
    /// Length of its JSON text.
    pub bytes: usize,
    /// When the state was published, as RFC 3339.
    pub time: String,
}

/// Result of `state/saved`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedList {
    /// The oldest first.
    pub snapshots: Vec<Saved>,
}
