//! The names that call a tool: bare, `server::tool`, or prefixed for clients that take one flat list.

use crate::limits::PREFIXED_NAME_CHARS_MAX;

/// `server::tool`, which is never ambiguous.
pub fn qualified(server: &str, tool: &str) -> String {
    format!("{server}::{tool}")
}

/// `server__tool` in the characters and length that every MCP client accepts. It depends on the two names only, so
/// other servers never change it. A name that had to be changed or cut gets a suffix of its hash.
pub fn prefixed(server: &str, tool: &str) -> String {
    // `page:` is eye's own prefix: config refuses server names that begin with `page:` or `page_`.
    let provider = server.replacen("page:", "page_", 1);
    let clean = format!("{}__{}", cleaned(&provider), cleaned(tool));
    let changed = cleaned(&provider) != provider || cleaned(tool) != tool;
    // Without a suffix, the first `__` must be the separator, so that two pairs never share a name.
    let unclear = provider.contains("__") || provider.ends_with('_');
    if !changed && !unclear && clean.len() <= PREFIXED_NAME_CHARS_MAX {
        return clean;
    }
    let suffix = suffix(server, tool);
    let kept = clean.len().min(PREFIXED_NAME_CHARS_MAX - suffix.len() - 1);
    format!("{}_{suffix}", &clean[..kept])
}

fn cleaned(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect()
}

/// 40 bits of FNV-1a. Written out here because the names must not change with a release of a library.
fn suffix(server: &str, tool: &str) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let bytes = server.bytes().chain([0]).chain(tool.bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let folded = hash ^ (hash >> 40);
    (0..8).map(|at| char::from(ALPHABET[usize::try_from(folded >> (at * 5) & 31).unwrap_or(0)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prefixed_names_are_plain_where_they_can_be() {
        assert_eq!(prefixed("files", "read_file"), "files__read_file");
        assert_eq!(prefixed("page:shop", "add"), "page_shop__add");
        assert_eq!(prefixed("eye", "look"), "eye__look");
        // These stand in prompts and configs of agents: they must never change.
        assert_eq!(prefixed("my server", "read.file"), "my_server__read_file_rhfwqdcf");
        assert_eq!(prefixed("s", &"x".repeat(100)), "s__xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_sy56zcbc");
    }

    #[test]
    fn the_longest_name_that_fits_is_not_cut() {
        let tool = "x".repeat(PREFIXED_NAME_CHARS_MAX - 3);
        assert_eq!(prefixed("s", &tool).len(), PREFIXED_NAME_CHARS_MAX);
        assert!(prefixed("s", &tool).ends_with('x'));
        assert_eq!(prefixed("s", &format!("{tool}x")).len(), PREFIXED_NAME_CHARS_MAX);
    }

    proptest! {
        #[test]
        fn every_name_fits_and_no_two_tools_share_one(
            a in ("[a-c_.:-]{1,5}|.{1,80}", "[a-c_.:-]{1,5}|.{1,80}"),
            b in ("[a-c_.:-]{1,5}|.{1,80}", "[a-c_.:-]{1,5}|.{1,80}"),
        ) {
            // Names that config refuses.
            prop_assume!(!a.0.starts_with("page_") && !b.0.starts_with("page_"));
            let (one, other) = (prefixed(&a.0, &a.1), prefixed(&b.0, &b.1));
            prop_assert!(one.len() <= PREFIXED_NAME_CHARS_MAX);
            prop_assert!(one.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'-'));
            prop_assert_eq!(one == other, a == b);
        }
    }
}
