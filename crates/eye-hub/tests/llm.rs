//! The LLM pass-through, against a small real HTTP server that the test controls.

use crate::stage::{Hub, ORIGIN};
use eye_hub::guests::PassThrough;
use eye_hub::guests::llm::LlmServer;
use eye_hub::origins::Allowed;
use eye_protocol::limits::{LLM_ANSWER_BYTES_MAX, LLM_CALLS_MAX, LLM_CALLS_PER_MINUTE_MAX, LLM_REQUEST_BYTES_MAX};
use eye_remote::{Remote, Secret};
use eye_testkit::DEADLINE;
use eye_testkit::inside::TOKEN;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const KEY: &str = "sk-very-secret";
const ASK: &str = r#"{"messages":[{"role":"user","content":"hi"}]}"#;
const ANSWER: &str = r#"{"choices":[{"message":{"content":"ho"}}],  "usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}"#;

/// A request that reached the server; the test answers it.
struct ServerRequest {
    head: String,
    body: String,
    stream: TcpStream,
}

impl ServerRequest {
    fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).unwrap();
    }

    /// A whole answer.
    fn answer(mut self, status: &str, headers: &str, body: &str) {
        let length = body.len();
        self.send(&format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n{headers}\r\n{body}"));
    }

    fn ok(self) {
        self.answer("200 OK", "content-type: application/json\r\n", ANSWER);
    }

    fn try_answer(mut self, body: &str) -> std::io::Result<()> {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
        self.stream.write_all((head + body).as_bytes())
    }

    fn begin_stream(&mut self) {
        self.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
    }

    fn piece(&mut self, text: &str) {
        self.send(&format!("{:x}\r\n{text}\r\n", text.len()));
    }

    /// Waits until the hub hangs up.
    fn wait_gone(mut self) {
        self.stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let mut rest = [0; 64];
        while !matches!(self.stream.read(&mut rest), Ok(0) | Err(_)) {}
    }
}

struct Server {
    port: u16,
    requests: Receiver<ServerRequest>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let sender = sender.clone();
                std::thread::spawn(move || read_request(stream.unwrap()).map(|request| sender.send(request)));
            }
        });
        Self { port, requests }
    }

    fn next_request(&self) -> ServerRequest {
        self.requests.recv_timeout(DEADLINE).expect("a request reaches the server")
    }
}

fn read_request(stream: TcpStream) -> Option<ServerRequest> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.to_lowercase().split("content-length: ").nth(1)?.split("\r\n").next()?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(ServerRequest { head, body: String::from_utf8(body).ok()?, stream })
}

/// A hub with an LLM server at this port.
fn hub(port: u16, silence: Duration) -> Hub {
    Hub::start_with(|config| {
        let remote =
            Remote { host: "127.0.0.1".into(), port, prefix: "/base".into(), tls: None, token: Some(Secret::new(KEY)) };
        config.guests = vec![Arc::new(PassThrough::new(Some(LlmServer { remote, silence })))];
    })
}

fn post(hub: &Hub, headers: &str, body: &str) -> TcpStream {
    let mut stream = hub.tcp();
    let length = body.len();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{headers}\r\n"
    );
    // A hub that refuses a request for its size does not read all of it.
    let _ = stream.write_all((head + body).as_bytes());
    stream
}

fn ask(hub: &Hub, body: &str) -> TcpStream {
    post(hub, &format!("host: localhost\r\nauthorization: Bearer {TOKEN}\r\n"), body)
}

/// Status, head and body of an answer.
fn read_answer(mut stream: TcpStream) -> (u16, String, String) {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").expect("an answer");
    (head.split(' ').nth(1).unwrap().parse().unwrap(), head.to_lowercase(), body.to_owned())
}

