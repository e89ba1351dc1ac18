//! The hub that a page would join: where it is from the page's side, and whether its gate would let the page in.

use super::document::Client;
use super::reach::Space;
use super::visit;
use crate::failure::Failure;
use crate::join;
use crate::options::Options;
use crate::places;
use eye_hub::Auth;
use eye_hub::gate::{Gate, Knock, Wants};
use eye_hub::origins::Origins;
use serde::Deserialize;
use url::Url;

/// Where the hub is that commands ask.
#[derive(Clone, Debug)]
pub struct Hub {
    /// As a page would write it, with a slash at its end.
    pub url: Url,
    /// Whether one runs there.
    pub runs: bool,
}

impl Hub {
    /// The hub that commands ask, or would start. A hub that speaks TLS is spoken to so where the page does.
    pub fn known(page: &Url, options: &Options) -> Result<Self, Failure> {
        let (base, runs) = join::hub(options)?;
        let hub = Self::at(&base, runs)?;
        // A hub that speaks TLS speaks both on its own machine.
        let both = hub.url.scheme() == "https" && Space::of_host(&hub.url) == Some(Space::Loopback);
        if both && page.scheme() == "http" { Self::at(&base.replacen("https", "http", 1), runs) } else { Ok(hub) }
    }

    fn at(base: &str, runs: bool) -> Result<Self, Failure> {
        let url = Url::parse(&format!("{}/", base.trim_end_matches('/')))
            .map_err(|error| Failure::Garbled(format!("`{base}` as its address: {error}")))?;
        Ok(Self { url, runs })
    }
}

/// How a page comes to the hub.
#[derive(Clone, Debug)]
pub struct Way {
    /// What the page loads.
    pub script: Url,
    /// What everything else is relative to, with a slash at its end.
    pub hub: Url,
    /// Whether the page has the tag already.
    pub tag: bool,
    /// The tag's nonce.
    pub nonce: String,
}

impl Way {
    /// By the tag that the page has, or by the one that it would get.
    pub fn of(page: &Url, tag: Option<&Client>, hub: &Hub) -> Self {
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

    /// The socket that the client opens.
    pub fn socket(&self) -> Url {
        let scheme = if self.hub.scheme() == "https" { "wss" } else { "ws" };
        let rest = self.hub.as_str().split_once(':').map_or("", |(_, rest)| rest);
        Url::parse(&format!("{scheme}:{rest}ws")).unwrap_or_else(|_| self.hub.clone())
    }

    /// Whether it is the page's own server that passes everything on.
    pub fn same_origin(&self, page: &Url) -> bool {
        self.script.origin() == page.origin() && self.hub.origin() == page.origin()
    }
}

/// What the gate says of an origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Why not, and what to do; nothing when it may come in.
    pub refusal: Option<(String, String)>,
    /// How public the hub's address is, where that was seen.
    pub space: Option<Space>,
}

/// What `/why` answers.
#[derive(Deserialize)]
struct Why {
    allowed: bool,
    reason: String,
    #[serde(default)]
    hint: String,
}

/// Asks the hub's own gate; one that does not run is asked by what it would read. `Err`: nothing that is a hub answers.
pub fn verdict(way: &Way, hub: &Hub, origin: &str) -> Result<Verdict, String> {
    if !hub.runs && way.hub.origin() == hub.url.origin() {
        return Ok(Verdict { refusal: offline(origin).map_err(|failure| failure.to_string())?, space: None });
    }
    let door = way.hub.join("why").map_err(|error| error.to_string())?;
    let got = visit::ask_as(&door, origin).map_err(|error| error.to_string())?;
    let space = Some(Space::of(got.address));
    let Ok(why) = serde_json::from_slice::<Why>(&got.body) else {
        return Err(format!("{door} answers {}, and not as a hub does", got.status));
    };
    Ok(Verdict { refusal: (!why.allowed).then_some((why.reason, why.hint)), space })
}

fn offline(origin: &str) -> Result<Option<(String, String)>, Failure> {
    // What a gate asks of agents does not matter to pages.
    let gate = Gate::new(Auth::None, Vec::new(), Origins::new(places::origins_file()?));
    let knock = Knock { host: Some("localhost"), origin: Some(origin), ..Knock::default() };
    Ok(gate.admit(Wants::Page, knock).err().map(|refusal| (refusal.reason, refusal.hint)))
}
