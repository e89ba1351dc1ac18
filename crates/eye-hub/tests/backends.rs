//! The endpoints of the backends over real sockets: admission, and text in both directions within bounds.

use crate::stage;
use crate::stage::{Hub, ORIGIN, Page};
use eye_hub::guests::Computing;
use eye_hub::guests::backends::{Backends, Given, Incoming, Outgoing, Room};
use eye_hub::origins::Allowed;
use eye_hub::{Auth, Config, Later, Links};
use eye_protocol::limits::{BACKEND_MESSAGE_BYTES_MAX, BACKEND_SOCKETS_MAX};
use eye_testkit::inside::TOKEN;
use std::io::Write;
use std::sync::Arc;
use tungstenite::Message;

/// Echoes every message; `flood` fills the outgoing queue, `bye` ends the conversation.
#[derive(Debug)]
struct Echo;

impl Backends for Echo {
    fn begin(&self, _links: Links) {}

    fn talk(&self, room: Room, origin: Option<String>, mut incoming: Incoming, outgoing: Outgoing) -> Later<()> {
        Box::pin(async move {
            while let Some(text) = incoming.recv().await {
                match text.as_str() {
                    "bye" => return,
                    "room" => outgoing.send(format!("{room:?}")).await.unwrap(),
                    "origin" => outgoing.send(format!("{origin:?}")).await.unwrap(),
                    // As a backend does whose peer does not read: it drops the sender.
                    "flood" => {
                        while outgoing.try_send("x".repeat(1 << 20)).is_ok() {}
                        return;
                    }
                    _ => outgoing.send(text).await.unwrap(),
                }
            }
        })
    }

    fn cartridge(&self, name: String) -> Later<Given> {
        let bytes = format!("cartridge {name}").into_bytes();
        Box::pin(async { Given { status: 200, media_type: "text/plain", lasting: true, bytes } })
    }

    fn metrics(&self) -> String {
        "eye_echo 1\n".into()
    }

    fn shut_down(&self) -> Later<()> {
        Box::pin(async {})
    }
}

fn with_echo(config: &mut Config) {
    config.guests.push(Arc::new(Computing::new(Arc::new(Echo))));
}

fn hub() -> Hub {
    Hub::start_with(with_echo)
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap()
}

fn agent(hub: &Hub, path: &str) -> Page {
    let bearer = format!("Bearer {TOKEN}");
    Page(hub.connect(path, &[("authorization", bearer.as_str())]).unwrap())
}

#[test]
fn sockets_are_for_agents_and_own_pages() {
    let hub = hub();
    let port = hub.listen.port();
    let (own, address) = (format!("localhost:{port}"), format!("127.0.0.1:{port}"));
    let (own_origin, address_origin) = (format!("http://{own}"), format!("http://{address}"));
    let bearer = format!("Bearer {TOKEN}");
    for path in ["/evolution", "/evo", "/agents"] {
        for (headers, want) in [
            (vec![("authorization", bearer.as_str())], 101),
            (vec![("host", own.as_str()), ("origin", own_origin.as_str())], 101),
            (vec![("origin", ORIGIN), ("authorization", bearer.as_str())], 101),
            (vec![], 401),
            (vec![("authorization", "Bearer wrong")], 401),
            (vec![("host", own.as_str()), ("origin", own_origin.as_str()), ("authorization", "Bearer wrong")], 401),
            // A folder that an agent opened, by either name of the hub.
            (vec![("host", address.as_str()), ("origin", address_origin.as_str())], 403),
            (vec![("host", own.as_str()), ("origin", address_origin.as_str())], 403),
            (vec![("host", address.as_str()), ("origin", own_origin.as_str())], 403),
            (vec![("host", own.as_str()), ("origin", ORIGIN)], 403),
            (vec![("host", own.as_str()), ("origin", "https://evil.test")], 403),
            (vec![("host", own.as_str()), ("origin", "null")], 403),
            (vec![("host", "evil.test"), ("origin", "http://evil.test")], 421),
        ] {
            let got = hub.connect(path, &headers).map_or_else(|status| status, |_| 101);
            assert_eq!(got, want, "{path} {headers:?}");
        }
    }
    let bare = hub.http("/evolution", &format!("host: {own}\r\norigin: {own_origin}\r\n"));
    assert_eq!(status(&bare), 400, "a GET that is no WebSocket: {bare}");
}

