//! The checks of one page: each examines one thing that may prevent it from joining.

use super::super::checks::Finding;
use super::document::Document;
use super::hub::{self, HubAddress, NoVerdict, Verdict, Way};
use super::policy::{Code, Forbidden, Mend, Policies, Sandbox};
use super::reach::{self, Mixed, Network, Space};
use super::visit::Visit;
use crate::exit::Exit;
use url::Url;

/// A longer policy is not printed whole.
const POLICY_CHARS_MAX: usize = 300;
/// The hint to proxy the hub through the page's own server.
const PROXY: &str = "or let the page's own server pass /__eye on to the hub: eye join vite, or eye join proxy";

/// The input of the checks.
pub struct Look<'a> {
    pub visit: &'a Visit,
    pub document: &'a Document,
    pub way: &'a Way,
    /// The hub that commands use.
    pub hub: &'a HubAddress,
    pub policies: &'a Policies,
}

impl Look<'_> {
    /// All findings, ordered by which change must come first.
    pub fn all(&self) -> Vec<Finding> {
        let mut findings = vec![self.page()];
        findings.extend(self.certificate());
        findings.extend(self.tag());
        let sandbox = self.policies.sandbox();
        findings.extend(sandbox.map(sandboxed));
        let origin = match sandbox {
            Some(Sandbox::NoOrigin | Sandbox::NoScripts) => "null".to_owned(),
            None => self.visit.url.origin().ascii_serialization(),
        };
        let verdict = hub::verdict(self.way, self.hub, &origin);
        let space = verdict.as_ref().ok().and_then(|verdict| verdict.space);
        if sandbox.is_none() {
            findings.push(self.origin(&origin, verdict));
        }
        if !self.hub.runs {
            findings.push(Finding::good("hub", "none runs; the first command starts one"));
        }
        findings.extend(self.policy());
        findings.extend(self.mixed());
        findings.extend(self.network(space));
        findings.extend(self.code());
        findings.extend(self.isolation());
        findings.extend(self.frames());
        findings
    }

    fn page(&self) -> Finding {
        const WHAT: &str = "page";
        let (got, url) = (&self.visit.got, &self.visit.url);
        let kind = got.one("content-type").unwrap_or("no type");
        let hops = self.visit.redirects.iter().map(|hop| format!("{} → {} → ", hop.from, hop.status));
        let path = hops.collect::<Vec<_>>().concat();
        let found = format!("{path}{url} answers {} ({kind})", got.status);
        if !kind.contains("html") && got.one("content-type").is_some() {
            let hint = "name a page: only HTML documents load the client";
            return Finding::bad(WHAT, Exit::Absent, found, hint);
        }
        if !(200..300).contains(&got.status) {
            return Finding::good(WHAT, found).hint(
                "it is fetched without your cookies; what follows is true of this answer, and may not be of the page that you see",
            );
        }
        if got.one("content-encoding").is_some_and(|how| how != "identity") {
            return Finding::good(WHAT, found)
                .hint("its text came compressed, unasked: policies and tags inside of it were not read");
        }
        Finding::good(WHAT, found)
    }

    fn certificate(&self) -> Option<Finding> {
        let why = self.visit.distrust.as_ref()?;
        let hint = "browsers show a warning first, unless they know who signed it";
        Some(Finding::good("certificate", format!("this machine does not trust it: {why}")).hint(hint))
    }

    fn tag(&self) -> Option<Finding> {
        const WHAT: &str = "tag";
        let tag = self.document.client.as_ref()?;
        let found = format!("<script src=\"{}\">", tag.src);
        if self.way.same_origin(&self.visit.url) {
            return Some(Finding::good(WHAT, format!("{found}: through the page's own server")));
        }
        // Compares ports only: localhost has several names.
        let same_port = self.way.hub.port_or_known_default() == self.hub.url.port_or_known_default();
        let finding = Finding::good(WHAT, found);
        if same_port {
            return Some(finding);
        }
        Some(finding.hint(format!("the hub that your commands ask is at {}", bare(&self.hub.url))))
    }

    fn origin(&self, origin: &str, verdict: Result<Verdict, NoVerdict>) -> Finding {
        const WHAT: &str = "origin";
        match verdict {
            Ok(Verdict { refusal: None, .. }) => Finding::good(WHAT, format!("pages of {origin} may join")),
            Ok(Verdict { refusal: Some((reason, hint)), .. }) => Finding::bad(WHAT, Exit::Denied, reason, hint),
            Err(why) => {
                let hint = if self.way.same_origin(&self.visit.url) {
                    format!("start the hub (eye up), and let the server pass {} on to it", self.way.hub.path())
                } else {
                    "start the hub with eye up, or mend the tag's address".to_owned()
                };
                Finding::bad("hub", Exit::Absent, why.to_string(), hint)
            }
        }
    }

    /// One change serves script and socket, because both are in one policy.
    fn policy(&self) -> Vec<Finding> {
        let (page, script, socket) = (&self.visit.url, &self.way.script, self.way.socket());
        let before = match &self.document.client {
            // A policy applies from its position in the document on.
            Some(tag) => self.policies.clone().before_tag(tag.policies_before),
            None => self.policies.clone(),
        };
        let nonce = &self.way.nonce;
        let (of_script, of_socket) = (before.script(page, script, nonce), self.policies.socket(page, &socket));
        let mut findings = Vec::new();
        let mend = self.mend(&of_script, &socket);
        for (what, forbidden, url) in [("script", &of_script, script), ("socket", &of_socket, &socket)] {
            findings.push(match forbidden.first() {
                None => Finding::good(what, format!("{url} is allowed")),
                Some(Forbidden { by, .. }) => {
                    Finding::bad(what, Exit::Absent, format!("`{by}` does not allow {url}"), mend.clone())
                }
            });
        }
        if self.policies.would_block(page, script, &socket) {
            let found = "a policy that only reports today would forbid it";
            findings.push(
                Finding::good("report-only policy", found).hint("allow the hub in it too, before it is enforced"),
            );
        }
        findings
    }

    fn mend(&self, of_script: &[Forbidden], socket: &Url) -> String {
        let (page, script) = (&self.visit.url, &self.way.script);
        let mended = self.policies.mended(page, script, socket, &self.way.nonce);
        let mut steps = Vec::new();
        for policy in &mended {
            let line = policy.line();
            if line.chars().count() <= POLICY_CHARS_MAX {
                steps
                    .push(format!("let this {} read\n      {line}", if policy.in_document { "tag" } else { "header" }));
            } else {
                let place = if policy.in_document { "<meta>" } else { "header" };
                let directives = policy.changed.join(";\n      ");
                steps.push(format!("in the Content-Security-Policy {place}, let these read\n      {directives}"));
            }
        }
        let needs = |mend: Mend| of_script.iter().any(|forbidden| forbidden.mend == mend);
        if needs(Mend::Nonce) {
            steps.push(format!(
                "give the tag the nonce that the server makes for each response\n      <script nonce=\"NONCE\" src=\"{script}\"></script>"
            ));
        }
        if needs(Mend::Trusted) {
            steps.push(format!("load it from a script that the policy trusts already\n      import(\"{script}\")"));
        }
        let steps = steps.join("\n    and ");
        if self.proxy_helps() { format!("{steps}\n    {PROXY}") } else { steps }
    }

    /// Whether the policies would allow the client from the page's own server.
    fn proxy_helps(&self) -> bool {
        let page = &self.visit.url;
        let Ok(hub) = page.join("/__eye/") else { return false };
        let Ok(script) = hub.join("eye.js") else { return false };
        let proxied = Way { script, hub, tag: false, nonce: String::new() };
        !self.way.same_origin(page)
            && self.policies.script(page, &proxied.script, "").is_empty()
            && self.policies.socket(page, &proxied.socket()).is_empty()
    }

    fn mixed(&self) -> Option<Finding> {
        const WHAT: &str = "encryption";
        let hub = bare(&self.way.hub);
        match reach::mixed(&self.visit.url, &self.way.hub) {
            Mixed::Fine => None,
            Mixed::ByBrowser => {
                let found = format!("an https page and {hub}: Chrome, Edge and Firefox let it be, Safari does not");
                Some(Finding::good(WHAT, found).hint("for Safari: eye tls, then eye up --tls"))
            }
            Mixed::Refused => {
                let found = format!("no browser lets an https page use {hub}, which is not encrypted");
                Some(Finding::bad(WHAT, Exit::Absent, found, format!("eye tls, then eye up --tls, there\n    {PROXY}")))
            }
        }
    }

    fn network(&self, hub_space: Option<Space>) -> Option<Finding> {
        const WHAT: &str = "local network";
        if self.way.same_origin(&self.visit.url) {
            return None;
        }
        let hub_space = Space::of_host(&self.way.hub).or(hub_space)?;
        let page_space = Space::of(self.visit.got.address);
        let permissions: Vec<&str> = self.visit.got.all("permissions-policy").collect();
        let hub = bare(&self.way.hub);
        match reach::network(&self.visit.url, page_space, hub_space, &permissions) {
            Network::Fine => None,
            Network::Asks => {
                let found = format!("Chrome (142 and later) asks once whether this site may reach {hub}");
                Some(
                    Finding::good(WHAT, found)
                        .hint("answer Allow; it stays in the site's settings as \"Local network access\""),
                )
            }
            Network::Refused => {
                let found = format!("Chrome (142 and later) lets no http page of the network reach {hub}");
                let hint = format!("serve the page over https\n    {PROXY}");
                Some(Finding::bad(WHAT, Exit::Absent, found, hint))
            }
            Network::Forbidden => {
                let found = format!("the page's Permissions-Policy forbids Chrome to reach {hub}");
                let hint = format!("leave local-network-access and loopback-network out of it\n    {PROXY}");
                Some(Finding::bad(WHAT, Exit::Absent, found, hint))
            }
        }
    }

    fn code(&self) -> Vec<Finding> {
        const WHAT: &str = "eval";
        let mut findings = Vec::new();
        findings.extend(match self.policies.code() {
            Code::Runs if self.policies.is_empty() => None,
            Code::Runs => Some(Finding::good(WHAT, "agents' code may run")),
            Code::NoEval(by) => Some(
                Finding::good(WHAT, format!("off: `{by}` forbids it; look, click, tools and state work all the same"))
                    .hint("add 'unsafe-eval' to script-src if you want it, in development"),
            ),
            Code::NoTrustedPolicy(by) => Some(
                Finding::good(WHAT, format!("off: `{by}` forbids it; look, click, tools and state work all the same"))
                    .hint("add eye to trusted-types if you want it, in development"),
            ),
        });
        if self.policies.wants_trusted_types() {
            findings.push(Finding::good("Trusted Types", "required: a script tag works, a bookmarklet may not"));
        }
        findings
    }

    fn isolation(&self) -> Option<Finding> {
        const WHAT: &str = "isolation";
        let named = [
            ("cross-origin-embedder-policy", "COEP"),
            ("cross-origin-opener-policy", "COOP"),
            ("cross-origin-resource-policy", "CORP"),
        ];
        let found: Vec<String> = named
            .into_iter()
            .filter_map(|(header, short)| Some(format!("{short} {}", self.visit.got.one(header)?)))
            .collect();
        if found.is_empty() {
            return None;
        }
        Some(Finding::good(
            WHAT,
            format!("{}: not in the way, the client says that any page may load it", found.join(", ")),
        ))
    }

    fn frames(&self) -> Option<Finding> {
        let refuses = self.visit.got.one("x-frame-options").map(|value| format!("X-Frame-Options {value}"));
        let ancestors = self.visit.got.all("content-security-policy").find_map(|policy| {
            policy
                .split(';')
                .map(str::trim)
                .find(|directive| directive.starts_with("frame-ancestors"))
                .map(str::to_owned)
        });
        let found = refuses.or(ancestors)?;
        Some(Finding::good("frames", format!("{found}: not in the way, the client needs no frame")))
    }
}

fn sandboxed(sandbox: Sandbox) -> Finding {
    const WHAT: &str = "sandbox";
    let (found, hint) = match sandbox {
        Sandbox::NoScripts => (
            "the page's Content-Security-Policy sandboxes it: no script runs",
            "leave the sandbox directive out, or let it read `sandbox allow-scripts allow-same-origin`",
        ),
        Sandbox::NoOrigin => (
            "the page's Content-Security-Policy sandboxes it: it has no origin, and so may not join",
            "add allow-same-origin to the sandbox directive",
        ),
    };
    Finding::bad(WHAT, Exit::Denied, found, hint)
}

fn bare(url: &Url) -> &str {
    url.as_str().trim_end_matches('/')
}
