//! Admission over real HTTP: hosts, origins, tokens, TLS, the original's texts.

use crate::stage;
use crate::stage::{Hub, ORIGIN, certificate};
use eye_hub::origins::Allowed;
use eye_hub::{Auth, HubError, Tls};
use eye_testkit::inside::{TOKEN, config};
use std::sync::Arc;
use tungstenite::Message;

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status")
}

#[test]
fn only_its_own_names_are_answered_to() {
    let hub = Hub::start();
    for (host, want) in [("localhost", 200), ("127.0.0.1:1", 200), ("evil.test", 421), ("localhost.evil.test", 421)] {
        assert_eq!(status(&hub.http("/health", &format!("host: {host}\r\n"))), want, "{host}");
        let page = hub.connect("/ws?clientType=browser", &[("host", host), ("origin", ORIGIN)]);
        assert_eq!(page.is_ok(), want == 200, "{host}");
    }
    assert_eq!(status(&hub.http("/health", "")), 421, "no host at all");
}

#[test]
fn pages_come_from_loopback_and_agents_have_the_token() {
    let hub = Hub::start();
    let bearer = format!("Bearer {TOKEN}");
    let protocol = format!("eye, bearer.{TOKEN}");
    for (path, headers, want) in [
        ("/ws?clientType=browser", vec![("origin", ORIGIN)], 101),
        ("/ws?clientType=browser", vec![("origin", "https://evil.test")], 403),
        ("/ws?clientType=browser", vec![("origin", "null")], 403),
        ("/ws?clientType=browser", vec![("origin", "http://localhost.evil.test")], 403),
        ("/ws?clientType=browser", vec![], 401),
        ("/ws?clientType=browser", vec![("authorization", bearer.as_str())], 101),
        ("/ws?clientType=agent", vec![], 401),
        ("/ws?clientType=agent", vec![("origin", ORIGIN)], 401),
        ("/ws?clientType=agent", vec![("authorization", "Bearer wrong")], 401),
        ("/ws?clientType=agent", vec![("authorization", bearer.as_str())], 101),
        ("/ws?clientType=agent", vec![("sec-websocket-protocol", protocol.as_str())], 101),
        ("//ws?clientType=agent", vec![("authorization", bearer.as_str())], 101),
        ("/api/mcp/stream", vec![("authorization", bearer.as_str())], 101),
    ] {
        let got = hub.connect(path, &headers).map_or_else(|status| status, |_| 101);
        assert_eq!(got, want, "{path} {headers:?}");
    }
}

#[test]
fn a_bad_query_is_closed_with_the_reason() {
    let hub = Hub::start();
    let bearer = format!("Bearer {TOKEN}");
    for path in ["/ws?clientType=robot", "/ws?clientType=agent&version=2.0.0", "/ws?clientType=agent&sessionId=a%20b"] {
        let socket = hub.connect(path, &[("authorization", bearer.as_str())]).unwrap();
        assert_eq!(stage::Page(socket).closed().0, 4000, "{path}");
    }
}

#[test]
fn the_originals_stream_stays_open_and_answers_any_number_of_requests() {
    let hub = Hub::start();
    let mut page = hub.page("s1");
    let bearer = format!("Bearer {TOKEN}");
    let mut stream =
        stage::Page(hub.connect("/api/mcp/stream", &[("authorization", bearer.as_str())]).expect("a stream"));
    for sent in ["a", "b", "c"] {
        stream.send(&format!("{sent}:document.title"));
        let call = page.receive();
        let id = call.strip_suffix(":document.title").expect("the code as it was sent");
        page.send(&format!("{id}:Shop"));
        assert_eq!(stream.receive(), format!("{sent}:Shop"));
    }
}

#[test]
fn sessions_are_for_agents_and_health_is_for_everybody() {
    let hub = Hub::start();
    let _page = hub.page("shop");
    let host = "host: localhost\r\n";
    assert_eq!(status(&hub.http("/sessions", host)), 401);
    assert_eq!(status(&hub.http("/sessions", &format!("{host}origin: {ORIGIN}\r\n"))), 401);
    let answer = hub.http("/sessions", &format!("{host}authorization: Bearer {TOKEN}\r\n"));
    assert!(answer.contains("\"id\":\"shop\""), "{answer}");
    assert!(hub.http("/health", host).contains("\"status\":\"ok\""));
    assert_eq!(status(&hub.http("/nothing", host)), 404);
}

