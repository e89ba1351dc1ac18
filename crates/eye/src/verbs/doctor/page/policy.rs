//! Evaluates a page's Content-Security-Policies for the client, its socket and agents' code, and computes the policies
//! that would allow them. The library implements CSP level 3; comments here mark where Chromium is stricter.

use content_security_policy::sandboxing_directive::SandboxingFlagSet;
use content_security_policy::{
    CheckResult, CspList, Destination, Directive, Initiator, ParserMetadata, Policy, PolicyDisposition, PolicySource,
    Request, Violates,
};
use url::Url;

/// The directives for scripts, the most specific first.
const SCRIPT: [&str; 3] = ["script-src-elem", "script-src", "default-src"];
/// The directives for connections, the most specific first.
const CONNECT: [&str; 2] = ["connect-src", "default-src"];
/// The name of the client's Trusted Types policy.
const TRUSTED: &str = "eye";

/// All policies of a page, enforced and report-only.
#[derive(Clone, Debug)]
pub struct Policies(Vec<Policy>);

/// A violation of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forbidden {
    /// The directive as written; a name alone allows nothing.
    pub by: String,
    /// How to lift the violation.
    pub mend: Mend,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mend {
    /// Add sources.
    Sources,
    /// Sources are ignored there; the tag needs the nonce that each response generates.
    Nonce,
    /// Sources are ignored there; a script that is already trusted must load the client.
    Trusted,
}

/// Whether agents' code can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    Runs,
    /// Text must not become code. Holds the directive.
    NoEval(String),
    /// Only text that passes a Trusted Types policy named `eye` becomes code, and no such policy may be created. Holds
    /// the directive.
    NoTrustedPolicy(String),
}

/// What a sandbox directive disables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sandbox {
    /// Scripts do not run.
    NoScripts,
    /// The page has an opaque origin.
    NoOrigin,
}

