//! Peers that are broken, slow or hostile: each gets a defined ending, and no other peer notices.

use crate::stage;
use crate::stage::Hub;
use eye_protocol::limits::{FRAME_BYTES_MAX, MESSAGE_BYTES_MAX, OUTBOX_BYTES_MAX};
use proptest::prelude::*;
use std::io::{Read, Write};
use tungstenite::Message;

fn still_works(hub: &Hub) {
    let (mut page, mut agent) = (hub.page("witness"), hub.agent());
    agent.send(r#"{"jsonrpc":"2.0","id":1,"method":"eval","params":{"code":"x","page":"witness"}}"#);
    // Messages for other calls may reach the page first.
    let call = loop {
        let request = page.receive();
        if let Some((call, "x")) = request.split_once(':') {
            break call.to_owned();
        }
    };
    page.send(&format!("{call}=1"));
    assert_eq!(agent.receive().expect("an answer"), r#"{"jsonrpc":"2.0","id":1,"result":{"value":1}}"#);
}

#[test]
fn a_binary_message_closes_its_sender() {
    let hub = Hub::start();
    let mut page = hub.page("shop");
    page.0.send(Message::binary(vec![0, 1, 2])).unwrap();
    assert_eq!(page.closed().0, 1003);
    still_works(&hub);
}

#[test]
fn a_message_over_the_limit_closes_its_sender_before_it_is_read() {
    let hub = Hub::start();
    let mut page = hub.page("shop");
    // Only the head of a frame that declares one byte too many, and then one that declares a gigabyte.
    for length in [MESSAGE_BYTES_MAX as u64 + 1, 1 << 30] {
        let mut head = vec![0x81, 0x80 | 127];
        head.extend(length.to_be_bytes());
        head.extend([0; 4]);
        page.0.get_mut().write_all(&head).unwrap();
        assert_eq!(page.closed().0, 1009);
        page = hub.page("shop");
    }
    still_works(&hub);
}

#[test]
fn a_frame_over_the_limit_ends_its_stream_with_a_word() {
    let hub = Hub::start();
    for bytes in [format!("#{}\n", FRAME_BYTES_MAX + 1), "#1073741824\n".into(), "#x\n".into()] {
        let mut agent = hub.agent();
        agent.stream.write_all(bytes.as_bytes()).unwrap();
        let message = agent.receive().unwrap();
        assert!(message.starts_with("!:"), "{message}");
        assert_eq!(agent.receive(), None);
    }
    let mut agent = hub.agent();
    agent.stream.write_all(b"\xff\xfe\n").unwrap();
    assert_eq!(agent.receive().unwrap(), "!:frame is not UTF-8");
    still_works(&hub);
}

#[test]
fn half_a_frame_then_silence_delays_nobody() {
    let hub = Hub::start();
    let mut halves = [hub.agent(), hub.agent()];
    halves[0].stream.write_all(b"a:document.ti").unwrap();
    halves[1].stream.write_all(b"#100\nabc").unwrap();
    let mut http = hub.tcp();
    http.write_all(b"GET /ws HTT").unwrap();
    still_works(&hub);
}

#[test]
fn an_agent_that_reads_nothing_is_closed_and_its_page_goes_on() {
    let hub = Hub::start();
    let (mut page, mut slow) = (hub.page("shop"), hub.agent());
    let big = "x".repeat(1 << 20);
    let enough = OUTBOX_BYTES_MAX / big.len() + 8;
    for _ in 0..enough {
        slow.send("a:big()");
    }
    for call in 1..=enough {
        page.receive();
        page.send(&format!("{call}:{big}"));
    }
    // Its outbox is full: it is closed, while all others go on.
    let mut rest = Vec::new();
    let _ = slow.stream.read_to_end(&mut rest);
    assert!(rest.len() < enough * big.len());
    drop(page);
    still_works(&hub);
}

#[test]
fn a_page_that_reads_nothing_is_closed_and_its_callers_get_the_reason() {
    let hub = Hub::start();
    let (page, mut agent) = (hub.page("shop"), hub.agent());
    let big = "x".repeat(8 << 20);
    let enough = OUTBOX_BYTES_MAX / big.len() + 3;
    for n in 0..enough {
        agent.send(&format!("a{n}:{big}"));
    }
    let mut message = 0;
    while message < enough {
        let answer = agent.receive().unwrap();
        assert!(answer.contains("!:the page"), "{}", &answer[..answer.len().min(200)]);
        message += 1;
    }
    drop(page);
    still_works(&hub);
}

#[test]
fn a_page_that_answers_nonsense_ends_only_its_own_calls() {
    let hub = Hub::start();
    let (mut page, mut agent) = (hub.page("shop"), hub.agent());
    agent.send(r#"{"jsonrpc":"2.0","id":1,"method":"eval","params":{"code":"x"}}"#);
    page.receive();
    for nonsense in
        ["", "1", "7:late", "x:1", "{", "[]", r#"{"jsonrpc":"2.0"}"#, r#"{"jsonrpc":"2.0","id":"9","result":1}"#]
    {
        page.send(nonsense);
    }
    page.send(r#"1=1},"evil":{"#);
    let answer = agent.receive().unwrap();
    assert_eq!(answer, r#"{"jsonrpc":"2.0","id":1,"result":{"value":"1},\"evil\":{"}}"#);
    drop(page);
    still_works(&hub);
}

#[test]
fn no_bytes_on_the_unix_socket_break_the_hub() {
    let hub = Hub::start();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(200));
    let bytes = prop::collection::vec(
        prop_oneof![Just(b'\n'), Just(b'"'), Just(b'{'), Just(b'['), Just(b':'), any::<u8>()],
        0..300,
    );
    runner
        .run(&bytes, |bytes| {
            let mut agent = hub.agent();
            let _ = agent.stream.write_all(&bytes);
            Ok(())
        })
        .unwrap();
    still_works(&hub);
}

const STATUS: &str = r#"{"jsonrpc":"2.0","id":9,"method":"hub/status"}"#;

#[test]
fn whatever_a_page_sends_each_caller_gets_one_ending() {
    let hub = Hub::start();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(150));
    let texts = prop_oneof![
        "[12][:=~!].*",
        "[12]!-?[0-9]{1,6} .*",
        r#"\{"jsonrpc":"2.0","id":"[12]","(result|error)":.*\}"#,
        r#"\{"jsonrpc":"2.0","method":"(call/navigating|page/info|page/leaving|call/progress)","params":\{.*\}\}"#,
        ".*",
    ];
    runner
        .run(&prop::collection::vec(texts, 0..12), |texts| {
            let (mut page, mut agent) = (hub.page("fuzz"), hub.agent());
            agent.send("a:x");
            agent.send(r#"{"jsonrpc":"2.0","id":"b","method":"eval","params":{"code":"y","timeout":1}}"#);
            page.receive();
            for text in texts {
                let _ = page.0.send(Message::text(text));
            }
            drop(page);
            let mut endings = [agent.receive().expect("an ending"), agent.receive().expect("an ending")];
            endings.sort();
            prop_assert!(endings[0].starts_with('a') != endings[1].starts_with('a'), "{:?}", endings);
            let next = agent.ask(STATUS);
            prop_assert!(next.contains("\"pending\":0}"), "{}", next);
            Ok(())
        })
        .unwrap();
}

#[test]
fn no_body_on_any_http_endpoint_breaks_the_hub() {
    let hub = Hub::start_with(|config| config.auth = eye_hub::Auth::None);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(150));
    let paths =
        prop::sample::select(vec!["/rpc", "/message", "/message?sessionId=a&clientId=c1", "/ws", "/events", "/"]);
    let bodies = prop_oneof![".*", r#"\{"jsonrpc":"2.0","id":1,"method":"[a-z]{1,8}/[a-z]{1,8}".*\}"#];
    runner
        .run(&(paths, bodies), |(path, body)| {
            stage::btcp::post(&hub, path, "x-session-id: a\r\n", &body);
            Ok(())
        })
        .unwrap();
    assert!(hub.agent().ask(STATUS).contains("\"pending\":0}"));
    still_works(&hub);
}

#[test]
fn no_text_on_a_websocket_breaks_the_hub() {
    let hub = Hub::start();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(100));
    let texts =
        prop::collection::vec(prop_oneof![".*", "[0-9]{1,3}[:=~!].*", r#"\{"jsonrpc":"2.0".*"#, r#"\[".*"\]"#], 1..20);
    runner
        .run(&texts, |texts| {
            let mut page = hub.page("fuzz");
            for text in texts {
                let _ = page.0.send(Message::text(text));
            }
            Ok(())
        })
        .unwrap();
    still_works(&hub);
}
