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
    /// To use what costs: evolution, area agents, cartridges, the LLM. Agents may, and eye's own pages.
    Own,
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
    /// The kernel says that another user of this machine asks.
    pub stranger: bool,
    /// `Sec-Fetch-Site` is `same-origin`: how browsers mark what a page fetches from its own origin without an `Origin`.
    pub same_origin: bool,
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
    /// A page that eye itself serves.
    Own,
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
    own_pages: bool,
}

impl Gate {
    /// A gate that answers to loopback and to the further host names given.
    pub fn new(auth: Auth, hosts: Vec<String>, origins: Origins) -> Self {
        let hosts = hosts.into_iter().map(|host| host.to_ascii_lowercase()).collect();
        Self { auth, hosts, origins, own_pages: false }
    }

    /// Lets eye's own pages use the backends without the token. Only for a hub that nobody beyond this machine reaches:
    /// whoever is no browser may send any `Origin`.
    #[must_use]
    pub fn with_own_pages(mut self, own_pages: bool) -> Self {
        self.own_pages = own_pages;
        self
    }

    /// Lets in, or says why not.
    pub fn admit(&self, wants: Wants, knock: Knock<'_>) -> Result<Admitted, Refusal> {
        self.check_host(knock.host)?;
        match wants {
            Wants::Public => Ok(Admitted::Public),
            Wants::Page => self.admit_page(knock),
            Wants::Agent => self.admit_agent(knock).map(|()| Admitted::Agent),
            Wants::Own => self.admit_own(knock),
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

    /// Eye's own pages are what the hub serves under the name `localhost`. Folders that it serves for agents (`/open/`) are
    /// under its address, which is another origin to every browser; so the origin alone tells the two apart.
    fn admit_own(&self, knock: Knock<'_>) -> Result<Admitted, Refusal> {
        if knock.token.is_none() && self.own_pages && is_own_page(knock) {
            // No browser of this user's: whoever else sends these headers made them up.
            return if knock.stranger { Err(another_user()) } else { Ok(Admitted::Own) };
        }
        match (self.admit_agent(knock), knock.origin) {
            (Ok(()), _) => Ok(Admitted::Agent),
            (Err(_), Some(origin)) if knock.token.is_none() => Err(not_own(origin, self.own_pages)),
            (Err(refusal), _) => Err(refusal),
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

fn another_user() -> Refusal {
    let reason = "the backends are for this hub's own user".to_owned();
    Refusal { status: 403, reason, hint: "run a hub of your own, or send the token".to_owned() }
}

fn not_own(origin: &str, own_pages: bool) -> Refusal {
    let hint = if own_pages {
        "use an app of the hub itself, such as http://localhost:8765/apps/geometry/, or send the token"
    } else {
        "this hub can be reached from other machines, so everybody sends `Authorization: Bearer TOKEN`"
    };
    let reason = format!("the backends are for agents and for eye's own pages, not for pages of {origin}");
    Refusal { status: 403, reason, hint: hint.to_owned() }
}

/// Whether a browser says that a page of `localhost`, at this very port, asks.
fn is_own_page(knock: Knock<'_>) -> bool {
    let host = knock.host.unwrap_or("").to_ascii_lowercase();
    if host_name(&host) != OWN_NAME {
        return false;
    }
    match knock.origin {
        // The port is ours whatever the scheme: a proxy before the hub may speak TLS.
        Some(origin) => ["http://", "https://"].iter().any(|scheme| origin.strip_prefix(scheme) == Some(&host)),
        None => knock.same_origin,
    }
}

fn foreign_origin(origin: &str) -> Refusal {
    let hint = match origin {
        "null" => "serve the page over http://localhost; files and sandboxed frames have no origin".to_owned(),
        _ => format!("allow it with `eye allow {origin}`"),
    };
    Refusal { status: 403, reason: format!("pages of {origin} may not join this hub"), hint }
}

/// The name under which the hub serves its own pages, and nothing of anybody else's.
pub const OWN_NAME: &str = "localhost";

/// A host without its port. `[::1]:8765` → `[::1]`.
pub fn host_name(host: &str) -> &str {
    match host.rfind(':') {
        Some(at) if !host.ends_with(']') && host[at + 1..].bytes().all(|b| b.is_ascii_digit()) => &host[..at],
        _ => host,
    }
}

/// Whether a host is this machine by its address, not by its name.
pub fn is_loopback_address(host: &str) -> bool {
    matches!(host_name(host), "127.0.0.1" | "[::1]")
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
        Knock { host: Some(host), origin, token, stranger: false, same_origin: false }
    }

    #[test]
    fn the_backends_are_for_agents_and_own_pages() {
        let (gate, _home) = gate(Auth::Token(Token::new("secret")));
        let gate = gate.with_own_pages(true);
        let own = |host, origin, token| gate.admit(Wants::Own, knock(host, origin, token));
        let here = "localhost:8765";
        assert_eq!(own(here, Some("http://localhost:8765"), None), Ok(Admitted::Own));
        assert_eq!(own(here, Some("https://localhost:8765"), None), Ok(Admitted::Own));
        assert_eq!(own("localhost", Some("http://localhost"), None), Ok(Admitted::Own));
        assert_eq!(own(here, None, Some("secret")), Ok(Admitted::Agent));
        assert_eq!(own(here, Some("http://localhost:8765"), Some("wrong")).unwrap_err().status, 401);
        assert_eq!(own(here, None, None).unwrap_err().status, 401);
        for (host, origin) in [
            // Folders that an agent opened, dev servers, allowed origins, look-alikes.
            ("127.0.0.1:8765", "http://127.0.0.1:8765"),
            (here, "http://127.0.0.1:8765"),
            ("[::1]:8765", "http://[::1]:8765"),
            ("127.0.0.1:8765", "http://localhost:8765"),
            ("box.local:8765", "http://box.local:8765"),
            (here, "http://localhost:5173"),
            (here, "http://localhost"),
            (here, "https://shop.test"),
            (here, "http://localhost:8765.evil.test"),
            (here, "http://evil.test/localhost:8765"),
            (here, "http://LOCALHOST:8765"),
            (here, "null"),
            (here, ""),
        ] {
            assert_eq!(own(host, Some(origin), None).unwrap_err().status, 403, "{host} {origin}");
            assert_eq!(own(host, Some(origin), Some("secret")), Ok(Admitted::Agent), "{host} {origin}");
        }
        let fetch = Knock { same_origin: true, ..knock(here, None, None) };
        assert_eq!(gate.admit(Wants::Own, fetch), Ok(Admitted::Own));
        for host in ["127.0.0.1:8765", "[::1]:8765", "box.local"] {
            let fetch = Knock { same_origin: true, ..knock(host, None, None) };
            assert_eq!(gate.admit(Wants::Own, fetch).unwrap_err().status, 401, "{host}");
        }
        let crossed = Knock { same_origin: true, ..knock(here, Some("https://evil.test"), None) };
        assert_eq!(gate.admit(Wants::Own, crossed).unwrap_err().status, 403);
    }

    #[test]
    fn another_user_of_the_machine_is_no_own_page() {
        let (gate, _home) = gate(Auth::Token(Token::new("secret")));
        let gate = gate.with_own_pages(true);
        let own = Knock { stranger: true, ..knock("localhost:8765", Some("http://localhost:8765"), None) };
        assert_eq!(gate.admit(Wants::Own, own).unwrap_err().status, 403);
        let fetch = Knock { origin: None, same_origin: true, ..own };
        assert_eq!(gate.admit(Wants::Own, fetch).unwrap_err().status, 403);
        assert_eq!(gate.admit(Wants::Own, Knock { token: Some("secret"), ..own }), Ok(Admitted::Agent));
    }

    #[test]
    fn a_hub_that_others_reach_has_no_own_pages() {
        let (gate, _home) = gate(Auth::Token(Token::new("secret")));
        let here = knock("localhost:8765", Some("http://localhost:8765"), None);
        assert_eq!(gate.admit(Wants::Own, here).unwrap_err().status, 403);
        assert_eq!(gate.admit(Wants::Own, Knock { same_origin: true, origin: None, ..here }).unwrap_err().status, 401);
        assert_eq!(gate.admit(Wants::Own, Knock { token: Some("secret"), ..here }), Ok(Admitted::Agent));
    }

    #[test]
    fn without_a_token_the_backends_are_open_to_loopback() {
        let (gate, _home) = gate(Auth::None);
        for origin in [None, Some("http://localhost:5173")] {
            assert_eq!(gate.admit(Wants::Own, knock("localhost", origin, None)), Ok(Admitted::Agent));
        }
        assert_eq!(
            gate.admit(Wants::Own, knock("localhost", Some("https://evil.test"), None)).unwrap_err().status,
            403
        );
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
