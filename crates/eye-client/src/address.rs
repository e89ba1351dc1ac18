//! Where a hub is reached: its Unix socket, or a WebSocket with a token.

use crate::error::Error;
use std::fmt;
use std::path::PathBuf;
use tungstenite::http::Uri;

/// Where a hub listens that was named without a port, as for any `ws://`.
const PORT_DEFAULT: u16 = 80;

/// Where a hub is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum Address {
    /// The hub of this user on this machine, by its Unix socket.
    Socket(PathBuf),
    /// A hub by its `ws://` URL.
    Server {
        /// Such as `ws://localhost:8765`. TLS is not spoken here: reach a hub elsewhere through a tunnel.
        url: String,
        /// What `eye token show` prints; none for a hub that asks for none.
        token: Option<String>,
    },
}

impl Address {
    /// A Unix socket, such as `$XDG_RUNTIME_DIR/eye/hub.sock`.
    pub fn socket(path: impl Into<PathBuf>) -> Self {
        Self::Socket(path.into())
    }

    /// A `ws://` URL and the hub's token.
    pub fn server(url: impl Into<String>, token: impl Into<String>) -> Self {
        Self::Server { url: url.into(), token: Some(token.into()) }
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

/// A token never reaches a log.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Socket(path) => f.debug_tuple("Socket").field(path).finish(),
            Self::Server { url, token } => {
                let token = token.as_ref().map(|_| "…");
                f.debug_struct("Server").field("url", url).field("token", &token).finish()
            }
        }
    }
}

/// A `ws://` URL, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    /// Without brackets.
    pub host: String,
    pub port: u16,
    /// What the request names, up to the query.
    pub base: String,
}

impl Server {
    pub fn parse(url: &str) -> Result<Self, Error> {
        let wrong = |why: &'static str| Error::Address { address: url.to_owned(), why };
        let uri: Uri = url.parse().map_err(|_| wrong("write it as ws://localhost:8765"))?;
        match uri.scheme_str() {
            Some("ws" | "http") => {}
            Some("wss" | "https") => return Err(wrong("TLS is not spoken here; reach it through a tunnel")),
            Some(_) | None => return Err(wrong("write it as ws://localhost:8765")),
        }
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'));
        let authority = authority.ok_or_else(|| wrong("it names no host, or a user"))?;
        let path = uri.path().trim_end_matches('/');
        let path = path.strip_suffix("/ws").unwrap_or(path);
        Ok(Self {
            host: authority.host().trim_matches(['[', ']']).to_owned(),
            port: authority.port_u16().unwrap_or(PORT_DEFAULT),
            base: format!("ws://{authority}{path}/ws"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        for (url, host, port, base) in [
            ("ws://localhost:8765", "localhost", 8765, "ws://localhost:8765/ws"),
            ("ws://localhost:8765/ws", "localhost", 8765, "ws://localhost:8765/ws"),
            ("http://box", "box", 80, "ws://box/ws"),
            ("ws://[::1]:7/eye/", "::1", 7, "ws://[::1]:7/eye/ws"),
        ] {
            let server = Server::parse(url).unwrap();
            assert_eq!((server.host.as_str(), server.port, server.base.as_str()), (host, port, base), "{url}");
        }
        for url in ["", "localhost", "wss://box", "ftp://box", "ws://me@box", "ws://a b"] {
            assert!(matches!(Server::parse(url), Err(Error::Address { .. })), "{url}");
        }
    }

    #[test]
    fn a_token_is_not_shown() {
        let address = Address::server("ws://localhost:8765", "secret");
        assert!(!format!("{address:?} {address}").contains("secret"));
    }
}
