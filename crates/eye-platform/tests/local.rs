//! The agents' socket on the system that runs the test.

use eye_platform::local::{Listener, Reader, Writer, connect, join, split};
use eye_platform::{files, user};
use std::future::poll_fn;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::task::{Context, Waker};
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
fn an_agent_of_this_user_is_admitted_and_answered() {
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
        let mut bytes = [0; 3];
        peer.read_exact(&mut bytes).await.unwrap();
        assert_eq!(&bytes, b"ask");
        peer.write_all(b"answer").await.unwrap();
    });
    assert_eq!(&agent.join().unwrap(), b"answer");
}

#[test]
fn a_place_without_a_hub_is_recognized_by_its_error() {
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

/// The halves of a connection to an agent that runs on a thread of its own.
async fn halves<T: Send + 'static>(
    home: &Path,
    agent: impl FnOnce(eye_platform::local::Stream) -> T + Send + 'static,
) -> (Reader, Writer, thread::JoinHandle<T>) {
    let place = place(home);
    let listener = Listener::bind(&place).expect("a place of its own");
    let agent = thread::spawn(move || agent(connect(&place).expect("a listener")));
    let peer = listener.accept().await.expect("an agent").admit().await.expect("an agent of this user");
    let (reader, writer) = split(peer).expect("two halves");
    (reader, writer, agent)
}

/// Writes until nothing more fits. Returns how many bytes did.
fn fill(writer: &Writer) -> usize {
    let mut count = 0;
    loop {
        match writer.try_write(&[b'a'; 1000]) {
            Ok(more) => count += more,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return count,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn what_a_socket_does_not_take_is_written_when_its_peer_has_read() {
    let (home, runtime) = (tempfile::tempdir().unwrap(), runtime());
    runtime.block_on(async {
        let (go, go_on) = std::sync::mpsc::channel();
        let (mut reader, writer, agent) = halves(home.path(), move |mut agent| {
            go_on.recv().unwrap();
            let mut all = Vec::new();
            agent.write_all(b"!").unwrap();
            agent.read_to_end(&mut all).unwrap();
            all
        })
        .await;
        let before = fill(&writer);
        assert!(writer.poll_write(&mut Context::from_waker(Waker::noop()), b"b").is_pending());
        go.send(()).unwrap();
        let mut rest = vec![b'b'; 2 << 20];
        while !rest.is_empty() {
            let count = poll_fn(|context| writer.poll_write(context, &rest)).await.unwrap();
            rest.truncate(rest.len() - count);
        }
        assert_eq!(reader.read_u8().await.unwrap(), b'!');
        // What it waited with no longer holds the connection.
        drop((reader, writer));
        let all = agent.join().unwrap();
        assert_eq!(all.len(), before + (2 << 20));
        assert!(all[..before].iter().all(|byte| *byte == b'a') && all[before..].iter().all(|byte| *byte == b'b'));
    });
}

#[test]
fn a_peer_that_leaves_ends_reads_and_also_a_write_that_waits() {
    let (home, runtime) = (tempfile::tempdir().unwrap(), runtime());
    runtime.block_on(async {
        let (go, go_on) = std::sync::mpsc::channel();
        let (mut reader, writer, agent) = halves(home.path(), move |agent| {
            go_on.recv().unwrap();
            drop(agent);
        })
        .await;
        fill(&writer);
        assert!(writer.poll_write(&mut Context::from_waker(Waker::noop()), b"b").is_pending());
        go.send(()).unwrap();
        let mut byte = [0];
        let write = poll_fn(|context| writer.poll_write(context, b"b"));
        let (read, written) = tokio::join!(reader.read(&mut byte), write);
        assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
        assert!(written.is_err(), "{written:?}");
        agent.join().unwrap();
    });
}

#[test]
fn the_halves_of_a_connection_are_joined_again() {
    let (home, runtime) = (tempfile::tempdir().unwrap(), runtime());
    runtime.block_on(async {
        let (mut reader, writer, agent) = halves(home.path(), |mut agent| {
            agent.write_all(b"ab").unwrap();
            let mut answer = [0; 2];
            agent.read_exact(&mut answer).unwrap();
            answer
        })
        .await;
        assert_eq!(reader.read_u8().await.unwrap(), b'a');
        assert_eq!(writer.try_write(b"c").unwrap(), 1);
        let mut socket = join(reader, writer).unwrap();
        assert_eq!(socket.read_u8().await.unwrap(), b'b');
        socket.write_all(b"d").await.unwrap();
        assert_eq!(&agent.join().unwrap(), b"cd");
    });
}

/// The kernel lists what each epoll waits for: files and sets of events.
#[cfg(target_os = "linux")]
#[test]
fn the_runtime_does_not_wait_for_a_socket_to_be_writable() {
    use std::os::fd::AsRawFd;

    /// `EPOLLIN` and `EPOLLOUT`.
    const READABLE: u32 = 1;
    const WRITABLE: u32 = 4;
    let (home, runtime) = (tempfile::tempdir().unwrap(), runtime());
    runtime.block_on(async {
        let (reader, writer, agent) = halves(home.path(), |mut agent| agent.read(&mut [0]).unwrap()).await;
        let file = reader.as_raw_fd().to_string();
        let infos = std::fs::read_dir("/proc/self/fdinfo").unwrap().flatten();
        let infos: Vec<String> = infos.filter_map(|info| std::fs::read_to_string(info.path()).ok()).collect();
        let lines = infos.iter().flat_map(|info| info.lines()).filter_map(|line| line.strip_prefix("tfd:"));
        let events: Vec<u32> = lines
            .map(|line| line.split_whitespace().collect::<Vec<_>>())
            .filter(|words| words[0] == file)
            .map(|words| u32::from_str_radix(words[2], 16).unwrap())
            .collect();
        let readable = events.iter().all(|events| events & (READABLE | WRITABLE) == READABLE);
        assert!(readable && !events.is_empty(), "{events:x?}");
        drop((reader, writer));
        agent.join().unwrap();
    });
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
