//! Seals the state that a client sends back: the client can read it, but not change it, use it after its time, or use
//! it for another method.

use super::era::invalid_params;
use super::limits::STATE_LIFE;
use crate::RpcError;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use ring::rand::SystemRandom;
use std::time::{SystemTime, UNIX_EPOCH};

/// A secret key that lives as long as the process.
pub struct Seal(hmac::Key);

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seal")
    }
}

impl Seal {
    /// A fresh key.
    ///
    /// # Panics
    ///
    /// If the system has no random numbers: nothing here would be safe.
    pub fn new() -> Self {
        Self(hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new()).expect("the system has random numbers"))
    }

    /// Seals a text for requests of one method.
    pub fn close(&self, text: &str, method: &str) -> String {
        let until = now_s() + STATE_LIFE.as_secs();
        let body = format!("{until}\n{method}\n{text}");
        let tag = hmac::sign(&self.0, body.as_bytes());
        format!("{}.{}", URL_SAFE_NO_PAD.encode(&body), URL_SAFE_NO_PAD.encode(tag.as_ref()))
    }

    /// Returns the text if the seal is ours, intact, for this method and not expired.
    pub fn open(&self, sealed: &str, method: &str) -> Result<String, RpcError> {
        let read = || {
            let (body, tag) = sealed.split_once('.')?;
            let body = URL_SAFE_NO_PAD.decode(body).ok()?;
            let tag = URL_SAFE_NO_PAD.decode(tag).ok()?;
            hmac::verify(&self.0, &body, &tag).ok()?;
            let body = String::from_utf8(body).ok()?;
            let (until, rest) = body.split_once('\n')?;
            let (of, text) = rest.split_once('\n')?;
            (until.parse::<u64>().ok()? >= now_s() && of == method).then(|| text.to_owned())
        };
        read().ok_or_else(|| invalid_params("`requestState` is not one of this server's, or too old"))
    }
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_sealed_here_for_this_is_opened() {
        let (seal, other) = (Seal::new(), Seal::new());
        let sealed = seal.close("a\nb", "tools/call");
        assert_eq!(seal.open(&sealed, "tools/call").unwrap(), "a\nb");
        assert!(seal.open(&sealed, "prompts/get").is_err());
        assert!(other.open(&sealed, "tools/call").is_err());
        let mut bent = sealed.clone();
        bent.replace_range(0..1, if sealed.starts_with('A') { "B" } else { "A" });
        for text in [bent.as_str(), "", ".", "x.y", &sealed[..sealed.len() - 1]] {
            assert!(seal.open(text, "tools/call").is_err(), "{text}");
        }
    }
}
