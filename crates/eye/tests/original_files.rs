//! The files of the original eye in `~/.algo`: where its CLI found its server and token, and where that token is sent.

use crate::stage::{answers, home};
use eye_testkit::{Home, HubProcess, PageSetup, Ran, Reply, Running, ScriptedPage};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;

/// Writes files of `~/.algo`, and removes those of an earlier try.
fn algo(home: &Home, files: &[(&str, String)]) {
    let folder = home.path(".algo");
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("a folder of the test");
    }
    fs::create_dir(&folder).expect("a folder");
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("a file");
    }
}

/// A hub with a page, and the token of that hub.
fn far() -> (Home, HubProcess, ScriptedPage, String) {
    let home = home();
    let hub = HubProcess::start(&home);
    let page = ScriptedPage::join(&home, &PageSetup::new(&home, "Far"), |_| Reply::text("Far away"));
    let token = home.eye(["token", "show"]).stdout.trim().to_owned();
    (home, hub, page, token)
}

fn title(home: &Home) -> Ran {
    home.eye(["document.title"])
}

#[test]
fn every_form_of_the_originals_files_reaches_its_server() {
    let (far, _hub, _page, token) = far();
    let near = home();
    let port = far.port();
    let config = |server: &str| ("config.json", format!(r#"{{"token":"{token}","server":"{server}"}}"#));
    for files in [
        vec![config(&format!("ws://localhost:{port}/api/eye"))],
        vec![config(&format!("http://localhost:{port}"))],
        // The plain files of its earlier versions, one line each.
        vec![("token", format!("{token}\n")), ("server", format!("ws://localhost:{port}/api/eye\n"))],
        // Its config file takes precedence.
        vec![
            config(&format!("ws://localhost:{port}/api/eye")),
            ("token", "another\n".to_owned()),
            ("server", "ws://localhost:9\n".to_owned()),
        ],
    ] {
        algo(&near, &files);
        assert_eq!(title(&near), answers(0, "Far away\n", ""), "{files:?}");
    }
    algo(&near, &[("config.json", format!(r#"{{"token":"wrong","server":"http://localhost:{port}"}}"#))]);
    assert_eq!(title(&near).code, 4);
}

#[test]
fn the_originals_token_alone_is_sent_nowhere_and_the_hub_here_is_asked() {
    let near = home();
    let _hub = HubProcess::start(&near);
    let _page = ScriptedPage::join(&near, &PageSetup::new(&near, "Near"), |_| Reply::text("Here"));
    for file in [("token", "secret\n".to_owned()), ("config.json", r#"{"token":"secret"}"#.to_owned())] {
        algo(&near, &[file]);
        assert_eq!(title(&near), answers(0, "Here\n", ""));
    }
}

#[test]
fn the_originals_token_does_not_go_to_a_server_that_it_does_not_stand_beside() {
    let near = home();
    let (far, _hub, _page, token) = far();
    algo(&near, &[("config.json", format!(r#"{{"token":"{token}","server":"http://localhost:{}"}}"#, far.port()))]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let other = format!("http://{}", listener.local_addr().unwrap());
    let received = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("the command connects");
        let mut received = Vec::new();
        let mut part = [0; 4096];
        while !received.ends_with(b"\r\n\r\n") {
            let count = stream.read(&mut part).expect("its request");
            assert!(count > 0, "the request is cut");
            received.extend_from_slice(&part[..count]);
        }
        stream
            .write_all(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            .expect("heard");
        String::from_utf8_lossy(&received).into_owned()
    });
    let ran = Running::of(near.command().arg("document.title").env("EYE_SERVER", other)).wait();
    assert_ne!(ran.code, 0);
    let received = received.join().unwrap();
    assert!(received.starts_with("GET ") && !received.contains(&token), "{received}");
}
