//! Hubs of one cluster with their nats-server, and the resource use of their processes.

use crate::agents::Agent;
use crate::error::{BenchError, Doing};
use eye_testkit::{Home, HubProcess, Nats, process};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long something may take before the run fails.
const PATIENCE: Duration = Duration::from_mins(2);

/// Hubs and their NATS server. All processes end when this value is dropped.
pub struct Stage {
    pub nats: Nats,
    hubs: Vec<(Home, Option<HubProcess>)>,
    eye: std::path::PathBuf,
}

#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Processor time, user and system.
    pub cpu: Duration,
    pub resident_kib: f64,
}

impl Stage {
    /// Starts a server and this many hubs.
    pub fn start(eye: &Path, hubs: usize) -> Self {
        let mut stage = Self { nats: Nats::start(), hubs: Vec::new(), eye: eye.to_owned() };
        for _ in 0..hubs {
            stage.add();
        }
        stage
    }

    /// Starts one more hub and returns its number.
    pub fn add(&mut self) -> usize {
        let (home, number) = (Home::new(&self.eye), self.hubs.len());
        let name = format!("h{number}");
        let hub = HubProcess::start_with(&home, &["--cluster", &self.nats.url(), "--hub-name", &name]);
        self.hubs.push((home, Some(hub)));
        number
    }

    pub fn home(&self, hub: usize) -> &Home {
        &self.hubs[hub].0
    }

    pub fn port(&self, hub: usize) -> u16 {
        self.home(hub).port()
    }

    pub fn pid(&self, hub: usize) -> u32 {
        self.hubs[hub].1.as_ref().map_or(0, HubProcess::pid)
    }

    /// Kills a hub with -9.
    pub fn kill(&mut self, hub: usize) {
        if let Some(hub) = self.hubs[hub].1.take() {
            hub.kill();
        }
    }

    /// An agent at a hub whose target is a session.
    pub fn agent(&self, hub: usize, target: &str) -> Result<Agent, BenchError> {
        Agent::over_socket(&self.home(hub).socket(), Some(target))
    }

    /// How many pages with such a title prefix a hub lists.
    pub fn listed(agent: &mut Agent, title: &str) -> Result<usize, BenchError> {
        let text = agent.ask_raw(r#"{"jsonrpc":"2.0","id":1,"method":"session/list"}"#)?;
        Ok(text.matches(&format!("\"title\":\"{title}")).count())
    }

    /// How many calls of pages at the agent's hub are open.
    pub fn open_calls(agent: &mut Agent) -> Result<u64, BenchError> {
        Ok(agent.request("hub/status")?["pending"].as_u64().unwrap_or_default())
    }
}

/// Repeats a check until it holds, and returns the time since `from`.
pub fn until(
    from: Instant,
    what: &str,
    mut is_so: impl FnMut() -> Result<bool, BenchError>,
) -> Result<Duration, BenchError> {
    while !is_so()? {
        if from.elapsed() > PATIENCE {
            return Err(BenchError::Odd(format!("it took too long until {what}")));
        }
    }
    Ok(from.elapsed())
}

/// The resources that a process has used so far.
pub fn usage(pid: u32) -> Result<Usage, BenchError> {
    let odd = || BenchError::Odd(format!("/proc/{pid} is not as expected"));
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).doing("reading the time of a process")?;
    // After the name, which may contain anything, the 12th and 13th fields are user and system time in ticks of 10 ms.
    let numbers: Vec<u64> = stat
        .rsplit(')')
        .next()
        .ok_or_else(odd)?
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|word| word.parse().ok())
        .collect();
    let ticks: u64 = numbers.iter().sum();
    let resident_kib = process::resident_kib(pid).ok_or_else(odd)? as f64;
    Ok(Usage { cpu: Duration::from_millis(ticks * 10), resident_kib })
}
