//! Choosing pages: one, several, none, by name.

use crate::stage;
use crate::stage::{answers, home, page};
use eye_testkit::{HubProcess, PageSetup, Reply, ScriptedPage};

fn two_pages(home: &eye_testkit::Home) -> (ScriptedPage, ScriptedPage) {
    let shop = PageSetup::new(home, "Shop").alias("shop").session("s-shop");
    let mail = PageSetup::new(home, "Mail box").session("s-mail");
    (
        ScriptedPage::join(home, &shop, |_| Reply::text("from shop")),
        ScriptedPage::join(home, &mail, |_| Reply::text("from mail")),
    )
}

#[test]
fn without_a_page_a_call_ends_with_3_and_says_what_to_do() {
    let home = home();
    let _hub = HubProcess::start(&home);
    for args in [&["1"][..], &["fire", "1"], &["async", "1"]] {
        let ran = home.eye(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{args:?}");
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
        assert!(ran.stderr.contains("\nhint: "), "{}", ran.stderr);
    }
}

#[test]
fn several_pages_are_an_error_that_lists_them() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _pages = two_pages(&home);
    let ran = home.eye(["1"]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("shop") && ran.stderr.contains("Mail box"), "{}", ran.stderr);
}

#[test]
fn a_page_is_named_by_id_alias_title_or_url() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _pages = two_pages(&home);
    for (name, want) in
        [("shop", "from shop\n"), ("s-mail", "from mail\n"), ("Mail", "from mail\n"), ("/mail-box", "from mail\n")]
    {
        assert_eq!(home.eye(["-p", name, "1"]), answers(0, want, ""), "{name}");
        let ran = eye_testkit::Running::of(home.command().arg("1").env("EYE_PAGE", name)).wait();
        assert_eq!(ran, answers(0, want, ""), "EYE_PAGE={name}");
    }
    assert_eq!(home.eye(["-p", "nothing", "1"]).code, 3);
}

#[test]
fn use_chooses_a_page_for_this_folder_only() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _pages = two_pages(&home);
    let there = |folder: &str, args: &[&str]| {
        eye_testkit::Running::of(home.command().args(args).current_dir(home.path(folder))).wait()
    };
    let row = there("work/a", &["use", "Mail"]);
    assert_eq!(row.code, 0);
    assert!(row.stdout.starts_with("* s-mail  Mail box  http://"), "{}", row.stdout);
    assert_eq!(there("work/a", &["1"]).stdout, "from mail\n");
    assert_eq!(there("work/b", &["1"]).code, 3);
    assert_eq!(there("work/b", &["use", "shop"]).code, 0);
    assert_eq!(there("work/b", &["1"]).stdout, "from shop\n");
    assert_eq!(there("work/a", &["1"]).stdout, "from mail\n");
}

#[test]
fn pages_lists_them_aligned_or_as_json() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let ran = home.eye(["pages"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let _pages = two_pages(&home);
    home.eye(["use", "shop"]);
    let port = home.port();
    for verb in ["pages", "tabs"] {
        let ran = home.eye([verb]);
        let mut lines: Vec<&str> = ran.stdout.lines().collect();
        lines.sort_unstable();
        let mail = format!("  s-mail  Mail box  http://localhost:{port}/mail-box  visible");
        let shop = format!("* shop    Shop      http://localhost:{port}/shop      visible");
        assert_eq!(lines, [mail, shop]);
    }
    let json = home.eye(["pages", "--json"]).stdout;
    let rows: Vec<eye_protocol::messages::SessionRow> = serde_json::from_str(&json).unwrap();
    assert_eq!(rows.len(), 2);
}

#[test]
fn pages_says_who_asked_last_and_when() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _pages = two_pages(&home);
    let there = |folder: &str, args: &[&str]| {
        eye_testkit::Running::of(home.command().args(args).current_dir(home.path(folder))).wait()
    };
    assert_eq!(there("work/a", &["-p", "shop", "1"]).code, 0);
    let line = |folder: &str| {
        let listed = there(folder, &["pages"]).stdout;
        listed.lines().find(|line| line.contains("/shop")).unwrap().to_owned()
    };
    assert!(line("work/a").ends_with(" from here"), "{}", line("work/a"));
    assert!(line("work/b").contains(" by ") && line("work/b").ends_with("/work/a"), "{}", line("work/b"));
    let json = there("work/b", &["pages", "--json"]).stdout;
    let rows: Vec<eye_protocol::messages::SessionRow> = serde_json::from_str(&json).unwrap();
    let shop = rows.iter().find(|row| row.id == "s-shop").unwrap();
    assert!(shop.used_ms.is_some() && shop.used_by.as_ref().unwrap().ends_with("/work/a"), "{shop:?}");
    let mail = rows.iter().find(|row| row.id == "s-mail").unwrap();
    assert_eq!((mail.used_ms, &mail.used_by), (None, &None));
}

