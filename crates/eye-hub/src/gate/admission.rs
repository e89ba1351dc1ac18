//! All admission: who may be a page, who may be an agent, and which host names this hub answers to.
//!
//! Every web site may open a socket to loopback, and DNS may map any name to loopback. So in every mode the `Host` must
//! be one of ours and an `Origin` must be loopback or allowed; beyond that, an agent needs the token unless the hub
//! runs with `--auth none`.

use super::caller::{Owner, Whose};
use super::host::host_name;
use super::keys::Keys;
use super::origins::{Allowed, Origins, Verdict};
use super::refusal::{
    Refusal, agents_only, another_user, denied, expired, forbidden, foreign_agent, foreign_page, lacking, not_a_host,
    not_own, unauthorised, unreadable_list,
};
use super::token::{Auth, Token};
use super::tokens::{Found, TokensError, Wish};
use eye_core::Policy;
use eye_protocol::extension::EXTENSION_ORIGIN;
use eye_protocol::operations::Class;
use eye_protocol::scope::{Bearer, Scope};
use std::sync::{Mutex, PoisonError};

/// The role that a request claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// Reads public resources: health, the client, the start page.
    Public,
    /// Joins as a page.
    Page,
    /// Sends requests as an agent, or reads what only agents may see.
    Agent,
    /// Reads the console's files.
    Console,
    /// Exchanges a console's link, or opens the console's connection. The hub checks the key.
    ConsoleSession,
    /// Connects as the browser extension, which gives access to a person's own tabs. [`Gate::paired`] checks its proof.
    Extension,
    /// Uses resources that cost: evolution, area agents, cartridges, the LLM. For agents, and eye's own pages.
    Own,
}

/// The parts of a request that the gate checks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Knock<'a> {
    pub host: Option<&'a str>,
    /// The `Origin` header. Only browsers send it, and pages cannot forge it.
    pub origin: Option<&'a str>,
    pub token: Option<&'a str>,
    /// The user who owns the connection.
    pub whose: Whose,
    /// `Sec-Fetch-Site` is `same-origin`: browsers send this when a page fetches from its own origin without an
    /// `Origin`.
    pub same_origin: bool,
}

/// An admitted client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admitted {
    /// Any client, for public resources.
    Public,
    Page {
        /// The origin of its document.
        origin: Box<str>,
        /// The user's policy for pages of this origin.
        policy: Policy,
        /// The named token that admitted it, if any.
        bearer: Option<Bearer>,
    },
    /// An agent with the scope of its token.
    Agent(Scope),
    /// A page that eye itself serves.
    Own,
    /// The console of this user, admitted by its origin.
    Console,
    /// The extension in a browser of this user, admitted by its origin.
    Extension,
}

impl Admitted {
    /// The scope of an agent's token. Other clients send no requests as agents.
    pub fn scope(&self) -> Scope {
        match self {
            Self::Agent(scope) => scope.clone(),
            Self::Public | Self::Page { .. } | Self::Own | Self::Console | Self::Extension => Scope::ALL,
        }
    }

    /// The named token that admitted this client. The connection ends when the token does.
    pub fn bearer(&self) -> Option<Bearer> {
        match self {
            Self::Page { bearer, .. } => bearer.clone(),
            Self::Agent(scope) => scope.bearer(),
            Self::Public | Self::Own | Self::Console | Self::Extension => None,
        }
    }
}

#[derive(Debug)]
pub struct Gate {
    keys: Keys,
    hosts: Vec<String>,
    origins: Origins,
    /// The port at which eye's own pages may use the backends without the token; `None`: no page may.
    own_port: Option<u16>,
    /// Admits connections that the kernel does not know, because a container publishes the port.
    published: bool,
    /// Users whose programs forward this user's browser traffic.
    proxy_users: Vec<u32>,
    /// Other machines reach this hub, so a page needs a token that proves its origin.
    pages_need_token: bool,
    /// The port that serves the console; `None`: no console.
    console_port: Option<u16>,
    /// The last logged problem with the list of origins.
    logged: Mutex<Option<String>>,
}

