//! Hubs at a nats-server that authenticates them and grants only the documented permissions, and over TLS. With the
//! real binary and a real nats-server.

use crate::stage::hubs::{lists, setup, until};
use crate::stage::{answers, home, table};
use eye_testkit::{Home, HubProcess, Nats, Reply, Running, ScriptedPage};
use serde_json::Value;
use std::path::Path;

/// A user's nkey, from the documentation of NATS.
const SEED: &str = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
const PUBLIC: &str = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

/// The subjects that docs/cluster.md lists in a row of its table, for the hub `H` of the cluster `default`.
fn documented(row: &str, hub: &str) -> String {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cluster.md")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("| {row} | "))).unwrap();
    let subjects = line.split('`').skip(1).step_by(2).map(|subject| {
        let subject =
            subject.replace("-N.", "-default.").replace("eye.N.", "eye.default.").replace(".H.", &format!(".{hub}."));
        format!("\"{subject}\"")
    });
    subjects.collect::<Vec<_>>().join(", ")
}

fn permissions(hub: &str) -> String {
    let (publish, subscribe) = (documented("publish", hub), documented("subscribe", hub));
    format!("permissions: {{ publish: [{publish}], subscribe: [{subscribe}] }}")
}

fn no_problems(home: &Home) {
    let status: Value = serde_json::from_str(&home.eye(["status", "--json"]).stdout).unwrap();
    assert_eq!(status["problems"], Value::Null, "{status}");
}

#[test]
fn hubs_with_an_nkey_or_a_password_need_no_more_than_the_documented_permissions() {
    let users = format!(
        "authorization {{ users: [ {{ nkey: {PUBLIC}, {} }}, {{ user: b, password: secret, {} }} ] }}",
        permissions("a"),
        permissions("b"),
    );
    let nats = Nats::start_with(&users);
    let (a, b) = (home(), home());
    let seed = a.path("seed");
    std::fs::write(&seed, SEED).unwrap();
    let named = ["--hub-name", "a", "--cluster-creds", seed.to_str().unwrap()];
    let _hub_a = HubProcess::start_with(&a, &[&["--cluster", &nats.url()][..], &named].concat());
    let url = format!("nats://b:secret@127.0.0.1:{}", nats.port());
    let hub_b = HubProcess::start_with(&b, &["--cluster", &url, "--hub-name", "b"]);
    let page = ScriptedPage::join(&b, &setup(&b, "Shop").alias("shop"), table);
    page.send(r#"{"jsonrpc":"2.0","method":"state/update","params":{"state":{"n":1},"revision":1}}"#);
    lists(&a, "shop");
    assert_eq!(a.eye(["--page", "shop", "document.title"]), answers(0, "Shop\n", ""));
    assert_eq!(a.eye(["--page", "shop", "large"]).stdout.len(), (5 << 20) + 1);
    assert_eq!(a.eye(["token", "new", "ci"]).code, 0);
    until(&b, &["token", "list"], |ran| ran.stdout.contains("ci"));
    // A session that leaves is removed, and one that moves is claimed.
    let moved = ScriptedPage::join(&b, &setup(&b, "Old").session("s1"), |_| Reply::text("old"));
    lists(&a, "Old");
    let _moved = ScriptedPage::join(&a, &setup(&a, "New").session("s1"), |_| Reply::text("new"));
    moved.wait_closed();
    until(&b, &["--page", "s1", "who"], |ran| *ran == answers(0, "new\n", ""));
    no_problems(&a);
    no_problems(&b);
    // A state outlives its hub.
    hub_b.kill();
    let answer = a.eye(["--page", "shop", "state", "--json"]);
    assert!(answer.stdout.contains(r#""n":1"#) && answer.stdout.contains(r#""stale":true"#), "{answer:?}");
}

#[test]
fn what_nats_refuses_is_a_problem_of_the_hub_which_serves_its_own_pages() {
    let nats =
        Nats::start_with("authorization { users: [ { user: a, password: p, permissions: { subscribe: \"x\" } } ] }");
    let a = home();
    let url = format!("nats://a:p@127.0.0.1:{}", nats.port());
    let _hub = HubProcess::start_with(&a, &["--cluster", &url, "--hub-name", "a"]);
    let _page = ScriptedPage::join(&a, &setup(&a, "Shop").alias("shop"), table);
    assert_eq!(a.eye(["--page", "shop", "document.title"]), answers(0, "Shop\n", ""));
    until(&a, &["status"], |ran| {
        let lower = ran.stdout.to_lowercase();
        lower.contains("permissions violation") && lower.contains("own pages only")
    });
}

#[test]
fn hubs_reach_a_server_over_tls_whose_authority_the_system_trusts() {
    let own = home();
    let made = Running::of(own.command().args(["tls", "--json"])).wait();
    assert_eq!(made.code, 0, "{made:?}");
    let file = |name: &str| own.path(Path::new("config/eye/tls").join(name)).display().to_string();
    let nats =
        Nats::start_with(&format!("tls {{ cert_file: \"{}\", key_file: \"{}\" }}", file("cert.pem"), file("key.pem")));
    let url = format!("tls://localhost:{}", nats.port());
    let start = |name: &str| {
        let home = home();
        let mut command = home.command();
        command.env("SSL_CERT_FILE", file("ca.pem"));
        let hub = HubProcess::start_by(&mut command, &["--cluster", &url, "--hub-name", name]);
        (home, hub)
    };
    let ((a, _hub_a), (b, _hub_b)) = (start("a"), start("b"));
    let _page = ScriptedPage::join(&b, &setup(&b, "Shop").alias("shop"), table);
    lists(&a, "shop");
    assert_eq!(a.eye(["--page", "shop", "document.title"]), answers(0, "Shop\n", ""));
    // Without the authority the server is not trusted.
    let c = home();
    let _hub_c = HubProcess::start_with(&c, &["--cluster", &url, "--hub-name", "c"]);
    until(&c, &["status"], |ran| ran.stdout.contains("own pages only"));
    assert!(!c.eye(["pages"]).stdout.contains("shop"));
}
