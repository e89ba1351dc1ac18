//! Misbehaving upstreams over HTTP, played by a small server whose every response is written by the test.

use crate::stage::{Home, call, text};
use eye_mcp::{Gateway, Scope};
use eye_protocol::Code;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

/// A received request: the first line, the headers in lower case, the body.
#[derive(Clone, Debug)]
struct Received {
    line: String,
    headers: Vec<String>,
    body: Value,
}

impl Received {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find_map(|header| header.strip_prefix(&format!("{name}: ")))
    }
}

/// A response: JSON, events, or something else entirely.
fn json_of(request: &Received, result: &Value) -> String {
    let body = json!({ "jsonrpc": "2.0", "id": request.body["id"], "result": result }).to_string();
    response("200 OK", "application/json", &body)
}

fn response(status: &str, kind: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

/// The responses to the handshake and to `tools/list`; `None` if the test must answer.
fn usual(request: &Received) -> Option<String> {
    if request.line.starts_with("GET") {
        return Some(response("405 Method Not Allowed", "text/plain", ""));
    }
    match request.body["method"].as_str() {
        Some("initialize") => {
            let greeting =
                json_of(request, &json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} } }));
            Some(greeting.replacen("\r\n", "\r\nmcp-session-id: s1\r\n", 1))
        }
        Some("tools/list") => Some(json_of(request, &json!({ "tools": [] }))),
        Some(method) if method.starts_with("notifications/") => Some(response("202 Accepted", "text/plain", "")),
        _ => None,
    }
}

type Log = Arc<Mutex<Vec<Received>>>;

/// Starts the server; an empty response closes the connection without one.
async fn served(answer: impl Fn(&Received) -> String + Send + Sync + 'static) -> (u16, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let log = Log::default();
    let (answer, seen) = (Arc::new(answer), Arc::clone(&log));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                while let Some(request) = next_request(&mut stream).await {
                    seen.lock().unwrap().push(request.clone());
                    let text = usual(&request).unwrap_or_else(|| answer(&request));
                    if text.is_empty() || stream.write_all(text.as_bytes()).await.is_err() {
                        return;
                    }
                    if !text.contains("content-length") {
                        return;
                    }
                }
            });
        }
    });
    (port, log)
}

async fn next_request(stream: &mut BufReader<tokio::net::TcpStream>) -> Option<Received> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let headers: Vec<String> = lines
        .split_off(1)
        .iter()
        .map(|line| {
            let (name, value) = line.split_once(": ").unwrap_or((line, ""));
            format!("{}: {value}", name.to_lowercase())
        })
        .collect();
    let mut request = Received { line: lines.remove(0), headers, body: Value::Null };
    let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    request.body = serde_json::from_slice(&body).unwrap_or_default();
    Some(request)
}

fn gateway(port: u16, more: &str) -> (Home, Gateway, Scope) {
    let home = Home::new();
    home.config(&format!("servers:\n  web: {{ url: \"http://127.0.0.1:{port}/mcp\"{more} }}\n"));
    let gateway = home.gateway();
    let scope = gateway.scope(home.project());
    (home, gateway, scope)
}

fn calls(log: &Log) -> usize {
    log.lock().unwrap().iter().filter(|request| request.body["method"] == "tools/call").count()
}

#[tokio::test]
async fn a_call_that_may_have_been_read_is_never_made_twice() {
    let (port, log) = served(|_| String::new()).await;
    let (_home, _gateway, scope) = gateway(port, "");
    let error = call(&scope, "web", "pay", json!({})).await.unwrap_err();
    assert!(error.is(Code::CONNECTION) && error.message.contains("went away before it answered"), "{error}");
    assert_eq!(calls(&log), 1);
}

