//! Fresh session ids: short to type, and hard to guess.

use eye_protocol::SessionId;

const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
const LENGTH: usize = 13;

/// A new id of 65 random bits.
///
/// # Panics
/// If the system has no randomness: then no safe id is possible.
pub fn fresh() -> SessionId {
    let mut random = [0_u8; LENGTH];
    getrandom::fill(&mut random).expect("the system gives random bytes");
    let text: String = random.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
    SessionId::parse(&text).expect("letters and digits are a session id")
}
/// A random key.
pub(crate) fn key() -> u64 {
    let mut random = [0; 8];
    getrandom::fill(&mut random).expect("the system gives random bytes");
    u64::from_le_bytes(random)
}
