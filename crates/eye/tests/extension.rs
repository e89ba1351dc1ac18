//! Attacks on the extension's endpoint at the real hub: codes that work once, proofs on both sides, and no other
//! origin.

use crate::stage;
use crate::stage::extension::{ORIGIN, Pairing, code, enter, host, knock, next, pair, prove};
use crate::stage::home;
use eye_testkit::HubProcess;

#[test]
fn a_code_pairs_one_browser_once_and_its_secret_is_good_after_a_restart() {
    let home = home();
    let hub = HubProcess::start(&home);
    let printed = code(&home, &[]);
    let (_socket, pairing) = pair(&home, &printed).unwrap();
    assert_eq!(pair(&home, &printed).map(|_| ()), Err(4008), "a second use");
    assert_eq!(pair(&home, "GUESSGUESSGU").map(|_| ()), Err(4008));
    enter(&home, &pairing).unwrap();
    drop(hub);
    let _hub = HubProcess::start(&home);
    enter(&home, &pairing).unwrap();
    let wrong = Pairing { secret: printed, ..pairing.clone() };
    let mut socket = knock(&home, &host(&home), Some(ORIGIN), Some(&wrong.id)).unwrap();
    assert_eq!(prove(&mut socket, &wrong.secret), Ok(false), "what does not know the secret sees that it does not");
    assert_eq!(next(&mut socket), Err(4008));
}

#[test]
fn a_code_that_is_too_old_pairs_nothing() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let late = code(&home, &["--expires", "0ms"]);
    assert_eq!(pair(&home, &late).map(|_| ()), Err(4008));
}

#[test]
fn no_web_site_program_or_other_extension_gets_in_even_with_the_secrets() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let (_socket, pairing) = pair(&home, &code(&home, &[])).unwrap();
    assert_eq!(home.eye(["allow", "https://friend.example"]).code, 0);
    let app = format!("http://localhost:{}", home.port());
    let near = format!("{ORIGIN}.evil.example");
    let others = [
        Some("https://evil.example"),
        Some("https://friend.example"),
        Some("http://localhost:5173"),
        Some(app.as_str()),
        Some("null"),
        Some("chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        Some(near.as_str()),
        Some("moz-extension://ideahddmfnocldhgfkollgmdihcnhibj"),
        None,
    ];
    for origin in others {
        assert_eq!(knock(&home, &host(&home), origin, Some(&pairing.id)).err(), Some(403), "{origin:?}");
    }
    for name in ["evil.example", "localhost.evil.example", "box.local"] {
        assert_eq!(knock(&home, name, Some(ORIGIN), Some(&pairing.id)).err(), Some(421), "{name}");
    }
}

#[test]
fn the_extension_is_neither_a_page_nor_an_agent() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let (_socket, pairing) = pair(&home, &code(&home, &[])).unwrap();
    for (path, protocol) in [
        ("/ws?clientType=browser".to_owned(), "eye".to_owned()),
        (format!("/ws?clientType=browser&token={}", pairing.secret), "eye".to_owned()),
        ("/ws?clientType=agent".to_owned(), format!("eye, bearer.{}", pairing.secret)),
    ] {
        let answer = stage::extension::upgrade(&home, &path, &protocol);
        assert!([401, 403].contains(&answer), "{path}: {answer}");
    }
}

#[test]
fn a_pairing_is_listed_and_revoked_like_a_token() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let (_first, pairing) = pair(&home, &code(&home, &[])).unwrap();
    let mut socket = enter(&home, &pairing).unwrap();
    let listed = home.eye(["token", "list"]);
    assert!(listed.stdout.contains(&pairing.name), "{listed:?}");
    assert_eq!(home.eye(["token", "revoke", &pairing.name]).code, 0);
    assert_eq!(next(&mut socket), Err(4007));
    let mut socket = knock(&home, &host(&home), Some(ORIGIN), Some(&pairing.id)).unwrap();
    assert_eq!(next(&mut socket), Err(4008));
}

#[test]
fn a_token_without_admin_gets_no_code() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let made = home.eye(["token", "new", "reader", "--may", "read", "--quiet"]);
    let secret = made.stdout.lines().next().unwrap().trim().to_owned();
    let ran = home
        .command()
        .env("EYE_TOKEN", secret)
        .args(["extension", "--dir"])
        .arg(home.path("extension"))
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(4), "{ran:?}");
}
