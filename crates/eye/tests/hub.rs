//! Hubs as the command line sees them: started, found, killed, replaced, stopped.

use crate::stage;
use crate::stage::{answers, home, page};
use eye_testkit::{DEADLINE, Home, HubProcess, PageSetup, Reply, Running, ScriptedPage};
use std::io::Read;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::sync::mpsc::{Receiver, channel};

fn status(home: &Home) -> serde_json::Value {
    serde_json::from_str(&home.eye(["status", "--json"]).stdout).expect("a hub runs")
}

#[test]
fn a_call_without_a_hub_starts_one_in_the_background() {
    let home = home();
    assert_eq!(home.eye(["status"]).code, 3);
    assert_eq!(home.eye(["pages"]).code, 0);
    let first = status(&home);
    assert_eq!(first["socket"], home.socket().to_str().unwrap());
    let _page = page(&home);
    assert_eq!(home.eye(["document.title"]), answers(0, "Shop\n", ""));
    assert_eq!(status(&home)["pid"], first["pid"]);
}

#[test]
fn many_first_calls_at_once_end_up_with_one_hub() {
    let home = home();
    let calls: Vec<Running> = (0..8).map(|_| home.start(["pages"])).collect();
    for call in calls {
        let ran = call.wait();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    assert_eq!(home.eye(["status"]).code, 0);
}

#[test]
fn status_says_that_no_hub_runs_and_starts_none() {
    let home = home();
    let ran = home.eye(["status"]);
    assert_eq!(ran, answers(3, "", "error: no hub runs\nhint: start one with eye up\n"));
    assert!(!home.socket().exists());
}

#[test]
fn up_says_where_the_hub_is_and_down_stops_it() {
    let home = home();
    let place = format!("http://127.0.0.1:{} {}\n", home.port(), home.socket().display());
    assert_eq!(home.eye(["up"]), answers(0, &format!("ready {place}"), ""));
    assert_eq!(home.eye(["up"]), answers(0, &format!("running {place}"), ""));
    let ran = home.eye(["up", "--auth", "none"]);
    assert_eq!(ran, answers(2, "", "error: a hub already runs, with --auth token\nhint: stop it first: eye down\n"));
    assert_eq!(home.eye(["up", "--port", "1"]).code, 2);
    assert_eq!(home.eye(["down"]), answers(0, "stopped\n", ""));
    assert_eq!(home.eye(["status"]).code, 3);
    assert_eq!(home.eye(["down"]), answers(0, "no hub runs\n", ""));
    assert_eq!(home.eye(["up"]), answers(0, &format!("ready {place}"), ""));
}

#[test]
fn a_call_while_the_hub_ends_waits_and_starts_the_next() {
    let home = home();
    let hub = HubProcess::start(&home);
    let page = page(&home);
    stage::signal(hub.pid(), "TERM");
    // From here on the hub accepts no more calls, but still has its socket.
    page.wait_closed();
    let ran = home.eye(["pages"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    hub.wait();
    assert_eq!(home.eye(["status"]).code, 0);
}

#[test]
fn a_second_hub_in_the_foreground_is_refused() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let ran = home.eye(["up", "--foreground"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.starts_with("error: a hub already runs on "), "{}", ran.stderr);
}

#[test]
fn a_taken_port_names_its_holder() {
    let home = home();
    let _holder = TcpListener::bind(("127.0.0.1", home.port())).unwrap();
    let ran = home.eye(["up"]);
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.starts_with("error: the hub did not start: 127.0.0.1:"), "{}", ran.stderr);
    assert!(ran.stderr.contains("is taken by"), "{}", ran.stderr);
    assert!(ran.stderr.contains(&std::process::id().to_string()), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: stop that, or take another port"), "{}", ran.stderr);
    assert_eq!(home.eye(["1"]).stderr, ran.stderr);
}

#[test]
fn a_stale_socket_file_is_recovered() {
    let home = home();
    std::fs::create_dir(home.path("run/eye")).unwrap();
    std::fs::set_permissions(home.path("run/eye"), PermissionsExt::from_mode(0o700)).unwrap();
    drop(UnixListener::bind(home.socket()).unwrap());
    assert_eq!(home.eye(["pages"]).code, 0);
    assert_eq!(home.eye(["status"]).code, 0);
}

#[test]
fn a_hub_killed_in_mid_call_is_reported_and_the_next_call_works() {
    let home = home();
    let hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Shop"), |_| Reply::Hold);
    let session = page.session().to_owned();
    let running = home.start(["forever()"]);
    page.held();
    hub.kill();
    let ran = running.wait();
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.starts_with("error: the hub went away before it answered\nhint: "), "{}", ran.stderr);
    assert_eq!(home.eye(["pages"]).code, 0);
    let _page = ScriptedPage::join(&home, &PageSetup::new(&home, "Shop").session(&session), stage::table);
    assert_eq!(home.eye(["5"]), answers(0, "5\n", ""));
}

#[test]
fn a_hub_that_is_down_does_not_end_the_repl() {
    let home = home();
    let ran = home.eye_reading(".page\n.help\n", ["repl"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("Ctrl-D"), "{}", ran.stdout);
}

#[test]
fn listening_beyond_loopback_needs_more_than_a_flag() {
    let home = home();
    for flags in [&["up", "--foreground", "--listen", "0.0.0.0"][..], &["up", "--listen", "0.0.0.0"]] {
        let ran = home.eye(flags);
        assert_eq!(ran.code, 2, "{flags:?}");
        assert!(ran.stderr.contains("beyond loopback"), "{}", ran.stderr);
        assert!(ran.stderr.contains("--tls-cert"), "{}", ran.stderr);
    }
}

#[test]
fn a_hub_elsewhere_is_asked_with_the_token() {
    let home = home();
    let hub = HubProcess::start(&home);
    let _page = page(&home);
    let token = home.eye(["token", "show"]).stdout.trim().to_owned();
    let remote = |token: Option<&str>, server: &str| {
        let mut command = home.command();
        command.arg("5").env("EYE_SERVER", server).env("XDG_RUNTIME_DIR", home.path("elsewhere"));
        if let Some(token) = token {
            command.env("EYE_TOKEN", token);
        }
        Running::of(&mut command).wait()
    };
    let bare = format!("127.0.0.1:{}", home.port());
    assert_eq!(remote(Some(&token), hub.url()), answers(0, "5\n", ""));
    assert_eq!(remote(Some(&token), &bare), answers(0, "5\n", ""));
    let ran = remote(None, hub.url());
    assert_eq!((ran.code, ran.stderr.contains("hint: set EYE_TOKEN")), (4, true), "{}", ran.stderr);
    let ran = remote(Some("wrong"), hub.url());
    assert_eq!((ran.code, ran.stdout.as_str()), (4, ""));
    assert!(ran.stderr.contains("refused this agent: the token is not this hub's\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: set EYE_TOKEN"), "{}", ran.stderr);
    assert!(!ran.stderr.contains(&token));
}

/// A foreign server that keeps what it receives.
fn sink(listener: TcpListener) -> Receiver<String> {
    let (sender, heads) = channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count == 1) {
                head.push(byte[0]);
            }
            if sender.send(String::from_utf8_lossy(&head).into_owned()).is_err() {
                return;
            }
        }
    });
    heads
}