impl Gate {
    /// A gate that answers to loopback and to these further host names.
    pub fn new(auth: Auth, hosts: Vec<String>, origins: Origins) -> Self {
        // This name serves only the console, even if the user lists it.
        let hosts =
            hosts.into_iter().map(|host| host.to_ascii_lowercase()).filter(|host| host != CONSOLE_NAME).collect();
        let keys = Keys::new(auth, origins.file());
        Self {
            keys,
            hosts,
            origins,
            own_port: None,
            published: false,
            proxy_users: Vec::new(),
            pages_need_token: false,
            console_port: None,
            logged: Mutex::new(None),
        }
    }

    /// Requires a token from pages. For a hub that other machines reach, because programs there may send any `Origin`.
    #[must_use]
    pub fn with_page_tokens(mut self, needed: bool) -> Self {
        self.pages_need_token = needed;
        self
    }

    /// Lets eye's own pages at this port use the backends without the token. Only for a hub that no other machine
    /// reaches, because programs there may send any `Origin`.
    #[must_use]
    pub fn with_own_pages(mut self, port: Option<u16>) -> Self {
        self.own_port = port;
        self
    }

    /// Admits connections of these users as this user's own, and, if a port is published, connections that the kernel
    /// does not know.
    #[must_use]
    pub fn with_proxies(mut self, published: bool, proxy_users: Vec<u32>) -> Self {
        self.published = published;
        self.proxy_users = proxy_users;
        self
    }

    /// Serves the console at this port. Only for connections from this machine.
    #[must_use]
    pub fn with_console(mut self, port: u16) -> Self {
        self.console_port = Some(port);
        self
    }

    /// Admits a request, or returns the reason for the refusal.
    pub fn admit(&self, wants: Wants, knock: Knock<'_>) -> Result<Admitted, Refusal> {
        if let Wants::Console | Wants::ConsoleSession = wants {
            return self.admit_console(wants, knock);
        }
        self.check_host(knock.host)?;
        match wants {
            Wants::Console | Wants::ConsoleSession => self.admit_console(wants, knock),
            Wants::Public => Ok(Admitted::Public),
            Wants::Page => self.admit_page(knock),
            Wants::Agent => self.admit_agent(knock).map(Admitted::Agent),
            Wants::Own => self.admit_own(knock),
            Wants::Extension => self.admit_extension(knock),
        }
    }

    /// Whether pages of this origin may read responses (CORS): the origin may join, or its agents may send requests.
    pub fn may_read(&self, origin: &str) -> bool {
        self.check_agent_origin(Some(origin)).is_ok()
    }

    /// The console has its own host name. Its requests must come from exactly its own origin, which no other page has,
    /// and from this user.
    fn admit_console(&self, wants: Wants, knock: Knock<'_>) -> Result<Admitted, Refusal> {
        let wanted = self.console_port.map(|port| match port {
            80 => CONSOLE_NAME.to_owned(),
            port => format!("{CONSOLE_NAME}:{port}"),
        });
        let host = knock.host.unwrap_or("").to_ascii_lowercase();
        let Some(own) = wanted.filter(|own| *own == host) else { return Err(not_a_host(host_name(&host))) };
        let from = knock.origin.map(|origin| origin.strip_prefix("http://") == Some(&own));
        match (wants, from) {
            (_, Some(true)) | (Wants::Console, None) => {}
            (_, Some(false) | None) => {
                let origin = knock.origin.unwrap_or("a program");
                let reason = format!("the console is not for {origin}");
                return Err(forbidden(&reason, "open it with `eye console`"));
            }
        }
        match knock.whose.owner() {
            Owner::Ours | Owner::NotAsked => Ok(Admitted::Console),
            Owner::Unknown if self.published => Ok(Admitted::Console),
            // Not even a proxy's user is admitted: a key belongs to this user.
            Owner::Other(uid) => Err(another_user(Some(uid))),
            Owner::Unknown => Err(another_user(None)),
        }
    }

