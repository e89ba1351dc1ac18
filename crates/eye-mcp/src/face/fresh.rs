//! Ids that cannot be guessed.

use ring::rand::{SecureRandom, SystemRandom};
use std::fmt::Write;

/// 128 random bits, as text.
pub fn fresh_id() -> String {
    let mut bytes = [0_u8; 16];
    // Without random numbers no id is safe; the seal would have failed before.
    let _ = SystemRandom::new().fill(&mut bytes);
    bytes.iter().fold(String::with_capacity(32), |mut id, byte| {
        let _ = write!(id, "{byte:02x}");
        id
    })
}