#[tokio::test]
async fn a_session_that_the_server_forgot_is_opened_anew_and_the_call_is_made_once_in_it() {
    let over = Mutex::new(true);
    let (port, log) = served(move |request| {
        if std::mem::take(&mut *over.lock().unwrap()) {
            return response("404 Not Found", "application/json", "");
        }
        json_of(request, &json!({ "content": [{ "type": "text", "text": "paid" }] }))
    })
    .await;
    let (_home, _gateway, scope) = gateway(port, "");
    assert_eq!(text(call(&scope, "web", "pay", json!({})).await), "paid");
    // One call was refused, one was accepted, and both were sent in a session.
    assert_eq!(calls(&log), 2);
    let log = log.lock().unwrap();
    assert_eq!(log.iter().filter(|request| request.body["method"] == "initialize").count(), 2);
    let in_session = |request: &Received| request.header("mcp-session-id") == Some("s1");
    assert!(log.iter().filter(|request| request.body["method"] == "tools/call").all(in_session));
}

#[tokio::test]
async fn a_server_that_wants_a_token_says_where_it_goes_and_gets_it_from_the_environment() {
    let (port, log) = served(|request| match request.header("authorization") {
        Some("Bearer abc") => json_of(request, &json!({ "content": [{ "type": "text", "text": "in" }] })),
        _ => response("401 Unauthorized", "text/plain", "who are you"),
    })
    .await;
    let (_home, _gateway, scope) = gateway(port, "");
    let error = call(&scope, "web", "x", json!({})).await.unwrap_err();
    assert!(error.is(Code::DENIED) && error.hint().is_some_and(|hint| hint.contains("Authorization")), "{error}");
    let (_home, _gateway, scope) = gateway(port, ", headers: { Authorization: \"Bearer ${TOKEN:-abc}\" }");
    assert_eq!(text(call(&scope, "web", "x", json!({})).await), "in");
    let named = |request: &Received| request.header("mcp-protocol-version") == Some("2025-11-25");
    assert!(log.lock().unwrap().iter().filter(|request| request.body["method"] == "tools/call").all(named));
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_taken_up_where_it_was() {
    let waiting = Arc::new(Mutex::new(Value::Null));
    let (port, log) = served_with_streams(Arc::clone(&waiting)).await;
    let (_home, _gateway, scope) = gateway(port, "");
    assert_eq!(text(call(&scope, "web", "x", json!({})).await), "at last");
    let log = log.lock().unwrap();
    let taken_up = log.iter().find(|request| request.header("last-event-id").is_some()).expect("it comes back");
    assert_eq!(taken_up.header("last-event-id"), Some("e1"));
    assert_eq!(log.iter().filter(|request| request.body["method"] == "tools/call").count(), 1);
}

/// The first stream gives an event id and ends; the second one, by GET, has the response.
async fn served_with_streams(waiting: Arc<Mutex<Value>>) -> (u16, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let log = Log::default();
    let seen = Arc::clone(&log);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (waiting, seen) = (Arc::clone(&waiting), Arc::clone(&seen));
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                while let Some(request) = next_request(&mut stream).await {
                    seen.lock().unwrap().push(request.clone());
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
                    let text = if request.header("last-event-id").is_some() {
                        let id = waiting.lock().unwrap().clone();
                        let result = json!({ "content": [{ "type": "text", "text": "at last" }] });
                        format!("{head}data: {}\n\n", json!({ "jsonrpc": "2.0", "id": id, "result": result }))
                    } else if request.body["method"] == "tools/call" {
                        *waiting.lock().unwrap() = request.body["id"].clone();
                        format!("{head}id: e1\nretry: 10\ndata:\n\n")
                    } else {
                        usual(&request).unwrap_or_default()
                    };
                    if stream.write_all(text.as_bytes()).await.is_err() || text.starts_with(head) {
                        return;
                    }
                }
            });
        }
    });
    (port, log)
}

#[tokio::test]
async fn a_server_that_is_not_there_says_so() {
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let (_home, _gateway, scope) = gateway(port, "");
    let error = call(&scope, "web", "x", json!({})).await.unwrap_err();
    assert!(error.is(Code::CONNECTION) && error.message.contains("cannot be reached"), "{error}");
}

#[tokio::test]
async fn an_answer_that_is_no_json_rpc_ends_the_call() {
    let (port, _log) = served(|_| response("200 OK", "text/html", "<h1>Welcome</h1>")).await;
    let (_home, _gateway, scope) = gateway(port, "");
    let error = call(&scope, "web", "x", json!({})).await.unwrap_err();
    assert!(error.message.contains("something else than JSON-RPC"), "{error}");
}
