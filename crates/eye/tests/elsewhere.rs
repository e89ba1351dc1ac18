//! Containers, tunnels and proxies: which settings make a hub reachable from elsewhere, and which headers never help.

use crate::stage;
use crate::stage::between::Between;
use crate::stage::{answers, home};
use eye_testkit::{DEADLINE, Home, HubProcess, PageSetup, Running, ScriptedPage};
use serde::Deserialize;
use std::io::{Read, Write};
use std::net::TcpStream;

/// Sends a raw request and returns the whole answer.
fn http(port: u16, path: &str, headers: &[&str]) -> String {
    let mut tcp = TcpStream::connect(("127.0.0.1", port)).unwrap();
    tcp.set_read_timeout(Some(DEADLINE)).unwrap();
    let headers = headers.iter().fold(String::new(), |all, header| all + header + "\r\n");
    write!(tcp, "GET {path} HTTP/1.1\r\nconnection: close\r\n{headers}\r\n").unwrap();
    let mut answer = String::new();
    tcp.read_to_string(&mut answer).unwrap();
    answer
}

fn remote(home: &Home, server: &str, args: &[&str]) -> eye_testkit::Ran {
    let mut command = home.command();
    command.args(args).env("EYE_SERVER", server).env("EYE_TOKEN", home.eye(["token", "show"]).stdout.trim());
    Running::of(command.env("XDG_RUNTIME_DIR", home.path("elsewhere"))).wait()
}

/// The part of a compose file that is checked.
#[derive(Deserialize)]
struct Compose {
    services: std::collections::BTreeMap<String, Service>,
}

#[derive(Deserialize)]
struct Service {
    command: Vec<String>,
    ports: Vec<String>,
    healthcheck: Check,
}

#[derive(Deserialize)]
struct Check {
    test: Vec<String>,
}

#[test]
fn what_a_container_publishes_to_loopback_serves_the_host() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compose/compose.yaml");
    let compose: Compose = serde_saphyr::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let service = &compose.services["eye"];
    // All ports are published to this machine only.
    assert_eq!(service.ports, ["127.0.0.1:8765:8765"]);
    assert_eq!(service.healthcheck.test, ["CMD", "eye", "status"]);
    assert_eq!(&service.command[..3], ["eye", "up", "--foreground"]);
    let dockerfile =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compose/Dockerfile")).unwrap();
    let command = dockerfile.lines().find_map(|line| line.strip_prefix("CMD ")).unwrap();
    assert_eq!(serde_json::from_str::<Vec<String>>(command).unwrap(), service.command);

    // The guide shows the same lines.
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/remote.md")).unwrap();
    for shown in [format!("command: {command}"), format!("- \"{}\"", service.ports[0])] {
        assert!(guide.contains(&shown), "{shown}");
    }

    // The same command line without the container; the forwarder replaces the published port.
    let inside = home();
    let flags: Vec<&str> = service.command[3..].iter().map(String::as_str).collect();
    let hub = HubProcess::start_with(&inside, &flags);
    assert_eq!(hub.url(), format!("http://0.0.0.0:{}", inside.port()));
    assert_eq!(inside.eye(["status"]).code, 0);
    let published = Between::blocking(inside.port(), &[], false);
    let port = published.port();
    let client = http(port, "/eye.js", &[&format!("host: localhost:{port}")]);
    assert!(client.starts_with("HTTP/1.1 200"), "{client}");
    let setup = PageSetup { origin: Some("http://localhost:5173".into()), ..PageSetup::new(&inside, "Shop") };
    let _page = ScriptedPage::join_port(port, &setup, stage::table);
    let outside = home();
    let token = inside.eye(["token", "show"]).stdout.trim().to_owned();
    let ask = |token: &str| {
        let mut command = outside.command();
        Running::of(command.arg("document.title").env("EYE_SERVER", published.url()).env("EYE_TOKEN", token)).wait()
    };
    assert_eq!(ask(&token), answers(0, "Shop\n", ""));
    assert_eq!(ask("wrong").code, 4);
    // A name of the container's network is not a name of this machine.
    let refused = http(port, "/health", &["host: eye:8765"]);
    assert!(refused.starts_with("HTTP/1.1 421") && refused.contains("eye up --host eye"), "{refused}");
}

