//! A hub that drives a real Chromium.

use eye_testkit::{Home, Hub, Ran};
use std::process::Command;

/// A hub that may start a browser. `None` where none is installed, which is said.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn hub() -> Option<(Home, Hub)> {
    let named = std::env::var("EYE_CHROMIUM").unwrap_or_else(|_| "chromium".into());
    if !Command::new(&named).arg("--version").output().is_ok_and(|ran| ran.status.success()) {
        eprintln!("skipped: no Chromium is installed; name one in EYE_CHROMIUM");
        return None;
    }
    let home = super::home();
    let hub = Hub::start(&home);
    Some((home, hub))
}

/// What a command printed, which must have ended well.
pub fn ok(ran: Ran) -> String {
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.stdout
}
