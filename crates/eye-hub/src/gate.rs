//! All admission: who may be a page, who may be an agent, and which names this hub answers to.
//!
//! A browser on this machine is hostile until proven otherwise: any site may open a socket to loopback, and DNS may
//! point any name at it. So the `Host` must be one of ours, an `Origin` must be loopback or allowed, and an agent must
//! have the token.

use crate::config::Auth;
use crate::origins::{Allowed, Origins};

/// What a request wants to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// What anybody on this machine may see: health, the client, the start page.
    Public,
    /// To join as a page.
    Page,
    /// To ask, or to see what only who asks may see.
    Agent,
}

/// The parts of a request that the gate looks at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Knock<'a> {
    /// The `Host` header.
    pub host: Option<&'a str>,
    /// The `Origin` header. Only browsers send it, and pages cannot forge it.
    pub origin: Option<&'a str>,
    /// The bearer token.
    pub token: Option<&'a str>,
}

/// Who was let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admitted {
    /// Somebody, for public things.
    Public,
    /// A page.
    Page {
        /// Where its document comes from.
        origin: Box<str>,
        /// Whether it may be evaluated in.
        eval: bool,
        /// Whether its tools that cannot be undone need confirmation.
        confirm: bool,
    },
    /// An agent.
    Agent,
}

/// Why somebody was not let in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// One sentence.
    pub reason: String,
    /// The next step.
    pub hint: String,
}

/// The gate of one hub.
#[derive(Debug)]
pub struct Gate {
    auth: Auth,
    hosts: Vec<String>,
    origins: Origins,
}

impl Gate {
    /// A gate that answers to loopback and to the further host names given.
    pub fn new(auth: Auth, hosts: Vec<String>, origins: Origins) -> Self {
        let hosts = hosts.into_iter().map(|host| host.to_ascii_lowercase()).collect();
        Self { auth, hosts, origins }
    }

    /// Lets in, or says why not.
    pub fn admit(&self, wants: Wants, knock: Knock<'_>) -> Result<Admitted, Refusal> {
        self.check_host(knock.host)?;
        match wants {
            Wants::Public => Ok(Admitted::Public),
            Wants::Page => self.admit_page(knock),
            Wants::Agent => self.admit_agent(knock).map(|()| Admitted::Agent),
        }
    }

    /// Whether the token is the right one.
    pub fn knows(&self, token: &str) -> bool {
        match &self.auth {
            Auth::Token(known) => known.matches(token),
            Auth::None => true,
        }
    }

    fn check_host(&self, host: Option<&str>) -> Result<(), Refusal> {
        let host = host.unwrap_or("").to_ascii_lowercase();
        let name = host_name(&host);
        if is_loopback_name(name) || self.hosts.iter().any(|known| known == name) {
            return Ok(());
        }
        Err(Refusal {
            status: 421,
            reason: format!("this hub does not answer to the host `{name}`"),
            hint: format!("use localhost, or start the hub with `eye up --host {name}`"),
        })
    }

    fn admit_page(&self, knock: Knock<'_>) -> Result<Admitted, Refusal> {
        let Some(origin) = knock.origin else {
            // A program that provides is no browser: it has no origin to trust, so it needs the token.
            self.admit_agent(knock)?;
            return Ok(Admitted::Page { origin: "program".into(), eval: true, confirm: false });
        };
        match (self.origins.find(origin).ok().flatten(), is_loopback_origin(origin)) {
            (Some(Allowed { eval, confirm, .. }), _) => Ok(Admitted::Page { origin: origin.into(), eval, confirm }),
            (None, true) => Ok(Admitted::Page { origin: origin.into(), eval: true, confirm: false }),
            (None, false) => Err(foreign_origin(origin)),
        }
    }

    fn admit_agent(&self, knock: Knock<'_>) -> Result<(), Refusal> {
        match (&self.auth, knock.token) {
            (Auth::Token(known), Some(token)) if known.matches(token) => Ok(()),
            (Auth::Token(_), Some(_)) => Err(unauthorised("the token is not this hub's")),
            (Auth::Token(_), None) => Err(unauthorised("an agent over TCP needs the token")),
            (Auth::None, _) => match knock.origin {
                Some(origin) if !is_loopback_origin(origin) => Err(foreign_origin(origin)),
                Some(_) | None => Ok(()),
            },
        }
    }
}

fn unauthorised(reason: &str) -> Refusal {
    let hint = "send `Authorization: Bearer TOKEN`; `eye token show` prints it".to_owned();
    Refusal { status: 401, reason: reason.to_owned(), hint }
}

fn foreign_origin(origin: &str) -> Refusal {
    let hint = match origin {
        "null" => "serve the page over http://localhost; files and sandboxed frames have no origin".to_owned(),
        _ => format!("allow it with `eye allow {origin}`"),
    };
    Refusal { status: 403, reason: format!("pages of {origin} may not join this hub"), hint }
}

