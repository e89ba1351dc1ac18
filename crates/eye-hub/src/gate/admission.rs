//! All admission: who may be a page, who may be an agent, and which names this hub answers to.
//!
//! Every web site may open a socket to loopback, and DNS may point any name at it. So in every mode the `Host` must be
//! one of ours and an `Origin` must be loopback or allowed; beyond that, an agent needs the token unless the hub runs
//! with `--auth none`.

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

/// What a request wants to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// What every user of this machine may see: health, the client, the start page.
    Public,
    /// To join as a page.
    Page,
    /// To ask, or to see what only who asks may see.
    Agent,
    /// To read the console's files.
    Console,
    /// To exchange a console's link, or to be a console. The key is the hub's to check.
    ConsoleSession,
    /// To be the way to a person's own tabs: the extension. Its proof is checked with [`Gate::paired`].
    Extension,
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
    /// Whose connection it is.
    pub whose: Whose,
    /// `Sec-Fetch-Site` is `same-origin`: how browsers mark what a page fetches from its own origin without an
    /// `Origin`.
    pub same_origin: bool,
}

/// Who was let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admitted {
    /// Any client, for public resources.
    Public,
    /// A page.
    Page {
        /// Where its document comes from.
        origin: Box<str>,
        /// What the user allowed pages of it.
        policy: Policy,
        /// The named token that admitted it, if one did.
        bearer: Option<Bearer>,
    },
    /// An agent, and what its token allows.
    Agent(Scope),
    /// A page that eye itself serves.
    Own,
    /// The console of this user, by its origin.
    Console,
    /// The extension in a browser of this user, by its origin.
    Extension,
}

impl Admitted {
    /// What an agent's token allows; everything else asks nothing.
    pub fn scope(&self) -> Scope {
        match self {
            Self::Agent(scope) => scope.clone(),
            Self::Public | Self::Page { .. } | Self::Own | Self::Console | Self::Extension => Scope::ALL,
        }
    }

    /// The named token that this rests on: without it, it ends.
    pub fn bearer(&self) -> Option<Bearer> {
        match self {
            Self::Page { bearer, .. } => bearer.clone(),
            Self::Agent(scope) => scope.bearer(),
            Self::Public | Self::Own | Self::Console | Self::Extension => None,
        }
    }
}

/// The gate of one hub.
#[derive(Debug)]
pub struct Gate {
    keys: Keys,
    hosts: Vec<String>,
    origins: Origins,
    /// The port at which eye's own pages may use the backends without the token; `None`: there are none.
    own_port: Option<u16>,
    /// Connections that the kernel does not know are admitted: a container publishes the port.
    published: bool,
    /// Users whose programs pass on what this user's browser sends.
    proxy_users: Vec<u32>,
    /// Whether other machines reach this hub: then a page needs a token that says whose it is.
    pages_need_token: bool,
    /// The port at which the console is served; `None`: it is not.
    console_port: Option<u16>,
    /// The problem with the list of origins that was logged last.
    logged: Mutex<Option<String>>,
}

