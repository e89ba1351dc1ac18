//! A link to a remote hub behind the local socket: two homes, two hubs, and every obstacle between them.

use crate::stage;
use crate::stage::between::{Between, Tunnel};
use crate::stage::{answers, home, page};
use eye_protocol::Value;
use eye_testkit::{DEADLINE, Home, HubProcess, PageSetup, Ran, Reply, Running, ScriptedPage};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Instant;

const WAYS: [(&str, &str); 3] = [("ws", "WebSocket"), ("events", "SSE + POST"), ("post", "plain POST")];

fn token(there: &Home) -> String {
    there.eye(["token", "show"]).stdout.trim().to_owned()
}

fn connect(here: &Home, there: &Home, args: &[&str]) -> Ran {
    Running::of(here.command().arg("connect").args(args).env("EYE_TOKEN", token(there))).wait()
}

/// A hub elsewhere, and a home that is connected to it.
fn connected(there: &Home, hub: &HubProcess, way: &str) -> Home {
    let here = home();
    let ran = connect(&here, there, &[hub.url(), "--transport", way]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    here
}

fn relay_status(here: &Home) -> serde_json::Value {
    let ran = here.eye(["status", "--json"]);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

#[test]
fn verbs_work_unchanged_over_every_transport() {
    for (way, name) in WAYS {
        let there = home();
        let hub = HubProcess::start(&there);
        let _page = page(&there);
        let here = home();
        let ran = connect(&here, &there, &[hub.url(), "--transport", way]);
        assert_eq!(ran, answers(0, &format!("connected to {} by {name}\n", hub.url()), ""));
        assert_eq!(here.eye(["document.title"]), answers(0, "Shop\n", ""), "{way}");
        assert_eq!(here.eye(["--json", "'5'"]), answers(0, "\"5\"\n", ""), "{way}");
        assert_eq!(here.eye(["boom"]).code, 1, "{way}");
        assert_eq!(here.eye(["lines"]), answers(0, "a\nb\n", ""), "{way}");
        assert_eq!(here.eye(["undefined"]), answers(0, "undefined\n", ""), "{way}");
        assert!(here.eye(["pages"]).stdout.contains("Shop"), "{way}");
        assert_eq!(here.eye(["use", "shop"]).code, 0, "{way}");
        assert_eq!(here.eye(["fire", "5"]).code, 0, "{way}");
        assert_eq!(here.eye(["async", "5"]).code, 0, "{way}");
        assert!(here.eye(["collect"]).stdout.contains('5'), "{way}");
        let many = "5\n'5'\n".repeat(600);
        let ran = here.eye_reading(&many, ["batch", "--ordered"]);
        assert_eq!((ran.code, ran.stdout.lines().count()), (0, 1200), "{way}: {}", ran.stderr);
        let status = relay_status(&here);
        assert_eq!(status["pid"], hub.pid(), "{way}");
        assert_eq!(status["relay"]["transport"], way);
        assert_eq!(status["relay"]["url"], hub.url());
        assert!(status["relay"]["roundTripUs"].is_u64(), "{status}");
    }
}

#[test]
fn large_frames_pass_both_ways_over_every_transport() {
    let there = home();
    let hub = HubProcess::start(&there);
    let code = format!("'{}'", "ä\n".repeat(1 << 20));
    let answer = "x\r\n\"".repeat(1 << 20);
    let (wanted, text) = (code.clone(), answer.clone());
    let _page = ScriptedPage::join(&there, &PageSetup::new(&there, "Shop"), move |code| {
        if code == wanted { Reply::text(text.clone()) } else { Reply::threw("the code is not what was sent") }
    });
    for (way, _) in WAYS {
        let here = connected(&there, &hub, way);
        let ran = here.eye_reading(&code, ["-"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{way}");
        assert!(ran.stdout == format!("{answer}\n"), "{way}: {} bytes", ran.stdout.len());
    }
}

#[test]
fn links_are_kept_ready_and_do_not_pile_up() {
    let there = home();
    let hub = HubProcess::start(&there);
    let _page = page(&there);
    for (way, _) in WAYS {
        let here = connected(&there, &hub, way);
        let commands: Vec<Running> = (0..12).map(|_| here.start(["5"])).collect();
        for command in commands {
            assert_eq!(command.wait(), answers(0, "5\n", ""), "{way}");
        }
        // Besides the link in use the other hub has the spare links; a POST leaves no connection.
        let wanted = if way == "post" { 1 } else { 3 };
        let begun = Instant::now();
        while relay_status(&there)["agents"] != wanted || relay_status(&here)["relay"]["warm"] != 2 {
            assert!(begun.elapsed() < DEADLINE, "{way}: {}", relay_status(&there));
        }
        assert_eq!(here.eye(["disconnect"]).code, 0);
    }
}

#[test]
fn streams_flow_over_websocket_and_events_and_are_refused_over_post() {
    let there = home();
    let hub = HubProcess::start(&there);
    for (way, _) in WAYS {
        let here = connected(&there, &hub, way);
        let published = here.eye(["pub", "news", "hi"]);
        assert_eq!(published.code, 0, "{way}: {}", published.stderr);
        let ran = here.eye(["sub", "news", "--count", "1"]);
        if way == "post" {
            assert_eq!(ran.code, 1, "{}", ran.stdout);
            assert!(ran.stderr.contains("one POST has one answer"), "{}", ran.stderr);
            assert!(ran.stderr.contains("hint: use a WebSocket"), "{}", ran.stderr);
        } else {
            assert!(ran.code == 0 && ran.stdout.contains("hi"), "{way}: {ran:?}");
        }
    }
}

#[test]
fn the_first_way_that_gets_through_is_taken() {
    let there = home();
    let _hub = HubProcess::start(&there);
    let _page = page(&there);
    for (blocked, name) in [
        (&[][..], "WebSocket"),
        (&["upgrade: websocket"], "SSE + POST"),
        (&["upgrade: websocket", "get /agent"], "plain POST"),
    ] {
        let between = Between::blocking(there.port(), blocked, false);
        let here = home();
        let ran = connect(&here, &there, &[&between.url()]);
        assert_eq!(ran, answers(0, &format!("connected to {} by {name}\n", between.url()), ""));
        assert_eq!(here.eye(["document.title"]), answers(0, "Shop\n", ""));
    }
    // A proxy that holds events back until the response is complete is detected, too.
    let between = Between::blocking(there.port(), &["upgrade: websocket", "get /agent"], true);
    let here = home();
    assert!(connect(&here, &there, &[&between.url()]).stdout.ends_with("by plain POST\n"));
    let between = Between::blocking(there.port(), &["get /ws", "get /agent", "post /agent"], false);
    let here = home();
    let ran = connect(&here, &there, &[&between.url()]);
    assert_eq!(ran.code, 3, "{}", ran.stdout);
    for part in ["WebSocket: 403", "SSE + POST: 403", "plain POST: 403"] {
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
    assert!(!here.socket().exists());
}

#[test]
fn a_hub_that_is_not_there_or_refuses_leaves_nothing_running() {
    let (here, there) = (home(), home());
    let ran = connect(&here, &there, &[&format!("http://127.0.0.1:{}", there.port())]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.starts_with("error: cannot reach http://127.0.0.1:"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: check the address"), "{}", ran.stderr);
    let hub = HubProcess::start(&there);
    let secret = "not-the-right-token-of-that-hub";
    for (way, _) in WAYS {
        for token in [Some(secret), None] {
            let mut command = here.command();
            command.args(["connect", hub.url(), "--transport", way]);
            let ran = Running::of(command.envs(token.map(|token| ("EYE_TOKEN", token)))).wait();
            assert_eq!((ran.code, ran.stdout.as_str()), (4, ""), "{}", ran.stderr);
            assert!(ran.stderr.contains("refused this agent: "), "{}", ran.stderr);
            assert!(ran.stderr.contains("hint: set EYE_TOKEN"), "{}", ran.stderr);
            assert!(!ran.stderr.contains(secret), "{}", ran.stderr);
        }
    }
    let log = std::fs::read_to_string(here.path("state/eye/hub.log")).unwrap();
    assert!(!log.contains(secret), "{log}");
    assert!(!here.socket().exists());
    assert_eq!(here.eye(["connect", "ftp://x"]).code, 2);
}

#[test]
fn the_token_may_come_from_a_file_of_ones_own() {
    use std::os::unix::fs::PermissionsExt;
    let (here, there) = (home(), home());
    let hub = HubProcess::start(&there);
    let file = here.path("work/box.token");
    std::fs::write(&file, token(&there)).unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    let ran = here.eye(["connect", hub.url(), "--token-file", "box.token"]);
    assert_eq!(ran.code, 4);
    assert!(ran.stderr.contains("hint: chmod 600 "), "{}", ran.stderr);
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    let ran = here.eye(["connect", hub.url(), "--token-file", "box.token"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let relay = relay_status(&here)["relay"]["pid"].clone();
    let line = std::fs::read_to_string(format!("/proc/{relay}/cmdline")).unwrap();
    assert!(line.contains("--token-file=") && !line.contains(&token(&there)), "{line}");
}

#[test]
fn a_hub_is_reached_over_tls_by_every_transport_when_its_certificate_is_known() {
    let there = home();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (cert, key) = (there.path("cert.pem"), there.path("key.pem"));
    std::fs::write(&cert, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let hub =
        HubProcess::start_with(&there, &["--tls-cert", cert.to_str().unwrap(), "--tls-key", key.to_str().unwrap()]);
    let url = format!("wss://localhost:{}", there.port());
    for (way, name) in WAYS {
        let here = home();
        let ran = connect(&here, &there, &[&url, "--transport", way]);
        assert_eq!(ran.code, 3);
        assert!(ran.stderr.contains("certificate"), "{}", ran.stderr);
        let mut command = here.command();
        command.args(["connect", &url, "--transport", way]).env("SSL_CERT_FILE", &cert).env("EYE_TOKEN", token(&there));
        let ran = Running::of(&mut command).wait();
        assert_eq!(ran, answers(0, &format!("connected to https://localhost:{} by {name}\n", there.port()), ""));
        assert_eq!(relay_status(&here)["pid"], hub.pid());
    }
}

#[test]
fn calls_under_way_end_when_the_hub_is_killed_and_the_next_work_once_it_is_back() {
    for (way, _) in WAYS {
        let there = home();
        let hub = HubProcess::start(&there);
        let url = hub.url().to_owned();
        let here = connected(&there, &hub, way);
        let page = ScriptedPage::join(&there, &PageSetup::new(&there, "Shop"), |_| Reply::Hold);
        let running = here.start(["forever()"]);
        page.held();
        hub.kill();
        let ran = running.wait();
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{way}");
        assert!(ran.stderr.starts_with(&format!("error: the link to {url} is lost: ")), "{way}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: what was under way may have run"), "{way}: {}", ran.stderr);
        let begun = Instant::now();
        let ran = here.eye(["document.title"]);
        assert!(begun.elapsed() < DEADLINE);
        assert_eq!(ran.code, 3, "{way}: {ran:?}");
        assert!(ran.stderr.starts_with(&format!("error: the link to {url} is down: ")), "{way}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: nothing was sent"), "{way}: {}", ran.stderr);
        let away = here.eye(["status"]);
        assert_eq!(away.code, 3, "{way}");
        assert!(away.stdout.starts_with(&format!("not connected to {url} by ")), "{way}: {}", away.stdout);
        drop(page);
        let hub = HubProcess::start(&there);
        let _page = stage::page(&there);
        assert_eq!(here.eye(["-p", "shop", "5"]), answers(0, "5\n", ""), "{way}");
        assert_eq!(relay_status(&here)["pid"], hub.pid(), "{way}");
        assert!(here.path("state/eye/hub.log").exists());
    }
}

#[test]
fn a_hub_that_stops_in_good_order_ends_its_calls_through_the_link() {
    for (way, _) in WAYS {
        let there = home();
        let hub = HubProcess::start(&there);
        let here = connected(&there, &hub, way);
        let page = ScriptedPage::join(&there, &PageSetup::new(&there, "Shop"), |_| Reply::Hold);
        let running = here.start(["forever()"]);
        page.held();
        stage::signal(hub.pid(), "TERM");
        let ran = running.wait();
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{way}: {}", ran.stderr);
        hub.wait();
    }
}

#[test]
fn an_interrupted_command_ends_its_call_in_the_page() {
    for (way, _) in WAYS {
        let there = home();
        let hub = HubProcess::start(&there);
        let here = connected(&there, &hub, way);
        let page = ScriptedPage::join(&there, &PageSetup::new(&there, "Shop"), |_| Reply::Hold);
        let mut running = here.start(["forever()"]);
        page.held();
        stage::interrupt(running.child());
        running.wait();
        page.cancelled();
    }
}

#[test]
fn disconnect_ends_the_link_and_the_next_command_has_a_local_hub() {
    let there = home();
    let hub = HubProcess::start(&there);
    let here = connected(&there, &hub, "ws");
    let page = ScriptedPage::join(&there, &PageSetup::new(&there, "Shop"), |_| Reply::Hold);
    let running = here.start(["forever()"]);
    page.held();
    assert_eq!(here.eye(["disconnect"]), answers(0, &format!("disconnected from {}\n", hub.url()), ""));
    let ran = running.wait();
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.starts_with(&format!("error: disconnected from {}\n", hub.url())), "{}", ran.stderr);
    assert!(!here.socket().exists());
    assert_eq!(here.eye(["disconnect"]), answers(0, "not connected\n", ""));
    assert_eq!(here.eye(["pages"]).code, 0);
    let local = relay_status(&here);
    assert_ne!(local["pid"], hub.pid());
    assert_eq!(local.get("relay"), None);
    assert_eq!(here.eye(["disconnect"]), answers(0, "not connected; a local hub runs\n", ""));
    assert_eq!(there.eye(["status"]).code, 0);
}

#[test]
fn down_and_up_leave_the_remote_hub_alone() {
    let there = home();
    let hub = HubProcess::start(&there);
    let here = connected(&there, &hub, "ws");
    let ran = here.eye(["down"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (4, ""));
    assert!(ran.stderr.starts_with("error: this is a relay to a remote hub"), "{}", ran.stderr);
    assert!(ran.stderr.contains("eye disconnect"), "{}", ran.stderr);
    let ran = here.eye(["up"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("already connected to"), "{}", ran.stderr);
    assert_eq!(relay_status(&here)["pid"], hub.pid());
}

#[test]
fn mcp_is_not_relayed_and_says_so() {
    let there = home();
    let hub = HubProcess::start(&there);
    let here = connected(&there, &hub, "ws");
    let ran = here.eye(["mcp"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("hint: give your client the URL of that hub with /mcp"), "{}", ran.stderr);
    assert_eq!(here.eye(["discover", "anything"]).code, 0);
}

#[test]
fn agents_of_two_folders_have_their_own_pages_and_answers() {
    for (way, _) in WAYS {
        let there = home();
        let hub = HubProcess::start(&there);
        let here = connected(&there, &hub, way);
        let hold = |_: &str| Reply::Hold;
        let shop = ScriptedPage::join(&there, &PageSetup::new(&there, "Shop").alias("shop"), hold);
        let cart = ScriptedPage::join(&there, &PageSetup::new(&there, "Cart").alias("cart"), hold);
        let folder = |name: &str, args: &[&str]| {
            Running::of(here.command().args(args).current_dir(here.path(format!("work/{name}"))))
        };
        assert_eq!(folder("a", &["use", "shop"]).wait().code, 0);
        assert_eq!(folder("b", &["use", "cart"]).wait().code, 0);
        let (a, b) = (folder("a", &["x"]), folder("b", &["x"]));
        let (in_shop, in_cart) = (shop.held(), cart.held());
        cart.answer(&in_cart, &Ok(Value::Text("cart's".into())));
        assert_eq!(b.wait(), answers(0, "cart's\n", ""), "{way}");
        shop.answer(&in_shop, &Ok(Value::Text("shop's".into())));
        assert_eq!(a.wait(), answers(0, "shop's\n", ""), "{way}");
    }
}

#[test]
fn an_agent_that_says_no_hello_is_served_on_the_socket_too() {
    let there = home();
    let hub = HubProcess::start(&there);
    let _page = page(&there);
    for (way, _) in WAYS {
        let here = connected(&there, &hub, way);
        let mut socket = UnixStream::connect(here.socket()).unwrap();
        socket.set_read_timeout(Some(DEADLINE)).unwrap();
        let mut ask = |question: &str, answer: &str| {
            socket.write_all(question.as_bytes()).unwrap();
            let mut bytes = vec![0; answer.len()];
            socket.read_exact(&mut bytes).unwrap();
            assert_eq!(String::from_utf8_lossy(&bytes), answer, "{way}");
        };
        ask("a:5\n", "a:5\n");
        ask("b:boom\n", "b!:x\n");
        ask("{\"i\":1,\"c\":\"5\"}\n", "{\"i\":1,\"r\":5}\n");
        ask("\"5\"\n", "5\n");
        ask("#3\nc:5", "c:5\n");
        ask(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"pong\":true}}\n",
        );
    }
}

#[test]
fn connecting_again_is_success_and_connecting_elsewhere_is_not() {
    let (there, other) = (home(), home());
    let (hub, second) = (HubProcess::start(&there), HubProcess::start(&other));
    let here = connected(&there, &hub, "ws");
    let pid = relay_status(&here)["relay"]["pid"].clone();
    let ran = connect(&here, &there, &[hub.url()]);
    assert_eq!(ran, answers(0, &format!("connected to {} by WebSocket\n", hub.url()), ""));
    assert_eq!(relay_status(&here)["relay"]["pid"], pid);
    for args in [&[second.url()][..], &[hub.url(), "--transport", "post"]] {
        let ran = connect(&here, &other, args);
        assert_eq!(ran.code, 2, "{}", ran.stdout);
        assert!(ran.stderr.starts_with("error: already connected to "), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint: end that first: eye disconnect"), "{}", ran.stderr);
    }
    assert_eq!(here.eye(["connect"]).code, 2);
}

#[test]
fn a_local_hub_gives_way_only_when_it_is_idle_and_that_was_asked_for() {
    let (here, there) = (home(), home());
    let hub = HubProcess::start(&there);
    assert_eq!(here.eye(["up"]).code, 0);
    let ran = connect(&here, &there, &[hub.url()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--replace"), "{}", ran.stderr);
    let page = page(&here);
    let ran = connect(&here, &there, &[hub.url(), "--replace"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("it serves 1 page"), "{}", ran.stderr);
    assert_eq!(here.eye(["5"]), answers(0, "5\n", ""));
    page.leave();
    // An unreachable remote hub does not cost the local hub.
    let nowhere = home();
    let ran = connect(&here, &there, &[&format!("127.0.0.1:{}", nowhere.port()), "--replace"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert_eq!(here.eye(["status"]).code, 0);
    let ran = connect(&here, &there, &[hub.url(), "--replace"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(relay_status(&here)["pid"], hub.pid());
}

#[test]
fn without_a_url_the_local_hub_is_meant() {
    let here = home();
    let place = format!("http://127.0.0.1:{} {}\n", here.port(), here.socket().display());
    assert_eq!(here.eye(["connect"]), answers(0, &format!("ready {place}"), ""));
    assert_eq!(here.eye(["connect"]), answers(0, &format!("running {place}"), ""));
    let ran = Running::of(here.command().args(["connect", "box.local"]).env("EYE_SERVER", "ws://x")).wait();
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("unset EYE_SERVER"), "{}", ran.stderr);
}

#[test]
fn a_forwarded_socket_is_as_good_as_the_hubs_own() {
    let (here, there) = (home(), home());
    let hub = HubProcess::start(&there);
    let _page = page(&there);
    let tunnel = Tunnel::open(&here.path("run/box.sock"), &there.socket());
    let eye = |args: &[&str]| Running::of(here.command().args(args).env("EYE_SOCKET", tunnel.path())).wait();
    assert_eq!(eye(&["document.title"]), answers(0, "Shop\n", ""));
    assert_eq!(eye(&["large"]).stdout.len(), (5 << 20) + 1);
    let status: serde_json::Value = serde_json::from_str(&eye(&["status", "--json"]).stdout).unwrap();
    assert_eq!(status["pid"], hub.pid());
    let mut batch = here.command();
    batch.env("EYE_SOCKET", tunnel.path());
    let ran = stage::run_reading(&mut batch, &"5\n".repeat(500), &["batch"]);
    assert_eq!((ran.code, ran.stdout.lines().count()), (0, 500));
}