/// A host without its port. `[::1]:8765` → `[::1]`.
fn host_name(host: &str) -> &str {
    match host.rfind(':') {
        Some(at) if !host.ends_with(']') && host[at + 1..].bytes().all(|b| b.is_ascii_digit()) => &host[..at],
        _ => host,
    }
}

fn is_loopback_name(name: &str) -> bool {
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

/// Exactly a loopback host with any port, never a prefix of something longer.
fn is_loopback_origin(origin: &str) -> bool {
    let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    host.is_some_and(|host| is_loopback_name(host_name(host)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::Token;

    fn gate(auth: Auth) -> (Gate, tempfile::TempDir) {
        let home = tempfile::tempdir().unwrap();
        let origins = Origins::new(home.path().join("origins"));
        origins.allow(Allowed { origin: "https://shop.test".into(), eval: true, confirm: false }).unwrap();
        origins.allow(Allowed { origin: "https://bank.test".into(), eval: false, confirm: true }).unwrap();
        (Gate::new(auth, vec!["Box.local".into()], origins), home)
    }

    fn knock<'a>(host: &'a str, origin: Option<&'a str>, token: Option<&'a str>) -> Knock<'a> {
        Knock { host: Some(host), origin, token }
    }

    #[test]
    fn hosts_are_matched_exactly() {
        let (gate, _home) = gate(Auth::None);
        for host in
            ["localhost", "localhost:8765", "LOCALHOST:1", "127.0.0.1:8765", "[::1]:8765", "[::1]", "box.local:80"]
        {
            assert!(gate.admit(Wants::Public, knock(host, None, None)).is_ok(), "{host}");
        }
        for host in [
            "",
            "evil.test",
            "localhost.evil.test",
            "localhost:8765.evil.test",
            "127.0.0.1.nip.io",
            "127.0.0.2",
            "xlocalhost",
        ] {
            assert_eq!(gate.admit(Wants::Public, knock(host, None, None)).unwrap_err().status, 421, "{host}");
        }
        assert!(gate.admit(Wants::Public, Knock::default()).is_err());
    }

    #[test]
    fn pages_need_a_loopback_or_allowed_origin() {
        let (gate, _home) = gate(Auth::Token(Token::new("secret")));
        let page = |origin| gate.admit(Wants::Page, knock("localhost", Some(origin), None));
        for origin in [
            "http://localhost",
            "http://localhost:5173",
            "https://127.0.0.1:1",
            "http://[::1]:5173",
            "https://shop.test",
        ] {
            assert_eq!(page(origin), Ok(Admitted::Page { origin: origin.into(), eval: true, confirm: false }));
        }
        let bank = Admitted::Page { origin: "https://bank.test".into(), eval: false, confirm: true };
        assert_eq!(page("https://bank.test"), Ok(bank));
        for origin in [
            "null",
            "",
            "https://evil.test",
            "http://localhost.evil.test",
            "http://localhost:80.evil.test",
            "http://127.0.0.1.evil.test",
            "https://shop.test.evil.test",
            "http://shop.test",
            "https://shop.test:444",
            "file://localhost",
            "localhost",
        ] {
            let refusal = page(origin).unwrap_err();
            assert_eq!(refusal.status, 403, "{origin}");
            assert!(refusal.hint.contains("eye allow") || origin == "null", "{origin}");
        }
    }

    #[test]
    fn agents_and_programs_need_the_token() {
        let (gate, _home) = gate(Auth::Token(Token::new("secret")));
        for wants in [Wants::Agent, Wants::Page] {
            assert!(gate.admit(wants, knock("localhost", None, Some("secret"))).is_ok());
            assert_eq!(gate.admit(wants, knock("localhost", None, Some("wrong"))).unwrap_err().status, 401);
            assert_eq!(gate.admit(wants, knock("localhost", None, None)).unwrap_err().status, 401);
        }
        let origin = Some("http://localhost:5173");
        assert_eq!(gate.admit(Wants::Agent, knock("localhost", origin, None)).unwrap_err().status, 401);
        assert!(gate.admit(Wants::Agent, knock("localhost", origin, Some("secret"))).is_ok());
    }

    #[test]
    fn without_a_token_foreign_origins_are_still_refused() {
        let (gate, _home) = gate(Auth::None);
        assert!(gate.admit(Wants::Agent, knock("localhost", None, None)).is_ok());
        assert!(gate.admit(Wants::Agent, knock("localhost", Some("http://localhost:3000"), None)).is_ok());
        assert_eq!(
            gate.admit(Wants::Agent, knock("localhost", Some("https://evil.test"), None)).unwrap_err().status,
            403
        );
        assert_eq!(gate.admit(Wants::Agent, knock("localhost", Some("null"), None)).unwrap_err().status, 403);
    }
}
