//! The gate at each row of its table, and at inputs that only look like one.

use super::*;
use crate::gate::token::Token;
use crate::gate::tokens::Wish;

fn gate(auth: Auth) -> (Gate, tempfile::TempDir) {
    let home = tempfile::tempdir().unwrap();
    let origins = Origins::new(home.path().join("origins"));
    origins.allow(Allowed::new("https://shop.test")).unwrap();
    origins.allow(Allowed { eval: false, confirm: true, ..Allowed::new("https://bank.test") }).unwrap();
    origins.allow(Allowed { pages: false, ..Allowed::new("https://desk.test") }).unwrap();
    (Gate::new(auth, vec!["Box.local".into()], origins), home)
}

fn knock<'a>(host: &'a str, origin: Option<&'a str>, token: Option<&'a str>) -> Knock<'a> {
    Knock { host: Some(host), origin, token, whose: Whose::NotAsked, same_origin: false }
}

#[test]
fn the_backends_are_for_agents_and_own_pages() {
    let (gate, _home) = gate(Auth::Token(Token::new("secret")));
    let gate = gate.with_own_pages(Some(8765));
    let own = |host, origin, token| gate.admit(Wants::Own, knock(host, origin, token));
    let here = "localhost:8765";
    assert_eq!(own(here, Some("http://localhost:8765"), None), Ok(Admitted::Own));
    assert_eq!(own(here, Some("https://localhost:8765"), None), Ok(Admitted::Own));
    assert_eq!(own("localhost", Some("http://localhost"), None).unwrap_err().status, 403, "port 80 is not the hub's");
    assert_eq!(own(here, None, Some("secret")), Ok(Admitted::Agent(Scope::ALL)));
    assert_eq!(own(here, Some("http://localhost:8765"), Some("wrong")).unwrap_err().status, 401);
    assert_eq!(own(here, None, None).unwrap_err().status, 401);
    // The last column: whether an agent in such a page may use the backends with the token.
    for (host, origin, agent) in [
        // Folders that an agent opened, dev servers, allowed origins, look-alikes.
        ("127.0.0.1:8765", "http://127.0.0.1:8765", true),
        (here, "http://127.0.0.1:8765", true),
        ("[::1]:8765", "http://[::1]:8765", true),
        ("127.0.0.1:8765", "http://localhost:8765", true),
        ("box.local:8765", "http://box.local:8765", false),
        (here, "http://localhost:5173", true),
        (here, "http://localhost", true),
        (here, "https://shop.test", true),
        (here, "https://desk.test", true),
        (here, "http://localhost:8765.evil.test", false),
        (here, "http://evil.test/localhost:8765", false),
        (here, "http://LOCALHOST:8765", false),
        (here, "null", false),
        (here, "", false),
    ] {
        assert_eq!(own(host, Some(origin), None).unwrap_err().status, 403, "{host} {origin}");
        let with_token = own(host, Some(origin), Some("secret"));
        assert_eq!(
            with_token.map_err(|refusal| refusal.status),
            if agent { Ok(Admitted::Agent(Scope::ALL)) } else { Err(403) }
        );
    }
    let fetch = Knock { same_origin: true, ..knock(here, None, None) };
    assert_eq!(gate.admit(Wants::Own, fetch), Ok(Admitted::Own));
    for host in ["127.0.0.1:8765", "[::1]:8765", "box.local"] {
        let fetch = Knock { same_origin: true, ..knock(host, None, None) };
        assert_eq!(gate.admit(Wants::Own, fetch).unwrap_err().status, 401, "{host}");
    }
    // A page behind a path of another server of this machine.
    for host in ["localhost:3000", "localhost", "localhost:87650", "localhost:"] {
        let fetch = Knock { same_origin: true, ..knock(host, None, None) };
        assert_eq!(gate.admit(Wants::Own, fetch).unwrap_err().status, 401, "{host}");
        let origin = format!("http://{host}");
        assert_eq!(gate.admit(Wants::Own, knock(host, Some(&origin), None)).unwrap_err().status, 403, "{host}");
    }
    let crossed = Knock { same_origin: true, ..knock(here, Some("https://evil.test"), None) };
    assert_eq!(gate.admit(Wants::Own, crossed).unwrap_err().status, 403);
}

#[test]
fn another_user_of_the_machine_is_no_own_page() {
    let (gate, _home) = gate(Auth::Token(Token::new("secret")));
    let gate = gate.with_own_pages(Some(8765));
    let own = Knock {
        whose: Whose::Known(Owner::Other(1001)),
        ..knock("localhost:8765", Some("http://localhost:8765"), None)
    };
    assert_eq!(gate.admit(Wants::Own, own).unwrap_err().status, 403);
    let fetch = Knock { origin: None, same_origin: true, ..own };
    assert_eq!(gate.admit(Wants::Own, fetch).unwrap_err().status, 403);
    assert_eq!(gate.admit(Wants::Own, Knock { token: Some("secret"), ..own }), Ok(Admitted::Agent(Scope::ALL)));
}

