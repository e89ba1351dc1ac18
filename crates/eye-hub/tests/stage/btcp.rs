//! BTCP peers in every dialect, controlled by a test.

use super::{Agent, Hub, ORIGIN, Page};
use eye_hub::Auth;
use eye_testkit::DEADLINE;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

/// A dialect of BTCP: WebSocket, events with POSTs by header, events with POSTs by query, the Unix socket, and bare
/// POST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    W,
    H1,
    H2,
    S,
    R,
}

/// Agents created so far.
static AGENTS: AtomicU32 = AtomicU32::new(1);

/// A peer that sends and receives JSON-RPC, over any transport.
pub enum Peer<'a> {
    Socket(Page),
    Unix(Agent),
    Events { hub: &'a Hub, stream: BufReader<TcpStream>, path: String, headers: String, bodies: Vec<String> },
    Post { hub: &'a Hub, session: String, bodies: Vec<String> },
}

impl<'a> Peer<'a> {
    /// A page that offers one tool, `greet {name*: string}`.
    pub fn page(hub: &'a Hub, dialect: Dialect, session: &str) -> Self {
        let mut page = Self::connect(hub, dialect, "browser", session);
        let greet = r#"{"name":"greet","description":"Greets","inputSchema":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}}"#;
        page.send(&format!(r#"{{"jsonrpc":"2.0","id":"r1","method":"tools/register","params":{{"sessionId":"{session}","tools":[{greet}]}}}}"#));
        let answer = page.receive_until(|frame| frame["id"] == "r1");
        assert_eq!(answer["result"]["registered"], 1, "{answer}");
        page
    }

    /// An agent that has joined the session.
    pub fn agent(hub: &'a Hub, dialect: Dialect, session: &str) -> Self {
        // Such an agent has a session of its own until it joins.
        let own = format!("agent-{}", AGENTS.fetch_add(1, Ordering::Relaxed));
        let mut agent = Self::connect(hub, dialect, "agent", if dialect == Dialect::H1 { &own } else { session });
        if dialect != Dialect::R {
            agent.send(&format!(
                r#"{{"jsonrpc":"2.0","id":"j1","method":"session/join","params":{{"sessionId":"{session}"}}}}"#
            ));
            let joined = agent.receive_until(|frame| frame["id"] == "j1");
            assert_eq!(joined["result"]["tools"][0]["name"], "greet", "{joined}");
        }
        if let Self::Events { headers, .. } = &mut agent
            && dialect == Dialect::H1
        {
            *headers = format!("x-session-id: {session}\r\n");
        }
        agent
    }

    pub fn connect(hub: &'a Hub, dialect: Dialect, kind: &str, session: &str) -> Self {
        match dialect {
            Dialect::W => {
                let path = format!("//ws?sessionId={session}&clientType={kind}&version=1.0.0");
                let mut page = Page(hub.connect(&path, &[("origin", ORIGIN)]).expect("the peer connects"));
                assert!(page.receive().contains("\"id\":\"welcome\""));
                Self::Socket(page)
            }
            Dialect::S => Self::Unix(hub.agent()),
            Dialect::R => Self::Post { hub, session: session.into(), bodies: Vec::new() },
            Dialect::H1 => {
                // The page sends its version, the agent does not.
                let version = if kind == "browser" { "&version=1.0.0" } else { "" };
                let query = format!("sessionId={session}&clientType={kind}{version}");
                let headers = format!("x-session-id: {session}\r\n");
                let mut peer = Self::events(hub, &query, "/message".into(), headers);
                peer.receive_until(|frame| frame["id"] == "welcome");
                peer
            }
            Dialect::H2 => {
                let query = format!("sessionId={session}&clientType={kind}&version=1.0");
                let mut peer = Self::events(hub, &query, String::new(), String::new());
                let connected = peer.receive_until(|frame| frame["method"] == "connected");
                let client = connected["params"]["clientId"].as_str().expect("a client id").to_owned();
                if let Self::Events { path, .. } = &mut peer {
                    *path = format!("/message?sessionId={session}&clientId={client}");
                }
                peer
            }
        }
    }

    /// An event stream with this query; `path` and `headers` are for its peer's POSTs.
    pub fn events(hub: &'a Hub, query: &str, path: String, headers: String) -> Self {
        Self::events_after(hub, query, "", path, headers)
    }

    /// As [`Self::events`], with more request headers: those of a browser that reconnects.
    pub fn events_after(hub: &'a Hub, query: &str, more: &str, path: String, headers: String) -> Self {
        let mut stream = hub.tcp();
        write!(stream, "GET /events?{query} HTTP/1.1\r\nhost: localhost\r\norigin: {ORIGIN}\r\n{more}\r\n")
            .expect("a request");
        Self::Events { hub, stream: BufReader::new(stream), path, headers, bodies: Vec::new() }
    }

    pub fn send(&mut self, frame: &str) {
        match self {
            Self::Socket(page) => page.send(frame),
            Self::Unix(agent) => agent.send(frame),
            Self::Events { hub, path, headers, bodies, .. } => bodies.push(post(hub, path, headers, frame)),
            Self::Post { hub, session, bodies } => {
                bodies.push(post(hub, "/rpc", &format!("x-session-id: {session}\r\n"), frame));
            }
        }
    }

    /// The next frame.
    pub fn receive(&mut self) -> Value {
        let text = match self {
            Self::Socket(page) => page.receive(),
            Self::Unix(agent) => agent.receive().expect("a frame"),
            Self::Post { bodies, .. } => bodies.remove(0),
            Self::Events { stream, bodies, .. } => {
                let answered = bodies.iter().position(|body| body.contains("\"jsonrpc\""));
                answered.map_or_else(|| next_event(stream), |at| bodies.remove(at))
            }
        };
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("JSON, not {text}"))
    }

    pub fn receive_until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let frame = self.receive();
            if wanted(&frame) {
                return frame;
            }
        }
    }
}

