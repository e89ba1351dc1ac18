//! The audit log on the wire: one row as the file has it, and the messages by which agents read rows.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// One row: a call that ended, or rows that were dropped. Its texts are owned by readers and borrowed by the writer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row<S = String> {
    /// When the call was made: RFC 3339, UTC, with milliseconds.
    pub time: S,
    /// The agent's name; absent if it gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<S>,
    /// The name of its token; absent for the hub's own token and the Unix socket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<S>,
    /// How it is connected: `unix`, `ws`, `http`, `btcp`, `btcp-http`, `original`, `mcp` or `inside`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub face: Option<S>,
    /// The session of the page that was meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<S>,
    /// The origin of that page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<S>,
    /// The method of the table of operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<S>,
    /// The MCP server that the request went to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<S>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<S>,
    /// Bytes of the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// HMAC-SHA256 of the arguments with the log's key: 32 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<S>,
    /// `ok`, `fired`, `cancelled`, `timed-out`, `may-have-run`, or the kind of the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<S>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    /// How long the call took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// How long the call took, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub us: Option<u64>,
    /// Bytes of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<u64>,
    /// The arguments themselves, with `--audit full` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<S>,
    /// How many rows are missing at this place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<u64>,
    /// Why rows are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<S>,
}

/// Params of `audit/read`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Read {
    /// Only calls that were made since then: Unix time in milliseconds.
    pub since: Option<u64>,
    /// At most this many rows, the latest.
    pub limit: Option<usize>,
}

/// Result of `audit/read`.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Rows {
    /// `off`, `on` or `full`.
    pub mode: String,
    /// The oldest first.
    pub rows: Vec<Box<RawValue>>,
    /// Whether older rows were left out.
    pub cut: bool,
}