impl Gate {
    /// A gate that answers to loopback and to the further host names given.
    pub fn new(auth: Auth, hosts: Vec<String>, origins: Origins) -> Self {
        // Nothing but the console is ever served under its name, whatever the user says.
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

    /// Lets pages join only with a token. For a hub that other machines reach: there, a program may send any `Origin`.
    #[must_use]
    pub fn with_page_tokens(mut self, needed: bool) -> Self {
        self.pages_need_token = needed;
        self
    }

    /// Lets eye's own pages, at this port, use the backends without the token. Only for a hub that no other machine
    /// reaches: a program may send any `Origin`.
    #[must_use]
    pub fn with_own_pages(mut self, port: Option<u16>) -> Self {
        self.own_port = port;
        self
    }

    /// Admits connections of these users as this user's own, and those that the kernel does not know where a port is
    /// published.
    #[must_use]
    pub fn with_proxies(mut self, published: bool, proxy_users: Vec<u32>) -> Self {
        self.published = published;
        self.proxy_users = proxy_users;
        self
    }

    /// Serves the console at this port. Only for connections of this machine.
    #[must_use]
    pub fn with_console(mut self, port: u16) -> Self {
        self.console_port = Some(port);
        self
    }

    /// Lets in, or says why not.
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

    /// Whether answers may be read by pages of this origin (CORS): it may join, or its agents may ask.
    pub fn may_read(&self, origin: &str) -> bool {
        self.check_agent_origin(Some(origin)).is_ok()
    }

    /// The console is its own host. What speaks there has exactly its origin, which no other page has, and is this
    /// user's.
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
            // Not even a proxy's user: a key is this user's.
            Owner::Other(uid) => Err(another_user(Some(uid))),
            Owner::Unknown => Err(another_user(None)),
        }
    }

    /// The extension has exactly its origin, which no page and no other extension has, and its browser is this user's.
    fn admit_extension(&self, knock: Knock<'_>) -> Result<Admitted, Refusal> {
        // Where the console is not served, the connection is from elsewhere, and an `Origin` proves nothing.
        if self.console_port.is_none() || knock.origin != Some(EXTENSION_ORIGIN) {
            let reason = format!("this is the extension's way in, not for {}", knock.origin.unwrap_or("a program"));
            return Err(forbidden(&reason, "`eye extension` says how to get it"));
        }
        match knock.whose.owner() {
            Owner::Ours | Owner::NotAsked => Ok(Admitted::Extension),
            Owner::Unknown if self.published => Ok(Admitted::Extension),
            // Not even a proxy's user: the tabs are this user's.
            Owner::Other(uid) => Err(another_user(Some(uid))),
            Owner::Unknown => Err(another_user(None)),
        }
    }

    /// The extension of this id, and the secret that it shares with the hub; `None`: there is none, or it was revoked.
    pub fn paired(&self, id: &str) -> Option<(Bearer, Box<str>)> {
        self.keys.paired(id, EXTENSION_ORIGIN)
    }

    /// Pairs the extension in one more browser: a named token, which `eye token` lists and revokes.
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
            // A program that provides is no browser: it has no origin to trust, so it needs the token.
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
        // A token of this page's origin proves enough, also when a program of another user passes it on.
        if joined.is_none() {
            self.check_owner(knock)?;
        }
        let policy = page_policy(self.find(origin)?, origin, joined.is_some())?;
        Ok(Admitted::Page { origin: origin.into(), policy, bearer })
    }

    /// Eye's own pages are what the hub serves under the name `localhost`. Folders that it serves for agents (`/open/`)
    /// are under its address, which is another origin to every browser; so the origin alone tells the two apart.
    fn admit_own(&self, knock: Knock<'_>) -> Result<Admitted, Refusal> {
        if knock.token.is_none() && self.own_port.is_some_and(|port| is_own_page(knock, port)) {
            // A program of another user can send these headers too.
            return self.check_owner(knock).map(|()| Admitted::Own);
        }
        // A grant of the user, for a hub that no other machine reaches: elsewhere an `Origin` proves nothing.
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
        // The origin comes first: a token that a web site got hold of, or made up, must not open the hub to that site.
        self.check_agent_origin(knock.origin)?;
        let scope = self.check_token(knock)?;
        Ok(scope.in_page_of(knock.origin.filter(|origin| !is_loopback_origin(origin))))
    }

    /// Another user of this machine is not admitted without the token: the kernel says whose connection it is.
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

    /// Programs send no `Origin`. A page that asks as an agent must come from this machine or from an allowed origin.
    fn check_agent_origin(&self, origin: Option<&str>) -> Result<(), Refusal> {
        let Some(origin) = origin.filter(|origin| !is_loopback_origin(origin)) else { return Ok(()) };
        if is_console_origin(origin) {
            return Err(forbidden("the console has its own way in", "open it with `eye console`"));
        }
        agent_origin(&self.find(origin)?, origin)
    }

    /// The entry of an origin. A list that cannot be read might hold a restriction, so nothing that depends on it is
    /// admitted.
    fn find(&self, origin: &str) -> Result<Verdict, Refusal> {
        self.origins.find(origin).map_err(|error| {
            let file = self.origins.file().display();
            let text = error.to_string();
            let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
            // Pages try again and again; the log needs one line of each problem.
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
                // Without a secret of the hub's own, a token that is not known gives and takes nothing.
                Found::Unknown if matches!(auth, Auth::None) => self.check_owner(knock).map(|()| Scope::ALL),
                Found::Unknown => Err(unauthorised("the token is not this hub's")),
            },
        }
    }

    /// The origin that a page's token gives it. A page from elsewhere needs one, for its `Origin` proves nothing.
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

    /// Whether a token is a page's.
    pub fn joins(&self, token: &str) -> bool {
        matches!(self.keys.find(token), Found::Page(..))
    }
}

/// What pages of an origin may do, by its entry in the list; `by_token`: a token says that they are pages of it.
/// Loopback origins are looked up too: the list may hold a restriction for them.
pub fn page_policy(verdict: Verdict, origin: &str, by_token: bool) -> Result<Policy, Refusal> {
    match verdict {
        Verdict::Denied(_) => Err(denied(origin)),
        Verdict::Allowed(Allowed { pages: false, .. }) => Err(agents_only(origin)),
        Verdict::Allowed(allowed) => Ok(allowed.into()),
        Verdict::Unlisted if by_token || is_loopback_origin(origin) => Ok(Policy::default()),
        Verdict::Unlisted => Err(foreign_page(origin)),
    }
}

/// What pages of an origin may do in a tab that the hub drives: those may be anywhere, and the list only restricts.
pub fn driven_policy(verdict: Verdict, origin: &str) -> Result<Policy, Refusal> {
    match verdict {
        Verdict::Denied(_) => Err(denied(origin)),
        Verdict::Allowed(allowed) => Ok(allowed.into()),
        Verdict::Unlisted => Ok(Policy::default()),
    }
}

/// Whether agents in pages of an origin, which is not loopback, may ask, by what the list says of it.
pub fn agent_origin(verdict: &Verdict, origin: &str) -> Result<(), Refusal> {
    match verdict {
        Verdict::Denied(_) => Err(denied(origin)),
        Verdict::Allowed(_) => Ok(()),
        Verdict::Unlisted => Err(foreign_agent(origin)),
    }
}

/// Whether a browser says that a page of `localhost`, at the hub's own port, asks. Behind a path of another server the
/// port differs.
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
        // A proxy before the hub may speak TLS, so the scheme is either.
        Some(origin) => [("http://", 80), ("https://", 443)]
            .iter()
            .any(|(scheme, default)| origin.strip_prefix(scheme) == Some(&host) && here(*default)),
        None => knock.same_origin && (here(80) || here(443)),
    }
}

/// The name under which the hub serves its own pages, and no others.
pub const OWN_NAME: &str = "localhost";

/// The name under which the hub serves the console, and nothing else.
pub const CONSOLE_NAME: &str = "console.localhost";

/// Whether an origin is a console's, of this hub or of another.
fn is_console_origin(origin: &str) -> bool {
    let host = origin.split_once("://").map_or("", |(_, host)| host);
    host_name(host).eq_ignore_ascii_case(CONSOLE_NAME)
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
mod tests;
