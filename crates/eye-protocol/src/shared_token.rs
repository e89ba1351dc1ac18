//! A named token, as hubs of one cluster send it to each other. It holds no secret.

use serde::{Deserialize, Serialize};

/// A named token that was made, or one that was revoked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SharedToken {
    /// SHA-256 of the secret, in hex: identifies the token.
    pub hash: Box<str>,
    /// Hubs that were apart may have given the same name to several tokens.
    pub name: String,
    /// The words of `--may`.
    pub may: Vec<String>,
    /// The origins whose pages it sees; for `join`, the one whose page it is. Empty: all.
    #[serde(default)]
    pub pages: Vec<String>,
    /// Unix time in ms.
    pub created_at: u64,
    /// Unix time in ms; `None`: never.
    #[serde(default)]
    pub expires_at: Option<u64>,
    /// When it was revoked: Unix time in ms. A token that was revoked once stays so.
    #[serde(default)]
    pub revoked_at: Option<u64>,
}

/// The tokens that a hub knows, at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnTokens {
    /// Unix time in ms.
    pub now_ms: u64,
    /// The tokens that have not expired by then.
    pub tokens: Vec<SharedToken>,
}

impl SharedToken {
    pub fn is_revoked(&self) -> bool {
        self.revoked_at.is_some()
    }

    /// Whether it has expired, and can be forgotten.
    pub fn is_expired(&self, now_ms: u64) -> bool {
        self.expires_at.is_some_and(|at| at <= now_ms)
    }
}
