//! The load of one peer is bounded and delays no other, in the real hub: large frames, costly queries; and a stopped
//! hub.

use crate::stage::{home, signal};
use eye_protocol::limits::LARGE_FRAME_BYTES;
use eye_protocol::{Ending, Value, rpc};
use eye_testkit::{DEADLINE, Home, HubProcess, PageSetup, Reply, ScriptedPage};
use rustix::fs::inotify;
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::mem::MaybeUninit;
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::stream::MaybeTlsStream;

#[test]
fn large_frames_keep_their_place_among_small_ones() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let (sink, codes) = channel();
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Shop"), move |code| {
        sink.send(code.len()).unwrap();
        Reply::Hold
    });
    let socket = UnixStream::connect(home.socket()).unwrap();
    socket.set_read_timeout(Some(DEADLINE)).unwrap();
    let mut answers = BufReader::new(socket.try_clone().unwrap()).lines().map(Result::unwrap);
    // Large and small frames in one write: only their order distinguishes them.
    let lengths = [LARGE_FRAME_BYTES + 1, 1, LARGE_FRAME_BYTES * 4, 2, 3, LARGE_FRAME_BYTES - 2, 4];
    let frames: Vec<String> =
        lengths.iter().enumerate().map(|(n, length)| format!("a{n}:{}\n", "x".repeat(*length))).collect();
    let frames = frames.concat();
    let mut writer = socket.try_clone().unwrap();
    std::thread::spawn(move || writer.write_all(frames.as_bytes()));
    for length in lengths {
        assert_eq!(codes.recv_timeout(DEADLINE).unwrap(), length);
    }
    // The same from the page: each answer is as long as its code.
    let held: Vec<_> = lengths.iter().map(|_| page.held()).collect();
    for one in &held {
        let ending: Ending = Ok(Value::Text("y".repeat(one.code.len())));
        page.answer(one, &ending);
    }
    for (n, length) in lengths.iter().enumerate() {
        let answer = answers.next().unwrap();
        let (id, text) = answer.split_once(':').unwrap();
        assert_eq!((id, text.len()), (format!("a{n}").as_str(), *length));
    }
}

/// Round trips made beside a page that never rests, and how many of that page's frames one of them may wait for on
/// average. Without fair scheduling it waits for thousands of them at each step.
const TRIPS: u64 = 40;
const FRAMES_BETWEEN_MAX: u64 = 2_000;

/// Bytes that the hub has received from its peers.
fn received_bytes(home: &Home, token: &str) -> u64 {
    let mut tcp = TcpStream::connect(("127.0.0.1", home.port())).unwrap();
    write!(
        tcp,
        "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
    )
    .unwrap();
    let mut text = String::new();
    tcp.read_to_string(&mut text).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("eye_received_bytes_total ")).unwrap();
    line.trim().parse().unwrap()
}

#[test]
fn a_page_that_never_rests_lets_others_go_first() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let _page = ScriptedPage::echo(&home, "Shop");
    let origin = format!("http://localhost:{}", home.port());
    let url = format!("ws://127.0.0.1:{}/ws?sessionId=hurried&clientType=browser", home.port());
    let mut request = url.into_client_request().unwrap();
    request.headers_mut().insert("Origin", origin.parse().unwrap());
    request.headers_mut().insert("Sec-WebSocket-Protocol", "eye".parse().unwrap());
    let (mut socket, _) = tungstenite::connect(request).unwrap();
    let hello = json!({ "clientType": "browser", "page": { "title": "Hurried", "url": origin, "visible": true } });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "hello", "params": hello }).to_string();
    socket.send(tungstenite::Message::text(hello)).unwrap();
    socket.read().unwrap();
    let MaybeTlsStream::Plain(stream) = socket.get_ref() else { panic!("it is plain") };
    let mut stream = stream.try_clone().unwrap();
    // Client frames are masked; a mask of zeros leaves the text unchanged.
    let text = r#"{"jsonrpc":"2.0","method":"page/unknown"}"#;
    let frame: Vec<u8> =
        [0x81, 0x80 | u8::try_from(text.len()).unwrap(), 0, 0, 0, 0].into_iter().chain(text.bytes()).collect();
    let over = Arc::new(AtomicBool::new(false));
    let end = over.clone();
    let hurried = std::thread::spawn(move || {
        let many = frame.repeat(100);
        while !end.load(Relaxed) && stream.write_all(&many).is_ok() {}
    });
    let agent = UnixStream::connect(home.socket()).unwrap();
    agent.set_read_timeout(Some(DEADLINE)).unwrap();
    let hello = json!({ "clientType": "agent", "target": "Shop" });
    writeln!(&agent, "{}", json!({ "jsonrpc": "2.0", "method": "hello", "params": hello })).unwrap();
    let mut answers = BufReader::new(agent.try_clone().unwrap()).lines().map(Result::unwrap);
    let token = home.eye(["token", "show"]).stdout.trim().to_owned();
    let frames = || received_bytes(&home, &token) / text.len() as u64;
    let begun = frames();
    while frames() < begun + 1_000 {
        std::thread::yield_now();
    }
    let before = frames();
    for _ in 0..TRIPS {
        writeln!(&agent, "a:1").unwrap();
        assert!(answers.any(|line| line.starts_with("a:")));
    }
    let between = (frames() - before) / TRIPS;
    over.store(true, Relaxed);
    assert!((1..=FRAMES_BETWEEN_MAX).contains(&between), "{between} frames were heard in each round trip");
    drop(socket);
    hurried.join().unwrap();
}

