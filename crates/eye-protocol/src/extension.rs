//! The browser extension: the id that the key in its manifest gives it, and what it is told when it may not connect.

/// The extension's id in every browser, by the key in its manifest.
pub const EXTENSION_ID: &str = "ideahddmfnocldhgfkollgmdihcnhibj";

/// The `Origin` that browsers send for it. No page and no other extension has it.
pub const EXTENSION_ORIGIN: &str = "chrome-extension://ideahddmfnocldhgfkollgmdihcnhibj";

/// Where it connects.
pub const EXTENSION_PATH: &str = "/extension";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_is_that_of_the_id() {
        assert_eq!(EXTENSION_ORIGIN.strip_prefix("chrome-extension://"), Some(EXTENSION_ID));
    }
}
