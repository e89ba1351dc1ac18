//! Parses `WWW-Authenticate`, a server's challenge when it refuses a request (RFC 9110 §11.6.1, RFC 6750 §3, RFC 9728
//! §5.1). Pure.

use http::HeaderMap;
use http::header::WWW_AUTHENTICATE;

/// Longer headers are ignored.
const CHALLENGE_BYTES_MAX: usize = 8 << 10;

/// The `Bearer` challenge of a refused request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Challenge {
    /// The URL of the protected resource's metadata.
    pub resource_metadata: Option<String>,
    /// The scopes that the request needs.
    pub scopes: Vec<String>,
    /// `invalid_token`, `insufficient_scope`, …
    pub error: Option<String>,
}

impl Challenge {
    /// The first `Bearer` challenge of a response.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let values = headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
        Self::parse(&values.collect::<Vec<_>>().join(", "))
    }

    /// Whether the token is valid but lacks scopes.
    pub fn wants_more_scopes(&self) -> bool {
        self.error.as_deref() == Some("insufficient_scope")
    }

    fn parse(header: &str) -> Option<Self> {
        if header.len() > CHALLENGE_BYTES_MAX {
            return None;
        }
        let (_, params) = challenges(header).into_iter().find(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))?;
        let mut challenge = Self::default();
        for (name, value) in params {
            match name.to_ascii_lowercase().as_str() {
                "resource_metadata" => challenge.resource_metadata = Some(value),
                "scope" => challenge.scopes = value.split_ascii_whitespace().map(str::to_owned).collect(),
                "error" => challenge.error = Some(value),
                _ => {}
            }
        }
        Some(challenge)
    }
}

type Params = Vec<(String, String)>;

/// All challenges, each with its scheme and parameters. Text that does not follow the grammar is skipped.
fn challenges(header: &str) -> Vec<(String, Params)> {
    let mut found: Vec<(String, Params)> = Vec::new();
    let mut rest = header;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return found;
        }
        let (word, after) = token(rest);
        if word.is_empty() {
            // No token begins here: skip a stray character.
            rest = rest.get(rest.chars().next().map_or(1, char::len_utf8)..).unwrap_or_default();
            continue;
        }
        let spaced = after.trim_start_matches([' ', '\t']);
        let value = spaced.strip_prefix('=').map(|value| value.trim_start_matches([' ', '\t']));
        if let Some(value) = value {
            let (value, after) = if value.starts_with('"') { quoted(value) } else { unquoted(value) };
            // `Negotiate abc==` has a bare value instead of parameters; it becomes a parameter that has no meaning
            // here.
            if let Some((_, params)) = found.last_mut() {
                params.push((word.to_owned(), value));
            }
            rest = after;
        } else {
            found.push((word.to_owned(), Vec::new()));
            rest = after;
        }
    }
}

fn token(text: &str) -> (&str, &str) {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~/".contains(c);
    text.split_at(text.find(|c: char| !is_token(c)).unwrap_or(text.len()))
}

fn unquoted(text: &str) -> (String, &str) {
    let (value, rest) = text.split_at(text.find([',', ' ', '\t']).unwrap_or(text.len()));
    (value.to_owned(), rest)
}

/// A quoted string without its quotes; without a closing quote it ends with the header.
fn quoted(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (value, &text[at + 1..]),
            '\\' => value.extend(chars.next().map(|(_, c)| c)),
            c => value.push(c),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(header: &str) -> Option<(Option<String>, String, Option<String>)> {
        let Challenge { resource_metadata, scopes, error } = Challenge::parse(header)?;
        Some((resource_metadata, scopes.join("|"), error))
    }

    #[test]
    fn a_bearer_challenge_is_read_among_others() {
        let some = |text: &str| Some(text.to_owned());
        for (header, want) in [
            ("Bearer", Some((None, String::new(), None))),
            (
                r#"Bearer resource_metadata="https://a.example/.well-known/oauth-protected-resource/mcp", scope="a b:c""#,
                Some((some("https://a.example/.well-known/oauth-protected-resource/mcp"), "a|b:c".into(), None)),
            ),
            (
                r#"Basic realm="x, Bearer y", bearer error=insufficient_scope,scope = "files:write""#,
                Some((None, "files:write".into(), some("insufficient_scope"))),
            ),
            (r#"Negotiate YII=, Bearer error="a\"b""#, Some((None, String::new(), some("a\"b")))),
            (r#"Bearer error="never closed"#, Some((None, String::new(), some("never closed")))),
            (r#"Digest realm="x""#, None),
            ("", None),
            (",,=\"", None),
        ] {
            assert_eq!(of(header), want, "{header}");
        }
    }

    #[test]
    fn a_header_is_read_up_to_its_limit() {
        let long = |bytes: usize| format!("Bearer error=\"{}\"", "x".repeat(bytes - 15));
        assert!(of(&long(CHALLENGE_BYTES_MAX)).is_some());
        assert!(of(&long(CHALLENGE_BYTES_MAX + 1)).is_none());
    }

    #[test]
    fn several_headers_are_one_list() {
        let mut headers = HeaderMap::new();
        headers.append(WWW_AUTHENTICATE, "Basic realm=x".parse().unwrap());
        headers.append(WWW_AUTHENTICATE, "Bearer error=\"insufficient_scope\"".parse().unwrap());
        assert!(Challenge::of(&headers).unwrap().wants_more_scopes());
    }

    proptest! {
        #[test]
        fn no_header_panics(header in "\\PC{0,60}") {
            let _ = Challenge::parse(&format!("Bearer {header}"));
        }
    }
}