fn error(stream: TcpStream) -> (u16, Value) {
    let (status, _, body) = read_answer(stream);
    assert!(!body.contains(KEY), "{body}");
    let value: Value = serde_json::from_str(&body).unwrap_or_else(|_| panic!("JSON, not {body}"));
    assert_eq!(value["success"], false);
    assert!(value["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{value}");
    (status, value)
}

#[test]
fn a_request_passes_with_the_key_and_its_answer_comes_back_to_the_letter() {
    let server = Server::start();
    let hub = hub(server.port, DEADLINE);
    let waiting = ask(&hub, ASK);
    let request = server.next_request();
    assert!(request.head.starts_with("POST /base/v1/chat/completions HTTP/1.1\r\n"), "{}", request.head);
    assert!(request.head.contains(&format!("Bearer {KEY}")) && !request.head.contains(TOKEN), "{}", request.head);
    assert_eq!(
        request.body,
        r#"{"messages":[{"role":"user","content":"hi"}],"model":"local","temperature":0.7,"max_tokens":2048}"#
    );
    request.ok();
    let (status, head, body) = read_answer(waiting);
    assert_eq!((status, body.as_str()), (200, ANSWER));
    assert!(head.contains("x-eye-latency-ms: ") && !head.contains("access-control"), "{head}");
}

#[test]
fn a_stream_passes_as_it_comes() {
    let server = Server::start();
    let hub = hub(server.port, DEADLINE);
    let mut waiting = BufReader::new(ask(&hub, r#"{"messages":[],"stream":true}"#));
    let mut request = server.next_request();
    assert!(request.head.to_lowercase().contains("accept: text/event-stream"));
    request.begin_stream();
    let mut until = |wanted: &str| loop {
        let mut line = String::new();
        assert!(waiting.read_line(&mut line).unwrap() > 0, "the stream ended before {wanted}");
        if line.trim_end() == wanted {
            return;
        }
    };
    for n in 0..3 {
        // The next chunk is sent only after this one has arrived.
        request.piece(&format!("data: {n}\n\n"));
        until(&format!("data: {n}"));
    }
    request.piece("data: [DONE]\n\n");
    until("data: [DONE]");
    request.send("0\r\n\r\n");
    until("0");
}

#[test]
fn who_refuses_is_named() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = closed.local_addr().unwrap().port();
    drop(closed);
    let (status, value) = error(ask(&hub(port, DEADLINE), ASK));
    assert_eq!((status, &value["error_code"]), (502, &"BACKEND_UNAVAILABLE".into()));
    let text = value["error"].as_str().unwrap();
    assert!(text.contains(&format!("http://127.0.0.1:{port}/base")) && text.contains("refused"), "{text}");
}

#[test]
fn who_does_not_answer_is_slow() {
    let server = Server::start();
    let hub = hub(server.port, Duration::from_millis(100));
    let waiting = ask(&hub, ASK);
    let request = server.next_request();
    let (status, value) = error(waiting);
    assert_eq!((status, &value["error_code"]), (504, &"BACKEND_UNAVAILABLE".into()));
    assert!(value["error"].as_str().unwrap().contains("did not begin to answer"), "{value}");
    request.wait_gone();
}

#[test]
fn an_answer_that_stops_is_reported_whole_or_streamed() {
    let server = Server::start();
    let hub = hub(server.port, Duration::from_millis(100));
    let waiting = ask(&hub, ASK);
    let mut request = server.next_request();
    request.send("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{");
    let (status, value) = error(waiting);
    assert_eq!((status, &value["error_code"]), (504, &"EXECUTION_FAILED".into()));
    request.wait_gone();
    let waiting = ask(&hub, r#"{"messages":[],"stream":true}"#);
    let mut request = server.next_request();
    request.begin_stream();
    request.piece("data: 1\n\n");
    let (status, _, body) = read_answer(waiting);
    assert!(status == 200 && body.contains("data: 1") && body.contains(r#"data: {"error":{"message":"#), "{body}");
    request.wait_gone();
}

#[test]
fn what_is_no_json_is_malformed() {
    let server = Server::start();
    let hub = hub(server.port, DEADLINE);
    for (body, why) in [("<html>hello</html>", "it is not JSON"), ("", "it is not JSON"), ("{} {}", "it is not JSON")] {
        let waiting = ask(&hub, ASK);
        server.next_request().answer("200 OK", "content-type: application/json\r\n", body);
        let (status, value) = error(waiting);
        assert_eq!((status, &value["error_code"]), (502, &"EXECUTION_FAILED".into()));
        assert!(value["error"].as_str().unwrap().contains(why), "{value}");
    }
    let waiting = ask(&hub, ASK);
    let mut request = server.next_request();
    request.send("hello, this is no HTTP\r\n\r\n");
    drop(request);
    assert_eq!(error(waiting).0, 502);
}

#[test]
fn an_answer_has_a_limit() {
    let server = Server::start();
    let hub = hub(server.port, DEADLINE);
    let over = "over the limit of 16 MiB";
    for (length, want) in [(LLM_ANSWER_BYTES_MAX, (200, false)), (LLM_ANSWER_BYTES_MAX + 1, (502, true))] {
        let waiting = ask(&hub, ASK);
        let request = server.next_request();
        // A client over the limit is disconnected before all of it is written.
        let body = format!("\"{}\"", "x".repeat(length - 2));
        let written = std::thread::spawn(move || request.try_answer(&body));
        let (status, _, body) = read_answer(waiting);
        assert_eq!((status, body.contains(over)), want);
        assert_eq!(body.len() == length, status == 200, "a whole answer passes whole");
        let _ = written.join().unwrap();
    }
}

#[test]
fn a_server_that_says_no_is_quoted_without_the_key() {
    let server = Server::start();
    let hub = hub(server.port, DEADLINE);
    for (status, hint) in [("401 Unauthorized", "EYE_LLM_KEY"), ("404 Not Found", "model"), ("500 Oops", "log")] {
        let waiting = ask(&hub, ASK);
        server.next_request().answer(status, "", &format!("bad key {KEY}, {}", "x".repeat(5000)));
        let (got, value) = error(waiting);
        let code: u16 = status[..3].parse().unwrap();
        assert_eq!((got, &value["status"], &value["error_code"]), (502, &code.into(), &"EXECUTION_FAILED".into()));
        let text = value["error"].as_str().unwrap();
        assert!(text.starts_with(&format!("the LLM server returned HTTP {code}: bad key …, xxx")), "{text}");
        assert!(text.len() < 1000 && value["hint"].as_str().unwrap().contains(hint), "{value}");
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let (server, elsewhere) = (Server::start(), Server::start());
    let hub = hub(server.port, DEADLINE);
    let waiting = ask(&hub, ASK);
    let location = format!("location: http://127.0.0.1:{}/\r\n", elsewhere.port);
    server.next_request().answer("307 Temporary Redirect", &location, "");
    let (status, value) = error(waiting);
    assert_eq!((status, &value["status"]), (502, &307.into()));
    assert!(elsewhere.requests.try_recv().is_err(), "the key went elsewhere");
}

#[test]
fn what_is_no_request_never_reaches_the_server() {
    let server = Server::start();
    let hub = hub(server.port, DEADLINE);
    for (body, want) in [
        ("hello".to_owned(), 400),
        ("[]".to_owned(), 400),
        (r#"{"prompt":"hi"}"#.to_owned(), 400),
        (format!(r#"{{"messages":["{}"]}}"#, "x".repeat(LLM_REQUEST_BYTES_MAX)), 413),
    ] {
        let (status, value) = error(ask(&hub, &body));
        assert_eq!((status, &value["error_code"]), (want, &"INVALID_INPUT".into()));
    }
    assert!(server.requests.try_recv().is_err());
}

#[test]
fn only_agents_and_own_pages_spend() {
    let server = Server::start();
    let hub = hub(server.port, DEADLINE);
    let port = hub.listen.port();
    for (headers, want) in [
        ("host: localhost\r\n".to_owned(), 401),
        ("host: localhost\r\nauthorization: Bearer wrong\r\n".to_owned(), 401),
        (format!("host: localhost:{port}\r\norigin: {ORIGIN}\r\n"), 403),
        (format!("host: 127.0.0.1:{port}\r\norigin: http://127.0.0.1:{port}\r\n"), 403),
        (format!("host: localhost:{port}\r\norigin: http://127.0.0.1:{port}\r\n"), 403),
        (format!("host: localhost:{port}\r\norigin: null\r\n"), 403),
        (format!("host: localhost:{port}\r\norigin: https://evil.test\r\n"), 403),
        ("host: evil.test\r\n".to_owned(), 421),
    ] {
        assert_eq!(error(post(&hub, &headers, ASK)).0, want, "{headers}");
    }
    assert!(server.requests.try_recv().is_err());
    let waiting = post(&hub, &format!("host: localhost:{port}\r\norigin: http://localhost:{port}\r\n"), ASK);
    server.next_request().ok();
    assert_eq!(read_answer(waiting).0, 200);
}

#[test]
fn a_page_of_a_granted_origin_asks_across_origins() {
    let server = Server::start();
    let hub = hub(server.port, DEADLINE);
    let head = format!("host: localhost:{}\r\norigin: {ORIGIN}\r\n", hub.listen.port());
    let mut stream = TcpStream::connect(hub.listen).unwrap();
    let preflight = "access-control-request-method: POST\r\naccess-control-request-headers: content-type\r\n";
    write!(stream, "OPTIONS /v1/chat/completions HTTP/1.1\r\n{head}{preflight}connection: close\r\n\r\n").unwrap();
    let (status, headers, _) = read_answer(stream);
    let headers = headers.to_lowercase();
    assert_eq!(status, 204, "{headers}");
    assert!(headers.contains(&format!("access-control-allow-origin: {ORIGIN}")), "{headers}");
    assert!(headers.contains("post") && headers.contains("content-type"), "{headers}");
    assert_eq!(error(post(&hub, &head, ASK)).0, 403, "a preflight grants nothing");
    hub.origins().allow(Allowed { backends: true, ..Allowed::new(ORIGIN) }).unwrap();
    let waiting = post(&hub, &head, ASK);
    server.next_request().ok();
    let (status, headers, _) = read_answer(waiting);
    assert_eq!(status, 200);
    assert!(headers.to_lowercase().contains(&format!("access-control-allow-origin: {ORIGIN}")), "{headers}");
}

#[test]
fn so_many_at_once_and_a_place_is_free_when_its_asker_hangs_up() {
    let server = Server::start();
    let hub = hub(server.port, DEADLINE);
    let mut waiting: Vec<TcpStream> = (0..LLM_CALLS_MAX).map(|_| ask(&hub, ASK)).collect();
    let open: Vec<ServerRequest> = (0..LLM_CALLS_MAX).map(|_| server.next_request()).collect();
    let (status, value) = error(ask(&hub, ASK));
    assert_eq!((status, &value["error_code"]), (429, &"BACKEND_UNAVAILABLE".into()));
    waiting.clear();
    // The hub closes its connection to the server when its client disconnects.
    open.into_iter().for_each(ServerRequest::wait_gone);
    let waiting = ask(&hub, ASK);
    server.next_request().ok();
    assert_eq!(read_answer(waiting).0, 200);
}

#[test]
fn so_many_in_a_minute() {
    let server = Server::start();
    let hub = hub(server.port, DEADLINE);
    std::thread::spawn(move || server.requests.into_iter().for_each(ServerRequest::ok));
    let begin = std::time::Instant::now();
    for n in 0.. {
        let (status, head, body) = read_answer(ask(&hub, ASK));
        if status == 200 {
            continue;
        }
        assert!(status == 429 && head.contains("retry-after: ") && body.contains("in a minute"), "{head} {body}");
        // Each second that the burst took allows one more.
        let more = u32::try_from(begin.elapsed().as_secs()).unwrap() + 1;
        assert!((LLM_CALLS_PER_MINUTE_MAX..=LLM_CALLS_PER_MINUTE_MAX + more).contains(&n), "{n}");
        return;
    }
}
