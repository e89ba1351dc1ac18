//! Agents without a WebSocket: one POST whose response holds the answers, and an event stream with POSTs.

use crate::stage::Hub;
use eye_testkit::inside::TOKEN;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// Sends an HTTP/1.0 request, so that the response is never chunked.
fn send(hub: &Hub, head: &str, token: &str, body: &str) -> TcpStream {
    let mut stream = hub.tcp();
    let length = body.len();
    write!(
        stream,
        "{head} HTTP/1.0\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    stream
}

/// The status and the body.
fn answer(mut stream: TcpStream) -> (u16, String) {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

fn post(hub: &Hub, path: &str, body: &str) -> (u16, String) {
    answer(send(hub, &format!("POST {path}"), TOKEN, body))
}

fn ping(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
}

#[test]
fn one_request_is_answered_with_one_response() {
    let hub = Hub::start();
    let pong = r#"{"jsonrpc":"2.0","id":7,"result":{"pong":true}}"#;
    assert_eq!(post(&hub, "/agent", &ping(7)), (200, pong.into()));
    let (status, body) = post(&hub, "/agent", r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#);
    assert!(status == 200 && body.contains("-32601"), "{body}");
}

#[test]
fn a_batch_is_answered_a_line_at_a_time_and_a_slow_call_holds_back_nobody() {
    let hub = Hub::start();
    let mut page = hub.page("shop");
    let hello = r#"{"jsonrpc":"2.0","method":"hello","params":{"typed":true,"agent":"ci"}}"#;
    let stream = send(&hub, "POST /agent", TOKEN, &format!(r#"[{hello},"a:slow",{},"b:fast",":fire"]"#, ping(1)));
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut text = String::new();
        reader.read_line(&mut text).unwrap();
        text.trim_end().to_owned()
    };
    while !line().is_empty() {}
    assert_eq!(line(), r#"[{"jsonrpc":"2.0","id":1,"result":{"pong":true}}]"#);
    let calls: Vec<String> = (0..3).map(|_| page.receive()).collect();
    let id = |at: usize| calls[at].split(':').next().unwrap().to_owned();
    assert_eq!((calls[1].split_once(':').unwrap().1, calls[2].as_str()), ("fast", ":fire"));
    page.send(&format!("{}=2", id(1)));
    assert_eq!(line(), r#"["b=2"]"#);
    page.send(&format!("{}:one\ntwo", id(0)));
    assert_eq!(line(), r#"["a:one\ntwo"]"#);
    assert_eq!(line(), "");
}

#[test]
fn the_query_names_the_agent_and_its_page() {
    let hub = Hub::start();
    let (mut shop, _cart) = (hub.page("shop"), hub.page("cart"));
    let stream = send(&hub, "POST /agent?agent=ci&page=shop&timeout=9000", TOKEN, r#"["a:1"]"#);
    let call = shop.receive();
    shop.send(&call.replace(":1", "=1"));
    assert_eq!(answer(stream).1, "[\"a:1\"]\n");
    // The agent's name outlives its request: it keeps the page that it used last.
    let stream =
        send(&hub, "POST /agent?agent=ci", TOKEN, r#"{"jsonrpc":"2.0","id":1,"method":"eval","params":{"code":"2"}}"#);
    let call = shop.receive();
    shop.send(&call.replace(":2", "=2"));
    assert_eq!(answer(stream).1, r#"{"jsonrpc":"2.0","id":1,"result":{"value":2}}"#);
}

#[test]
fn who_hangs_up_ends_the_call() {
    let hub = Hub::start();
    let mut page = hub.page("shop");
    for body in [r#"["a:forever()"]"#, r#"{"jsonrpc":"2.0","id":1,"method":"eval","params":{"code":"forever()"}}"#] {
        let stream = send(&hub, "POST /agent", TOKEN, body);
        let id = page.receive().split(':').next().unwrap().to_owned();
        drop(stream);
        assert!(page.receive().contains(&format!(r#""method":"call/cancel","params":{{"id":"{id}"}}"#)));
    }
}

#[test]
fn what_goes_on_is_refused_in_a_post_and_says_where_it_works() {
    let hub = Hub::start();
    let watch = r#"{"jsonrpc":"2.0","id":1,"method":"state/watch"}"#;
    let (status, body) = post(&hub, "/agent", watch);
    assert!(status == 200 && body.contains("-32600") && body.contains("WebSocket"), "{body}");
    let (_, body) = post(&hub, "/agent", &format!("[{watch},{}]", ping(2)));
    assert!(body.contains("-32600") && body.contains("pong"), "{body}");
}

#[test]
fn strangers_and_strange_bodies_are_refused() {
    let hub = Hub::start();
    for head in ["GET /agent", "POST /agent", "POST /agent?clientId=x"] {
        let (status, body) = answer(send(&hub, head, "wrong", &ping(1)));
        assert_eq!(status, 401, "{body}");
    }
    for body in ["", "x", "[1]", "{}", r#"{"jsonrpc":"2.0","method":"hello"}"#] {
        assert_eq!(post(&hub, "/agent", body).0, 400, "{body}");
    }
    let (status, body) = post(&hub, "/agent?clientId=nobody", "[]");
    assert!(status == 404 && body.contains("GET /agent"), "{body}");
}

#[test]
fn a_stream_of_events_carries_what_a_websocket_carries() {
    let hub = Hub::start();
    let mut page = hub.page("shop");
    let mut stream = BufReader::new(send(&hub, "GET /agent", TOKEN, ""));
    let mut event = || loop {
        let mut line = String::new();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream goes on");
        if let Some(data) = line.strip_prefix("data: ") {
            return data.trim_end().to_owned();
        }
    };
    let first: serde_json::Value = serde_json::from_str(&event()).unwrap();
    let path = format!("/agent?clientId={}", first[0]["params"]["clientId"].as_str().unwrap());
    let hello = r#"{"jsonrpc":"2.0","method":"hello","params":{"typed":true,"binary":true}}"#;
    assert_eq!(post(&hub, &path, &format!(r#"[{hello},"a:x"]"#)), (202, String::new()));
    let call = page.receive();
    page.send(&call.replace(":x", "={\n\n\"a\": 1}"));
    assert_eq!(event(), r#"["a={\n\n\"a\": 1}"]"#);
    assert_eq!(
        post(&hub, &path, r#"[{"jsonrpc":"2.0","id":1,"method":"topic/subscribe","params":{"topic":"t"}}]"#).0,
        202
    );
    assert!(event().contains("\"id\":1"));
    page.send(r#"{"jsonrpc":"2.0","method":"topic/publish","params":{"topic":"t","message":"hi"}}"#);
    assert!(event().contains("topic/message"));
    // A batch cannot carry bytes: they come as text.
    assert_eq!(post(&hub, &path, r#"["b:shot"]"#).0, 202);
    let id = page.receive().split(':').next().unwrap().to_owned();
    page.0.send(tungstenite::Message::binary(format!("{id} image/png\nxyz").into_bytes())).unwrap();
    assert_eq!(event(), r#"["b~<image/png, 3 bytes>"]"#);
    assert_eq!(post(&hub, &path, "not a batch").0, 400);
}
