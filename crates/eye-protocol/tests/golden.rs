//! The wire of protocol version 1, as bytes. A change here is a change that old clients see.

use eye_protocol::answer::{write_plain, write_typed};
use eye_protocol::batch::Batches;
use eye_protocol::compact::Compact;
use eye_protocol::line::Line;
use eye_protocol::messages::{Hello, Kept, PageInfo, SessionRow, Welcome};
use eye_protocol::rpc::{self, json};
use eye_protocol::status::Status;
use eye_protocol::{Code, Ending, Error, Kind, Value, messages, stream};
use std::fmt::Write;

/// Every kind of ending there is.
fn endings() -> Vec<(&'static str, Ending)> {
    vec![
        ("text", Ok(Value::Text("root".into()))),
        ("text of two lines", Ok(Value::Text("a\nb".into()))),
        ("json", Ok(Value::Json(r#"{"a":[1,null]}"#.into()))),
        ("rendering", Ok(Value::Rendering(r#"<button#go "Go">"#.into()))),
        ("error", Err(Error::new(Code::THREW, "x is not defined"))),
        ("error with hint", Err(Error::new(Code::SESSION, "no page is connected").hint("open one"))),
        (
            "error with stack",
            Err(Error {
                code: Code::THREW,
                message: "x".into(),
                hint: None,
                stack: Some("at f (1:2)".into()),
                value: None,
                kind: Kind::Own,
            }),
        ),
        ("error of a page", Err(Error::new(Code::DENIED, "x is not defined").hint("return").of_page())),
        ("refusal until confirmed", Err(Error { kind: Kind::Unconfirmed, ..Error::new(Code::DENIED, "not yet") })),
    ]
}

/// Makes characters visible that a terminal does not show.
fn visible(text: &str) -> String {
    text.replace('\n', "⏎").replace('\u{1f}', "␟")
}

fn golden(name: &str, text: &str) {
    let path = format!("{}/tests/golden/v1/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("EYE_GOLDEN").is_some() {
        std::fs::write(&path, text).expect("the golden can be written");
    }
    let want = std::fs::read_to_string(&path).expect("the golden is there; EYE_GOLDEN=1 makes it");
    assert_eq!(text, want, "{name}: the wire changed; if that is meant, EYE_GOLDEN=1 writes it anew");
}

#[test]
fn lines_and_answers() {
    let mut out = String::new();
    for line in [
        Line::Ask { id: "a", code: "getUser()" },
        Line::Fire { code: "openNotepad()" },
        Line::Fire { code: "foo:bar()" },
    ] {
        let mut frame = String::new();
        line.write(&mut frame);
        let _ = writeln!(out, "ask     {}", visible(&frame));
    }
    for (what, ending) in endings() {
        let (mut typed, mut plain) = (String::new(), String::new());
        write_typed("a", &ending, &mut typed);
        write_plain("a", &ending, &mut plain);
        let _ = writeln!(out, "# {what}\ntyped   {}\nplain   {}", visible(&typed), visible(&plain));
        for request in [r#"{"i":1,"c":"x"}"#, r#"["a","x"]"#, r#"{c:"x"}"#, r#""x""#] {
            let mut answer = String::new();
            Compact::parse(request).expect("a compact form").form.write(&ending, &mut answer);
            let _ = writeln!(out, "{request:<16} {}", visible(&answer));
        }
        let _ = writeln!(out, "rpc     {}", rpc::eval_response("1", &ending, None));
    }
    golden("frames.txt", &out);
}

#[test]
fn streams_and_batches() {
    let (mut bytes, mut batches) = (Vec::new(), Batches::default());
    for frame in ["a:1", "two\nlines", "#hash", "ends in\r", "ä"] {
        stream::write(frame, &mut bytes);
        batches.line(frame);
    }
    batches.rpc(r#"{"jsonrpc":"2.0","id":"ping","method":"ping"}"#);
    let stream = String::from_utf8(bytes).expect("frames are text").replace('\r', "␍");
    let (batch, ends) = batches.take();
    let batch = String::from_utf8(batch).expect("batches are text");
    golden("carriers.txt", &format!("{stream}\n\n{batch}\n{ends:?}\n"));
}

#[test]
fn messages_of_json_rpc() {
    let page = PageInfo {
        paused: None,
        last_ref: Some(41),
        title: Some("Shop".into()),
        url: Some("http://localhost/".into()),
        alias: Some("shop".into()),
        visible: Some(true),
        parent: None,
        frame: None,
        eval: Some(false),
        eval_blocked: Some("CSP".into()),
        loading: None,
        leaving: None,
        dialog: None,
        shown_in: None,
    };
    let hello = Hello { typed: true, batch: true, page: Some(page), build: Some("0.1.0".into()), ..Hello::default() };
    let welcome = Welcome {
        session_id: Some("s".into()),
        version: messages::PROTOCOL_VERSION.into(),
        hub: "0.1.0".into(),
        last_ref: Some(41),
    };
    let row = SessionRow {
        hub: None,
        name: None,
        id: "s".into(),
        alias: None,
        title: "Shop".into(),
        url: "http://localhost/".into(),
        origin: "http://localhost".into(),
        state: messages::Presence::Away,
        visible: true,
        frame: false,
        parent: None,
        browser: None,
        window: None,
        eval: true,
        tools: 0,
        pending: 1,
        idle_ms: 2,
        used_ms: None,
        used_by: None,
        current: false,
    };
    let status = Status {
        version: "0.1.0".into(),
        pid: 1,
        uptime_ms: 2,
        listen: "http://127.0.0.1:8765".into(),
        socket: "/run/eye/hub.sock".into(),
        auth: "token".into(),
        pages: 3,
        sessions: 4,
        agents: 5,
        pending: 6,
        problems: Vec::new(),
        cluster: None,
    };
    let kept: Vec<Kept> = endings().iter().map(|(what, ending)| Kept::new((*what).into(), ending)).collect();
    let lines = [
        rpc::request("\"hello\"", "hello", &hello),
        rpc::notification("hello", &hello),
        rpc::response("\"hello\"", Ok(&json(&welcome))),
        json(&row),
        json(&status),
        json(&kept),
    ];
    golden("messages.txt", &(lines.join("\n") + "\n"));
}