    /// The extension has exactly one origin, which no page and no other extension has, and its browser must run as this
    /// user.
    fn admit_extension(&self, knock: Knock<'_>) -> Result<Admitted, Refusal> {
        // Without a console, the connection may come from another machine, where an `Origin` proves nothing.
        if self.console_port.is_none() || knock.origin != Some(EXTENSION_ORIGIN) {
            let reason = format!("this is the extension's way in, not for {}", knock.origin.unwrap_or("a program"));
            return Err(forbidden(&reason, "`eye extension` says how to get it"));
        }
        match knock.whose.owner() {
            Owner::Ours | Owner::NotAsked => Ok(Admitted::Extension),
            Owner::Unknown if self.published => Ok(Admitted::Extension),
            // Not even a proxy's user is admitted: the tabs belong to this user.
            Owner::Other(uid) => Err(another_user(Some(uid))),
            Owner::Unknown => Err(another_user(None)),
        }
    }

    /// The pairing with this id, and the secret that the extension shares with the hub; `None`: unknown or revoked.
    pub fn paired(&self, id: &str) -> Option<(Bearer, Box<str>)> {
        self.keys.paired(id, EXTENSION_ORIGIN)
    }

    /// Pairs the extension in one more browser. Creates a named token, which `eye token` lists and revokes.
    pub fn pair(&self, name: &str) -> Result<Token, TokensError> {
        self.keys.create(Wish {
            name: name.to_owned(),
            may: vec![Class::Join],
            pages: vec![EXTENSION_ORIGIN.to_owned()],
            expires_at: None,
        })
    }

    fn check_host(&self, host: Option<&str>) -> Result<(), Refusal> {
        let host = host.unwrap_or("").to_ascii_lowercase();
        let name = host_name(&host);
        if is_loopback_name(name) || self.hosts.iter().any(|known| known == name) {
            return Ok(());
        }
        Err(not_a_host(name))
    }

    fn admit_page(&self, knock: Knock<'_>) -> Result<Admitted, Refusal> {
        let (joined, bearer) = self.page_token(knock)?.unzip();
        let origin = joined.as_deref().or(knock.origin);
        let Some(origin) = origin else {
            // A program that joins as a page is not a browser: it has no origin to trust, so it needs the token.
            let scope = self.admit_agent(knock)?;
            scope.check(Class::Admin).map_err(lacking)?;
            let (policy, bearer) = (Policy::default(), scope.bearer());
            return Ok(Admitted::Page { origin: "program".into(), policy, bearer });
        };
        if is_console_origin(origin) {
            return Err(forbidden("the console cannot join as a page", "look at it with your own eyes"));
        }
        if origin == EXTENSION_ORIGIN {
            return Err(forbidden("the extension cannot join as a page", "it has a way in of its own"));
        }
        // A token for this origin is proof enough, even if another user's program forwards it.
        if joined.is_none() {
            self.check_owner(knock)?;
        }
        let policy = page_policy(self.find(origin)?, origin, joined.is_some())?;
        Ok(Admitted::Page { origin: origin.into(), policy, bearer })
    }

    /// Eye's own pages are those that the hub serves under the name `localhost`. Folders that it serves for agents
    /// (`/open/`) use its address, which browsers treat as another origin; so the origin alone distinguishes the two.
    fn admit_own(&self, knock: Knock<'_>) -> Result<Admitted, Refusal> {
        if knock.token.is_none() && self.own_port.is_some_and(|port| is_own_page(knock, port)) {
            // A program of another user can send these headers too.
            return self.check_owner(knock).map(|()| Admitted::Own);
        }
        // The user's grant counts only on a hub that no other machine reaches: elsewhere an `Origin` proves nothing.
        if knock.token.is_none()
            && self.own_port.is_some()
            && let Some(origin) = knock.origin
            && self.find(origin)?.allowed().is_some_and(|allowed| allowed.backends)
        {
            return self.check_owner(knock).map(|()| Admitted::Own);
        }
        self.check_agent_origin(knock.origin)?;
        match (self.check_token(knock), knock.origin) {
            (Ok(scope), _) => scope.check(Class::Servers).map(|()| Admitted::Agent(scope)).map_err(lacking),
            (Err(_), Some(origin)) if knock.token.is_none() => Err(not_own(origin, self.own_port.is_some())),
            (Err(refusal), _) => Err(refusal),
        }
    }

