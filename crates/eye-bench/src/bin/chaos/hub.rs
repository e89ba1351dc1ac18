//! The hub under test: the real binary, killed and started again, its memory and files sampled.

use crate::ledger::Ledger;
use crate::plan::Plan;
use eye_testkit::{Home, Hub};
use std::fmt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// How often memory and files are looked at.
const SAMPLE: Duration = Duration::from_millis(100);
/// How long the hub may take to give back what the chaos used.
const SETTLE: Duration = Duration::from_secs(5);

/// The hub and its home.
pub struct Ward {
    home: Home,
    hub: Option<Hub>,
    start: Usage,
    peak: Usage,
    end: Usage,
    kills: u32,
}

/// What the hub's process holds.
#[derive(Clone, Copy, Default)]
struct Usage {
    resident_kib: u64,
    files: u64,
}

impl Ward {
    /// Starts the hub in a home of its own.
    pub fn start(eye: &Path) -> Self {
        let home = Home::new(eye);
        let hub = Some(Hub::start(&home));
        let none = Usage::default();
        Self { home, hub, start: none, peak: none, end: none, kills: 0 }
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.home.port()
    }

    /// Its Unix socket.
    pub fn socket(&self) -> PathBuf {
        self.home.socket()
    }

    /// Notes what it holds before the chaos, with every page there.
    pub fn note_start(&mut self) {
        self.start = self.usage();
    }

    /// Kills and restarts the hub, evenly over the first four fifths of the calls, until the agents are done.
    pub fn supervise(&mut self, plan: &Plan, ledger: &Ledger, done: impl Fn() -> bool) {
        let step = plan.calls * 4 / 5 / (u64::from(plan.kills) + 1);
        let mut noted = Instant::now();
        while !done() {
            thread::sleep(SAMPLE);
            let usage = self.usage();
            self.peak.resident_kib = self.peak.resident_kib.max(usage.resident_kib);
            self.peak.files = self.peak.files.max(usage.files);
            if self.kills < plan.kills && ledger.asked() > step * u64::from(self.kills + 1) {
                self.kills += 1;
                if let Some(hub) = self.hub.take() {
                    hub.kill();
                }
                self.hub = Some(Hub::start(&self.home));
            }
            if noted.elapsed() > Duration::from_secs(10) {
                noted = Instant::now();
                println!("{} calls made, {} kills", ledger.asked(), self.kills);
            }
        }
    }

    /// Waits until the hub has given back its memory, for a while.
    pub fn settle(&mut self) {
        let until = Instant::now() + SETTLE;
        self.end = self.usage();
        while Instant::now() < until && self.end.resident_kib > self.start.resident_kib * 3 / 2 {
            thread::sleep(SAMPLE);
            self.end = self.usage();
        }
    }

    /// What it held, for people. The hub ends with this.
    pub fn report(self) -> impl fmt::Display {
        let row = |name: &str, usage: Usage| {
            format!("hub, {name:<19} {:.1} MiB, {} files\n", usage.resident_kib as f64 / 1024.0, usage.files)
        };
        let text = row("start", self.start) + &row("peak", self.peak) + &row("end", self.end);
        let ratio = self.end.resident_kib as f64 / self.start.resident_kib.max(1) as f64;
        text + &format!("memory, end to start      {ratio:.2} ×, after {} kills", self.kills)
    }

    fn usage(&self) -> Usage {
        let Some(hub) = &self.hub else { return Usage::default() };
        let status = std::fs::read_to_string(format!("/proc/{}/status", hub.pid())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let resident_kib = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0);
        let files = std::fs::read_dir(format!("/proc/{}/fd", hub.pid())).map_or(0, |files| files.count() as u64);
        Usage { resident_kib, files }
    }
}
