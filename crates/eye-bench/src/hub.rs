//! A hub under measurement: `eye-testkit`'s hub, with its start timed.

use crate::agents::Agent;
use crate::error::BenchError;
use eye_testkit::{Home, process};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A hub that ends when this value is dropped.
pub struct MeasuredHub {
    // Declared before its home, so that the process has ended when the home is removed.
    process: eye_testkit::HubProcess,
    pub home: Home,
    pub socket: PathBuf,
    pub port: u16,
    /// From spawn to ready.
    pub start: Duration,
}

impl MeasuredHub {
    /// Starts a hub in a home of its own and waits until it serves.
    pub fn start(eye: &Path) -> Self {
        let home = Home::new(eye);
        let mut command = home.command();
        let started = Instant::now();
        let process = eye_testkit::HubProcess::start_by(&mut command, &[]);
        let start = started.elapsed();
        Self { process, socket: home.socket(), port: home.port(), start, home }
    }

    /// Waits until this many pages have joined.
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
        let resident = process::resident_kib(self.process.pid());
        resident.map(|kib| kib as f64).ok_or_else(|| BenchError::Odd("the hub is gone".into()))
    }
}