impl Policies {
    /// Parses the policies of headers, of report-only headers, and of the document.
    pub fn read<'a>(
        headers: impl Iterator<Item = &'a str>,
        reporting: impl Iterator<Item = &'a str>,
        metas: &[String],
    ) -> Self {
        let mut all = Vec::new();
        for header in headers {
            all.extend(CspList::parse(header, PolicySource::Header, PolicyDisposition::Enforce).0);
        }
        for meta in metas {
            let mut policy = Policy::parse(meta, PolicySource::Meta, PolicyDisposition::Enforce);
            // A sandbox directive in a `<meta>` has no effect.
            policy.directive_set.retain(|directive| directive.name != "sandbox");
            all.push(policy);
        }
        for header in reporting {
            all.extend(CspList::parse(header, PolicySource::Header, PolicyDisposition::Report).0);
        }
        Self(all)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Drops the document's policies after the first `metas`, because they come after the tag.
    #[must_use]
    pub fn before_tag(mut self, metas: usize) -> Self {
        let mut seen = 0;
        self.0.retain(|policy| {
            let meta = policy.source == PolicySource::Meta;
            seen += usize::from(meta);
            !meta || seen <= metas
        });
        self
    }

    /// The policies that forbid the client's script.
    pub fn script(&self, page: &Url, script: &Url, nonce: &str) -> Vec<Forbidden> {
        let request = request(page, script, Destination::Script, nonce);
        let blocks = |policy: &&Policy| policy.does_request_violate_policy(&request) != Violates::DoesNotViolate;
        self.in_force().filter(blocks).filter_map(|policy| forbidden(policy, &SCRIPT)).collect()
    }

    /// The policies that forbid the socket.
    pub fn socket(&self, page: &Url, socket: &Url) -> Vec<Forbidden> {
        self.in_force()
            .filter(|policy| blocks_socket(policy, page, socket))
            .filter_map(|p| forbidden(p, &CONNECT))
            .collect()
    }

    /// Whether a report-only policy would block script or socket once it is enforced.
    pub fn would_block(&self, page: &Url, script: &Url, socket: &Url) -> bool {
        let request = request(page, script, Destination::Script, "");
        let reporting = self.0.iter().filter(|policy| policy.disposition == PolicyDisposition::Report);
        reporting.into_iter().any(|policy| {
            policy.does_request_violate_policy(&request) != Violates::DoesNotViolate
                || blocks_socket(policy, page, socket)
        })
    }

    /// Whether agents' code can run.
    pub fn code(&self) -> Code {
        let list = CspList(self.in_force().cloned().collect());
        if let (CheckResult::Blocked, violations) = list.is_js_evaluation_allowed("") {
            let by = violations.first().map_or_else(String::new, |violation| written(&violation.directive));
            return Code::NoEval(by);
        }
        if !list.does_sink_type_require_trusted_types("'script'", false) {
            return Code::Runs;
        }
        match list.is_trusted_type_policy_creation_allowed(TRUSTED, &[]) {
            (CheckResult::Allowed, _) => Code::Runs,
            (CheckResult::Blocked, violations) => {
                let by = violations.first().map_or_else(String::new, |violation| written(&violation.directive));
                Code::NoTrustedPolicy(by)
            }
        }
    }

    /// Whether strings are refused as script addresses: this stops a bookmarklet, not a tag.
    pub fn wants_trusted_types(&self) -> bool {
        CspList(self.in_force().cloned().collect()).does_sink_type_require_trusted_types("'script'", false)
    }

    /// What the sandbox disables that the client needs.
    pub fn sandbox(&self) -> Option<Sandbox> {
        let flags =
            self.in_force().filter_map(|policy| CspList(vec![policy.clone()]).get_sandboxing_flag_set_for_document());
        let flags = flags.reduce(|all, flags| all | flags)?;
        if flags.contains(SandboxingFlagSet::SANDBOXED_SCRIPTS_BROWSING_CONTEXT_FLAG) {
            Some(Sandbox::NoScripts)
        } else {
            flags.contains(SandboxingFlagSet::SANDBOXED_ORIGIN_BROWSING_CONTEXT_FLAG).then_some(Sandbox::NoOrigin)
        }
    }

    /// Each enforced policy that forbids script or socket, rewritten to allow them.
    pub fn mended(&self, page: &Url, script: &Url, socket: &Url, nonce: &str) -> Vec<Mended> {
        let request = request(page, script, Destination::Script, nonce);
        let mut all = Vec::new();
        for policy in self.in_force() {
            let mut policy = policy.clone();
            let mut changed = Vec::new();
            let script_blocked = policy.does_request_violate_policy(&request) != Violates::DoesNotViolate;
            if script_blocked && forbidden(&policy, &SCRIPT).is_some_and(|found| found.mend == Mend::Sources) {
                changed.extend(allow(&mut policy, &SCRIPT, &[source(script)]));
            }
            if blocks_socket(&policy, page, socket) {
                // A refused client also requests the reason over HTTP, once.
                changed.extend(allow(&mut policy, &CONNECT, &[source(&plain(socket)), source(socket)]));
            }
            if !changed.is_empty() {
                all.push(Mended {
                    in_document: policy.source == PolicySource::Meta,
                    policy: policy.to_string(),
                    changed,
                });
            }
        }
        all
    }

    fn in_force(&self) -> impl Iterator<Item = &Policy> {
        self.0.iter().filter(|policy| policy.disposition == PolicyDisposition::Enforce)
    }
}

/// A policy rewritten to allow the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    /// Whether it is a `<meta>` of the document; else a header.
    pub in_document: bool,
    /// The whole policy.
    pub policy: String,
    /// The directives that are new or changed.
    pub changed: Vec<String>,
}

impl Mended {
    /// The line to paste.
    pub fn line(&self) -> String {
        if self.in_document {
            let text = self.policy.replace('"', "&quot;");
            format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{text}\">")
        } else {
            format!("Content-Security-Policy: {}", self.policy)
        }
    }
}

/// The scheme, host and port of a URL, as a CSP source.
fn source(url: &Url) -> String {
    let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
    format!("{}://{}{port}", url.scheme(), url.host_str().unwrap_or_default())
}

fn request(page: &Url, url: &Url, destination: Destination, nonce: &str) -> Request {
    Request {
        url: url.clone(),
        current_url: url.clone(),
        origin: page.origin(),
        redirect_count: 0,
        destination,
        initiator: Initiator::None,
        nonce: nonce.to_owned(),
        integrity_metadata: String::new(),
        parser_metadata: ParserMetadata::ParserInserted,
    }
}

/// The standard matches a `ws:` address as `http:`, so that the source `http://hub` allows both. Chromium matches `ws:`
/// itself: `http://hub` is not enough there, but `'self'` and `*` are. The library does not match `'self'` on default
/// ports at all, so that both sources are checked here.
fn blocks_socket(policy: &Policy, page: &Url, socket: &Url) -> bool {
    let own = plain(socket).origin() == page.origin();
    let named = |value: &String| value == "*" || (own && value.eq_ignore_ascii_case("'self'"));
    if effective(policy, &CONNECT).is_some_and(|directive| directive.value.iter().any(named)) {
        return false;
    }
    let request = request(page, socket, Destination::None, "");
    policy.does_request_violate_policy(&request) != Violates::DoesNotViolate
}