#[test]
fn two_agents_with_the_same_ids_get_their_own_answers() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Slow"), |_| Reply::Hold);
    let first = home.start(["first"]);
    let held_first = page.held();
    let second = home.start(["second"]);
    let held_second = page.held();
    assert_ne!(held_first.id, held_second.id);
    for held in [&held_second, &held_first] {
        page.answer(held, &Ok(eye_protocol::Value::Text(held.code.clone())));
    }
    assert_eq!(first.wait().stdout, "first\n");
    assert_eq!(second.wait().stdout, "second\n");
}

#[test]
fn a_page_that_leaves_for_good_ends_its_calls() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Slow"), |_| Reply::Hold);
    let running = home.start(["forever()"]);
    page.held();
    page.crash();
    let ran = running.wait();
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
}

#[test]
fn a_page_that_comes_back_keeps_its_session() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let first = page(&home);
    let session = first.session().to_owned();
    first.leave();
    let setup = PageSetup::new(&home, "Shop").session(&session);
    let second = ScriptedPage::join(&home, &setup, stage::table);
    assert_eq!(second.session(), session);
    assert_eq!(home.eye(["-p", &session, "5"]), answers(0, "5\n", ""));
}

#[test]
fn a_page_that_is_there_goes_before_those_that_a_hub_before_remembered_under_its_alias() {
    let home = home();
    let shop = |session: &str, port: u16, answer: &'static str| {
        let setup = PageSetup {
            origin: Some(format!("http://localhost:{port}")),
            ..PageSetup::new(&home, "Shop").alias("shop").session(session)
        };
        ScriptedPage::join(&home, &setup, move |_| Reply::text(answer))
    };
    let hub = HubProcess::start(&home);
    let before = shop("s-before", 5173, "before");
    assert_eq!(home.eye(["-p", "shop", "1"]), answers(0, "before\n", ""));
    assert_eq!(home.eye(["down"]).code, 0);
    hub.wait();
    before.wait_closed();
    let _hub = HubProcess::start(&home);
    let _now = shop("s-now", 5174, "now");
    // The earlier page is still expected back, and of another origin: it does not make the alias ambiguous.
    for name in ["shop", "Shop"] {
        assert_eq!(home.eye(["-p", name, "1"]), answers(0, "now\n", ""), "{name}");
    }
    let elsewhere = home.command().arg("1").current_dir(home.path("work/b")).env("EYE_PAGE", "shop").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&elsewhere.stdout), "now\n");
    let listed = home.eye(["pages", "--json"]).stdout;
    assert!(listed.contains("s-before"), "it is still known: {listed}");
    // When it is back there are two, and the origin must be given.
    let _back = shop("s-before", 5173, "before");
    let ran = home.eye(["-p", "shop", "1"]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("fits pages of several origins"), "{}", ran.stderr);
    assert_eq!(home.eye(["-p", "http://localhost:5173", "1"]), answers(0, "before\n", ""));
}

#[test]
fn code_in_a_page_whose_origin_forbids_it_ends_with_4() {
    let home = home();
    let _hub = HubProcess::start(&home);
    assert_eq!(home.eye(["allow", "--no-eval", "https://bank.test"]).code, 0);
    let setup = PageSetup { origin: Some("https://bank.test".into()), ..PageSetup::new(&home, "Bank") };
    let _page = ScriptedPage::join(&home, &setup, stage::table);
    let ran = home.eye(["5"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (4, ""));
    assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
}
