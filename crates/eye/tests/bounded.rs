//! What one peer asks is bounded, and holds up no other, in the real hub: large frames, costly queries; and a hub that is stopped.
#![allow(clippy::unwrap_used, reason = "this is test code, also outside of its tests")]

mod stage;

use eye_protocol::limits::LARGE_FRAME_BYTES;
use eye_protocol::{Ending, Value};
use eye_testkit::{DEADLINE, Hub, PageSetup, Reply, ScriptedPage};
use serde_json::json;
use stage::{home, signal};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::channel;

#[test]
fn large_frames_keep_their_place_among_small_ones() {
    let home = home();
    let _hub = Hub::start(&home);
    let (heard, codes) = channel();
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Shop"), move |code| {
        heard.send(code.len()).unwrap();
        Reply::Hold
    });
    let socket = UnixStream::connect(home.socket()).unwrap();
    socket.set_read_timeout(Some(DEADLINE)).unwrap();
    let mut answers = BufReader::new(socket.try_clone().unwrap()).lines().map(Result::unwrap);
    // Large and small ones in one write: only their order tells them apart.
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

#[test]
fn a_query_that_would_look_at_too_much_is_refused() {
    let home = home();
    let _hub = Hub::start(&home);
    let page = ScriptedPage::echo(&home, "Shop");
    let deep = (0..60).fold(json!({ "id": 7 }), |inner, _| json!([inner]));
    let update = json!({ "jsonrpc": "2.0", "method": "state/update", "params": { "state": deep, "revision": 1 } });
    page.say(&update.to_string());
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
    let hub = Hub::start(&home);
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
