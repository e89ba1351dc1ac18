//! Named tokens of a cluster: valid at every hub, revoked at every hub, also by hubs that were separated. With the real
//! binary and a real nats-server.

use crate::stage::hubs::{ORIGIN, hub, lists, setup, until};
use crate::stage::wire::{rest_of, websocket};
use eye_testkit::{DEADLINE, Home, HubProcess, Nats, PageSetup, Ran, Reply, Running, ScriptedPage};
use std::time::Instant;

fn token(home: &Home, args: &[&str]) -> String {
    let made = home.eye(["token", "new"].iter().chain(args));
    assert_eq!(made.code, 0, "{}", made.stderr);
    made.stdout.trim().to_owned()
}

fn revoke(home: &Home, name: &str) {
    let ran = home.eye(["token", "revoke", name]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// Starts a command that is restricted to a token.
fn start_as(home: &Home, secret: &str, args: &[&str]) -> Running {
    Running::of(home.command().args(args).env("EYE_TOKEN", secret))
}

fn eye_as(home: &Home, secret: &str, args: &[&str]) -> Ran {
    start_as(home, secret, args).wait()
}

/// Repeats `pages` with a token until the hub knows the token, or no longer does.
fn knows(home: &Home, secret: &str, is_known: bool) -> Ran {
    let end = Instant::now() + DEADLINE;
    loop {
        let ran = eye_as(home, secret, &["pages"]);
        if (ran.code == 0) == is_known {
            return ran;
        }
        assert!(Instant::now() < end, "still {ran:?}");
    }
}

#[test]
fn a_token_has_its_scope_at_every_hub_and_ends_everywhere_when_one_takes_it_back() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let page = ScriptedPage::join(&b, &setup(&b, "Shop").alias("shop"), |_| Reply::Hold);
    let other = PageSetup { origin: Some("http://localhost:9".into()), ..PageSetup::new(&b, "Bank") };
    let _other = ScriptedPage::join(&b, &other, |_| Reply::Hold);
    lists(&a, "Shop");
    lists(&a, "Bank");
    let reader = token(&a, &["reader", "--may", "read", "--pages", ORIGIN]);
    for listed in [eye_as(&a, &reader, &["pages"]), knows(&b, &reader, true)] {
        assert!(listed.stdout.contains("Shop") && !listed.stdout.contains("Bank"), "{listed:?}");
    }
    let refused = eye_as(&b, &reader, &["--page", "shop", "1"]);
    assert!(refused.code != 0 && refused.stderr.contains("eval"), "{refused:?}");
    // Calls at one hub for a page of the other, and connections of both, end when the other hub revokes the token.
    let ci = token(&a, &["ci", "--may", "eval"]);
    knows(&b, &ci, true);
    let calls = [start_as(&a, &ci, &["--page", "shop", "forever"]), start_as(&b, &ci, &["--page", "shop", "forever"])];
    let held = [page.held(), page.held()];
    let bearer = format!("Bearer {ci}");
    let mut socket = websocket(&a, "clientType=agent", &[("Authorization", &bearer)]);
    revoke(&b, "ci");
    for call in calls {
        let ended = call.wait();
        assert!(ended.code == 4 && ended.stderr.contains("the token `ci` was revoked"), "{ended:?}");
    }
    let cancelled = [page.cancelled(), page.cancelled()];
    assert!(held.iter().all(|held| cancelled.contains(&held.id)), "{cancelled:?}");
    assert_eq!(rest_of(&mut socket).1, Some((4007, "the token `ci` was revoked".into())));
    assert_eq!(eye_as(&a, &reader, &["pages"]).code, 0, "no other token ends");
}

#[test]
fn a_page_joins_any_hub_with_a_token_of_one_and_leaves_with_it() {
    let nats = Nats::start();
    let ((a, _hub_a), (b, _hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let shop = token(&a, &["shop", "--may", "join", "--origin", "https://shop.example"]);
    until(&b, &["token", "list"], |ran| ran.stdout.contains("shop"));
    let mut page = websocket(&b, &format!("clientType=browser&sessionId=s1&token={shop}"), &[]);
    lists(&a, "https://shop.example");
    revoke(&a, "shop");
    assert_eq!(rest_of(&mut page).1, Some((4007, "the token `shop` was revoked".into())));
}

#[test]
fn tokens_that_were_made_and_taken_back_without_nats_are_so_everywhere_afterwards() {
    let mut nats = Nats::start();
    let ((a, _hub_a), (b, hub_b)) = (hub(&nats, "a"), hub(&nats, "b"));
    let (first, second) = (token(&a, &["first"]), token(&a, &["second"]));
    knows(&b, &first, true);
    knows(&b, &second, true);
    nats.kill();
    until(&a, &["status"], |ran| (ran.stdout.clone() + &ran.stderr).contains("own pages only"));
    // Each hub uses its own file: a token made here is valid here, one revoked here ends here.
    let same = [token(&a, &["same"]), token(&b, &["same"])];
    assert_eq!((eye_as(&a, &same[0], &["pages"]).code, eye_as(&b, &same[1], &["pages"]).code), (0, 0));
    revoke(&b, "first");
    knows(&b, &first, false);
    assert_eq!(eye_as(&a, &first, &["pages"]).code, 0);
    // A hub that was killed learns of it when it is back.
    hub_b.kill();
    revoke(&a, "second");
    // A server without its files gets everything published again.
    nats.empty();
    nats.run();
    let _hub_b = HubProcess::start_with(&b, &["--cluster", &nats.url(), "--hub-name", "b"]);
    for home in [&a, &b] {
        knows(home, &first, false);
        knows(home, &second, false);
        knows(home, &same[0], true);
        knows(home, &same[1], true);
    }
    // A name stands for all tokens that have it.
    revoke(&a, "same");
    for home in [&a, &b] {
        knows(home, &same[0], false);
        knows(home, &same[1], false);
    }
    let (listed, ours) = (b.eye(["token", "list"]), a.eye(["token", "list"]));
    assert_eq!((listed.stdout.as_str(), ours.stdout.as_str()), ("", ""));
}
