//! Link codes and keys of consoles, in memory only: a code is exchanged once for a key, and a key expires after a time
//! without use. They end with the hub.

use crate::gate::token::{self, Token};
use eye_core::Millis;
use std::io;

/// How long a link can be used.
pub const CODE_MS: Millis = 2 * 60_000;
/// How long a key outlives its last use, unless the link says otherwise.
pub const KEY_MS_DEFAULT: Millis = 60 * 60_000;
/// The longest key lifetime that a link may set.
pub const KEY_MS_MAX: Millis = 24 * 60 * 60_000;
/// Unused links; a new one replaces the oldest.
const CODES_LEN_MAX: usize = 16;
/// Concurrent keys; a new one replaces the key that expires first.
const KEYS_LEN_MAX: usize = 64;

/// A code or key, the lifetime of its key, and its expiry.
#[derive(Debug)]
struct Secret {
    token: Token,
    key_ms: Millis,
    until: Millis,
}

#[derive(Debug, Default)]
pub struct ConsoleKeys {
    codes: Vec<Secret>,
    keys: Vec<Secret>,
}

impl ConsoleKeys {
    /// Makes a code for one link. Its key expires `key_ms` after its last use; the code expires no later than that.
    pub fn code(&mut self, now: Millis, key_ms: Millis) -> io::Result<String> {
        self.forget(now);
        if self.codes.len() >= CODES_LEN_MAX {
            self.codes.remove(0);
        }
        let key_ms = key_ms.min(KEY_MS_MAX);
        let token = token::fresh()?;
        let text = token.reveal().to_owned();
        self.codes.push(Secret { token, key_ms, until: now + key_ms.min(CODE_MS) });
        Ok(text)
    }

    /// Exchanges a code for a key. `None`: the code was used, has expired or never existed.
    pub fn exchange(&mut self, now: Millis, code: &str) -> io::Result<Option<(String, Millis)>> {
        self.forget(now);
        let Some(at) = found(&self.codes, code) else { return Ok(None) };
        let Secret { key_ms, .. } = self.codes.remove(at);
        if self.keys.len() >= KEYS_LEN_MAX
            && let Some(first) = (0..self.keys.len()).min_by_key(|at| self.keys[*at].until)
        {
            self.keys.remove(first);
        }
        let token = token::fresh()?;
        let text = token.reveal().to_owned();
        self.keys.push(Secret { token, key_ms, until: now + key_ms });
        Ok(Some((text, key_ms)))
    }

    /// Whether the key is valid. Extends its lifetime.
    pub fn renew(&mut self, now: Millis, key: &str) -> bool {
        self.forget(now);
        let Some(at) = found(&self.keys, key) else { return false };
        let secret = &mut self.keys[at];
        secret.until = now + secret.key_ms;
        true
    }

    fn forget(&mut self, now: Millis) {
        self.codes.retain(|secret| secret.until > now);
        self.keys.retain(|secret| secret.until > now);
    }
}

/// Compares with every secret, so that timing does not reveal a partial match.
fn found(secrets: &[Secret], text: &str) -> Option<usize> {
    let mut found = None;
    for (at, secret) in secrets.iter().enumerate() {
        if secret.token.matches(text) {
            found = Some(at);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_exchanged_once_and_in_time() {
        let mut keys = ConsoleKeys::default();
        let code = keys.code(0, KEY_MS_DEFAULT).unwrap();
        assert_eq!(keys.exchange(0, "guess").unwrap(), None);
        let (key, _) = keys.exchange(CODE_MS - 1, &code).unwrap().unwrap();
        assert_eq!(keys.exchange(CODE_MS - 1, &code).unwrap(), None, "a second use");
        assert!(keys.renew(CODE_MS, &key) && !keys.renew(CODE_MS, &code), "a code is not a key");
        let late = keys.code(0, KEY_MS_DEFAULT).unwrap();
        assert_eq!(keys.exchange(CODE_MS, &late).unwrap(), None);
    }

    #[test]
    fn a_key_is_good_for_so_long_after_its_last_use() {
        let mut keys = ConsoleKeys::default();
        let code = keys.code(0, 100).unwrap();
        let (key, key_ms) = keys.exchange(0, &code).unwrap().unwrap();
        assert_eq!(key_ms, 100);
        assert!(keys.renew(99, &key) && keys.renew(198, &key));
        assert!(!keys.renew(298, &key));
        let code = keys.code(0, Millis::MAX).unwrap();
        assert_eq!(keys.exchange(0, &code).unwrap().unwrap().1, KEY_MS_MAX);
    }

    #[test]
    fn there_are_only_so_many_codes_and_keys() {
        let mut keys = ConsoleKeys::default();
        let key = |keys: &mut ConsoleKeys| {
            let code = keys.code(0, 100).unwrap();
            keys.exchange(0, &code).unwrap().unwrap().0
        };
        let oldest = key(&mut keys);
        for _ in 1..KEYS_LEN_MAX {
            key(&mut keys);
        }
        assert!(keys.renew(0, &oldest), "as many as there may be");
        let codes: Vec<String> = (0..=CODES_LEN_MAX).map(|_| keys.code(0, 100).unwrap()).collect();
        assert_eq!(keys.exchange(0, &codes[0]).unwrap(), None);
        assert!(keys.exchange(0, &codes[1]).unwrap().is_some());
        assert_eq!(keys.keys.len(), KEYS_LEN_MAX);
    }
}
