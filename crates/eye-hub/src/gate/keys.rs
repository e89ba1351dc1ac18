//! The tokens that a hub accepts, and which of the named ones are still valid.

use super::token::{Auth, Token};
use super::tokens::{self, FileVersion, Found, Rows, Tokens, TokensError, Valid, Wish};
use eye_protocol::scope::{Bearer, Scope};
use eye_protocol::shared_token::{OwnTokens, SharedToken};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Age at which a file's content may be cached: two changes within one tick of its clock cannot be distinguished.
const SETTLED_MS: u64 = 2_000;

/// A file's rows, and its version before they were read.
type Read = (FileVersion, Arc<Rows>);

/// The hub's own token and the named tokens.
#[derive(Clone, Debug)]
pub struct Keys {
    auth: Auth,
    tokens: Tokens,
    /// The cached rows of the file.
    read: Arc<Mutex<Option<Read>>>,
}

#[cfg(test)]
impl Keys {
    /// The same keys in another mode.
    #[must_use]
    pub fn with_auth(self, auth: Auth) -> Self {
        Self { auth, ..self }
    }
}

impl Keys {
    /// The hub's own token, and the named ones in the file beside the list of origins.
    pub fn new(auth: Auth, origins_file: &Path) -> Self {
        Self { auth, tokens: Tokens::new(tokens::beside(origins_file)), read: Arc::default() }
    }

    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// The token with this id for pages of this origin, with its hash.
    pub fn paired(&self, id: &str, origin: &str) -> Option<(Bearer, Box<str>)> {
        self.rows().paired(id, origin, now_ms())
    }

    /// Makes a named token.
    pub fn create(&self, wish: Wish) -> Result<Token, TokensError> {
        self.tokens.create(wish, now_ms())
    }

    /// Revokes a named token.
    pub fn revoke(&self, name: &str) -> Result<(), TokensError> {
        self.tokens.revoke(name, now_ms())
    }

    /// The named tokens as other hubs need them, with the current time.
    pub fn shared(&self) -> Result<OwnTokens, TokensError> {
        let now_ms = now_ms();
        Ok(OwnTokens { now_ms, tokens: self.tokens.shared(now_ms)? })
    }

    /// Applies what other hubs made or revoked. Writes files.
    pub fn take(&self, tokens: Vec<SharedToken>) -> Result<(), TokensError> {
        self.tokens.take(tokens, now_ms())
    }

    /// How agents authenticate over TCP.
    pub fn auth(&self) -> &Auth {
        &self.auth
    }

    pub fn is_own(&self, token: &str) -> bool {
        matches!(&self.auth, Auth::Token(known) if known.matches(token))
    }

    /// Classifies a token.
    pub fn find(&self, token: &str) -> Found {
        self.rows().find(token, now_ms())
    }

    pub fn valid(&self) -> Valid {
        self.rows().valid(now_ms())
    }

    /// The rows of the file; read again if its version changed.
    fn rows(&self) -> Arc<Rows> {
        // Taken before the file is read: a change in between is then noticed by the next call.
        let version = self.tokens.version();
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some((known, rows)), Some(version)) = (&*read, version)
            && *known == version
        {
            return rows.clone();
        }
        let rows = Arc::new(self.tokens.rows());
        *read = version.filter(|version| version.is_older_than(SETTLED_MS, now_ms())).map(|v| (v, rows.clone()));
        rows
    }

    /// Whether named tokens changed or expired since `seen` and `valid` were taken.
    pub fn changed_since(&self, seen: Option<&FileVersion>, valid: &Valid) -> bool {
        self.tokens.version().as_ref() != seen || valid.next_expiry_ms.is_some_and(|at| at <= now_ms())
    }

    pub fn version(&self) -> Option<FileVersion> {
        self.tokens.version()
    }

    /// The scope for an agent with full access that also sends this token: it can lower the scope, never raise it.
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

#[cfg(test)]
mod tests {
    use super::*;
    use eye_protocol::operations::Class;
    use std::fs;
    use std::time::Duration;

    #[test]
    fn the_file_is_read_when_it_changed_and_not_before() {
        let home = tempfile::tempdir().unwrap();
        let keys = Keys::new(Auth::None, &home.path().join("eye/origins"));
        let tokens = keys.tokens.clone();
        let wish = |name: &str| tokens::Wish { name: name.into(), may: vec![Class::Read], ..tokens::Wish::default() };
        let one = tokens.create(wish("one"), 1).unwrap();
        // Written just now, it is read each time.
        assert!(matches!(keys.find(one.reveal()), Found::Agent(_)) && keys.read.lock().unwrap().is_none());
        let file = fs::File::options().append(true).open(tokens::beside(&home.path().join("eye/origins"))).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_mins(1)).unwrap();
        assert!(matches!(keys.find(one.reveal()), Found::Agent(_)));
        let kept = keys.read.lock().unwrap().clone().unwrap().1;
        assert!(Arc::ptr_eq(&keys.rows(), &kept), "nothing changed, nothing is read");
        tokens.revoke("one", 1).unwrap();
        assert_eq!(keys.find(one.reveal()), Found::Unknown);
        let two = tokens.create(wish("two"), 1).unwrap();
        assert!(matches!(keys.find(two.reveal()), Found::Agent(_)));
    }
}
