//! A named token, as hubs of one cluster tell each other of it. It holds no secret.

use serde::{Deserialize, Serialize};

/// A named token that was made, or one that was taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SharedToken {
    /// SHA-256 of the secret, in hex: what tells tokens apart.
    pub hash: Box<str>,
    /// Its name. Hubs that were apart may have given it to several.
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
    /// When it was taken back, as Unix time in ms. A token that was taken back once stays so.
    #[serde(default)]
    pub revoked_at: Option<u64>,
}

/// What a hub knows of tokens, at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnTokens {
    /// Unix time in ms.
    pub now_ms: u64,
    /// Those that have not expired by then.
    pub tokens: Vec<SharedToken>,
}

impl SharedToken {
    /// Whether it was taken back.
    pub fn is_revoked(&self) -> bool {
        self.revoked_at.is_some()
    }

    /// Whether it can be forgotten.
    pub fn is_expired(&self, now_ms: u64) -> bool {
        self.expires_at.is_some_and(|at| at <= now_ms)
    }
}
