//! `eye doctor URL`: examines from outside what prevents a page from joining, and suggests the one change that helps
//! first.

mod document;
mod hub;
mod look;
mod policy;
mod reach;
mod visit;

use super::checks::Finding;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use document::Document;
use hub::{HubAddress, Way};
use look::Look;
use policy::Policies;
use reach::Space;
use serde::Serialize;
use url::Url;
use visit::Redirect;

#[derive(Debug, Serialize)]
pub struct Report {
    /// After redirects.
    pub url: String,
    pub redirects: Vec<Redirect>,
    /// The address of the client script that the page loads, or would load.
    pub script: String,
    /// Whether the page already loads the client.
    pub tag: bool,
    /// Whether the page would join.
    pub joins: bool,
    /// The one change that helps first; `None` if the page can join.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// Faults first.
    pub findings: Vec<Finding>,
}

impl Report {
    /// The first line: the page can join, or the change that helps first.
    pub fn headline(&self) -> String {
        match &self.change {
            Some(change) => format!("✗ {} cannot join {}\n  first: {change}", self.url, self.hub_of_script()),
            None if self.tag => format!("✓ {} loads {} and can join", self.url, self.script),
            None => format!("✓ {} can join with <script src=\"{}\"></script>", self.url, self.script),
        }
    }

    fn hub_of_script(&self) -> &str {
        self.script.strip_suffix("/eye.js").unwrap_or(&self.script)
    }
}

/// Fetches a page and runs all checks.
pub fn examine(text: &str, options: &Options) -> Result<Report, Failure> {
    let begin = address(text)?;
    let hub = HubAddress::known(&begin, options)?;
    let visit = match visit::visit(&begin) {
        Ok(visit) => visit,
        Err(error) => return Ok(unreached(&begin, &hub, &error.to_string())),
    };
    let hub = HubAddress::known(&visit.url, options)?;
    let is_html = visit.got.one("content-type").is_none_or(|kind| kind.contains("html"));
    let document =
        if is_html { document::read(&String::from_utf8_lossy(&visit.got.body)) } else { Document::default() };
    let way = Way::of(&visit.url, document.client.as_ref(), &hub);
    let policies = Policies::read(
        visit.got.all("content-security-policy"),
        visit.got.all("content-security-policy-report-only"),
        &document.policies,
    );
    let look = Look { visit: &visit, document: &document, way: &way, hub: &hub, policies: &policies };
    let findings = look.all();
    let change = findings.iter().find(|finding| !finding.ok).and_then(|finding| finding.hint.clone());
    let joins = findings.iter().all(|finding| finding.ok);
    Ok(Report {
        url: visit.url.to_string(),
        redirects: visit.redirects.clone(),
        script: way.script.to_string(),
        tag: way.tag,
        joins,
        change: change.or_else(|| (!joins).then(|| "see below".to_owned())),
        findings: in_order(findings),
    })
}

fn unreached(url: &Url, hub: &HubAddress, why: &str) -> Report {
    let hint = "start its server, or check the address; the page is fetched from this machine, without your cookies";
    Report {
        url: url.to_string(),
        redirects: Vec::new(),
        script: format!("{}eye.js", hub.url),
        tag: false,
        joins: false,
        change: Some(hint.into()),
        findings: vec![Finding::bad("page", Exit::Absent, why, hint)],
    }
}

fn in_order(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_key(|finding| finding.ok);
    findings
}

/// Adds a missing scheme as a browser's address bar does; a bare host of this machine gets http.
fn address(text: &str) -> Result<Url, Failure> {
    let wrong = || {
        let hint = "write it as http://localhost:5173 or https://shop.example/cart";
        Failure::usage(format!("`{text}` is no address of a page"), hint)
    };
    let url = if text.contains("://") {
        text.to_owned()
    } else {
        let plain = Url::parse(&format!("http://{text}")).map_err(|_| wrong())?;
        if Space::of_host(&plain) == Some(Space::Loopback) { plain.into() } else { format!("https://{text}") }
    };
    Url::parse(&url).ok().filter(visit::is_of_the_web).ok_or_else(wrong)
}
