//! Links and keys of consoles, in memory only: a code is exchanged once for a key, and a key is good while it is used.
//! A hub that ends forgets them all.

use crate::gate::token::{self, Token};
use eye_core::Millis;
use std::io;

/// How long a link can be used.
pub const CODE_MS: Millis = 2 * 60_000;
/// How long a key outlives its last connection, unless the link said otherwise.
pub const KEY_MS_DEFAULT: Millis = 60 * 60_000;
/// The longest that a link may say.
pub const KEY_MS_MAX: Millis = 24 * 60 * 60_000;
/// Links that wait to be used; the oldest gives way.
const CODES_LEN_MAX: usize = 16;
/// Keys at one time; the one that ends first gives way.
const KEYS_LEN_MAX: usize = 64;

/// A secret, how long its key is good, and when it ends.
#[derive(Debug)]
struct Secret {
    token: Token,
    key_ms: Millis,
    until: Millis,
}

/// All codes and keys of one hub.
#[derive(Debug, Default)]
pub struct ConsoleKeys {
    codes: Vec<Secret>,
    keys: Vec<Secret>,
}

impl ConsoleKeys {
    /// Makes a code for one link. Its key is good for `key_ms` after its last use; the code no longer than that.
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

    /// Exchanges a code for a key. `None`: it was used, it expired, or it never was one.
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

    /// Whether a key is good now. It is good for as long again from here.
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

/// Every secret is compared, so that the time tells nothing about which one was nearly right.
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
