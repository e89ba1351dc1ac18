//! A page that does one thing in a loop. Its frames are built and masked once and written as bytes, so that building
//! them costs nothing during the measurement.

use eye_testkit::Home;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread;
use tungstenite::Message;
use tungstenite::client::IntoClientRequest;

/// The mask of every frame: its value does not matter.
const MASK: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];

/// One kind of load.
pub struct Kind {
    /// Its word on the command line.
    pub name: &'static str,
    /// Its text in the table.
    pub about: &'static str,
    /// Its messages, in order.
    messages: fn() -> Vec<String>,
}

pub const KINDS: [Kind; 8] = [
    Kind { name: "state-50k", about: "publishes a state of 50 KiB", messages: || vec![state(25 << 10)] },
    Kind { name: "state-200k", about: "publishes a state of 200 KiB", messages: || vec![state(100 << 10)] },
    Kind { name: "state-4m", about: "publishes a state of 4 MiB", messages: || vec![state((2 << 20) - 64)] },
    Kind { name: "patches", about: "patches a state of 1 MiB, 200 changes at a time", messages: patches },
    Kind { name: "tools", about: "registers 2,000 tools", messages: tools },
    Kind { name: "topics", about: "publishes small messages", messages: topics },
    Kind { name: "frames-16m", about: "sends frames of 15 MiB", messages: || vec![text(15 << 20)] },
    Kind { name: "frames-small", about: "sends small frames", messages: || vec![text(16)] },
];

fn notice(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

fn state(numbers: usize) -> String {
    notice("state/update", &json!({ "state": vec![0; numbers], "revision": 1 }))
}

fn patches() -> Vec<String> {
    let add = json!({ "op": "add", "path": "/0", "value": 1 });
    let remove = json!({ "op": "remove", "path": "/0" });
    let patch: Vec<&Value> = (0..200).map(|n| if n % 2 == 0 { &add } else { &remove }).collect();
    let change = |revision: u32| notice("state/patch", &json!({ "patch": patch, "revision": revision }));
    std::iter::once(state(512 << 10)).chain((2..100).map(change)).collect()
}

fn tools() -> Vec<String> {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let tools: Vec<Value> = (0..2_000).map(|n| json!({ "name": format!("tool{n}"), "inputSchema": schema })).collect();
    vec![json!({ "jsonrpc": "2.0", "id": "r", "method": "tools/register", "params": { "tools": tools } }).to_string()]
}

fn topics() -> Vec<String> {
    vec![notice("topic/publish", &json!({ "topic": "news", "message": "something happened" }))]
}

fn text(bytes: usize) -> String {
    notice("page/unknown", &json!({ "text": "x".repeat(bytes) }))
}

/// A running page, in a thread of its own. It ends with this program.
pub struct Hog {
    runs: Arc<AtomicBool>,
    frames: Arc<AtomicU64>,
    thread: thread::Thread,
}

impl Hog {
    /// Joins, and waits for [`Hog::run`].
    pub fn start(home: &Home, kind: &Kind) -> Self {
        let origin = format!("http://localhost:{}", home.port());
        let mut request = format!("ws://127.0.0.1:{}/ws?sessionId=hog&clientType=browser", home.port())
            .into_client_request()
            .expect("a URL");
        request.headers_mut().insert("Origin", origin.parse().expect("an origin"));
        request.headers_mut().insert("Sec-WebSocket-Protocol", "eye".parse().expect("a name"));
        let (mut socket, _) = tungstenite::connect(request).expect("the hub admits it");
        let page = json!({ "title": "Hog", "url": origin, "visible": true });
        let hello = json!({ "clientType": "browser", "version": "1.0.0", "typed": true, "page": page });
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "hello", "params": hello }).to_string();
        socket.send(Message::text(hello)).expect("the hub reads");
        // The welcome.
        socket.read().expect("the hub greets");
        let tungstenite::stream::MaybeTlsStream::Plain(stream) = socket.get_ref() else { panic!("it is plain") };
        let (mut reads, writes) = (stream.try_clone().expect("a socket"), stream.try_clone().expect("a socket"));
        // Frames from the hub are read and dropped.
        thread::spawn(move || while reads.read(&mut [0; 8 << 10]).is_ok_and(|count| count > 0) {});
        let messages: Vec<Vec<u8>> = (kind.messages)().iter().map(|text| frame(text.as_bytes())).collect();
        let (runs, frames) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (run, count) = (runs.clone(), frames.clone());
        let thread = thread::spawn(move || hurry(writes, &messages, &run, &count));
        Self { runs, frames, thread: thread.thread().clone() }
    }

    /// Starts sending. Returns how many frames it has sent so far.
    pub fn run(&self) -> u64 {
        self.runs.store(true, Release);
        self.thread.unpark();
        self.frames.load(Relaxed)
    }

    /// Stops sending. Returns how many frames it has sent so far.
    pub fn pause(&self) -> u64 {
        self.runs.store(false, Release);
        self.frames.load(Relaxed)
    }
}

fn hurry(mut stream: TcpStream, messages: &[Vec<u8>], runs: &AtomicBool, frames: &AtomicU64) {
    for message in messages.iter().cycle() {
        while !runs.load(Acquire) {
            thread::park();
        }
        if stream.write_all(message).is_err() {
            return;
        }
        frames.fetch_add(1, Relaxed);
    }
}

/// A masked text frame of a client.
fn frame(payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x81];
    match payload.len() {
        length @ 0..126 => bytes.push(0x80 | u8::try_from(length).unwrap_or(0)),
        length @ 126..65_536 => {
            bytes.push(0x80 | 0x7e);
            bytes.extend(u16::try_from(length).unwrap_or(0).to_be_bytes());
        }
        length => {
            bytes.push(0x80 | 0x7f);
            bytes.extend((length as u64).to_be_bytes());
        }
    }
    bytes.extend(MASK);
    bytes.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, key)| byte ^ key));
    bytes
}
