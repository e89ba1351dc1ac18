//! Ids that cannot be guessed.

use ring::rand::{SecureRandom, SystemRandom};
use std::fmt::Write;

/// 128 random bits in hex.
pub fn fresh_id() -> String {
    let mut bytes = [0_u8; 16];
    // On failure the bytes would all be zero; creating the seal has already required random numbers.
    let _ = SystemRandom::new().fill(&mut bytes);
    bytes.iter().fold(String::with_capacity(32), |mut id, byte| {
        let _ = write!(id, "{byte:02x}");
        id
    })
}
