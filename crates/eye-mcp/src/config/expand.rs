//! Replaces `${VAR}` and `${VAR:-default}` in a config, from the environment of the agent that asks.

use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unset {
    /// A variable that is not set and has no default.
    #[error("the variable {0} is not set")]
    Variable(String),
    /// `${` without `}`. The error does not repeat the text: it may hold a secret.
    #[error("a `${{` without its `}}`")]
    Open,
}

/// Replaces the variables of a text. `$${` gives a literal `${`; a `$` without a brace stays.
pub fn expand(text: &str, env: &BTreeMap<String, String>) -> Result<String, Unset> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            out.push_str(&rest[..at - 1]);
            out.push_str("${");
            rest = &rest[at + 2..];
            continue;
        }
        out.push_str(&rest[..at]);
        let inner = &rest[at + 2..];
        let end = inner.find('}').ok_or(Unset::Open)?;
        let (name, default) = match inner[..end].split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (&inner[..end], None),
        };
        // As in a shell, the default also replaces an empty value.
        match (env.get(name), default) {
            (Some(value), None) => out.push_str(value),
            (Some(value), Some(_)) if !value.is_empty() => out.push_str(value),
            (_, Some(default)) => out.push_str(default),
            (None, None) => return Err(Unset::Variable(name.to_owned())),
        }
        rest = &inner[end + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

/// The names of the variables in a text, in order.
pub fn variables(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let inner = &rest[at + 2..];
        let escaped = rest[..at].ends_with('$');
        let end = inner.find('}').filter(|_| !escaped);
        if let Some(end) = end {
            names.push(inner[..end].split_once(":-").map_or(&inner[..end], |(name, _)| name));
        }
        rest = &inner[end.unwrap_or(0)..];
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced() {
        let env = BTreeMap::from([("A".to_owned(), "1".to_owned()), ("EMPTY".to_owned(), String::new())]);
        for (text, want) in [
            ("x${A}y${A}", Ok("x1y1")),
            ("${B:-two}", Ok("two")),
            ("${A:-two}", Ok("1")),
            ("${EMPTY:-two}", Ok("two")),
            ("[${EMPTY}]", Ok("[]")),
            ("${B:-}", Ok("")),
            ("$A costs $5", Ok("$A costs $5")),
            ("$${A}", Ok("${A}")),
            ("ü${A}", Ok("ü1")),
            ("${B}", Err(Unset::Variable("B".into()))),
            ("${A", Err(Unset::Open)),
        ] {
            assert_eq!(expand(text, &env).as_deref(), want.as_ref().map(|t| *t).map_err(|e: &Unset| e), "{text}");
        }
    }

    #[test]
    fn the_variables_of_a_text_are_named() {
        assert_eq!(variables("a${A}b${B:-x}$${C}${D"), ["A", "B"]);
        assert!(variables("$A costs $5").is_empty());
    }
}
