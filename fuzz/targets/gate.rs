//! The gate and its list of origins: whatever host, origin and token a request names, only pages of this machine or of
//! the list join, and agents need the token. A list that was read, written and read again stays the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

#[path = "../../crates/eye-hub/src/gate/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the hub uses the rest")]
mod gate;
#[path = "../../crates/eye-hub/src/private.rs"]
mod private;
#[path = "../../crates/eye-hub/src/sockets.rs"]
#[allow(dead_code, reason = "the hub uses the rest")]
mod sockets;

use gate::origins::{Allowed, Origins, Verdict, normalise, parse_topics};
use gate::pattern::Pattern;
use gate::{Admitted, Auth, Gate, Knock, Token, Wants};

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("eye-fuzz-gate-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
});

/// Whether a text is a loopback host, with or without a port, and nothing more.
fn is_loopback(host: &str) -> bool {
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| {
        let rest = host.strip_prefix(name);
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.strip_prefix(':').is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()))
        })
    })
}

fuzz_target!(|text: &str| {
    let mut parts = text.splitn(4, '\n');
    let mut next = || parts.next().filter(|part| !part.is_empty());
    let (host, origin, token, list) = (next(), next(), next(), next());
    let file = FOLDER.join("origins");
    let origins = Origins::new(file.clone());
    fs::write(&file, list.unwrap_or_default()).expect("a file");
    let listed = origins.list();
    for auth in [Auth::None, Auth::Token(Token::new("secret"))] {
        let needs_token = matches!(auth, Auth::Token(_));
        let gate = Gate::new(auth, vec!["box.local".into()], origins.clone());
        let knock = Knock { host, origin, token, ..Knock::default() };
        let ours = host.is_some_and(|host| {
            let host = host.to_ascii_lowercase();
            is_loopback(&host) || host.split(':').next() == Some("box.local")
        });
        let is_near = |origin: &str| {
            origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")).is_some_and(is_loopback)
        };
        let may_join = |origin: &str| {
            listed.as_ref().is_ok_and(|list| match list.verdict(origin) {
                Verdict::Allowed(_) => true,
                Verdict::Denied(_) => false,
                Verdict::Unlisted => is_near(origin),
            })
        };
        if let Ok(Admitted::Page { origin: from, .. }) = gate.admit(Wants::Page, knock) {
            assert!(ours, "{host:?}");
            match origin {
                Some(origin) => assert!(may_join(origin) && *from == *origin, "{origin}"),
                None => assert!(!needs_token || token == Some("secret"), "a program without the token"),
            }
        }
        if gate.admit(Wants::Agent, knock).is_ok() {
            // An agent of this machine has the token; the list concerns pages.
            assert!(ours && origin.is_none_or(|origin| is_near(origin) || may_join(origin)), "{host:?} {origin:?}");
            assert!(!needs_token || token == Some("secret"), "{token:?}");
        }
    }
    if let Ok(list) = listed {
        let added = Allowed::new("https://added.test");
        origins.allow(added.clone()).expect("a list that can be read can be written");
        let again = origins.list().expect("what was written can be read");
        let is_there = |allowed: &Allowed| allowed.origin == added.origin || again.allowed.contains(allowed);
        assert!(again.allowed.contains(&added) && list.allowed.iter().all(is_there));
        assert!(list.denied.iter().all(|pattern| pattern.as_str() == added.origin || again.denied.contains(pattern)));
        let pattern = Pattern::parse("*.added.test").expect("a pattern");
        origins.deny(pattern.clone()).expect("a list that can be read can be written");
        assert!(origins.list().is_ok_and(|list| list.denied.contains(&pattern)));
    }
    if let Ok(one) = normalise(text) {
        assert_eq!(normalise(&one).ok(), Some(one));
    }
    if let Ok(pattern) = Pattern::parse(text) {
        assert_eq!(Pattern::parse(pattern.as_str()).ok(), Some(pattern));
    }
    let _ = parse_topics(text);
});
