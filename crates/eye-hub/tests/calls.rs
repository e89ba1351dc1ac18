//! Calls over real sockets: who gets which answer, and what happens when a peer leaves.

use crate::stage;
use crate::stage::Hub;

#[test]
fn an_answer_comes_back_in_the_form_it_was_asked_in() {
    let hub = Hub::start();
    let (mut page, mut agent) = (hub.page("shop"), hub.agent());
    for (sent, frame, answer, want) in [
        ("a:document.title", "1:document.title", "1:Shop", "a:Shop"),
        (r#"{"i":7,"c":"x"}"#, "2:x", "2=3", r#"{"i":7,"r":3}"#),
        (r#"["a","x"]"#, "3:x", "3~undefined", r#"["a","undefined"]"#),
        (r#"{c:"x"}"#, "4:x", "4!-32003 oops", r#"{"e":"oops"}"#),
        (r#""x""#, "5:x", "5:s", r#""s""#),
        ("b:two\nlines", "6:two\nlines", "6:one\ntwo", "b:one\ntwo"),
        (
            r#"{"jsonrpc":"2.0","id":"q","method":"eval","params":{"code":"x"}}"#,
            "7:x",
            r#"7={"a":1}"#,
            r#"{"jsonrpc":"2.0","id":"q","result":{"value":{"a":1}}}"#,
        ),
    ] {
        agent.send(sent);
        assert_eq!(page.receive(), frame);
        page.send(answer);
        assert_eq!(agent.receive().unwrap(), want);
    }
}

#[test]
fn fire_and_forget_reaches_the_page_and_nobody_answers() {
    let hub = Hub::start();
    let (mut page, mut agent) = (hub.page("shop"), hub.agent());
    agent.send("openNotepad()");
    agent.send(":foo:bar()");
    agent.send("a:x");
    assert_eq!(page.receive(), ":openNotepad()");
    assert_eq!(page.receive(), ":foo:bar()");
    assert_eq!(page.receive(), "1:x");
    page.send("1=1");
    assert_eq!(agent.receive().unwrap(), "a:1");
}

#[test]
fn a_batch_client_gets_and_sends_arrays() {
    let hub = Hub::start();
    let mut page = hub.page_silent("shop", stage::ORIGIN);
    page.send(r#"{"jsonrpc":"2.0","id":"hello","method":"hello","params":{"typed":true,"batch":true}}"#);
    assert!(page.receive().starts_with("[{"), "the welcome is a batch, too");
    let mut agent = hub.agent();
    agent.send("a:1\n");
    assert_eq!(page.receive(), r#"["1:1\n"]"#);
    page.send(r#"["1:x\"y",{"jsonrpc":"2.0","method":"page/info","params":{"title":"New"}}]"#);
    assert_eq!(agent.receive().unwrap(), "a:x\"y");
    assert!(agent.ask(r#"{"jsonrpc":"2.0","id":1,"method":"session/list"}"#).contains("\"title\":\"New\""));
    page.send("not a batch");
    assert_eq!(page.closed().0, 1003);
}

#[test]
fn a_call_in_a_frame_says_where_it_ran() {
    let hub = Hub::start();
    let (mut page, mut agent) = (hub.page("shop"), hub.agent());
    agent.send(r##"{"jsonrpc":"2.0","id":1,"method":"eval","params":{"code":"x","frame":"#f"}}"##);
    assert!(page.receive().contains(r##""params":{"code":"x","frame":"#f"}"##));
    page.send("1=1");
    assert!(agent.receive().unwrap().contains("{\"value\":1}"));
}

#[test]
fn an_agent_that_leaves_aborts_its_calls_in_the_page() {
    let hub = Hub::start();
    let (mut page, mut agent) = (hub.page("shop"), hub.agent());
    agent.send("a:slow()");
    assert_eq!(page.receive(), "1:slow()");
    drop(agent);
    assert_eq!(page.receive(), r#"{"jsonrpc":"2.0","method":"call/cancel","params":{"id":"1"}}"#);
}

#[test]
fn a_second_page_takes_over_and_the_first_is_told() {
    let hub = Hub::start();
    let mut first = hub.page("shop");
    let mut second = hub.page("shop");
    assert!(first.receive().contains("Another browser client connected to this session"));
    assert_eq!(first.closed().0, 4003);
    let mut agent = hub.agent();
    agent.send("a:x");
    assert_eq!(second.receive(), "1:x");
    let mut foreign = hub.page_silent("shop", "http://localhost:9");
    foreign.send(r#"{"jsonrpc":"2.0","method":"hello","params":{"typed":true}}"#);
    assert_eq!(foreign.closed().0, 4004);
}

#[test]
fn a_shutdown_ends_calls_and_closes_with_a_code() {
    let hub = Hub::start();
    let (mut page, mut agent, mut other) = (hub.page("shop"), hub.agent(), hub.agent());
    agent.send("a:x");
    assert_eq!(page.receive(), "1:x");
    assert!(other.ask(r#"{"jsonrpc":"2.0","id":1,"method":"hub/stop"}"#).contains("stopping"));
    assert!(agent.receive().unwrap().starts_with("a!:the hub shut down before the page answered"));
    assert_eq!(agent.receive(), None);
    assert_eq!(page.closed().0, 1001);
    let socket = hub.socket.clone();
    hub.join().unwrap();
    assert!(!socket.exists());
}

#[test]
fn an_older_idle_hub_makes_room_and_executes_nothing() {
    let hub = Hub::start();
    let mut page = hub.page("shop");
    let mut agent = hub.agent();
    // In one write: the hub closes the connection as soon as it has read the first.
    agent.send_all(&[r#"{"jsonrpc":"2.0","method":"hello","params":{"typed":true,"build":"99.0.0"}}"#, "1:danger()"]);
    assert!(agent.receive().unwrap().contains("hub/retiring"));
    assert_eq!(agent.receive(), None);
    assert_eq!(page.closed().0, 1001, "nothing was evaluated before the close");
    hub.join().unwrap();
}

#[test]
fn a_busy_hub_does_not_make_room() {
    let hub = Hub::start();
    let (mut page, mut busy) = (hub.page("shop"), hub.agent());
    busy.send("a:x");
    assert_eq!(page.receive(), "1:x");
    let mut newer = hub.agent();
    newer.send(r#"{"jsonrpc":"2.0","method":"hello","params":{"typed":true,"build":"99.0.0"}}"#);
    newer.send("1:y");
    assert_eq!(page.receive(), "2:y");
    page.send("2=2");
    assert_eq!(newer.receive().unwrap(), "1=2");
}

#[test]
fn a_restarted_hub_waits_for_the_pages_it_knew() {
    let state = tempfile::tempdir().unwrap();
    let same_state = |config: &mut eye_hub::Config| config.state_dir = state.path().into();
    let hub = Hub::start_with(same_state);
    let page = hub.page("shop");
    hub.agent().wait_for_pages(1);
    hub.agent().ask(r#"{"jsonrpc":"2.0","id":1,"method":"hub/stop"}"#);
    hub.join().unwrap();
    drop(page);
    let hub = Hub::start_with(same_state);
    let mut agent = hub.agent();
    agent.send("a:x");
    let mut page = hub.page("shop");
    assert_eq!(page.receive(), "1:x");
    page.send("1=1");
    assert_eq!(agent.receive().unwrap(), "a:1");
}
