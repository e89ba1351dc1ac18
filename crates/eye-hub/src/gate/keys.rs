//! The tokens that a hub knows, and which of the named ones are still valid.

use super::token::Auth;
use super::tokens::{self, FileVersion, Found, Tokens, Valid};
use eye_protocol::scope::Scope;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The tokens that a hub knows: its own, and the named ones.
#[derive(Clone, Debug)]
pub struct Keys {
    auth: Auth,
    tokens: Tokens,
}

#[cfg(test)]
impl Keys {
    /// The same in another mode.
    #[must_use]
    pub fn with_auth(self, auth: Auth) -> Self {
        Self { auth, ..self }
    }
}

impl Keys {
    /// The hub's own token, and the named ones, whose file is beside that of the origins.
    pub fn new(auth: Auth, origins_file: &Path) -> Self {
        Self { auth, tokens: Tokens::new(tokens::beside(origins_file)) }
    }

    /// The named ones.
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Who may be an agent over TCP.
    pub fn auth(&self) -> &Auth {
        &self.auth
    }

    /// Whether it is the hub's own token.
    pub fn is_own(&self, token: &str) -> bool {
        matches!(&self.auth, Auth::Token(known) if known.matches(token))
    }

    /// What a token is.
    pub fn find(&self, token: &str) -> Found {
        self.tokens.find(token, now_ms())
    }

    /// The named tokens that are valid now.
    pub fn valid(&self) -> Valid {
        self.tokens.valid(now_ms())
    }

    /// Whether named tokens may have changed, or expired, since they were looked at.
    pub fn changed_since(&self, seen: Option<&FileVersion>, valid: &Valid) -> bool {
        self.tokens.version().as_ref() != seen || valid.next_expiry_ms.is_some_and(|at| at <= now_ms())
    }

    /// The state of the file of named tokens.
    pub fn version(&self) -> Option<FileVersion> {
        self.tokens.version()
    }

    /// What an agent that may do everything may do with this token: it lowers, and never raises.
    pub fn lowered(&self, token: &str) -> Scope {
        if self.is_own(token) {
            return Scope::ALL;
        }
        match self.find(token) {
            Found::Agent(scope) => scope,
            Found::Page(..) => Scope::nothing("this token is for a page, not for an agent"),
            Found::Expired(name) => Scope::nothing(&format!("the token `{name}` has expired")),
            Found::Unknown => Scope::nothing("the token in EYE_TOKEN is not this hub's"),
        }
    }
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
