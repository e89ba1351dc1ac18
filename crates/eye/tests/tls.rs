//! HTTPS and wss: the certificate of this machine, a hub that speaks both on one port, and commands that trust it.

use crate::stage;
use crate::stage::{answers, home, page};
use eye_client::{Address, Agent, Error, Page, Trust};
use eye_testkit::{DEADLINE, Home, HubProcess, Running};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpStream, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use tungstenite::client::IntoClientRequest;

fn made(home: &Home, args: &[&str]) -> Value {
    let ran = Running::of(home.command().args(["tls", "--json"]).args(args)).wait();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

fn tcp(home: &Home) -> TcpStream {
    let tcp = TcpStream::connect(("127.0.0.1", home.port())).unwrap();
    tcp.set_read_timeout(Some(DEADLINE)).unwrap();
    tcp
}

/// A connection that trusts only one authority.
fn encrypted(home: &Home, authority: &Path) -> StreamOwned<ClientConnection, TcpStream> {
    over_tls(tcp(home), authority)
}

fn over_tls(tcp: TcpStream, authority: &Path) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    StreamOwned::new(ClientConnection::new(Arc::new(config), name).unwrap(), tcp)
}

fn get(stream: &mut (impl Read + Write), path: &str) -> String {
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    // A peer that ends without a TLS close has still sent everything.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn a_certificate_is_made_with_what_to_do_about_it() {
    let home = home();
    let ran = home.eye(["tls"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let authority = home.path("config/eye/tls/ca.pem");
    assert!(ran.stdout.starts_with("made a certificate for localhost, 127.0.0.1, ::1, until 20"), "{}", ran.stdout);
    for part in ["\nUse it:  eye up --tls\n", "certutil -d sql:", "security add-trusted-cert", "Firefox", "SHA-256    "]
    {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(ran.stdout.contains(authority.to_str().unwrap()), "{}", ran.stdout);
    let key = home.path("config/eye/tls/key.pem");
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(home.eye(["tls"]).stdout.starts_with("there is a certificate for"));
    let renewed = home.eye(["tls", "--renew"]).stdout;
    assert!(renewed.starts_with("renewed the certificate for") && renewed.contains("need nothing"), "{renewed}");
}

#[test]
fn names_are_added_and_what_is_none_is_refused() {
    let home = home();
    let first = made(&home, &[]);
    let second = made(&home, &["--name", "box.local"]);
    assert_eq!(second["done"], "made");
    assert_ne!(first["fingerprint"], second["fingerprint"]);
    assert_eq!(second["names"][3], "box.local");
    assert_eq!(made(&home, &["--name", "box.local"])["done"], "kept");
    assert_eq!(made(&home, &["--new"])["names"].as_array().unwrap().len(), 3);
    let ran = home.eye(["tls", "--name", "http://box.local"]);
    let expected = "error: `http://box.local` is no host name or address\nhint: write it as box.local or 192.168.1.5\n";
    assert_eq!(ran, answers(2, "", expected));
}

#[test]
fn without_a_certificate_tls_is_refused_and_says_how_to_get_one() {
    let home = home();
    let expected =
        "there is no certificate yet\nhint: make one with eye tls, or name your own with --tls-cert and --tls-key\n";
    assert_eq!(home.eye(["up", "--foreground", "--tls"]), answers(2, "", &format!("error: {expected}")));
    assert_eq!(home.eye(["up", "--tls"]), answers(2, "", &format!("error: the hub did not start: {expected}")));
    made(&home, &[]);
    let expected = "error: the certificate is not for box.local\nhint: eye tls --name box.local\n";
    assert_eq!(home.eye(["up", "--foreground", "--tls", "--host", "box.local"]), answers(2, "", expected));
    made(&home, &["--name", "box.local"]);
    let hub = HubProcess::start_with(&home, &["--tls", "--host", "box.local"]);
    assert!(hub.url().starts_with("https://"));
}

#[test]
fn certificates_that_cannot_be_used_name_the_file_and_the_way_out() {
    let home = home();
    made(&home, &[]);
    let (cert, key) = (home.path("config/eye/tls/cert.pem"), home.path("config/eye/tls/key.pem"));
    let other = home.path("config/eye/tls/ca-key.pem");
    let junk = home.path("junk.pem");
    fs::write(&junk, "junk").unwrap();
    let absent = home.path("absent.pem");
    for (cert, key, why) in [
        (&cert, &other, format!("TLS: {}: is not the key of that certificate", other.display())),
        (&absent, &key, format!("TLS: {}: there is no such file", absent.display())),
        (&junk, &key, format!("TLS: {}: holds no certificate", junk.display())),
        (&cert, &junk, format!("TLS: {}: holds no PEM of that kind", junk.display())),
    ] {
        let ran =
            home.eye(["up", "--foreground", "--tls-cert", cert.to_str().unwrap(), "--tls-key", key.to_str().unwrap()]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(
            ran.stderr.starts_with(&format!("error: {why}\nhint: --tls-cert and --tls-key take two")),
            "{}",
            ran.stderr
        );
    }
    fs::write(&cert, "junk").unwrap();
    let ran = home.eye(["up", "--foreground", "--tls"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.ends_with("holds no certificate\nhint: begin anew with eye tls --new\n"), "{}", ran.stderr);
}

#[test]
fn one_port_speaks_http_and_https_and_pages_join_over_both() {
    let home = home();
    let made = made(&home, &[]);
    let hub = HubProcess::start_with(&home, &["--tls"]);
    assert_eq!(hub.url(), format!("https://127.0.0.1:{}", home.port()));
    let authority = Path::new(made["authority"].as_str().unwrap()).to_owned();
    assert!(get(&mut encrypted(&home, &authority), "/health").contains("\"status\":\"ok\""));
    assert!(get(&mut tcp(&home), "/health").contains("\"status\":\"ok\""));
    // A page over ws, and one over wss.
    let _plain = page(&home);
    let mut request = "wss://localhost/ws?clientType=browser&sessionId=secure".into_client_request().unwrap();
    request.headers_mut().insert("origin", "https://localhost:5173".parse().unwrap());
    request.headers_mut().insert("sec-websocket-protocol", "eye".parse().unwrap());
    let (mut socket, _) =
        tungstenite::client(request, encrypted(&home, &authority)).map_err(|e| e.to_string()).unwrap();
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"page":{"title":"Secure","url":"https://localhost:5173/"}}}"#;
    socket.send(tungstenite::Message::text(hello)).unwrap();
    assert!(socket.read().unwrap().to_text().unwrap().contains("sessionId"));
    let listed = home.eye(["pages"]).stdout;
    assert!(listed.contains("Secure") && listed.contains("Shop"), "{listed}");
    assert!(home.eye(["join", "tag"]).stdout.contains(&format!("src=\"https://localhost:{}/eye.js\"", home.port())));
    let ran = home.eye(["up", "--tls"]);
    assert_eq!(ran.stdout.split(' ').next(), Some("running"), "{}", ran.stderr);
    // A page opened here needs no certificate.
    fs::write(home.path("work/page.html"), "<title>Served</title>").unwrap();
    let served = home.eye([
        "rpc",
        &format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"hub/serve","params":{{"path":"{}"}}}}"#,
            home.path("work/page.html").display()
        ),
    ]);
    assert!(served.stdout.contains(&format!("http://127.0.0.1:{}/open/", home.port())), "{}", served.stdout);
}

