//! Parses the further names of the hub given by `eye up --host`.

use std::net::IpAddr;

#[derive(Debug, thiserror::Error)]
pub enum NotAHost {
    /// It is a loopback name.
    #[error("pages and agents may always use it; leave it out")]
    Known,
    #[error("write the bare name, without scheme, port or path, such as box.local")]
    NotBare,
}

/// A name in the form of a `Host` header, without port.
pub fn parse_host(text: &str) -> Result<String, NotAHost> {
    if matches!(text.to_ascii_lowercase().as_str(), "localhost" | "127.0.0.1" | "::1" | "[::1]") {
        return Err(NotAHost::Known);
    }
    if let Ok(address) = text.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
        return Ok(if address.is_ipv6() { format!("[{address}]") } else { address.to_string() });
    }
    let label =
        |label: &str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    if text.split('.').all(label) { Ok(text.to_ascii_lowercase()) } else { Err(NotAHost::NotBare) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_bare_names_that_are_not_known_anyway() {
        for (text, want) in [
            ("Box.local", "box.local"),
            ("192.168.1.5", "192.168.1.5"),
            ("fe80::1", "[fe80::1]"),
            ("[fe80::1]", "[fe80::1]"),
            ("host.docker.internal", "host.docker.internal"),
        ] {
            assert_eq!(parse_host(text).unwrap(), want);
        }
        for text in ["localhost", "LOCALHOST", "127.0.0.1", "::1", "[::1]"] {
            assert!(matches!(parse_host(text), Err(NotAHost::Known)), "{text}");
        }
        for text in ["", "*", "*.local", "http://box.local", "box.local:8765", "box.local/x", "a..b", "box.local."] {
            assert!(matches!(parse_host(text), Err(NotAHost::NotBare)), "{text}");
        }
    }
}