/// A socket's address with an HTTP scheme.
fn plain(socket: &Url) -> Url {
    let scheme = if socket.scheme() == "wss" { "https" } else { "http" };
    let rest = socket.as_str().split_once(':').map_or("", |(_, rest)| rest);
    Url::parse(&format!("{scheme}:{rest}")).unwrap_or_else(|_| socket.clone())
}

fn effective<'a>(policy: &'a Policy, chain: &[&str]) -> Option<&'a Directive> {
    chain.iter().find_map(|name| policy.directive_set.iter().find(|directive| directive.name == *name))
}

fn forbidden(policy: &Policy, chain: &[&str]) -> Option<Forbidden> {
    let directive = effective(policy, chain)?;
    let has = |begin: &str| directive.value.iter().any(|value| value.to_ascii_lowercase().starts_with(begin));
    let mend = match (has("'strict-dynamic'"), has("'nonce-")) {
        (false, _) => Mend::Sources,
        (true, true) => Mend::Nonce,
        (true, false) => Mend::Trusted,
    };
    let mend = if chain == SCRIPT { mend } else { Mend::Sources };
    Some(Forbidden { by: written(directive), mend })
}

/// Adds sources to the effective directive, and returns the new directive as text.
fn allow(policy: &mut Policy, chain: &[&str], sources: &[String]) -> Option<String> {
    let found = effective(policy, chain)?.clone();
    let mut value: Vec<String> =
        found.value.iter().filter(|value| !value.eq_ignore_ascii_case("'none'")).cloned().collect();
    value.extend(sources.iter().filter(|source| !found.value.contains(source)).cloned());
    // A directive inherited from `default-src` is added on its own, so that nothing else becomes allowed.
    let name = if found.name == "default-src" { chain[chain.len() - 2].to_owned() } else { found.name.clone() };
    let directive = Directive { name, value };
    let text = written(&directive);
    match policy.directive_set.iter_mut().find(|known| known.name == directive.name) {
        Some(known) => *known = directive,
        None => policy.directive_set.push(directive),
    }
    Some(text)
}