#[test]
fn commands_and_the_relay_trust_this_machines_authority() {
    let (home, other) = (home(), home());
    made(&home, &[]);
    let hub = HubProcess::start_with(&home, &["--tls"]);
    let _page = page(&home);
    let server = format!("wss://localhost:{}", home.port());
    let elsewhere = |args: &[&str]| {
        let mut command = home.command();
        // Another port too: a hub of this user at the usual one would be found through the kernel, and be the local
        // hub.
        command.args(args).env("XDG_RUNTIME_DIR", home.path("elsewhere")).env("EYE_PORT", other.port().to_string());
        command
    };
    let token = home.eye(["token", "show"]).stdout.trim().to_owned();
    let ran = Running::of(elsewhere(&["document.title"]).env("EYE_SERVER", &server).env("EYE_TOKEN", &token)).wait();
    assert_eq!(ran, answers(0, "Shop\n", ""));
    let ran = Running::of(elsewhere(&["connect", &server]).env("EYE_TOKEN", &token)).wait();
    assert_eq!(ran, answers(0, &format!("connected to https://localhost:{} by WebSocket\n", home.port()), ""));
    assert_eq!(Running::of(&mut elsewhere(&["document.title"])).wait(), answers(0, "Shop\n", ""));
    assert_eq!(Running::of(&mut elsewhere(&["disconnect"])).wait().code, 0);
    // Another user of this machine does not trust it.
    let stranger = stage::home();
    let ran = Running::of(stranger.command().arg("1").env("EYE_SERVER", &server)).wait();
    assert_eq!(ran.code, 3);
    assert!(ran.stderr.contains("certificate"), "{}", ran.stderr);
    drop(hub);
}

