//! Redacts URLs for printing: variables stay by name; user names, passwords and query values are hidden.

/// Replaces a hidden part.
const HIDDEN: &str = "***";

/// Redacts a URL from a config, before its variables are replaced. The text need not be a valid URL.
pub fn shown_url(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default();
    let (place, query) = url.split_once('?').map_or((url, None), |(place, query)| (place, Some(query)));
    let (scheme, rest) = place.split_once("://").map_or(("", place), |(scheme, rest)| (scheme, rest));
    let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let host = match authority.rsplit_once('@') {
        Some((_, host)) => format!("{HIDDEN}@{host}"),
        None => authority.to_owned(),
    };
    let mut shown = if scheme.is_empty() { host } else { format!("{scheme}://{host}") };
    shown.push_str(path);
    let mut shown = without_defaults(&shown);
    if let Some(query) = query {
        let pair = |pair: &str| match pair.split_once('=') {
            Some((name, value)) => format!("{name}={}", shown_value(value)),
            None => shown_value(pair),
        };
        shown.push('?');
        shown.push_str(&query.split('&').map(pair).collect::<Vec<_>>().join("&"));
    }
    shown
}

/// A `${NAME}` is kept; any other value may be the secret itself.
fn shown_value(value: &str) -> String {
    let inner = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    match inner {
        Some(inner) if !inner.contains(['{', '}']) => without_defaults(value),
        _ if value.is_empty() => String::new(),
        _ => HIDDEN.to_owned(),
    }
}

/// Turns `${NAME:-default}` into `${NAME}`.
fn without_defaults(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, inner) = rest.split_at(at + 2);
        out.push_str(before);
        let end = inner.find('}').unwrap_or(inner.len());
        out.push_str(inner[..end].split(":-").next().unwrap_or_default());
        rest = &inner[end..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_a_url_are_left_out_and_variables_are_named() {
        for (url, want) in [
            ("https://example.com/mcp", "https://example.com/mcp"),
            ("https://me:pass@example.com:8/mcp", "https://***@example.com:8/mcp"),
            ("https://a@b:p@example.com", "https://***@example.com"),
            ("https://x/mcp?key=abc&q=${KEY}&r=${K:-abc}&s=a${K}", "https://x/mcp?key=***&q=${KEY}&r=${K}&s=***"),
            ("https://x/${K:-abc}/mcp?abc#abc", "https://x/${K}/mcp?***"),
            ("https://x/?a=&${K}", "https://x/?a=&${K}"),
            ("${BASE}/mcp", "${BASE}/mcp"),
            ("https://${HOST:-abc", "https://${HOST"),
        ] {
            assert_eq!(shown_url(url), want, "{url}");
        }
    }
}