#[test]
fn an_origin_that_the_user_granted_them_to_uses_them_without_the_token() {
    let hub = hub();
    let host = format!("localhost:{}", hub.listen.port());
    let of_page = [("host", host.as_str()), ("origin", ORIGIN)];
    assert_eq!(hub.connect("/agents", &of_page).err(), Some(403));
    hub.origins().allow(Allowed { backends: true, ..Allowed::new(ORIGIN) }).unwrap();
    let mut page = Page(hub.connect("/agents", &of_page).expect("the grant counts at once"));
    page.send("origin");
    assert_eq!(page.receive(), format!("{:?}", Some(ORIGIN)), "whose page it is");
    let answer = hub.http("/cartridges/a.rts.png", &format!("host: {host}\r\norigin: {ORIGIN}\r\n")).to_lowercase();
    assert!(answer.contains(&format!("access-control-allow-origin: {ORIGIN}\r\n")), "{answer}");
    let other = [("host", host.as_str()), ("origin", "http://localhost:5174")];
    assert_eq!(hub.connect("/agents", &other).err(), Some(403));
    let wrong = [("host", host.as_str()), ("origin", ORIGIN), ("authorization", "Bearer wrong")];
    assert_eq!(hub.connect("/agents", &wrong).err(), Some(401), "a wrong token is never a grant");
}

#[test]
fn cartridges_are_for_agents_and_own_pages() {
    let hub = hub();
    let own = format!("host: localhost:{}\r\n", hub.listen.port());
    let address = format!("host: 127.0.0.1:{}\r\n", hub.listen.port());
    let fetched = "sec-fetch-site: same-origin\r\n";
    for (headers, want) in [
        (format!("{own}{fetched}"), 200),
        (format!("{address}authorization: Bearer {TOKEN}\r\n"), 200),
        (own.clone(), 401),
        (format!("{address}{fetched}"), 401),
        (format!("{own}sec-fetch-site: same-site\r\n"), 401),
        (format!("{own}sec-fetch-site: none\r\n"), 401),
        (format!("{own}{fetched}origin: {ORIGIN}\r\n"), 403),
        (format!("{own}{fetched}origin: https://evil.test\r\n"), 403),
    ] {
        for path in ["/cartridges/", "/cartridges", "/cartridges/a.rts.png"] {
            assert_eq!(status(&hub.http(path, &headers)), want, "{path} {headers}");
        }
    }
    let answer = hub.http("/cartridges/a.rts.png", &format!("{own}{fetched}")).to_lowercase();
    assert!(answer.ends_with("cartridge a.rts.png"), "{answer}");
    assert!(answer.contains("cross-origin-resource-policy: same-origin") && answer.contains("nosniff"), "{answer}");
    assert!(!answer.contains("access-control"), "{answer}");
}

#[test]
fn only_a_hub_that_nobody_else_reaches_knows_own_pages() {
    let published = Hub::start_with(|config| {
        with_echo(config);
        config.listen = "0.0.0.0:0".parse().unwrap();
        config.published = true;
    });
    let fetched = |hub: &Hub| format!("host: localhost:{}\r\nsec-fetch-site: same-origin\r\n", hub.listen.port());
    assert_eq!(status(&published.http("/cartridges/", &fetched(&published))), 200, "published to loopback only");
    let home = tempfile::tempdir().unwrap();
    let (tls, certificate) = stage::certificate(home.path());
    let exposed = Hub::start_with(|config| {
        with_echo(config);
        config.listen = "0.0.0.0:0".parse().unwrap();
        config.tls = Some(tls);
    });
    let answer = exposed.https("/cartridges/", &fetched(&exposed), certificate.clone());
    assert_eq!(status(&answer), 401, "{answer}");
    let bearer = format!("{}authorization: Bearer {TOKEN}\r\n", fetched(&exposed));
    assert_eq!(status(&exposed.https("/cartridges/", &bearer, certificate)), 200);
}

#[test]
fn without_auth_loopback_may_all_and_others_nothing() {
    let hub = Hub::start_with(|config| {
        with_echo(config);
        config.auth = Auth::None;
    });
    assert!(hub.connect("/evolution", &[]).is_ok());
    assert!(hub.connect("/evolution", &[("origin", ORIGIN)]).is_ok());
    assert_eq!(hub.connect("/evolution", &[("origin", "https://evil.test")]).err(), Some(403));
}

