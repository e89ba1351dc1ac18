//! The address of a hub: its Unix socket, or a WebSocket with a token.

use crate::error::Error;
use crate::trust::Trust;
use std::fmt;
use std::path::PathBuf;

/// The port of an address without a scheme and a port.
const PORT_DEFAULT: u16 = 8765;
/// The path suffix of the original eye's addresses.
const ORIGINAL_ENDPOINT: &str = "api/eye";

/// The address of a hub.
#[derive(Clone)]
pub enum Address {
    /// This user's hub on this machine, by its Unix socket.
    Socket(PathBuf),
    Server {
        /// `ws://`, `wss://`, `http://`, `https://`, or a bare host, which means plain on loopback and TLS elsewhere.
        url: String,
        /// The output of `eye token show`; `None` for a hub that needs no token.
        token: Option<String>,
        /// The trusted certificates, if the hub speaks TLS.
        trust: Trust,
    },
}

impl Address {
    /// A Unix socket, such as `$XDG_RUNTIME_DIR/eye/hub.sock`.
    pub fn socket(path: impl Into<PathBuf>) -> Self {
        Self::Socket(path.into())
    }

    /// The URL of a hub and its token. Over TLS, the certificates of this machine are trusted.
    pub fn server(url: impl Into<String>, token: impl Into<String>) -> Self {
        Self::Server { url: url.into(), token: Some(token.into()), trust: Trust::default() }
    }

    /// Sets other trusted certificates. Has no effect on a Unix socket.
    #[must_use]
    pub fn trusting(self, trust: Trust) -> Self {
        match self {
            Self::Socket(path) => Self::Socket(path),
            Self::Server { url, token, .. } => Self::Server { url, token, trust },
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Socket(path) => path.display().fmt(f),
            Self::Server { url, .. } => f.write_str(url),
        }
    }
}

/// Omits the token, so that it never reaches a log.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Socket(path) => f.debug_tuple("Socket").field(path).finish(),
            Self::Server { url, token, .. } => {
                let token = token.as_ref().map(|_| "…");
                f.debug_struct("Server").field("url", url).field("token", &token).finish_non_exhaustive()
            }
        }
    }
}

/// The parts of a hub's URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    pub tls: bool,
    /// A name or IP address, without brackets.
    pub host: String,
    pub port: u16,
    /// The path before `/ws`, usually empty.
    pub prefix: String,
}

impl Server {
    /// Parses `ws://`, `wss://`, `http://`, `https://` or a bare host. A bare host is plain on loopback only.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong = || Error::Address { address: text.to_owned() };
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, text),
        };
        let rest = rest.split(['?', '#']).next().unwrap_or(rest);
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = split_port(authority).ok_or_else(wrong)?;
        let tls = match scheme.as_deref() {
            Some("ws" | "http") => false,
            Some("wss" | "https") => true,
            Some(_) => return Err(wrong()),
            None => !is_loopback(&host),
        };
        let port = port.unwrap_or(match (&scheme, tls) {
            (None, _) => PORT_DEFAULT,
            (Some(_), true) => 443,
            (Some(_), false) => 80,
        });
        let path = path.trim_end_matches('/');
        // The original's address ends in its own endpoint; the hub's is next to it.
        let path = path.strip_suffix(ORIGINAL_ENDPOINT).unwrap_or(path).trim_end_matches('/');
        let prefix = path.strip_suffix("ws").map_or(path, |before| before.trim_end_matches('/'));
        let prefix = if prefix.is_empty() { String::new() } else { format!("/{prefix}") };
        Ok(Self { tls, host, port, prefix })
    }

    /// Refuses to send a token where others on the way could read it. Loopback, as with `ssh -L`, needs no TLS.
    pub fn check_token(&self, token: Option<&str>) -> Result<(), Error> {
        if token.is_none() || self.tls || is_loopback(&self.host) {
            return Ok(());
        }
        Err(Error::TokenInTheClear { address: self.base() })
    }

    /// The URL of the hub's WebSocket, without secrets.
    pub fn url(&self) -> String {
        format!("{}/ws", self.with_scheme("ws"))
    }

    /// The hub's HTTP URL, without secrets.
    pub fn base(&self) -> String {
        self.with_scheme("http")
    }

    fn with_scheme(&self, scheme: &str) -> String {
        let secure = if self.tls { "s" } else { "" };
        let (open, close) = if self.host.contains(':') { ("[", "]") } else { ("", "") };
        format!("{scheme}{secure}://{open}{}{close}:{}{}", self.host, self.port, self.prefix)
    }
}

fn split_port(authority: &str) -> Option<(String, Option<u16>)> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']')?;
            (host, if after.is_empty() { None } else { Some(after.strip_prefix(':')?) })
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let clean = !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._:%".contains(&b));
    let port = match port {
        Some(digits) => Some(digits.parse().ok()?),
        None => None,
    };
    clean.then(|| (host.to_owned(), port))
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_in_every_spelling() {
        for (text, want) in [
            ("ws://localhost:8765", "ws://localhost:8765/ws"),
            ("http://127.0.0.1:9", "ws://127.0.0.1:9/ws"),
            ("http://box", "ws://box:80/ws"),
            ("https://box.local", "wss://box.local:443/ws"),
            ("wss://box.local:1/ws", "wss://box.local:1/ws"),
            ("wss://box.local/eye/", "wss://box.local:443/eye/ws"),
            ("ws://[::1]:7/ws?x=1", "ws://[::1]:7/ws"),
            ("ws://localhost:8765/api/eye", "ws://localhost:8765/ws"),
            ("https://box.local/os/api/eye/", "wss://box.local:443/os/ws"),
            ("localhost", "ws://localhost:8765/ws"),
            ("127.0.0.1:9", "ws://127.0.0.1:9/ws"),
            ("box.local", "wss://box.local:8765/ws"),
        ] {
            assert_eq!(Server::parse(text).unwrap().url(), want, "{text}");
        }
        for text in ["ftp://x", "ws://", "", "ws://a b", "ws://a:port", "ws://user@host"] {
            assert!(matches!(Server::parse(text), Err(Error::Address { .. })), "{text}");
        }
    }

    #[test]
    fn a_token_goes_nowhere_in_the_clear_beyond_loopback() {
        for (text, goes) in [
            ("ws://localhost:1", true),
            ("ws://127.0.0.1:1", true),
            ("ws://[::1]:1", true),
            ("wss://box.local", true),
            ("ws://box.local", false),
            ("http://10.0.0.7:8765", false),
        ] {
            let server = Server::parse(text).unwrap();
            assert_eq!(server.check_token(Some("secret")).is_ok(), goes, "{text}");
            assert!(server.check_token(None).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_token_is_not_shown() {
        let address = Address::server("ws://localhost:8765", "secret");
        assert!(!format!("{address:?} {address}").contains("secret"));
    }
}
