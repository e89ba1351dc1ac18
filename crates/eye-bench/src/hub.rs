//! A real hub, started through the real binary in a home of its own.

use crate::agents::Agent;
use crate::error::{BenchError, Doing};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A hub that ends with this value.
pub struct Hub {
    child: Child,
    /// Its Unix socket.
    pub socket: PathBuf,
    /// Its port.
    pub port: u16,
    /// From start to ready.
    pub start: Duration,
    /// Its home.
    pub home: PathBuf,
}

/// Gives a command the hermetic home of a hub.
pub fn at_home(command: &mut Command, home: &Path, port: u16) {
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("XDG_RUNTIME_DIR", home.join("run"))
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_STATE_HOME", home.join("state"))
        .env("EYE_PORT", port.to_string());
}

/// A port that was free a moment ago.
pub fn free_port() -> Result<u16, BenchError> {
    let listener = TcpListener::bind("127.0.0.1:0").doing("looking for a free port")?;
    Ok(listener.local_addr().doing("looking for a free port")?.port())
}

impl Hub {
    /// Starts a hub and waits for its readiness line.
    pub fn start(eye: &Path, home: &Path, name: &str) -> Result<Self, BenchError> {
        let home = home.join(name);
        std::fs::create_dir_all(home.join("run")).doing("making a home")?;
        let port = free_port()?;
        let mut command = Command::new(eye);
        at_home(&mut command, &home, port);
        let started = Instant::now();
        let mut child = command
            .args(["up", "--foreground"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .doing("starting the hub")?;
        let mut line = String::new();
        let stdout = child.stdout.take().ok_or_else(|| BenchError::Odd("the hub has no stdout".into()))?;
        BufReader::new(stdout).read_line(&mut line).doing("waiting for the hub")?;
        let start = started.elapsed();
        if !line.contains(&port.to_string()) {
            return Err(BenchError::Odd(format!("the hub said: {line}")));
        }
        Ok(Self { child, socket: home.join("run/eye/hub.sock"), port, start, home })
    }

    /// Waits until so many pages have joined.
    pub fn wait_for_pages(&self, count: usize) -> Result<(), BenchError> {
        let mut agent = Agent::over_socket(&self.socket, None)?;
        let deadline = Instant::now() + Duration::from_mins(1);
        while Instant::now() < deadline {
            let status = agent.request("hub/status")?;
            if status["pages"].as_u64() >= Some(count as u64) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(BenchError::Odd(format!("{count} pages did not join within 60 s")))
    }

    /// Resident memory in KiB.
    pub fn resident_kib(&self) -> Result<f64, BenchError> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).doing("reading memory")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        number.ok_or_else(|| BenchError::Odd("no VmRSS".into()))
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
