//! A pattern that names denied sites: an origin, a host, all hosts below one, or everything.

use super::host::host_name;
use std::fmt;

/// `https://bank.example`, `bank.example`, `*.bank.example`, `bank.example:8443`, or `*`. In lower case, without a
/// trailing slash or a default port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Box<str>);

/// Why a text is not a pattern.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` names no sites; write https://bank.example, bank.example, *.bank.example, or *")]
pub struct NotAPattern(String);

impl Pattern {
    /// Parses a pattern. Non-ASCII hosts are written as browsers do (`xn--…`).
    pub fn parse(text: &str) -> Result<Self, NotAPattern> {
        let lower = text.to_ascii_lowercase();
        if lower == "*" {
            return Ok(Self(lower.into()));
        }
        let (scheme, rest) = split(&lower);
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let host = rest.strip_prefix("*.").unwrap_or(rest);
        let plain = |b: u8| b.is_ascii_alphanumeric() || b".-:[]_".contains(&b);
        let scheme_fits =
            scheme.is_none_or(|s| !s.is_empty() && s.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'));
        if host_name(host).is_empty() || !host.bytes().all(plain) || !scheme_fits {
            return Err(NotAPattern(text.to_owned()));
        }
        // An origin does not include its scheme's default port.
        let rest = scheme.and_then(default_port).and_then(|port| rest.strip_suffix(port)).unwrap_or(rest);
        Ok(Self(scheme.map_or_else(|| rest.to_owned(), |scheme| format!("{scheme}://{rest}")).into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the pattern fits an origin as a browser writes it. Only `*` fits an origin without a host.
    pub fn fits(&self, origin: &str) -> bool {
        if &*self.0 == "*" {
            return true;
        }
        let (Some(origin_scheme), address) = split(origin) else { return false };
        let (scheme, wanted) = split(&self.0);
        if scheme.is_some_and(|scheme| scheme != origin_scheme) {
            return false;
        }
        // `bank.example.` is the same host.
        let name = host_name(address);
        let port = &address[name.len()..];
        let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
        let wanted_name = host_name(wanted);
        let wanted_port = &wanted[wanted_name.len()..];
        let is_port = match (scheme, wanted_port) {
            (None, "") => true,
            (Some(_), _) => wanted_port == port,
            (None, _) => wanted_port == port || (port.is_empty() && default_port(origin_scheme) == Some(wanted_port)),
        };
        is_port
            && match wanted_name.strip_prefix("*.") {
                Some(above) => name.strip_suffix(above).is_some_and(|rest| rest.ends_with('.')),
                None => name == wanted_name.strip_suffix('.').unwrap_or(wanted_name),
            }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn split(text: &str) -> (Option<&str>, &str) {
    text.split_once("://").map_or((None, text), |(scheme, rest)| (Some(scheme), rest))
}

fn default_port(scheme: &str) -> Option<&'static str> {
    match scheme {
        "http" => Some(":80"),
        "https" => Some(":443"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_fits_what_it_says_and_nothing_that_looks_like_it() {
        for (pattern, fits, others) in [
            (
                "https://bank.example",
                &["https://bank.example", "https://bank.example."][..],
                &[
                    "http://bank.example",
                    "https://a.bank.example",
                    "https://bank.example:8443",
                    "https://bank.example.evil",
                ][..],
            ),
            (
                "Bank.example",
                &["https://bank.example", "http://bank.example", "http://bank.example:8080", "wss://bank.example"],
                &["https://www.bank.example", "https://mybank.example", "https://bank.example.evil", "null", "file://"],
            ),
            (
                "*.bank.example",
                &["https://www.bank.example", "http://a.b.bank.example:81", "https://www.bank.example."],
                &["https://bank.example", "https://mybank.example", "https://bank.example.evil"],
            ),
            (
                "https://*.bank.example",
                &["https://a.bank.example"],
                &["http://a.bank.example", "https://a.bank.example:1"],
            ),
            ("bank.example:443", &["https://bank.example"], &["http://bank.example", "https://bank.example:8443"]),
            ("https://bank.example:443/", &["https://bank.example"], &["https://bank.example:4430"]),
            ("[::1]", &["http://[::1]:5173", "http://[::1]"], &["http://[::2]"]),
            ("localhost", &["http://localhost:5173"], &["http://127.0.0.1:5173", "http://console.localhost"]),
            ("*", &["https://bank.example", "null", "file://", "http://localhost"], &[]),
        ] {
            let pattern = Pattern::parse(pattern).unwrap();
            for origin in fits {
                assert!(pattern.fits(origin), "{pattern} {origin}");
            }
            for origin in others {
                assert!(!pattern.fits(origin), "{pattern} {origin}");
            }
            assert_eq!(Pattern::parse(pattern.as_str()).unwrap(), pattern, "what is kept can be read");
        }
    }

    #[test]
    fn what_names_no_sites_is_refused() {
        for text in [
            "",
            "*.",
            "a b",
            "https://",
            "https://a/b",
            "://a",
            "a*",
            "*a.example",
            "a.*",
            "**",
            "bänk.example",
            ":80",
            "a#b",
        ] {
            assert!(Pattern::parse(text).is_err(), "{text}");
        }
    }
}