    fn admit_agent(&self, knock: Knock<'_>) -> Result<Scope, Refusal> {
        // The origin is checked first: a web site that got hold of a token must not gain access with it.
        self.check_agent_origin(knock.origin)?;
        let scope = self.check_token(knock)?;
        Ok(scope.in_page_of(knock.origin.filter(|origin| !is_loopback_origin(origin))))
    }

    /// Refuses other users of this machine without the token. The kernel knows the owner of a connection.
    fn check_owner(&self, knock: Knock<'_>) -> Result<(), Refusal> {
        if knock.token.is_some_and(|token| self.keys.is_own(token)) {
            return Ok(());
        }
        match knock.whose.owner() {
            Owner::Ours | Owner::NotAsked => Ok(()),
            Owner::Other(uid) if self.proxy_users.contains(&uid) => Ok(()),
            Owner::Unknown if self.published => Ok(()),
            Owner::Other(uid) => Err(another_user(Some(uid))),
            Owner::Unknown => Err(another_user(None)),
        }
    }

    /// Programs send no `Origin`. An agent in a page must come from this machine or from an allowed origin.
    fn check_agent_origin(&self, origin: Option<&str>) -> Result<(), Refusal> {
        let Some(origin) = origin.filter(|origin| !is_loopback_origin(origin)) else { return Ok(()) };
        if is_console_origin(origin) {
            return Err(forbidden("the console has its own way in", "open it with `eye console`"));
        }
        agent_origin(&self.find(origin)?, origin)
    }

    /// Looks up an origin in the list. An unreadable list might hold a restriction, so the request is then refused.
    fn find(&self, origin: &str) -> Result<Verdict, Refusal> {
        self.origins.find(origin).map_err(|error| {
            let file = self.origins.file().display();
            let text = error.to_string();
            let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
            // Pages retry again and again; the log needs one line per problem.
            if logged.as_deref() != Some(text.as_str()) {
                tracing::error!(%file, error = text, "the list of allowed origins cannot be read; pages are refused");
                *logged = Some(text);
            }
            unreadable_list()
        })
    }

    fn check_token(&self, knock: Knock<'_>) -> Result<Scope, Refusal> {
        match (self.keys.auth(), knock.token) {
            (Auth::Token(known), Some(token)) if known.matches(token) => Ok(Scope::ALL),
            (Auth::Token(_), None) => Err(unauthorised("an agent over TCP needs the token")),
            (Auth::None, None) => self.check_owner(knock).map(|()| Scope::ALL),
            (auth, Some(token)) => match self.keys.find(token) {
                Found::Agent(scope) => Ok(scope),
                Found::Page(..) => {
                    Err(forbidden("this token is for a page, not for an agent", "eye token new NAME --may read"))
                }
                Found::Expired(name) => Err(expired(&name)),
                // Without a token of the hub's own, an unknown token neither adds nor removes access.
                Found::Unknown if matches!(auth, Auth::None) => self.check_owner(knock).map(|()| Scope::ALL),
                Found::Unknown => Err(unauthorised("the token is not this hub's")),
            },
        }
    }

    /// The origin in a page's token. A page on a hub that other machines reach needs one, because its `Origin` proves
    /// nothing.
    fn page_token(&self, knock: Knock<'_>) -> Result<Option<(Box<str>, Bearer)>, Refusal> {
        let found = knock.token.map(|token| (token, self.keys.find(token)));
        match found {
            Some((_, Found::Page(origin, bearer))) => match knock.origin {
                Some(from) if *from != *origin => Err(forbidden(
                    &format!("this token is for pages of {origin}, not of {from}"),
                    &format!("eye token new NAME --may join --origin {from}"),
                )),
                Some(_) | None => Ok(Some((origin, bearer))),
            },
            Some((_, Found::Expired(name))) => Err(expired(&name)),
            Some((token, Found::Agent(_) | Found::Unknown)) if self.keys.is_own(token) => Ok(None),
            Some(_) | None if self.pages_need_token => {
                let origin = knock.origin.unwrap_or("ORIGIN");
                let hint =
                    format!("`eye token new NAME --may join --origin {origin}`, and data-token in the page's tag");
                Err(forbidden("other machines reach this hub, so a page needs a token", &hint))
            }
            Some(_) | None => Ok(None),
        }
    }