#[test]
fn the_client_can_be_loaded_from_anywhere_and_says_why_it_was_refused() {
    let hub = Hub::start();
    let host = "host: localhost\r\n";
    let client = hub.http("/eye.js", &format!("{host}origin: https://evil.test\r\n"));
    assert!(client.contains("cross-origin-resource-policy: cross-origin"));
    let why = hub.http("/why", &format!("{host}origin: https://shop.test\r\n"));
    assert!(why.contains("\"allowed\":false") && why.contains("eye allow https://shop.test"), "{why}");
    assert!(why.contains("access-control-allow-origin: *"));
    assert!(hub.http("/why", &format!("{host}origin: {ORIGIN}\r\n")).contains("\"allowed\":true"));
    assert!(hub.http("/", host).contains("<title>eye</title>"));
}

#[test]
fn an_allowed_origin_joins_at_once_and_its_policy_holds() {
    let hub = Hub::start_with(|config| {
        std::fs::write(&config.origins_file, "https://shop.test\nhttps://bank.test eval=no\n").unwrap();
    });
    for (origin, answer) in [("https://shop.test", None), ("https://bank.test", Some("may not be evaluated"))] {
        let mut page = hub.page_silent("shop", origin);
        page.send(r#"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"typed":true}}"#);
        page.receive();
        let mut agent = hub.agent();
        agent.send("a:x");
        match answer {
            None => {
                assert_eq!(page.receive(), "1:x");
                page.send("1=1");
                assert_eq!(agent.receive().unwrap(), "a:1");
            }
            Some(words) => assert!(agent.receive().unwrap().contains(words)),
        }
        drop(page);
        agent.wait_for_pages(0);
        // The session is away for a moment; a page of another origin may take it only once it is gone.
        while agent.ask(r#"{"jsonrpc":"2.0","id":1,"method":"session/list"}"#).contains("\"state\":\"away\"") {}
    }
}

#[test]
fn without_a_token_only_loopback_is_let_in() {
    let hub = Hub::start_with(|config| config.auth = Auth::None);
    assert!(hub.connect("/ws?clientType=agent", &[]).is_ok());
    assert!(hub.connect("/ws?clientType=agent", &[("origin", ORIGIN)]).is_ok());
    assert_eq!(hub.connect("/ws?clientType=agent", &[("origin", "https://evil.test")]).err(), Some(403));
}

#[test]
fn beyond_loopback_needs_tls_and_a_token() {
    let home = tempfile::tempdir().unwrap();
    let refused = |change: &dyn Fn(&mut eye_hub::Config)| {
        let mut config = config(home.path());
        config.listen = "0.0.0.0:0".parse().unwrap();
        change(&mut config);
        matches!(eye_hub::run(config, |_| panic!("it must not listen")), Err(HubError::Exposed { .. }))
    };
    assert!(refused(&|_| {}));
    assert!(refused(&|config| {
        config.auth = Auth::None;
        config.published = true;
    }));
    let (tls, _) = certificate(home.path());
    assert!(refused(&move |config| {
        config.auth = Auth::None;
        config.tls = Some(tls.clone());
    }));
}

#[test]
fn a_taken_port_names_its_holder() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let home = tempfile::tempdir().unwrap();
    let mut config = config(home.path());
    config.listen = listener.local_addr().unwrap();
    match eye_hub::run(config, |_| {}) {
        Err(HubError::PortTaken { holder, .. }) => assert!(holder.contains("process"), "{holder}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn https_and_wss_work_with_a_certificate() {
    let home = tempfile::tempdir().unwrap();
    let (tls, der) = certificate(home.path());
    let hub = Hub::start_with(|config| config.tls = Some(tls));
    let mut roots = rustls::RootCertStore::empty();
    roots.add(rustls_pki_types::CertificateDer::from(der)).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let client = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = rustls_pki_types::ServerName::try_from("localhost").unwrap();
    let connection = rustls::ClientConnection::new(Arc::new(client), name).unwrap();
    let stream = rustls::StreamOwned::new(connection, hub.tcp());
    let mut request =
        tungstenite::client::IntoClientRequest::into_client_request("wss://localhost/ws?clientType=agent").unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {TOKEN}").parse().unwrap());
    request.headers_mut().insert("sec-websocket-protocol", "eye".parse().unwrap());
    let (mut socket, _) = tungstenite::client(request, stream).map_err(|error| error.to_string()).unwrap();
    socket.send(Message::text(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)).unwrap();
    assert!(socket.read().unwrap().to_text().unwrap().contains("pong"));
}

#[test]
fn a_certificate_that_cannot_be_used_is_an_error_that_names_it() {
    let home = tempfile::tempdir().unwrap();
    let cert = home.path().join("cert.pem");
    std::fs::write(&cert, "junk").unwrap();
    let mut config = config(home.path());
    config.tls = Some(Tls { cert: cert.clone(), key: cert });
    match eye_hub::run(config, |_| {}) {
        Err(HubError::Tls(why)) => assert!(why.contains("cert.pem"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_originals_agents_and_pages_work_unchanged() {
    let hub = Hub::start();
    let path = |end: &str, token: &str| format!("/api/{end}?token={token}");
    let host = "host: localhost\r\n";
    assert!(hub.http("/api/eye", host).ends_with("Token required"));
    assert!(hub.http(&path("eye", "wrong"), host).ends_with("Invalid token"));

    let mut lonely = stage::Page(hub.connect(&path("eye", TOKEN), &[]).unwrap());
    assert_eq!(lonely.receive(), "!:No browser connected");
    assert_eq!(lonely.closed().0, 1000);

    let os = [("origin", "https://os.test")];
    assert_eq!(hub.connect(&path("eye-bridge", TOKEN), &os).err(), Some(403));
    hub.origins().allow(Allowed::new("https://os.test")).unwrap();
    assert_eq!(hub.connect("/api/eye-bridge", &os).err(), Some(401), "the token is needed beside the origin");
    let mut page = stage::Page(hub.connect(&path("eye-bridge", TOKEN), &os).unwrap());
    assert_eq!(page.receive(), "EYE_BRIDGE:ready");
    page.send("ping");
    assert_eq!(page.receive(), "pong");
    let mut agent = stage::Page(hub.connect(&path("eye", TOKEN), &[]).unwrap());
    assert_eq!(agent.receive(), ":ready");
    agent.send("a:getUser()");
    assert_eq!(page.receive(), "EYE_CMD:1:getUser()");
    page.send("EYE:1:\"root\"");
    assert_eq!(agent.receive(), "a:\"root\"");
    agent.send("openNotepad()");
    assert_eq!(page.receive(), "EYE_CMD::openNotepad()");
    page.send("EYE::undefined");
    agent.send("b:nope");
    assert_eq!(page.receive(), "EYE_CMD:2:nope");
    page.send("EYE:2!:nope is not defined");
    assert_eq!(agent.receive(), "b!:nope is not defined");

    // The agent keeps the page that it was greeted with, and learns in the original's words that this page has left for
    // good.
    let mut newer = stage::Page(hub.connect(&path("eye-bridge", TOKEN), &os).unwrap());
    assert_eq!(newer.receive(), "EYE_BRIDGE:ready");
    agent.send("c:who()");
    let sent = page.receive();
    assert!(sent.ends_with(":who()"), "{sent}");
    page.send(&sent.replace("EYE_CMD", "EYE").replace("who()", "\"first\""));
    assert_eq!(agent.receive(), "c:\"first\"");
    drop(page);
    let message = (0..5).map(|_| {
        agent.send("d:who()");
        agent.receive()
    });
    let message: Vec<String> = message.take_while(|message| message != "d!:No browser connected").collect();
    assert!(message.len() < 5, "{message:?}");
    let mut next = stage::Page(hub.connect(&path("eye", TOKEN), &[]).unwrap());
    assert_eq!(next.receive(), ":ready");
    next.send("e:who()");
    assert!(newer.receive().ends_with(":who()"));
}

#[test]
fn a_reloaded_original_page_keeps_its_session_and_its_agent() {
    let hub = Hub::start();
    let path = |end: &str| format!("/api/{end}?token={TOKEN}");
    let open = || {
        let mut page = stage::Page(hub.connect(&path("eye-bridge"), &[("origin", ORIGIN)]).unwrap());
        assert_eq!(page.receive(), "EYE_BRIDGE:ready");
        page
    };
    let mut page = open();
    let mut local = hub.agent();
    local.wait_for_pages(1);
    let mut agent = stage::Page(hub.connect(&path("eye"), &[]).unwrap());
    assert_eq!(agent.receive(), ":ready");
    // Requests in the compact forms are answered in the same form.
    agent.send(r#"{"i":1,"c":"getUser()"}"#);
    assert_eq!(page.receive(), "EYE_CMD:1:getUser()");
    page.send("EYE:1:\"root\"");
    assert_eq!(agent.receive(), r#"{"i":1,"r":"root"}"#);
    // Another page connects; the agent keeps the page that it was greeted with.
    let mut other = hub.page("other");
    agent.send("b:x");
    assert!(page.receive().ends_with(":x"));
    // After a reload the page has its session again, and the agent continues.
    drop(page);
    local.wait_for_pages(1);
    let mut page = open();
    agent.send("c:y");
    let sent = page.receive();
    assert!(sent.ends_with(":y"), "{sent}");
    let id = sent.trim_start_matches("EYE_CMD:").split(':').next().unwrap();
    page.send(&format!("EYE:{id}:2"));
    while agent.receive() != "c:2" {}
    let listed = local.ask(r#"{"jsonrpc":"2.0","id":1,"method":"session/list"}"#);
    assert_eq!(listed.matches("eye-bridge").count(), 1, "{listed}");
    // The other page received none of this.
    local.send(r#"{"jsonrpc":"2.0","id":2,"method":"eval","params":{"code":"last","page":"other"}}"#);
    assert!(other.receive().ends_with(":last"));
}

#[test]
fn an_origins_policy_holds_at_the_originals_door() {
    for auth in [Auth::None, Auth::Token(eye_hub::Token::new(TOKEN))] {
        let hub = Hub::start_with(|config| config.auth = auth);
        hub.origins().allow(Allowed { eval: false, ..Allowed::new("https://bank.test") }).unwrap();
        let path = format!("/api/eye-bridge?token={TOKEN}");
        let mut page = stage::Page(hub.connect(&path, &[("origin", "https://bank.test")]).unwrap());
        assert_eq!(page.receive(), "EYE_BRIDGE:ready");
        let mut agent = hub.agent();
        agent.wait_for_pages(1);
        let refused = agent.ask("a:document.cookie");
        assert!(refused.starts_with("a!:") && refused.contains("eval"), "{refused}");
    }
}

#[test]
fn a_web_site_gets_nowhere_in_any_mode() {
    let bearer = format!("Bearer {TOKEN}");
    for auth in [Auth::None, Auth::Token(eye_hub::Token::new(TOKEN))] {
        let hub = Hub::start_with(|config| config.auth = auth.clone());
        for origin in ["https://evil.test", "null", "http://localhost.evil.test"] {
            for path in ["/api/eye", "/api/eye-bridge", "/ws", "/ws?clientType=agent", "/ws?clientType=browser", "/"] {
                for token in ["x", TOKEN] {
                    let path = format!("{path}{}token={token}", if path.contains('?') { '&' } else { '?' });
                    let headers = [("origin", origin), ("authorization", bearer.as_str())];
                    for headers in [&headers[..1], &headers[..]] {
                        assert_eq!(hub.connect(&path, headers).err(), Some(403), "{auth:?} {path} {headers:?}");
                    }
                }
            }
            for path in ["/events?sessionId=a&token=x", "/agent?token=x", "/sessions", "/metrics"] {
                let headers = format!("host: localhost\r\norigin: {origin}\r\n");
                let answer = hub.http(path, &headers);
                assert_eq!(status(&answer), 403, "{auth:?} {path}");
                assert!(!answer.contains("access-control-allow-origin"), "{answer}");
            }
        }
    }
}

#[test]
fn apps_are_served_by_their_folder() {
    let hub = Hub::start();
    let host = "host: localhost\r\n";
    assert!(hub.http("/apps/scene", host).contains("location: /apps/scene/\r\n"));
    assert!(hub.http("/apps/scene/", host).contains("text/html; charset=utf-8"));
    assert!(hub.http("/apps/nothing/", host).starts_with("HTTP/1.1 404"));
    assert!(hub.http("/apps/../Cargo.toml", host).starts_with("HTTP/1.1 404"));
    assert!(hub.http("/apps/scene/", "host: evil.test\r\n").starts_with("HTTP/1.1 421"));
    // A tab is redirected to the host name under which the app is one of eye's own pages; other requests are not.
    let moved = hub.http("/apps/scene/?a=1", "host: 127.0.0.1:9\r\nsec-fetch-dest: document\r\n");
    assert!(
        moved.starts_with("HTTP/1.1 307") && moved.contains("location: //localhost:9/apps/scene/?a=1\r\n"),
        "{moved}"
    );
    assert!(hub.http("/apps/scene/", "host: 127.0.0.1:9\r\n").starts_with("HTTP/1.1 200"));
    assert!(hub.http("/apps/scene/", "host: localhost\r\nsec-fetch-dest: document\r\n").starts_with("HTTP/1.1 200"));
}