#[test]
fn a_hub_that_others_reach_has_no_own_pages() {
    let (gate, _home) = gate(Auth::Token(Token::new("secret")));
    let here = knock("localhost:8765", Some("http://localhost:8765"), None);
    assert_eq!(gate.admit(Wants::Own, here).unwrap_err().status, 403);
    assert_eq!(gate.admit(Wants::Own, Knock { same_origin: true, origin: None, ..here }).unwrap_err().status, 401);
    assert_eq!(gate.admit(Wants::Own, Knock { token: Some("secret"), ..here }), Ok(Admitted::Agent(Scope::ALL)));
}

#[test]
fn without_a_token_the_backends_are_open_to_loopback() {
    let (gate, _home) = gate(Auth::None);
    for origin in [None, Some("http://localhost:5173")] {
        assert_eq!(gate.admit(Wants::Own, knock("localhost", origin, None)), Ok(Admitted::Agent(Scope::ALL)));
    }
    assert_eq!(gate.admit(Wants::Own, knock("localhost", Some("https://evil.test"), None)).unwrap_err().status, 403);
}

#[test]
fn hosts_are_matched_exactly() {
    let (gate, _home) = gate(Auth::None);
    for host in ["localhost", "localhost:8765", "LOCALHOST:1", "127.0.0.1:8765", "[::1]:8765", "[::1]", "box.local:80"]
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
    for origin in
        ["http://localhost", "http://localhost:5173", "https://127.0.0.1:1", "http://[::1]:5173", "https://shop.test"]
    {
        assert_eq!(page(origin), Ok(Admitted::Page { origin: origin.into(), policy: Policy::default(), bearer: None }));
    }
    let bank = Admitted::Page {
        origin: "https://bank.test".into(),
        policy: Policy { eval_allowed: false, confirm: true, ..Policy::default() },
        bearer: None,
    };
    assert_eq!(page("https://bank.test"), Ok(bank));
    for origin in FOREIGN {
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

/// Origins that are neither local nor allowed, with look-alikes of both.
const FOREIGN: [&str; 12] = [
    "null",
    "",
    "https://evil.test",
    "http://localhost.evil.test",
    "http://localhost:80.evil.test",
    "http://127.0.0.1.evil.test",
    "https://shop.test.evil.test",
    "http://shop.test",
    "https://shop.test:444",
    "https://desk.test:1",
    "file://localhost",
    "localhost",
];

#[test]
fn a_foreign_origin_is_refused_in_every_mode_with_any_token() {
    for auth in [Auth::None, Auth::Token(Token::new("secret"))] {
        let (gate, _home) = gate(auth);
        let gate = gate.with_own_pages(Some(8765));
        for origin in FOREIGN {
            for token in [None, Some("x"), Some("secret")] {
                for (wants, command) in [
                    (Wants::Page, format!("`eye allow {origin}`")),
                    (Wants::Agent, format!("`eye allow {origin} --agent`")),
                    (Wants::Own, format!("`eye allow {origin} --agent`")),
                ] {
                    let refusal = gate.admit(wants, knock("localhost", Some(origin), token)).unwrap_err();
                    assert_eq!(refusal.status, 403, "{wants:?} {origin} {token:?}");
                    assert!(refusal.hint.contains(&command) || origin == "null", "{wants:?}: {}", refusal.hint);
                }
            }
            assert!(!gate.may_read(origin), "{origin}");
        }
    }
}

#[test]
fn without_a_token_the_origin_alone_decides() {
    let (gate, _home) = gate(Auth::None);
    for origin in [None, Some("http://localhost:3000"), Some("https://shop.test"), Some("https://desk.test")] {
        for token in [None, Some("x")] {
            assert!(gate.admit(Wants::Agent, knock("localhost", origin, token)).is_ok(), "{origin:?}");
        }
    }
}

#[test]
fn an_origin_for_agents_has_no_pages() {
    for auth in [Auth::None, Auth::Token(Token::new("secret"))] {
        let (gate, _home) = gate(auth);
        let desk = knock("localhost", Some("https://desk.test"), Some("secret"));
        let agent = Scope::ALL.in_page_of(Some("https://desk.test"));
        assert_eq!(gate.admit(Wants::Agent, desk), Ok(Admitted::Agent(agent)));
        assert!(gate.may_read("https://desk.test"));
        let refusal = gate.admit(Wants::Page, desk).unwrap_err();
        assert_eq!(refusal.status, 403);
        assert!(refusal.hint.contains("`eye allow https://desk.test`"), "{}", refusal.hint);
    }
}

#[test]
fn a_list_that_cannot_be_read_admits_no_page_and_no_foreign_agent() {
    for auth in [Auth::None, Auth::Token(Token::new("secret"))] {
        for text in [&b"http://localhost:3000 eval=no\n\xff\n"[..], b"http://localhost:3000 eval=nope\n"] {
            let (gate, home) = gate(auth.clone());
            std::fs::write(home.path().join("origins"), text).unwrap();
            for origin in ["http://localhost:3000", "http://localhost:5173", "https://shop.test", "https://evil.test"] {
                let refusal = gate.admit(Wants::Page, knock("localhost", Some(origin), Some("secret"))).unwrap_err();
                assert_eq!(refusal.status, 503, "{origin}");
                assert!(refusal.hint.contains("eye doctor"), "{}", refusal.hint);
                assert!(!refusal.reason.contains('/') && !refusal.hint.contains('/'), "it names no path: {refusal:?}");
            }
            let agent = |origin| gate.admit(Wants::Agent, knock("localhost", origin, Some("secret")));
            assert_eq!(agent(Some("https://shop.test")).unwrap_err().status, 503);
            assert!(!gate.may_read("https://shop.test"));
            assert!(agent(None).is_ok() && agent(Some("http://localhost:3000")).is_ok(), "they depend on no list");
        }
    }
}

/// A gate with a named token, and the token's secret.
fn with_named(may: &[Class], pages: &[&str]) -> (Gate, tempfile::TempDir, String) {
    let (gate, home) = gate(Auth::Token(Token::new("secret")));
    let pages = pages.iter().map(|page| (*page).to_owned()).collect();
    let wish = Wish { name: "ci".into(), may: may.to_vec(), pages, expires_at: None };
    let secret = gate.keys.tokens().create(wish, 0).unwrap();
    (gate, home, secret.reveal().to_owned())
}

#[test]
fn a_named_token_is_an_agent_with_its_scope() {
    let (gate, _home, secret) = with_named(&[Class::Read], &["http://a.test"]);
    let Ok(Admitted::Agent(scope)) = gate.admit(Wants::Agent, knock("localhost", None, Some(&secret))) else {
        panic!("it is known")
    };
    assert!(scope.may(Class::Read) && !scope.may(Class::Eval) && !scope.sees("http://b.test"));
    assert_eq!(gate.admit(Wants::Own, knock("localhost", None, Some(&secret))).unwrap_err().status, 403);
    assert_eq!(gate.admit(Wants::Page, knock("localhost", None, Some(&secret))).unwrap_err().status, 403);
    let foreign = knock("localhost", Some("https://evil.test"), Some(&secret));
    assert_eq!(gate.admit(Wants::Agent, foreign).unwrap_err().status, 403, "the origin counts with any token");
}

#[test]
fn pages_of_a_hub_that_others_reach_need_a_token() {
    let (gate, _home, secret) = with_named(&[Class::Join], &["https://shop.example"]);
    let gate = gate.with_page_tokens(true);
    let page = |origin, token| gate.admit(Wants::Page, knock("localhost", origin, token));
    for origin in ["http://localhost", "http://127.0.0.1:8765", "https://shop.test", "https://shop.example"] {
        // A client that is not a browser may send any origin.
        assert_eq!(page(Some(origin), None).unwrap_err().status, 403, "{origin}");
        assert_eq!(page(Some(origin), Some("wrong")).unwrap_err().status, 403, "{origin}");
    }
    for origin in [Some("https://shop.example"), None] {
        let joined = page(origin, Some(&secret)).unwrap();
        assert!(joined.bearer().is_some(), "it ends with its token");
        assert!(matches!(joined, Admitted::Page { origin, .. } if *origin == *"https://shop.example"));
    }
    assert_eq!(page(Some("http://localhost"), Some(&secret)).unwrap_err().status, 403, "of another origin");
    assert!(page(Some("http://localhost"), Some("secret")).is_ok(), "the hub's own token");
    assert_eq!(gate.admit(Wants::Agent, knock("localhost", None, Some(&secret))).unwrap_err().status, 403);
}

#[test]
fn a_token_lowers_and_an_unknown_one_allows_nothing() {
    let (gate, _home, secret) = with_named(&[Class::Act], &[]);
    assert_eq!(gate.keys.lowered("secret"), Scope::ALL);
    assert!(gate.keys.lowered(&secret).may(Class::Act) && !gate.keys.lowered(&secret).may(Class::Eval));
    assert!(!gate.keys.lowered("wrong").may(Class::Read));
}

#[test]
fn another_users_connection_needs_the_token_or_a_named_proxy() {
    let page = |whose, token| Knock { whose, ..knock("localhost:8765", Some("http://localhost:5173"), token) };
    let (other, unknown) = (Whose::Known(Owner::Other(33)), Whose::Known(Owner::Unknown));
    let (default, _home) = gate(Auth::Token(Token::new("secret")));
    for whose in [Whose::Known(Owner::Ours), Whose::Known(Owner::NotAsked), Whose::NotAsked] {
        assert!(default.admit(Wants::Page, page(whose, None)).is_ok(), "{whose:?}");
    }
    for (whose, hint) in [(other, "eye up --proxy-user NAME"), (unknown, "--published")] {
        let refusal = default.admit(Wants::Page, page(whose, None)).unwrap_err();
        assert!(refusal.status == 403 && refusal.hint.contains(hint), "{refusal:?}");
        assert_eq!(default.admit(Wants::Page, page(whose, Some("wrong"))).unwrap_err().status, 403);
        assert!(default.admit(Wants::Page, page(whose, Some("secret"))).is_ok(), "the right token overrides");
        assert!(default.admit(Wants::Public, page(whose, None)).is_ok());
    }
    let (open, _home) = gate(Auth::None);
    for origin in [None, Some("http://localhost:5173")] {
        let agent = Knock { origin, ..page(other, Some("secret")) };
        assert_eq!(open.admit(Wants::Agent, agent).unwrap_err().status, 403, "no token counts under --auth none");
    }
    let (proxied, _home) = gate(Auth::Token(Token::new("secret")));
    let proxied = proxied.with_proxies(false, vec![33]);
    assert!(proxied.admit(Wants::Page, page(other, None)).is_ok());
    assert!(proxied.admit(Wants::Page, page(Whose::Known(Owner::Other(34)), None)).is_err());
    assert!(proxied.admit(Wants::Page, page(unknown, None)).is_err());
    let (published, _home) = gate(Auth::Token(Token::new("secret")));
    let published = published.with_proxies(true, Vec::new());
    assert!(published.admit(Wants::Page, page(unknown, None)).is_ok());
    assert!(published.admit(Wants::Page, page(other, None)).is_err());
}

#[test]
fn a_named_token_proves_enough_for_another_users_connection() {
    let whose = Whose::Known(Owner::Other(33));
    let knocks = |origin, token| Knock { whose, ..knock("localhost:8765", origin, Some(token)) };
    let (shop, local) = ("https://shop.example", "http://localhost:5173");
    let (joins, _home, secret) = with_named(&[Class::Join], &[shop]);
    assert!(joins.admit(Wants::Page, knocks(Some(shop), &secret)).is_ok());
    assert_eq!(joins.admit(Wants::Page, knocks(Some(local), &secret)).unwrap_err().status, 403, "of another origin");
    let (mut reads, _home, secret) = with_named(&[Class::Read], &[]);
    assert!(reads.admit(Wants::Agent, knocks(None, &secret)).is_ok());
    assert_eq!(reads.admit(Wants::Page, knocks(Some(local), &secret)).unwrap_err().status, 403, "it does not join");
    reads.keys = reads.keys.clone().with_auth(Auth::None);
    let Ok(Admitted::Agent(scope)) = reads.admit(Wants::Agent, knocks(None, &secret)) else { panic!("it is known") };
    assert!(scope.may(Class::Read) && !scope.may(Class::Eval), "a scope stays one under --auth none");
}

#[test]
fn the_extensions_way_in_is_for_its_exact_origin_and_this_user() {
    let (gate, _home) = gate(Auth::None);
    let wants =
        |gate: &Gate, host, origin| gate.admit(Wants::Extension, knock(host, origin, None)).map_err(|r| r.status);
    let here = "localhost:8765";
    assert_eq!(wants(&gate, here, Some(EXTENSION_ORIGIN)), Err(403), "not from beyond this machine");
    let gate = gate.with_console(8765);
    assert_eq!(wants(&gate, here, Some(EXTENSION_ORIGIN)), Ok(Admitted::Extension));
    assert_eq!(wants(&gate, "evil.test", Some(EXTENSION_ORIGIN)), Err(421));
    let upper = EXTENSION_ORIGIN.to_uppercase();
    let slash = format!("{EXTENSION_ORIGIN}/");
    for origin in
        [None, Some("https://shop.test"), Some("http://localhost:8765"), Some("null"), Some(&*upper), Some(&*slash)]
    {
        assert_eq!(wants(&gate, here, origin), Err(403), "{origin:?}");
    }
    let other = Knock { whose: Whose::Known(Owner::Other(4711)), ..knock(here, Some(EXTENSION_ORIGIN), None) };
    assert_eq!(gate.admit(Wants::Extension, other).unwrap_err().status, 403);
    // The pairing's token gives access nowhere else.
    let key = gate.pair("extension-a").unwrap();
    let page = gate.admit(Wants::Page, knock(here, Some(EXTENSION_ORIGIN), Some(key.reveal())));
    assert_eq!(page.unwrap_err().status, 403);
}