#[test]
fn thousands_of_results_are_collected_while_others_are_answered() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Slow"), |_| Reply::Hold);
    let _other = ScriptedPage::echo(&home, "Other");
    let socket = UnixStream::connect(home.socket()).unwrap();
    socket.set_read_timeout(Some(DEADLINE)).unwrap();
    let mut answers = BufReader::new(socket.try_clone().unwrap()).lines().map(Result::unwrap);
    let ask = |id: usize, method: &str, params: &serde_json::Value| {
        writeln!(&socket, "{}", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).unwrap();
    };
    let count = 3_000;
    for n in 0..count {
        ask(n, "eval", &json!({ "code": "later()", "mode": "keep", "page": "Slow" }));
        assert!(answers.next().unwrap().contains("result"));
    }
    ask(count, "collect", &json!({ "ids": [], "timeout": 60_000 }));
    // Each result arrives while the others are still awaited.
    for _ in 0..count {
        page.answer(&page.held(), &Ok(Value::Json("1".into())));
    }
    let ran = home.eye(["--page", "Other", "--timeout", "5", "document.title"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "document.title\n"), "{}", ran.stderr);
    let all = answers.find(|line| line.contains(&format!(r#""id":{count}"#))).unwrap();
    assert_eq!(all.matches(r#""value":1"#).count(), count, "{all:.300}");
}

/// How long the hub collects changes of titles before it stores them.
const REMEMBER_MS: u128 = 2_000;

#[test]
fn titles_that_move_do_not_rewrite_the_list_of_sessions_each_time() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let pages: Vec<ScriptedPage> = (0..20).map(|n| ScriptedPage::echo(&home, &format!("Page {n}"))).collect();
    // The list is replaced by renaming a file; inotify reports each rename.
    let watch = inotify::init(inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC).unwrap();
    inotify::add_watch(&watch, home.path("state/eye"), inotify::WatchFlags::MOVED_TO).unwrap();
    let mut room = [MaybeUninit::uninit(); 4096];
    let mut events = inotify::Reader::new(&watch, &mut room);
    let mut writes = 0;
    let mut count = || {
        while let Ok(event) = events.next() {
            writes += u128::from(event.file_name().is_some_and(|name| name.to_bytes() == b"sessions.json"));
        }
        writes
    };
    let begun = Instant::now();
    for round in 0..400 {
        for page in &pages {
            page.send(&rpc::notification("page/info", &json!({ "title": format!("moves {round}") })));
        }
        // A hundred times a second, for as long as several writes may take. Events not read in time are merged.
        std::thread::sleep(Duration::from_millis(10));
        count();
    }
    for page in &pages {
        assert_eq!(home.eye(["--page", page.session(), "heard"]).stdout, "heard\n");
    }
    while count() == 0 {
        assert!(begun.elapsed() < Duration::from_mins(1), "the titles are remembered");
        std::thread::yield_now();
    }
    let most = begun.elapsed().as_millis() / REMEMBER_MS + 3;
    assert!(count() <= most, "{} writes, not at most {most}", count());
    let known = std::fs::read_to_string(home.path("state/eye/sessions.json")).unwrap();
    assert!(known.contains("moves "), "{known}");
}

#[test]
fn a_query_that_would_look_at_too_much_is_refused() {
    let home = home();
    let _hub = HubProcess::start(&home);
    let page = ScriptedPage::echo(&home, "Shop");
    let deep = (0..60).fold(json!({ "id": 7 }), |inner, _| json!([inner]));
    let update = json!({ "jsonrpc": "2.0", "method": "state/update", "params": { "state": deep, "revision": 1 } });
    page.send(&update.to_string());
    assert_eq!(home.eye(["state", "$..id"]).stdout, "[7]\n");
    for (path, why) in [
        (format!("${}", "..*".repeat(20)), "more than 20000000 values"),
        (format!("${}", "[0,0]".repeat(60)), "more than 20000000 values"),
        ("$..[?$..[?$..[?$..[?$..*]]]]".to_owned(), "more than 20000000 values"),
        (format!("$.{}", "a".repeat(5000)), "at most 4096 bytes"),
        (format!("$[?{}@.a{}]", "(".repeat(2000), ")".repeat(2000)), "brackets in brackets"),
    ] {
        let ran = home.eye(["state", &path]);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}

#[test]
fn a_hub_that_is_stopped_is_named_with_how_to_end_it() {
    let home = home();
    let hub = HubProcess::start(&home);
    let _page = ScriptedPage::echo(&home, "Shop");
    let pid = hub.pid();
    signal(pid, "STOP");
    let commands: Vec<_> =
        [&["1"][..], &["look"], &["status"], &["sub", "news"]].map(|args| (args, home.start(args))).into();
    for (args, running) in commands {
        let ran = running.wait();
        assert_eq!(ran.code, 124, "{args:?}: {}", ran.stderr);
        let named = ran.stderr.contains(&format!("process {pid}")) && ran.stderr.contains(&format!("kill -9 {pid}"));
        assert!(named, "{args:?}: {}", ran.stderr);
    }
    signal(pid, "CONT");
    assert_eq!(home.eye(["1"]).stdout, "1\n", "nothing is broken by it");
}