fn next_event(stream: &mut BufReader<TcpStream>) -> String {
    // A stream is never silent for long, so a read timeout alone would never expire.
    let deadline = Instant::now() + DEADLINE;
    loop {
        assert!(Instant::now() < deadline, "an event comes in time");
        let mut line = String::new();
        assert!(stream.read_line(&mut line).expect("the stream goes on") > 0, "the stream ended");
        assert!(!line.starts_with("event:"), "events have no names: {line}");
        if let Some(data) = line.strip_prefix("data: ") {
            return data.trim_end().to_owned();
        }
    }
}

/// Posts and returns the body of the response.
pub fn post(hub: &Hub, path: &str, headers: &str, body: &str) -> String {
    post_with_status(hub, path, headers, body).1
}

/// Posts and returns the status and the body of the response.
pub fn post_with_status(hub: &Hub, path: &str, headers: &str, body: &str) -> (u16, String) {
    let mut stream = hub.tcp();
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\norigin: {ORIGIN}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n"
    );
    stream.write_all((head + body).as_bytes()).expect("a request is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer comes");
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, answer.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned()))
}

/// A hub as the originals expect it: without a token.
pub fn open_hub() -> Hub {
    Hub::start_with(|config| config.auth = Auth::None)
}

/// A stream that posts by query without its client id, as the page client of that kind does.
pub fn by_query<'a>(hub: &'a Hub, kind: &str, session: &str) -> Peer<'a> {
    let path = format!("/message?sessionId={session}");
    let mut peer =
        Peer::events(hub, &format!("sessionId={session}&clientType={kind}&version=1.0"), path, String::new());
    peer.receive_until(|frame| frame["id"] == "welcome");
    peer
}

/// Registers one tool.
pub fn register(name: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": "r1", "method": "tools/register", "params": { "tools": [{ "name": name }] } })
        .to_string()
}

pub fn request(id: &str, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}
