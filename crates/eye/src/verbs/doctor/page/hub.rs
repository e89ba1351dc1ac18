//! The hub that a page would join: its address as the page sees it, and whether its gate would admit the page.

use super::document::Client;
use super::reach::Space;
use super::visit::{self, VisitError};
use crate::failure::Failure;
use crate::join;
use crate::options::Options;
use crate::places;
use eye_hub::Auth;
use eye_hub::gate::{Gate, Knock, Wants};
use eye_hub::origins::Origins;
use serde::Deserialize;
use url::Url;

/// The hub that commands use.
#[derive(Clone, Debug)]
pub struct HubAddress {
    /// As a page would write it, with a trailing slash.
    pub url: Url,
    pub runs: bool,
}

impl HubAddress {
    /// The hub that commands use, or would start. A plain page of this machine uses a TLS hub over plain HTTP.
    pub fn known(page: &Url, options: &Options) -> Result<Self, Failure> {
        let (base, runs) = join::hub(options)?;
        let hub = Self::at(&base, runs)?;
        // On its own machine a TLS hub also speaks plain HTTP.
        let both = hub.url.scheme() == "https" && Space::of_host(&hub.url) == Some(Space::Loopback);
        if both && page.scheme() == "http" { Self::at(&base.replacen("https", "http", 1), runs) } else { Ok(hub) }
    }

    fn at(base: &str, runs: bool) -> Result<Self, Failure> {
        let url = Url::parse(&format!("{}/", base.trim_end_matches('/')))
            .map_err(|error| Failure::Garbled(format!("`{base}` as its address: {error}")))?;
        Ok(Self { url, runs })
    }
}

/// The addresses under which a page reaches the hub.
#[derive(Clone, Debug)]
pub struct Way {
    /// The client script that the page loads.
    pub script: Url,
    /// The base of all other addresses, with a trailing slash.
    pub hub: Url,
    /// Whether the page already has the tag.
    pub tag: bool,
    pub nonce: String,
}

impl Way {
    /// From the tag that the page has, or from the tag that it would need.
    pub fn of(page: &Url, tag: Option<&Client>, hub: &HubAddress) -> Self {
        let by_tag = tag.and_then(|tag| {
            let script = page.join(&tag.src).ok().filter(visit::is_of_the_web)?;
            let base = match &tag.hub {
                Some(named) => {
                    page.join(&format!("{}/", named.replacen("ws", "http", 1).trim_end_matches('/'))).ok()?
                }
                None => script.join(".").ok()?,
            };
            Some(Self { script, hub: base, tag: true, nonce: tag.nonce.clone() })
        });
        by_tag.unwrap_or_else(|| {
            let script = hub.url.join("eye.js").unwrap_or_else(|_| hub.url.clone());
            Self { script, hub: hub.url.clone(), tag: false, nonce: String::new() }
        })
    }

    /// The WebSocket address that the client opens.
    pub fn socket(&self) -> Url {
        let scheme = if self.hub.scheme() == "https" { "wss" } else { "ws" };
        let rest = self.hub.as_str().split_once(':').map_or("", |(_, rest)| rest);
        Url::parse(&format!("{scheme}:{rest}ws")).unwrap_or_else(|_| self.hub.clone())
    }

    /// Whether the page's own server proxies everything.
    pub fn same_origin(&self, page: &Url) -> bool {
        self.script.origin() == page.origin() && self.hub.origin() == page.origin()
    }
}

/// The gate's decision about an origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Reason and hint; `None` if the page may join.
    pub refusal: Option<(String, String)>,
    /// How public the hub's address is. `None` if it was not contacted.
    pub space: Option<Space>,
}

/// The response of `/why`.
#[derive(Deserialize)]
struct Why {
    allowed: bool,
    reason: String,
    #[serde(default)]
    hint: String,
}

/// Why there is no verdict: no hub answers there.
#[derive(Debug, thiserror::Error)]
pub enum NoVerdict {
    #[error("{0}")]
    Hub(#[from] Failure),
    #[error("{0}")]
    Address(#[from] url::ParseError),
    #[error("{0}")]
    Visit(#[from] VisitError),
    #[error("{door} answers {status}, and not as a hub does")]
    Foreign { door: Url, status: u16 },
}

/// Asks the gate of the hub. If the hub does not run, evaluates the origins file instead.
pub fn verdict(way: &Way, hub: &HubAddress, origin: &str) -> Result<Verdict, NoVerdict> {
    if !hub.runs && way.hub.origin() == hub.url.origin() {
        return Ok(Verdict { refusal: offline(origin)?, space: None });
    }
    let door = way.hub.join("why")?;
    let got = visit::ask_as(&door, origin)?;
    let space = Some(Space::of(got.address));
    let Ok(why) = serde_json::from_slice::<Why>(&got.body) else {
        return Err(NoVerdict::Foreign { door, status: got.status });
    };
    Ok(Verdict { refusal: (!why.allowed).then_some((why.reason, why.hint)), space })
}

fn offline(origin: &str) -> Result<Option<(String, String)>, Failure> {
    // The gate's rules for agents do not matter for pages.
    let gate = Gate::new(Auth::None, Vec::new(), Origins::new(places::origins_file()?));
    let knock = Knock { host: Some("localhost"), origin: Some(origin), ..Knock::default() };
    Ok(gate.admit(Wants::Page, knock).err().map(|refusal| (refusal.reason, refusal.hint)))
}
