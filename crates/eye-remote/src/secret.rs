//! A token or key of a server elsewhere.

use std::fmt;

/// Never printed by `Debug`.
#[derive(Clone)]
pub struct Secret(Box<str>);

impl Secret {
    /// Takes a secret, without the white space around it.
    pub fn new(text: &str) -> Self {
        Self(text.trim().into())
    }

    /// The secret itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