#[test]
fn a_rust_client_asks_over_tls_from_many_threads_while_its_answers_come() {
    let home = home();
    let authority = made(&home, &[])["authority"].as_str().unwrap().to_owned();
    let _hub = HubProcess::start_with(&home, &["--tls"]);
    let url = format!("wss://localhost:{}", home.port());
    let token = home.eye(["token", "show"]).stdout.trim().to_owned();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority).unwrap()).unwrap();
    let trusted = Address::server(&url, &token).trusting(Trust::new(roots).unwrap());
    let page = Page::builder().tool(json!({ "name": "echo" }), |call| Ok(call.arguments().clone()));
    let _page = page.connect(&trusted).unwrap();
    let agent = Agent::connect(&trusted).unwrap();
    let threads: Vec<_> = (0..8)
        .map(|n| {
            let agent = agent.clone();
            std::thread::spawn(move || {
                // Larger than one TLS record and than rustls's buffer, in both directions.
                let text = format!("{n}").repeat(200_000);
                let result = agent.call("echo", &json!({ "text": text })).unwrap();
                assert!(result.to_string().contains(&text), "the answer of thread {n}");
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    // A program that does not trust this authority does not connect, so its token is not sent.
    let refused = Agent::connect(&Address::server(&url, &token).trusting(Trust::new(RootCertStore::empty()).unwrap()));
    assert!(matches!(refused, Err(Error::Unreachable { .. })), "{refused:?}");
}

#[test]
fn a_hub_that_runs_takes_a_renewed_certificate_and_keeps_a_good_one() {
    let home = home();
    let made = made(&home, &[]);
    let _hub = HubProcess::start_with(&home, &["--tls"]);
    let authority = Path::new(made["authority"].as_str().unwrap()).to_owned();
    let cert = Path::new(made["cert"].as_str().unwrap()).to_owned();
    let shown = || {
        let mut stream = encrypted(&home, &authority);
        assert!(get(&mut stream, "/health").contains("ok"));
        stream.conn.peer_certificates().unwrap()[0].to_vec()
    };
    let first = shown();
    assert_eq!(first, CertificateDer::from_pem_file(&cert).unwrap().to_vec());
    assert_eq!(home.eye(["tls", "--renew"]).code, 0);
    let second = shown();
    assert_ne!(first, second);
    assert_eq!(second, CertificateDer::from_pem_file(&cert).unwrap().to_vec());
    fs::write(&cert, "junk").unwrap();
    assert_eq!(shown(), second);
}

/// An address of this machine for other machines; `None` without a network. Nothing is sent.
fn address_of_this_machine() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("198.51.100.1:9").ok()?;
    socket.local_addr().ok().map(|here| here.ip()).filter(|ip| !ip.is_loopback() && !ip.is_unspecified())
}

#[test]
fn a_forged_origin_from_beyond_loopback_is_no_page_and_no_agent() {
    let Some(address) = address_of_this_machine() else { return };
    let home = home();
    let port = home.port();
    let authority = made(&home, &["--name", &address.to_string()])["authority"].as_str().unwrap().to_owned();
    let _hub = HubProcess::start_with(&home, &["--tls", "--listen", "0.0.0.0", "--host", &address.to_string()]);
    let shop = home.eye(["token", "new", "shop", "--may", "join", "--origin", "http://localhost"]).stdout;
    // The request of a program that pretends to be a page of this machine; what follows is not a WebSocket, so the hub
    // ends it.
    let knock = |ip: IpAddr, path: &str, host: &str| {
        let tcp = TcpStream::connect((ip, port)).unwrap();
        tcp.set_read_timeout(Some(DEADLINE)).unwrap();
        let mut stream = over_tls(tcp, Path::new(&authority));
        let upgrade =
            "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-fetch-site: same-origin";
        let key =
            "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\norigin: http://localhost\r\nx-forwarded-for: 127.0.0.1";
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {host}\r\n{upgrade}\r\n{key}\r\n\r\n").unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        String::from_utf8_lossy(&head).split(' ').nth(1).and_then(|code| code.parse::<u16>().ok()).unwrap()
    };
    let paths = [
        "/ws",
        "/ws?clientType=browser&version=1.0.0",
        "/ws?clientType=agent",
        "/events?sessionId=a&clientType=browser",
    ];
    let originals = ["/api/eye?token=x", "/api/eye-bridge?token=x", "/cartridges", "/evolution"];
    for host in ["localhost".to_owned(), format!("localhost:{port}"), address.to_string()] {
        for path in paths.iter().chain(&originals) {
            let code = knock(address, path, &host);
            assert!(matches!(code, 401 | 403 | 404), "{path} at {host}: {code}");
        }
        let joined = format!("/ws?clientType=browser&token={}", shop.trim());
        assert_eq!(knock(address, &joined, &host), 101, "a page with a token of its origin joins");
    }
    assert_eq!(
        knock(Ipv4Addr::LOCALHOST.into(), "/ws", "localhost"),
        101,
        "on the machine itself the origin is enough"
    );
}
