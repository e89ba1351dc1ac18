//! The LLM server behind the hub: how the server and its key are configured.

use crate::stage;
use eye_testkit::HubProcess;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

#[test]
fn a_key_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let home = stage::home();
    std::fs::create_dir_all(home.path("config/eye")).unwrap();
    let file = home.path("config/eye/llm-key");
    std::fs::write(&file, "secret").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let ran = home.eye(["up", "--foreground"]);
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(ran.stderr.contains("can be read by others") && ran.stderr.contains("chmod 600"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
    let ran = home.eye(["up", "--foreground", "--llm", "localhost"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}

#[test]
fn the_llm_server_and_its_key_are_named_to_the_hub() {
    use std::os::unix::fs::PermissionsExt;
    let home = stage::home();
    std::fs::create_dir_all(home.path("config/eye")).unwrap();
    let file = home.path("config/eye/llm-key");
    std::fs::write(&file, "sk-of-the-file\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://127.0.0.1:{}/v1", listener.local_addr().unwrap().port());
    let _hub = HubProcess::start_with(&home, &["--llm", &url]);
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = String::new();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).unwrap() > 0);
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").unwrap();
        head
    });
    let mut stream = TcpStream::connect(("127.0.0.1", home.port())).unwrap();
    let own = format!("localhost:{}", home.port());
    let body = r#"{"messages":[]}"#;
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {own}\r\norigin: http://{own}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("{}"), "{answer}");
    let head = served.join().unwrap();
    assert!(head.starts_with("POST /v1/chat/completions ") && head.contains("Bearer sk-of-the-file\r\n"), "{head}");
}

/// The answer to a page of the hub that uses the LLM server.
fn ask_llm(home: &eye_testkit::Home) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", home.port())).expect("the hub");
    let (own, body) = (format!("localhost:{}", home.port()), r#"{"messages":[]}"#);
    let head = format!("POST /v1/chat/completions HTTP/1.1\r\nhost: {own}\r\norigin: http://{own}\r\n");
    let more = format!("connection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    stream.write_all((head + &more).as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn an_llm_server_that_was_named_once_is_known_to_the_next_hub() {
    let home = stage::home();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                assert!(reader.read_line(&mut head).unwrap() > 0);
            }
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 8\r\nconnection: close\r\n\r\n{\"n\":42}").unwrap();
        }
    });
    assert_eq!(home.eye(["up", "--llm", &url]).code, 0);
    assert!(ask_llm(&home).ends_with(r#"{"n":42}"#));
    assert_eq!(home.eye(["down"]).code, 0);
    assert_eq!(home.eye(["up"]).code, 0);
    let answer = ask_llm(&home);
    assert!(answer.ends_with(r#"{"n":42}"#), "{answer}");
    assert_eq!(home.eye(["down"]).code, 0);
    assert_eq!(home.eye(["up", "--llm", "none"]).code, 0);
    let answer = ask_llm(&home);
    assert!(!answer.contains(r#"{"n":42}"#), "{answer}");
    assert_eq!(home.eye(["down"]).code, 0);
}