#[test]
fn opened_folders_are_never_under_the_name_of_own_pages() {
    let hub = hub();
    let port = hub.listen.port();
    let folder = tempfile::Builder::new().prefix("eye-").tempdir().unwrap();
    std::fs::write(folder.path().join("index.html"), "<title>Mine</title>").unwrap();
    let path = eye_protocol::rpc::json(&folder.path().display().to_string());
    let answer =
        hub.agent().ask(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"hub/serve","params":{{"path":{path}}}}}"#));
    let address = format!("http://127.0.0.1:{port}");
    let path = answer.split(&address).nth(1).and_then(|rest| rest.split('"').next()).expect("a URL at the address");
    assert!(hub.http(path, &format!("host: 127.0.0.1:{port}\r\n")).contains("Mine"));
    for host in ["localhost", "LOCALHOST"] {
        let moved = hub.http(&format!("{path}?a=1"), &format!("host: {host}:{port}\r\n"));
        assert_eq!(status(&moved), 307, "{moved}");
        assert!(moved.contains(&format!("location: //127.0.0.1:{port}{path}?a=1")), "{moved}");
        assert!(!moved.contains("Mine"), "{moved}");
    }
    assert_eq!(status(&hub.http(path, "host: evil.test\r\n")), 421);
}

#[test]
fn text_passes_both_ways_in_order() {
    let hub = hub();
    for (path, room) in [("/evolution", "Evolution"), ("/evo", "Evolution"), ("/agents", "Agents")] {
        let mut peer = agent(&hub, path);
        peer.send("room");
        for n in 0..100 {
            peer.send(&n.to_string());
        }
        assert_eq!(peer.receive(), room);
        for n in 0..100 {
            assert_eq!(peer.receive(), n.to_string());
        }
        peer.send("bye");
        assert_eq!(peer.closed().0, 1001);
    }
}

#[test]
fn a_message_has_a_limit_and_is_text() {
    let hub = hub();
    let mut peer = agent(&hub, "/agents");
    let most = "x".repeat(BACKEND_MESSAGE_BYTES_MAX);
    peer.send(&most);
    assert_eq!(peer.receive(), most);
    // The hub closes before it has read all of it, so the writing may fail.
    let _ = peer.0.send(Message::text(format!("{most}x")));
    assert_eq!(peer.closed().0, 1009);
    let mut peer = agent(&hub, "/agents");
    peer.0.send(Message::binary(vec![1])).unwrap();
    assert_eq!(peer.closed().0, 1003);
}

#[test]
fn a_peer_that_does_not_read_is_closed_and_delays_nobody() {
    let hub = hub();
    let mut deaf = agent(&hub, "/agents");
    deaf.send("flood");
    let mut other = agent(&hub, "/agents");
    other.send("still there");
    assert_eq!(other.receive(), "still there");
    // The backend dropped its sender when the queue was full; the queued messages arrive, and then the end.
    loop {
        match deaf.0.read() {
            Ok(Message::Text(text)) => assert_eq!(text.len(), 1 << 20),
            Ok(Message::Close(Some(frame))) => break assert_eq!(u16::from(frame.code), 1001),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn there_are_so_many_connections_and_no_more() {
    let hub = hub();
    let bearer = format!("Bearer {TOKEN}");
    let mut peers: Vec<Page> = (0..BACKEND_SOCKETS_MAX).map(|_| agent(&hub, "/agents")).collect();
    assert_eq!(hub.connect("/evolution", &[("authorization", bearer.as_str())]).err(), Some(503));
    let mut first = peers.swap_remove(0);
    first.send("bye");
    first.closed();
    drop(first);
    // Its permit is released once the hub has noticed its end.
    while hub.connect("/evolution", &[("authorization", bearer.as_str())]).is_err() {}
}

#[test]
fn what_is_not_mounted_is_not_there() {
    let hub = Hub::start();
    let bearer = format!("Bearer {TOKEN}");
    for path in ["/evolution", "/agents", "/mcp"] {
        assert_eq!(hub.connect(path, &[("authorization", bearer.as_str())]).err(), Some(404), "{path}");
        assert_eq!(hub.connect(path, &[("host", "evil.test")]).err(), Some(421), "{path}");
    }
    let mut stream = hub.tcp();
    write!(stream, "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: {bearer}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n").unwrap();
    let mut answer = String::new();
    std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
    assert!(status(&answer) == 404 && answer.contains("eye up --llm"), "{answer}");
}

#[test]
fn backends_are_in_the_metrics() {
    let hub = hub();
    let answer = hub.http("/metrics", &format!("host: localhost\r\nauthorization: Bearer {TOKEN}\r\n"));
    assert!(answer.contains("eye_echo 1"), "{answer}");
}
