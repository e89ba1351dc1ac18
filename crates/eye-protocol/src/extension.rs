//! The browser extension: the id that the key in its manifest gives it, its origin, and its path at the hub.

/// The extension's id in every browser, by the key in its manifest.
pub const EXTENSION_ID: &str = "ideahddmfnocldhgfkollgmdihcnhibj";

/// The `Origin` that browsers send for it. No page and no other extension has it.
pub const EXTENSION_ORIGIN: &str = "chrome-extension://ideahddmfnocldhgfkollgmdihcnhibj";

/// Path of the hub to which the extension connects.
pub const EXTENSION_PATH: &str = "/extension";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_is_that_of_the_id() {
        assert_eq!(EXTENSION_ORIGIN.strip_prefix("chrome-extension://"), Some(EXTENSION_ID));
    }
}
