//! A token or key for a remote server, hidden from `Debug` output.

use std::fmt;

#[derive(Clone)]
pub struct Secret(Box<str>);

impl Secret {
    /// Trims white space.
    pub fn new(text: &str) -> Self {
        Self(text.trim().into())
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
