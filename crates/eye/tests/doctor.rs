//! `eye doctor`, `eye skill` and `eye man`, as a newcomer runs them.

use crate::stage;
use crate::stage::home;
use eye_testkit::HubProcess;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_healthy_home_has_nothing_wrong_but_a_missing_page() {
    let home = home();
    let quiet = home.eye(["doctor"]);
    assert_eq!(quiet.code, 0, "{}", quiet.stdout);
    assert!(quiet.stdout.contains("✓ hub: none runs; the first command starts one"), "{}", quiet.stdout);

    let _hub = HubProcess::start(&home);
    let lonely = home.eye(["doctor"]);
    assert_eq!(lonely.code, 3);
    assert!(lonely.stdout.contains("✗ pages: none has joined\n    eye open URL"), "{}", lonely.stdout);

    let _page = stage::page(&home);
    let well = home.eye(["doctor", "--json"]);
    assert_eq!(well.code, 0, "{}", well.stdout);
    let findings: Value = serde_json::from_str(&well.stdout).unwrap();
    assert!(findings.as_array().unwrap().iter().all(|finding| finding["ok"] == true), "{findings}");
}

#[test]
fn a_token_that_others_may_read_is_found_and_mended() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = stage::page(&home);
    let file = home.path("config/eye/token");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let found = home.eye(["doctor"]);
    assert_eq!(found.code, 4, "{}", found.stdout);
    assert!(found.stdout.contains("✗ token: others may read"), "{}", found.stdout);
    let mended = home.eye(["doctor", "--fix"]);
    assert_eq!(mended.code, 0, "{}", mended.stdout);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn fix_starts_a_hub() {
    let home = home();
    let mended = home.eye(["doctor", "--fix"]);
    assert!(mended.stdout.contains("✓ hub: started, pid"), "{}", mended.stdout);
    assert_eq!(home.eye(["down"]).code, 0);
}

#[test]
fn the_guide_and_the_manual_are_printed() {
    let home = home();
    assert!(home.eye(["skill"]).stdout.starts_with("# eye: see and act"));
    assert!(home.eye(["skill", "--agents-md"]).stdout.starts_with("## Web pages"));
    assert!(home.eye(["man"]).stdout.contains(".TH eye 1"));
    assert!(home.eye(["man", "click"]).stdout.contains("eye\\-click"));
    assert_eq!(home.eye(["man", "clik"]).code, 2);
}
