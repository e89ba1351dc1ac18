//! The hub under test, or three of them over NATS: starts, kills and restarts the real binaries, and samples the memory
//! and open files of the hubs.

use crate::ledger::Ledger;
use crate::plan::Plan;
use eye_testkit::{Home, HubProcess, Nats, process};
use rustix::process::{Pid, Signal, kill_process};
use std::fmt;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

/// How often memory and files are sampled.
const SAMPLE: Duration = Duration::from_millis(100);
/// How long the hub may take to release the memory that the chaos used.
const SETTLE: Duration = Duration::from_secs(5);

/// How long a hub or NATS hangs: longer than the heartbeat timeout, and longer than a NATS client waits.
const HANG: Duration = Duration::from_secs(5);
/// Hubs in a cluster.
const HUBS: usize = 3;

/// The hubs with their homes, and the NATS server between them.
pub struct Ward {
    nats: Option<Nats>,
    hubs: Vec<(Home, Option<HubProcess>)>,
    start: Usage,
    peak: Usage,
    end: Usage,
    kills: u32,
}

/// Memory and open files of the hubs' processes.
#[derive(Clone, Copy, Default)]
struct Usage {
    resident_kib: u64,
    files: u64,
}

impl Ward {
    pub fn start(plan: &Plan) -> Self {
        let nats = plan.is_cluster.then(Nats::start);
        let count = if plan.is_cluster { HUBS } else { 1 };
        let none = Usage::default();
        let hubs = (0..count).map(|_| (Home::new(&plan.eye), None)).collect();
        let mut ward = Self { nats, hubs, start: none, peak: none, end: none, kills: 0 };
        for number in 0..count {
            ward.start_hub(number);
        }
        ward
    }

    fn start_hub(&mut self, number: usize) {
        let (url, name) = (self.nats.as_ref().map(Nats::url), format!("h{number}"));
        let flags = url.as_deref().map_or(Vec::new(), |url| vec!["--cluster", url, "--hub-name", &name]);
        let (home, hub) = &mut self.hubs[number];
        *hub = Some(HubProcess::start_with(home, &flags));
    }

    fn kill_hub(&mut self, number: usize) {
        if let Some(hub) = self.hubs[number].1.take() {
            hub.kill();
        }
        self.start_hub(number);
    }

    /// Causes the next failure. None of them may lose a call.
    fn harm(&mut self) {
        let number = self.kills as usize;
        self.kills += 1;
        let Some(nats) = &mut self.nats else { return self.kill_hub(0) };
        let hub = number / 6 % HUBS;
        match number % 6 {
            0 => self.kill_hub(hub),
            1 => {
                nats.kill();
                nats.run();
            }
            2 => self.kill_hub((hub + 1) % HUBS),
            3 => hang(self.hubs[(hub + 2) % HUBS].1.as_ref().map(HubProcess::pid)),
            4 => {
                nats.kill();
                nats.empty();
                nats.run();
            }
            _ => hang(Some(nats.pid())),
        }
    }

    pub fn ports(&self) -> Vec<u16> {
        self.hubs.iter().map(|(home, _)| home.port()).collect()
    }

    pub fn sockets(&self) -> Vec<PathBuf> {
        self.hubs.iter().map(|(home, _)| home.socket()).collect()
    }

    /// Records the usage when every page has joined and the agents begin.
    pub fn note_start(&mut self) {
        self.start = self.usage();
    }

    /// Causes failures, evenly over the first four fifths of the calls, until the agents are done.
    pub fn supervise(&mut self, plan: &Plan, ledger: &Ledger, done: impl Fn() -> bool) {
        let step = plan.calls * 4 / 5 / (u64::from(plan.kills) + 1);
        let mut noted = Instant::now();
        while !done() {
            thread::sleep(SAMPLE);
            let usage = self.usage();
            self.peak.resident_kib = self.peak.resident_kib.max(usage.resident_kib);
            self.peak.files = self.peak.files.max(usage.files);
            if self.kills < plan.kills && ledger.called() > step * u64::from(self.kills + 1) {
                ledger.reasons.harm_begins();
                self.harm();
                ledger.reasons.harm_ends();
            }
            if noted.elapsed() > Duration::from_secs(10) {
                noted = Instant::now();
                println!("{} calls made, {} kills", ledger.called(), self.kills);
            }
        }
    }

    /// Waits, up to a limit, until the hub has released its memory.
    pub fn settle(&mut self) {
        let until = Instant::now() + SETTLE;
        self.end = self.usage();
        while Instant::now() < until && self.end.resident_kib > self.start.resident_kib * 3 / 2 {
            thread::sleep(SAMPLE);
            self.end = self.usage();
        }
    }

    /// The usage as text. Consumes the ward, which ends the hubs.
    pub fn report(self) -> impl fmt::Display {
        let row = |name: &str, usage: Usage| {
            format!("hubs, {name:<18} {:.1} MiB, {} files\n", usage.resident_kib as f64 / 1024.0, usage.files)
        };
        let text = row("start", self.start) + &row("peak", self.peak) + &row("end", self.end);
        let ratio = self.end.resident_kib as f64 / self.start.resident_kib.max(1) as f64;
        text + &format!("memory, end to start      {ratio:.2} ×, after {} kills", self.kills)
    }

    fn usage(&self) -> Usage {
        let mut all = Usage::default();
        for hub in self.hubs.iter().filter_map(|(_, hub)| hub.as_ref()) {
            all.resident_kib += process::resident_kib(hub.pid()).unwrap_or(0);
            all.files += std::fs::read_dir(format!("/proc/{}/fd", hub.pid())).map_or(0, |files| files.count() as u64);
        }
        all
    }
}

/// Stops a process for a while, as a debugger or a swapping machine does.
fn hang(pid: Option<u32>) {
    let Some(pid) = pid.and_then(|pid| Pid::from_raw(pid.cast_signed())) else { return };
    if kill_process(pid, Signal::STOP).is_ok() {
        thread::sleep(HANG);
        let _ = kill_process(pid, Signal::CONT);
    }
}