#[test]
fn the_local_token_is_sent_to_no_other_server() {
    let home = home();
    let token = home.eye(["token", "show"]).stdout.trim().to_owned();
    assert_eq!(std::fs::read_to_string(home.path("config/eye/token")).unwrap().trim(), token);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = format!("ws://{}", listener.local_addr().unwrap());
    let heads = sink(listener);
    let ran = Running::of(home.command().arg("1").env("EYE_SERVER", &server)).wait();
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let head = heads.recv_timeout(DEADLINE).unwrap();
    assert!(head.starts_with("GET /ws?") && !head.contains(&token), "{head}");
    assert!(!head.to_lowercase().contains("authorization"), "{head}");
    // A token meant for that server is sent to it: to a port of this machine, as ssh -L makes it.
    Running::of(home.command().arg("1").env("EYE_SERVER", &server).env("EYE_TOKEN", "for-it")).wait();
    assert!(heads.recv_timeout(DEADLINE).unwrap().to_lowercase().contains("authorization: bearer for-it"));
}

#[test]
fn no_token_travels_in_the_clear_beyond_loopback() {
    let home = home();
    // This machine under its other address; without a network an address that reaches no host.
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let route = UdpSocket::bind("0.0.0.0:0").and_then(|udp| udp.connect("192.0.2.1:9").and_then(|()| udp.local_addr()));
    let host = route.map_or("192.0.2.1".into(), |address| address.ip().to_string());
    let heads = sink(listener);
    let file = home.path("box.token");
    std::fs::write(&file, "for-it").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let hint = "hint: use wss:// or https://, or forward the port to this machine: ssh -L 8765:localhost:8765 HOST\n";
    let want = answers(4, "", &format!("error: the token would travel to http://{host}:{port} in the clear\n{hint}"));
    for scheme in ["ws", "http"] {
        let url = format!("{scheme}://{host}:{port}");
        let ran = Running::of(home.command().arg("1").env("EYE_SERVER", &url).env("EYE_TOKEN", "for-it")).wait();
        assert_eq!(ran, want);
        assert_eq!(Running::of(home.command().args(["connect", &url]).env("EYE_TOKEN", "for-it")).wait(), want);
        assert_eq!(home.eye(["connect", &url, "--token-file", file.to_str().unwrap()]), want);
        let line = ["connect", &url, "--foreground", "--token-file", file.to_str().unwrap()];
        assert_eq!(home.eye(line), want);
    }
    assert!(heads.try_recv().is_err(), "nothing was sent");
}

