//! Several streams of one session over HTTP: tabs that share an id, and browsers that reconnect by themselves.

use crate::stage::ORIGIN;
use crate::stage::btcp::{Dialect, Peer, by_query, open_hub, post_with_status, register, request};
use eye_protocol::limits::STREAMS_IN_LINE_MAX;
use serde_json::json;
use std::io::{BufRead, Read, Write};

/// Reads a stream to its end.
fn rest(peer: Peer) -> String {
    let Peer::Events { mut stream, .. } = peer else { panic!("a stream") };
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("the stream ends");
    text
}

/// The id at the beginning of a stream.
fn event_id(peer: &mut Peer) -> String {
    let Peer::Events { stream, .. } = peer else { panic!("a stream") };
    loop {
        let mut line = String::new();
        assert!(stream.read_line(&mut line).expect("a line") > 0, "the stream ended");
        if let Some(id) = line.strip_prefix("id: ") {
            return id.trim().to_owned();
        }
    }
}

#[test]
fn a_superseded_stream_gets_closed_and_does_not_come_back() {
    let hub = open_hub();
    let query = "sessionId=s1&clientType=browser&version=1.0";
    let path = || "/message?sessionId=s1".to_owned();
    let mut first = Peer::events(&hub, query, path(), String::new());
    let id = event_id(&mut first);
    first.receive_until(|frame| frame["id"] == "welcome");
    let _second = by_query(&hub, "browser", "s1");
    let message = rest(first);
    assert!(message.contains(r#""id":"disconnect""#) && message.contains("-32002"), "{message}");
    assert!(message.contains("Another browser client connected to this session"), "{message}");
    // EventSource reconnects by itself, and sends the id of the last event that it received.
    let back = hub
        .http(&format!("/events?{query}"), &format!("host: localhost\r\norigin: {ORIGIN}\r\nlast-event-id: {id}\r\n"));
    assert!(back.starts_with("HTTP/1.1 204 "), "{back}");
    hub.agent().wait_for_pages(1);
}

#[test]
fn two_tabs_that_connect_again_by_themselves_both_stay_and_the_newer_is_asked() {
    // Clients that post by query reconnect after each end of their stream, without sending the last event id.
    let hub = open_hub();
    let mut first = by_query(&hub, "browser", "s1");
    let mut second = by_query(&hub, "browser", "s1");
    // The older page is notified, as by the original.
    first.receive_until(|frame| frame["id"] == "disconnect");
    let mut again = by_query(&hub, "browser", "s1");
    second.send(&register("greet"));
    let mut agent = hub.agent();
    for round in 0..3 {
        agent.send(&request(&format!("c{round}"), "tools/call", &json!({ "name": "greet" })));
        let sent = second.receive_until(|frame| {
            assert_ne!(frame["id"], "disconnect", "the newer tab keeps the session");
            frame["method"] == "tools/call"
        });
        second.send(&json!({ "jsonrpc": "2.0", "id": sent["id"], "result": "second" }).to_string());
        assert!(agent.receive().unwrap().contains("second"));
    }
    let mut member = Peer::agent(&hub, Dialect::S, "s1");
    drop(second);
    member.receive_until(|frame| frame["method"] == "session/pageBack");
    agent.send(&request("d", "tools/call", &json!({ "name": "greet" })));
    let sent = again.receive_until(|frame| frame["method"] == "tools/call");
    again.send(&json!({ "jsonrpc": "2.0", "id": sent["id"], "result": "older" }).to_string());
    assert!(agent.receive().unwrap().contains("older"), "the older takes over when the newer leaves");
}

#[test]
fn a_session_has_no_more_streams_than_its_browser_can_spare() {
    let hub = open_hub();
    let tabs: Vec<Peer> = (0..=STREAMS_IN_LINE_MAX).map(|_| Peer::page(&hub, Dialect::H1, "s1")).collect();
    let head = format!("host: localhost\r\norigin: {ORIGIN}\r\n");
    let open = |more: &str| hub.http("/events?sessionId=s1&clientType=browser&version=1.0.0", &format!("{head}{more}"));
    let refused = open("");
    assert!(refused.starts_with("HTTP/1.1 429 "), "{refused}");
    assert!(refused.contains("this session has 4 streams open"), "{refused}");
    let back = open("last-event-id: abcdefghijkmn.s1\r\n");
    assert!(back.starts_with("HTTP/1.1 204 "), "{back}");
    drop(tabs);
    hub.agent().wait_for_pages(0);
    let mut tab = Peer::page(&hub, Dialect::H1, "s1");
    tab.send(&request("p", "ping", &json!({})));
    tab.receive_until(|frame| frame["id"] == "p");
}

#[test]
fn one_page_with_two_streams_after_a_restart_makes_no_storm() {
    // The page client opens a new stream, and the browser reconnects the previous one, whose id is from the previous
    // hub.
    let hub = open_hub();
    for (version, path, header) in [("1.0.0", "/message", "x-session-id: s1\r\n"), ("1.0", "/message?sessionId=s1", "")]
    {
        let query = format!("sessionId=s1&clientType=browser&version={version}");
        let mut fresh = Peer::events(&hub, &query, path.into(), header.into());
        fresh.receive_until(|frame| frame["id"] == "welcome");
        fresh.send(&register("greet"));
        fresh.receive_until(|frame| frame["id"] == "r1");
        let back = "last-event-id: abcdefghijkmn.s1\r\n";
        let mut older = Peer::events_after(&hub, &query, back, path.into(), header.into());
        older.receive_until(|frame| frame["id"] == "welcome");
        // Both are open; calls go to the one that has the session.
        let mut agent = hub.agent();
        agent.send(&request("c", "tools/call", &json!({ "name": "greet" })));
        let sent = fresh.receive_until(|frame| frame["method"] == "tools/call");
        fresh.send(&json!({ "jsonrpc": "2.0", "id": sent["id"], "result": "fresh" }).to_string());
        assert!(agent.receive().unwrap().contains("fresh"));
        // When that one leaves, the other takes over, with the tools of their page.
        let mut member = Peer::agent(&hub, Dialect::S, "s1");
        drop(fresh);
        member.receive_until(|frame| frame["method"] == "session/pageBack");
        agent.send(&request("d", "tools/call", &json!({ "name": "greet" })));
        let sent = older.receive_until(|frame| frame["method"] == "tools/call");
        older.send(&json!({ "jsonrpc": "2.0", "id": sent["id"], "result": "older" }).to_string());
        assert!(agent.receive().unwrap().contains("older"));
        drop(older);
        agent.wait_for_pages(0);
    }
}

#[test]
fn of_two_tabs_that_post_by_header_the_newest_is_asked_and_the_older_takes_over() {
    let hub = open_hub();
    let mut older = Peer::page(&hub, Dialect::H1, "s1");
    let mut newer = Peer::page(&hub, Dialect::H1, "s1");
    let mut agent = hub.agent();
    let call = |id: &str| request(id, "tools/call", &json!({ "name": "greet", "arguments": { "name": "Ada" } }));
    agent.send(&call("newer"));
    let sent = newer.receive_until(|frame| frame["method"] == "tools/call");
    newer.send(&json!({ "jsonrpc": "2.0", "id": sent["id"], "result": "newer" }).to_string());
    assert!(agent.receive().unwrap().contains("newer"));
    let mut member = Peer::agent(&hub, Dialect::S, "s1");
    drop(newer);
    member.receive_until(|frame| frame["method"] == "session/pageBack");
    agent.send(&call("older"));
    let sent = older.receive_until(|frame| frame["method"] == "tools/call");
    older.send(&json!({ "jsonrpc": "2.0", "id": sent["id"], "result": "older" }).to_string());
    assert!(agent.receive().unwrap().contains("older"));
}

#[test]
fn tabs_without_a_session_id_answer_for_themselves_and_register_nothing_by_guess() {
    let hub = open_hub();
    let query = "clientType=browser&version=1.0.0";
    let open = || Peer::events(&hub, query, "/message".into(), "x-session-id: \r\n".into());
    let mut first = open();
    let session =
        first.receive_until(|frame| frame["id"] == "welcome")["result"]["sessionId"].as_str().unwrap().to_owned();
    first.send(&register("echo"));
    assert_eq!(first.receive_until(|frame| frame["id"] == "r1")["result"]["registered"], 1);
    let mut second = open();
    second.receive_until(|frame| frame["id"] == "welcome");
    let (status, body) = post_with_status(&hub, "/message", "x-session-id: \r\n", &register("stolen"));
    assert_eq!(status, 409, "{body}");
    assert!(body.contains("several streams could have sent this"), "{body}");
    let mut agent = hub.agent();
    agent.send(&request("c", "tools/call", &json!({ "name": "echo", "page": session })));
    let sent = first.receive_until(|frame| frame["method"] == "tools/call");
    first.send(&json!({ "jsonrpc": "2.0", "id": sent["id"], "result": "mine" }).to_string());
    assert!(agent.receive().unwrap().contains("mine"), "the answer belongs to the call's own stream");
    // An answer from another origin does not count.
    agent.send(&request("d", "tools/call", &json!({ "name": "echo", "page": session })));
    let sent = first.receive_until(|frame| frame["method"] == "tools/call");
    let forged = json!({ "jsonrpc": "2.0", "id": sent["id"], "result": "forged" }).to_string();
    let mut stream = hub.tcp();
    let head = format!(
        "POST /message HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost:666\r\nx-session-id: \r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n{forged}",
        forged.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    first.send(&json!({ "jsonrpc": "2.0", "id": sent["id"], "result": "true one" }).to_string());
    assert!(agent.receive().unwrap().contains("true one"));
}
