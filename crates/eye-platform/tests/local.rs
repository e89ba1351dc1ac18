//! The agents' socket on the system that runs the test.

use eye_platform::local::{Listener, connect};
use eye_platform::{files, user};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn place(home: &Path) -> PathBuf {
    let folder = home.join("eye");
    files::make_folder(&folder).expect("a folder");
    folder.join("hub.sock")
}

#[test]
fn an_agent_of_this_user_is_admitted_and_heard() {
    let (home, runtime) = (tempfile::tempdir().unwrap(), runtime());
    let place = place(home.path());
    let listener = runtime.block_on(async { Listener::bind(&place).unwrap() });
    let agent = thread::spawn(move || {
        let mut agent = connect(&place).unwrap();
        agent.write_all(b"ask").unwrap();
        let mut answer = [0; 6];
        agent.read_exact(&mut answer).unwrap();
        answer
    });
    runtime.block_on(async {
        let mut peer = listener.accept().await.unwrap().admit().await.expect("an agent of this user");
        let mut asked = [0; 3];
        peer.read_exact(&mut asked).await.unwrap();
        assert_eq!(&asked, b"ask");
        peer.write_all(b"answer").await.unwrap();
    });
    assert_eq!(&agent.join().unwrap(), b"answer");
}

#[test]
fn a_place_without_a_hub_is_told_by_its_error() {
    let (home, runtime) = (tempfile::tempdir().unwrap(), runtime());
    let place = place(home.path());
    assert_eq!(connect(&place).unwrap_err().kind(), ErrorKind::NotFound);
    drop(runtime.block_on(async { Listener::bind(&place).unwrap() }));
    // A killed hub leaves this behind.
    assert!(files::is_leftover(&std::fs::symlink_metadata(&place).unwrap()));
    assert_eq!(connect(&place).unwrap_err().kind(), ErrorKind::ConnectionRefused);
}

#[test]
fn what_is_made_is_this_users_alone() {
    let home = tempfile::tempdir().unwrap();
    let place = place(home.path());
    let file = home.path().join("eye/token");
    files::private(std::fs::OpenOptions::new().write(true).create_new(true)).open(&file).unwrap();
    for path in [&file, place.parent().unwrap()] {
        let about = std::fs::metadata(path).unwrap();
        assert!(!files::is_open(&about) && !files::is_writable_by_others(&about), "{}", path.display());
        assert_eq!(user::owner(&about), user::id());
    }
}

#[cfg(windows)]
mod secrets {
    use super::*;
    use std::net::{Ipv4Addr, TcpListener, TcpStream};

    fn port(place: &Path) -> u16 {
        let text = std::fs::read_to_string(place).expect("the file at the place");
        text.split(' ').next().and_then(|word| word.parse().ok()).expect("a port")
    }

    #[test]
    fn who_does_not_know_the_secret_is_not_admitted() {
        let (home, runtime) = (tempfile::tempdir().unwrap(), runtime());
        let place = place(home.path());
        let listener = runtime.block_on(async { Listener::bind(&place).unwrap() });
        let mut stranger = TcpStream::connect((Ipv4Addr::LOCALHOST, port(&place))).unwrap();
        stranger.write_all(&[b'0'; 64]).unwrap();
        assert!(runtime.block_on(async { listener.accept().await.unwrap().admit().await }).is_none());
    }

    #[test]
    fn a_program_that_took_the_port_of_a_dead_hub_is_no_hub() {
        let (home, runtime) = (tempfile::tempdir().unwrap(), runtime());
        let place = place(home.path());
        drop(runtime.block_on(async { Listener::bind(&place).unwrap() }));
        let another = TcpListener::bind((Ipv4Addr::LOCALHOST, port(&place))).unwrap();
        let posing = thread::spawn(move || {
            let (mut agent, _) = another.accept().unwrap();
            let mut shown = [0; 64];
            agent.read_exact(&mut shown).unwrap();
            // It sends back the agent's own secret.
            agent.write_all(&shown).unwrap();
        });
        assert_eq!(connect(&place).unwrap_err().kind(), ErrorKind::ConnectionRefused);
        posing.join().unwrap();
    }
}
