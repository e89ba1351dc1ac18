//! Hides what agents' names reveal from pages.

use std::hash::{DefaultHasher, Hasher};

/// An agent's name as pages see it. A name that is a path becomes a word that is the same for the same agent and
/// reveals nothing else.
pub(crate) fn opaque(key: u64, name: &str) -> String {
    if !name.contains(['/', '\\']) {
        return name.to_owned();
    }
    let mut hasher = DefaultHasher::new();
    hasher.write_u64(key);
    hasher.write(name.as_bytes());
    format!("agent-{:012x}", hasher.finish() >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_hears_no_folder() {
        let one = opaque(7, "/a/folder/secret");
        assert!(one.starts_with("agent-") && !one.contains("secret"), "{one}");
        assert_eq!(one, opaque(7, "/a/folder/secret"));
        assert_ne!(one, opaque(8, "/a/folder/secret"), "without the key it cannot be guessed");
        assert_eq!((opaque(7, ""), opaque(7, "claude")), (String::new(), "claude".to_owned()));
    }
}