#[test]
fn listening_elsewhere_and_names_are_refused_without_need() {
    let home = home();
    let up = |flags: &[&str]| {
        let ran = Running::of(home.command().args(["up", "--foreground"]).args(flags)).wait();
        (ran.code, ran.stderr)
    };
    let (code, output) = up(&["--listen", "0.0.0.0"]);
    assert_eq!(code, 2);
    assert_eq!(
        output,
        format!(
            "error: listening on 0.0.0.0:{}, beyond loopback, needs TLS: `--tls` or `--tls-cert` and `--tls-key`, or `--published` where a container publishes the port to loopback only\n",
            home.port()
        )
    );
    let (code, output) = up(&["--listen", "0.0.0.0", "--published", "--auth", "none"]);
    assert_eq!(code, 2);
    assert!(output.ends_with("beyond loopback, needs a token: leave out `--auth none`\n"), "{output}");
    let (code, output) = up(&["--published"]);
    assert_eq!(code, 2);
    assert!(output.contains("--listen <ADDR>"), "{output}");
    let (code, output) = up(&["--published", "--listen", "127.0.0.1"]);
    assert_eq!(code, 2);
    let want = "error: --published is for a port beyond loopback, and 127.0.0.1 is not\nhint: leave --published out, or write --listen 0.0.0.0 in a container\n";
    assert_eq!(output, want);
    for (name, part) in [
        ("localhost", "pages and agents may always use it; leave it out"),
        ("127.0.0.1", "pages and agents may always use it; leave it out"),
        ("http://box.local", "write the bare name, without scheme, port or path, such as box.local"),
        ("box.local:8765", "write the bare name, without scheme, port or path, such as box.local"),
        ("*", "write the bare name, without scheme, port or path, such as box.local"),
    ] {
        let (code, output) = up(&["--host", name]);
        assert_eq!(code, 2, "{name}");
        assert!(output.contains(part), "{name}: {output}");
    }
}

#[test]
fn a_further_name_is_answered_to_once_it_is_given() {
    let home = home();
    let hub = HubProcess::start(&home);
    let refused = http(home.port(), "/eye.js", &["host: box.local:8765"]);
    assert!(refused.starts_with("HTTP/1.1 421"), "{refused}");
    assert!(refused.contains("this hub does not answer to the host `box.local`"), "{refused}");
    assert!(refused.contains("use localhost, or start the hub with `eye up --host box.local`"), "{refused}");
    drop(hub);
    let _hub = HubProcess::start_with(&home, &["--host", "Box.local"]);
    assert!(http(home.port(), "/eye.js", &["host: box.local:8765"]).starts_with("HTTP/1.1 200"));
    assert!(http(home.port(), "/eye.js", &["host: sub.box.local"]).starts_with("HTTP/1.1 421"));
}

#[test]
fn a_forwarded_port_of_another_number_is_as_good() {
    let there = home();
    let _hub = HubProcess::start(&there);
    // As ssh -R and ssh -L do: a port of this machine is forwarded, with a Host of this side.
    let tunnel = Between::blocking(there.port(), &[], false);
    assert_ne!(tunnel.port(), there.port());
    let client = http(tunnel.port(), "/eye.js", &[&format!("host: localhost:{}", tunnel.port())]);
    assert!(client.starts_with("HTTP/1.1 200"), "{client}");
    let origin = format!("http://localhost:{}", tunnel.port());
    let setup = PageSetup { origin: Some(origin.clone()), ..PageSetup::new(&there, "Shop") };
    let _page = ScriptedPage::join_port(tunnel.port(), &setup, stage::table);
    assert_eq!(there.eye(["document.title"]), answers(0, "Shop\n", ""));
    assert_eq!(remote(&there, &tunnel.url(), &["document.title"]), answers(0, "Shop\n", ""));
}

#[test]
fn behind_a_proxy_the_host_that_arrives_counts_and_what_is_forwarded_does_not() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let port = home.port();
    let status = |path: &str, headers: &[&str]| http(port, path, headers).split(' ').nth(1).unwrap().to_owned();
    // A dev server on this machine forwards its own Host, or sends the hub's.
    assert_eq!(status("/eye.js", &["host: localhost:5173"]), "200");
    assert_eq!(status("/eye.js", &[&format!("host: localhost:{port}")]), "200");
    // A server with another name must send the hub's Host, or the hub must know the name.
    assert_eq!(status("/eye.js", &["host: box.local:5173"]), "421");
    let forged = [
        "x-forwarded-host: localhost",
        "x-forwarded-proto: https",
        "x-forwarded-for: 127.0.0.1",
        "x-real-ip: 127.0.0.1",
        "forwarded: host=localhost;for=127.0.0.1",
        "x-original-host: localhost",
    ];
    for header in forged {
        assert_eq!(status("/eye.js", &["host: box.local:5173", header]), "421", "{header}");
        assert_eq!(status("/sessions", &["host: localhost", header]), "401", "{header}");
    }
    // Nor do they restrict anything.
    assert_eq!(status("/eye.js", &["host: localhost", "x-forwarded-host: evil.test"]), "200");
    let why = |origin: &str| http(port, "/why", &["host: localhost:8765", origin, "x-forwarded-host: localhost"]);
    assert!(why("origin: http://localhost:5173").contains("\"allowed\":true"));
    let refused = why("origin: http://box.local:5173");
    assert!(refused.contains("\"allowed\":false") && refused.contains("eye allow http://box.local:5173"), "{refused}");
}
