//! `eye deny`: sites that agents neither see nor act on, as joined pages and in a real Chromium that the hub drives.

use crate::stage::browser::{hub, ok};
use crate::stage::home;
use crate::stage::site::{Page, Site};
use crate::stage::wire::{rest_of, websocket};
use eye_testkit::{Home, HubProcess, PageSetup, Ran, Reply, ScriptedPage};
use std::time::Instant;

const BANK: &str = "https://www.bank.test";

const ACCOUNT: &str = "<!doctype html><title>Account 4711</title><h1>Balance 99</h1><a id=out href=/>Out</a>";
const SHOP: &str = "<!doctype html><title>Shop</title><h1>Shop</h1><a id=next href=/next>Next</a>";

/// A local site; `/sandboxed` has no origin.
fn site() -> String {
    Site::open(|path, _| match path {
        "/sandboxed" => Page::html(&["content-security-policy: sandbox allow-scripts"], ACCOUNT),
        "/account" => Page::html(&[], ACCOUNT),
        _ => Page::html(&[], SHOP),
    })
    .url()
}

fn page_of(home: &Home, origin: &str) -> ScriptedPage {
    let setup = PageSetup { origin: Some(origin.into()), url: format!("{origin}/"), ..PageSetup::new(home, "Bank") };
    ScriptedPage::join(home, &setup, |code| Reply::text(code))
}

/// Repeats a command until its result is as wanted.
fn until(home: &Home, words: &[&str], wanted: impl Fn(&Ran) -> bool) -> Ran {
    let ends = Instant::now() + eye_testkit::DEADLINE;
    loop {
        let ran = home.eye(words.iter().copied());
        if wanted(&ran) {
            return ran;
        }
        assert!(Instant::now() < ends, "{words:?}: {ran:?}");
    }
}

fn is_denied(ran: &Ran) -> bool {
    ran.code != 0 && ran.stderr.contains("are denied to agents")
}

#[test]
fn sites_are_denied_listed_and_allowed_again() {
    let home = home();
    assert_eq!(home.eye(["deny"]).stdout, "");
    assert_eq!(ok(home.eye(["deny", "*.Bank.test"])), "denied *.bank.test\n");
    assert_eq!(ok(home.eye(["deny", "localhost"])), "denied localhost\n");
    ok(home.eye(["allow", "https://api.bank.test"]));
    let again = home.eye(["deny", "*.bank.test"]);
    assert!(again.stderr.contains("still allowed, by name: https://api.bank.test"), "{again:?}");
    assert_eq!(ok(home.eye(["deny", "--list"])), "*.bank.test\nlocalhost\n");
    assert_eq!(ok(home.eye(["deny", "--list", "--json"])), "[\"*.bank.test\",\"localhost\"]\n");
    assert_eq!(ok(home.eye(["allow", "--list"])), "https://api.bank.test\n");
    assert_eq!(ok(home.eye(["deny", "--remove", "localhost"])), "removed localhost\n");
    assert_eq!(home.eye(["deny", "--remove", "localhost"]).code, 2);
    assert_eq!(home.eye(["deny", "https://a/b"]).code, 2);
    assert_eq!(ok(home.eye(["deny", "--list"])), "*.bank.test\n");
}

#[test]
fn a_joined_page_of_a_denied_site_leaves_and_comes_back_only_when_it_is_allowed() {
    let home = home();
    let _hub = HubProcess::start(&home);
    ok(home.eye(["allow", BANK]));
    let mut page = websocket(&home, "clientType=browser&version=1.0.0", &[("Origin", BANK)]);
    assert!(page.read().unwrap().to_text().unwrap().contains("sessionId"));
    // An origin that is allowed by name stays allowed, whatever the patterns.
    ok(home.eye(["deny", "*.bank.test"]));
    let other = page_of(&home, BANK);
    assert_eq!(ok(home.eye(["--page", other.session(), "still()"])), "still()\n");
    ok(home.eye(["deny", BANK]));
    let why = format!("no longer allowed: pages of {BANK} are denied to agents");
    assert_eq!(rest_of(&mut page).1, Some((4007, why)));
    let local = ScriptedPage::echo(&home, "Local");
    assert_eq!(ok(home.eye(["--page", local.session(), "here()"])), "here()\n");
    ok(home.eye(["deny", "*"]));
    until(&home, &["--page", local.session(), "here()"], |ran| ran.code != 0);
}

/// A page that is still loading has no title yet.
fn shows(home: &Home, title: &str) {
    ok(home.eye(["wait", &format!("document.title === {title:?}"), "--timeout", "50"]));
}

#[test]
fn a_tab_at_a_denied_site_shows_agents_nothing_and_is_led_elsewhere() {
    let Some((home, _hub)) = hub() else { return };
    let (shop, bank) = (site(), site());
    ok(home.eye(["deny", &bank]));
    let refused = home.eye(["browse", &format!("{bank}/account"), "--headless", "--private"]);
    assert!(is_denied(&refused), "{refused:?}");
    ok(home.eye(["browse", &shop, "--headless", "--private"]));
    for path in ["/account", "/sandboxed"] {
        // It navigates there, as a user's click would, and sees nothing of the page.
        let went = home.eye(["goto", &format!("{bank}{path}")]);
        let file = home.path("shot.png").display().to_string();
        let mut output = vec![went.stdout + &went.stderr];
        for words in
            [&["look"][..], &["document.title"], &["text"], &["shot", "-o", &file], &["cookies", "get"], &["net"]]
        {
            let ran = home.eye(words.iter().copied());
            assert!(is_denied(&ran), "{words:?} {ran:?}");
            output.push(ran.stdout + &ran.stderr);
        }
        output.push(ok(home.eye(["pages"])));
        for text in output {
            assert!(!text.contains("4711") && !text.contains("Balance"), "{text}");
        }
        ok(home.eye(["back"]));
        shows(&home, "Shop");
    }
    // A page restored from the browser's cache is denied too, although it has no origin.
    home.eye(["goto", &format!("{bank}/sandboxed")]);
    until(&home, &["look"], is_denied);
    ok(home.eye(["goto", &shop]));
    shows(&home, "Shop");
    let returned = home.eye(["eval", "history.back(); 0"]);
    assert!(!(returned.stdout.clone() + &returned.stderr).contains("4711"), "{returned:?}");
    let look = until(&home, &["look"], |ran| {
        assert!(!ran.stdout.contains("4711"), "{ran:?}");
        // A look under way during the navigation fails because the page left.
        !ran.stdout.contains("Shop") && !ran.stderr.contains("the page left before it answered")
    });
    assert!(is_denied(&look), "{look:?}");
    // Denied by its address as well; and a page that is denied while it is shown disappears within a second.
    ok(home.eye(["goto", &format!("{bank}/account")]));
    ok(home.eye(["goto", &shop]));
    shows(&home, "Shop");
    ok(home.eye(["deny", &shop]));
    until(&home, &["document.title"], is_denied);
    ok(home.eye(["deny", "--remove", &shop]));
    ok(home.eye(["reload"]));
    shows(&home, "Shop");
    ok(home.eye(["deny", "*"]));
    until(&home, &["look"], is_denied);
    assert_eq!(ok(home.eye(["close"])), "closed\n");
}