    /// Whether this is a page's token.
    pub fn joins(&self, token: &str) -> bool {
        matches!(self.keys.find(token), Found::Page(..))
    }
}

/// The policy for pages of an origin, from its entry in the list. `by_token`: a token proves the origin.
/// Loopback origins are looked up too, because the list may restrict them.
pub fn page_policy(verdict: Verdict, origin: &str, by_token: bool) -> Result<Policy, Refusal> {
    match verdict {
        Verdict::Denied(_) => Err(denied(origin)),
        Verdict::Allowed(Allowed { pages: false, .. }) => Err(agents_only(origin)),
        Verdict::Allowed(allowed) => Ok(allowed.into()),
        Verdict::Unlisted if by_token || is_loopback_origin(origin) => Ok(Policy::default()),
        Verdict::Unlisted => Err(foreign_page(origin)),
    }
}

/// The policy for pages in a tab that the hub drives. Such a tab may visit any site; the list only restricts.
pub fn driven_policy(verdict: Verdict, origin: &str) -> Result<Policy, Refusal> {
    match verdict {
        Verdict::Denied(_) => Err(denied(origin)),
        Verdict::Allowed(allowed) => Ok(allowed.into()),
        Verdict::Unlisted => Ok(Policy::default()),
    }
}

/// Whether agents in pages of an origin may send requests. For origins that are not loopback.
pub fn agent_origin(verdict: &Verdict, origin: &str) -> Result<(), Refusal> {
    match verdict {
        Verdict::Denied(_) => Err(denied(origin)),
        Verdict::Allowed(_) => Ok(()),
        Verdict::Unlisted => Err(foreign_agent(origin)),
    }
}

/// Whether the request comes from a page of `localhost` at the hub's own port, according to the browser. If another
/// server forwards a path to the hub, the port differs.
fn is_own_page(knock: Knock<'_>, port: u16) -> bool {
    let host = knock.host.unwrap_or("").to_ascii_lowercase();
    let here = |default: u16| match host[host_name(&host).len()..].strip_prefix(':') {
        Some(text) => text.parse() == Ok(port),
        None => port == default,
    };
    if host_name(&host) != OWN_NAME {
        return false;
    }
    match knock.origin {
        // A proxy before the hub may speak TLS, so both schemes count.
        Some(origin) => [("http://", 80), ("https://", 443)]
            .iter()
            .any(|(scheme, default)| origin.strip_prefix(scheme) == Some(&host) && here(*default)),
        None => knock.same_origin && (here(80) || here(443)),
    }
}

/// The host name that serves the hub's own pages, and no others.
pub const OWN_NAME: &str = "localhost";

/// The host name that serves the console, and nothing else.
pub const CONSOLE_NAME: &str = "console.localhost";

/// Whether this is the origin of a console, of this hub or another.
fn is_console_origin(origin: &str) -> bool {
    let host = origin.split_once("://").map_or("", |(_, host)| host);
    host_name(host).eq_ignore_ascii_case(CONSOLE_NAME)
}

/// Whether a host is a loopback address, as opposed to a name.
pub fn is_loopback_address(host: &str) -> bool {
    matches!(host_name(host), "127.0.0.1" | "[::1]")
}

fn is_loopback_name(name: &str) -> bool {
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

/// Matches exactly a loopback host with any port, never a prefix of a longer name.
fn is_loopback_origin(origin: &str) -> bool {
    let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    host.is_some_and(|host| is_loopback_name(host_name(host)))
}

#[cfg(test)]
mod tests;