fn written(directive: &Directive) -> String {
    directive.to_string().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "http://localhost:5173/";

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn policies(headers: &[&str]) -> Policies {
        Policies::read(headers.iter().copied(), std::iter::empty(), &[])
    }

    fn blocked(headers: &[&str]) -> (bool, bool) {
        let (policies, page) = (policies(headers), url(PAGE));
        let script = policies.script(&page, &url("http://localhost:8765/eye.js"), "");
        let socket = policies.socket(&page, &url("ws://localhost:8765/ws"));
        (!script.is_empty(), !socket.is_empty())
    }

    #[test]
    fn script_and_socket_are_looked_up_where_browsers_do() {
        for (headers, want) in [
            (&[][..], (false, false)),
            (&["default-src *"], (false, false)),
            (&["default-src 'self'"], (true, true)),
            (&["script-src 'self'"], (true, false)),
            (&["connect-src 'self'"], (false, true)),
            (
                &["default-src 'none'; script-src http://localhost:8765; connect-src ws://localhost:8765"],
                (false, false),
            ),
            // Chromium does not open ws: for an http: source; this was tried.
            (&["connect-src http://localhost:8765"], (false, true)),
            (&["connect-src localhost:8765"], (false, true)),
            (&["connect-src ws:"], (false, false)),
            (&["connect-src https:"], (false, true)),
            (&["script-src 'self'; script-src-elem *"], (false, false)),
            (&["script-src *; script-src-elem 'self'"], (true, false)),
            (&["script-src 'nonce-x' 'strict-dynamic' http://localhost:8765"], (true, false)),
            (&["script-src http://localhost:*; connect-src ws://localhost:*"], (false, false)),
            // Each header must allow it, and so must each policy within a header.
            (&["default-src *", "script-src 'self'"], (true, false)),
            (&["default-src *, connect-src 'self'"], (false, true)),
        ] {
            assert_eq!(blocked(headers), want, "{headers:?}");
        }
    }

    #[test]
    fn the_own_origin_is_self() {
        let page = url(PAGE);
        let policies = policies(&["default-src 'self'"]);
        assert_eq!(policies.script(&page, &url("http://localhost:5173/__eye/eye.js"), ""), []);
        assert_eq!(policies.socket(&page, &url("ws://localhost:5173/__eye/ws")), []);
        let https = url("https://shop.test/");
        assert_eq!(policies.socket(&https, &url("wss://shop.test/__eye/ws")), []);
    }

    #[test]
    fn a_policy_is_mended_where_it_is_in_the_way_and_nowhere_else() {
        let page = url(PAGE);
        let mend = |header: &str| {
            let mended = policies(&[header]).mended(
                &page,
                &url("http://localhost:8765/eye.js"),
                &url("ws://localhost:8765/ws"),
                "",
            );
            mended.into_iter().map(|mended| mended.policy).collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!(mend("default-src 'self'; img-src *"), @"default-src 'self'; img-src *; script-src 'self' http://localhost:8765; connect-src 'self' http://localhost:8765 ws://localhost:8765");
        insta::assert_snapshot!(mend("script-src 'none'; connect-src 'none'"), @"script-src http://localhost:8765; connect-src http://localhost:8765 ws://localhost:8765");
        insta::assert_snapshot!(mend("connect-src http://localhost:8765"), @"connect-src http://localhost:8765 ws://localhost:8765");
        insta::assert_snapshot!(mend("script-src 'nonce-x' 'strict-dynamic'; connect-src *"), @"");
        assert_eq!(mend("default-src *"), "");
        let again = mend("default-src 'self'");
        assert_eq!(blocked(&[&again]), (false, false));
    }

    #[test]
    fn where_names_count_for_nothing_something_else_is_needed() {
        let page = url(PAGE);
        let mend =
            |header: &str| policies(&[header]).script(&page, &url("http://localhost:8765/eye.js"), "")[0].mend.clone();
        assert_eq!(mend("script-src 'self' 'nonce-x'"), Mend::Sources);
        assert_eq!(mend("script-src 'nonce-x' 'strict-dynamic'"), Mend::Nonce);
        assert_eq!(mend("script-src 'sha256-AAAA' 'strict-dynamic'"), Mend::Trusted);
        let nonced = policies(&["script-src 'nonce-x' 'strict-dynamic'"]);
        assert_eq!(nonced.script(&page, &url("http://localhost:8765/eye.js"), "x"), []);
    }

    #[test]
    fn code_needs_unsafe_eval_and_a_trusted_policy() {
        for (header, want) in [
            ("default-src *", Code::NoEval("default-src *".into())),
            ("script-src 'self'", Code::NoEval("script-src 'self'".into())),
            ("script-src 'self' 'unsafe-eval'", Code::Runs),
            ("img-src 'self'", Code::Runs),
            ("require-trusted-types-for 'script'", Code::Runs),
            ("require-trusted-types-for 'script'; trusted-types eye", Code::Runs),
            ("require-trusted-types-for 'script'; trusted-types a", Code::NoTrustedPolicy("trusted-types a".into())),
        ] {
            assert_eq!(policies(&[header]).code(), want, "{header}");
        }
    }

    #[test]
    fn sandboxes_and_reports_are_distinguished() {
        assert_eq!(policies(&["sandbox"]).sandbox(), Some(Sandbox::NoScripts));
        assert_eq!(policies(&["sandbox allow-scripts"]).sandbox(), Some(Sandbox::NoOrigin));
        assert_eq!(policies(&["sandbox allow-scripts allow-same-origin"]).sandbox(), None);
        assert_eq!(policies(&["default-src *"]).sandbox(), None);
        let reporting = Policies::read(std::iter::empty(), ["default-src 'self'; sandbox"].into_iter(), &[]);
        let (page, script, socket) = (url(PAGE), url("http://localhost:8765/eye.js"), url("ws://localhost:8765/ws"));
        assert_eq!((reporting.script(&page, &script, ""), reporting.sandbox()), (Vec::new(), None));
        assert!(reporting.would_block(&page, &script, &socket));
        let metas = ["default-src 'self'".to_owned(), "sandbox".to_owned()];
        let document = Policies::read(std::iter::empty(), std::iter::empty(), &metas);
        assert_eq!(document.sandbox(), None);
        assert_eq!(document.script(&page, &script, "").len(), 1);
        assert!(document.clone().before_tag(0).is_empty());
        assert!(document.mended(&page, &script, &socket, "")[0].line().starts_with("<meta http-equiv="));
    }
}