#[test]
fn a_hub_elsewhere_is_asked_over_tls_when_its_certificate_is_known() {
    let home = home();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (cert, key) = (home.path("cert.pem"), home.path("key.pem"));
    std::fs::write(&cert, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let hub =
        HubProcess::start_with(&home, &["--tls-cert", cert.to_str().unwrap(), "--tls-key", key.to_str().unwrap()]);
    assert_eq!(hub.url(), format!("https://127.0.0.1:{}", home.port()));
    let server = format!("wss://localhost:{}", home.port());
    let token = home.eye(["token", "show"]).stdout.trim().to_owned();
    let remote = |args: &[&str]| {
        let mut command = home.command();
        command
            .args(args)
            .env("EYE_TOKEN", &token)
            .env("EYE_SERVER", &server)
            .env("XDG_RUNTIME_DIR", home.path("elsewhere"));
        command
    };
    let ran = Running::of(remote(&["status", "--json"]).env("SSL_CERT_FILE", &cert)).wait();
    let status: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(status["pid"], hub.pid());
    let ran = Running::of(&mut remote(&["status"])).wait();
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.contains("certificate"), "{}", ran.stderr);
}

#[test]
fn a_new_token_says_that_the_hub_still_takes_the_old_one() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let ran = home.eye(["token", "new"]);
    assert_eq!((ran.code, ran.stdout.len()), (0, 65));
    assert!(ran.stderr.starts_with("note: the hub that runs takes the old one"), "{}", ran.stderr);
}

#[test]
fn a_server_that_is_not_there_ends_with_3() {
    let home = home();
    let ran = Running::of(home.command().arg("5").env("EYE_SERVER", format!("ws://127.0.0.1:{}", home.port()))).wait();
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.starts_with("error: cannot reach ws://127.0.0.1:"), "{}", ran.stderr);
    let ran = Running::of(home.command().arg("5").env("EYE_SERVER", "ftp://x")).wait();
    assert_eq!(ran.code, 2);
}
