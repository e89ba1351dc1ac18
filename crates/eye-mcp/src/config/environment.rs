//! Which variables of an agent's environment a server gets: the few that programs need to run, and those that its entry
//! names.

use std::collections::BTreeMap;

/// The beginning of the sentence about withheld variables. The sentence is for the user; discovery leaves it out.
pub const WITHHELD: &str = "it does not get these variables of the agent's: ";
/// Variables that every server gets.
const NAMES: [&str; 10] =
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "TZ", "NODE_EXTRA_CA_CERTS"];
const PREFIXES: [&str; 3] = ["LC_", "XDG_", "SSL_CERT_"];
/// Proxies are written in both cases.
const SUFFIXES: [&str; 2] = ["_PROXY", "_proxy"];
/// A shell's own variables, which no server needs.
const OF_SHELLS: [&str; 4] = ["_", "PWD", "OLDPWD", "SHLVL"];
/// Parts of names that credentials usually have. These are listed first when a server lacks variables.
const OF_CREDENTIALS: [&str; 5] = ["TOKEN", "KEY", "SECRET", "PASSWORD", "CREDENTIAL"];
/// Names that are listed; the rest is counted.
const WITHHELD_SHOWN_MAX: usize = 8;

/// Whether every server gets this variable.
pub fn is_common(name: &str) -> bool {
    NAMES.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

/// Lists the variables that a server which failed to start did not get, those first that its last output mentions.
/// `None` if it got all.
pub fn withheld(asking: &BTreeMap<String, String>, own: &BTreeMap<String, String>, last_words: &str) -> Option<String> {
    let mut names: Vec<&str> = asking.keys().map(String::as_str).collect();
    names.retain(|name| !is_common(name) && !own.contains_key(*name) && !OF_SHELLS.contains(name));
    let rank = |name: &str| {
        let credential = OF_CREDENTIALS.iter().any(|part| name.contains(part));
        (!mentions(last_words, name), !credential)
    };
    names.sort_by_key(|name| rank(name));
    let example = *names.first()?;
    let more = names.len().saturating_sub(WITHHELD_SHOWN_MAX);
    let mut shown = names[..names.len() - more].join(", ");
    if more > 0 {
        shown = format!("{shown} and {more} more");
    }
    Some(format!(
        "{WITHHELD}{shown}; pass one with `env: {{ {example}: \"${{{example}}}\" }}`, \
         or all with `inherit_env: true` in your own config"
    ))
}

/// Whether a text contains a name as a whole word.
fn mentions(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| !text[..at].ends_with(part) && !text[at + name.len()..].starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(names: &[&str]) -> BTreeMap<String, String> {
        names.iter().map(|name| ((*name).to_owned(), "1".to_owned())).collect()
    }

    #[test]
    fn a_server_gets_what_programs_need_and_no_secret() {
        let common = [
            "PATH",
            "HOME",
            "USER",
            "LOGNAME",
            "SHELL",
            "LANG",
            "LC_ALL",
            "TERM",
            "TMPDIR",
            "TZ",
            "XDG_RUNTIME_DIR",
            "HTTPS_PROXY",
            "no_proxy",
            "SSL_CERT_FILE",
            "SSL_CERT_DIR",
            "NODE_EXTRA_CA_CERTS",
        ];
        assert!(common.iter().all(|name| is_common(name)));
        let others = ["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "SSH_AUTH_SOCK", "LD_PRELOAD", "NODE_OPTIONS", "PATHS"];
        assert!(!others.iter().any(|name| is_common(name)));
    }

    #[test]
    fn what_is_missed_is_named_first() {
        let all = variables(&["EDITOR", "GITHUB_TOKEN", "OWN", "PATH", "PWD", "WIKI"]);
        let text = withheld(&all, &variables(&["OWN"]), "WIKI_URL? WIKI is not set").unwrap();
        assert!(text.contains(": WIKI, GITHUB_TOKEN, EDITOR; pass one with `env: { WIKI: \"${WIKI}\" }`"), "{text}");
        assert_eq!(withheld(&variables(&["PATH", "SHLVL"]), &BTreeMap::new(), ""), None);
        let many: Vec<String> = (0..=WITHHELD_SHOWN_MAX).map(|n| format!("V{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let shown = |names: &[&str]| withheld(&variables(names), &BTreeMap::new(), "").unwrap();
        assert!(shown(&many).contains(" and 1 more;"));
        assert!(!shown(&many[1..]).contains(" more;"));
    }
}
