//! The figures: counts by tools, and times measured beside the relay until their ratio is known well enough.

use crate::memory::Memory;
use crate::subject::{Kind, Load, Subject};
use crate::under::{self, Under};
use eye_testkit::process::processor_time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

/// System calls that occur less often per call belong to the hub's own clock, not to a round trip.
const SELDOM: f64 = 0.05;
/// The required precision of a ratio.
const INTERVAL: f64 = 0.05;
/// Rounds before the precision is checked.
const ROUNDS_MIN: usize = 8;

/// The cost of one round trip, counted by tools.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cost {
    pub instructions: f64,
    pub system_calls: BTreeMap<String, f64>,
}

impl Cost {
    /// Counts a run with these round trips and subtracts a run without them.
    pub fn of(kind: &Kind<'_>, load: Load) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self::kept(kind, load, folder.path())
    }

    /// The same, and what callgrind wrote of the run with round trips stays in a folder.
    pub fn kept(kind: &Kind<'_>, load: Load, folder: &Path) -> Self {
        let (file, traced) = (folder.join("callgrind.out"), folder.join("strace.out"));
        let mut counted = [(0.0, BTreeMap::new()), (0.0, BTreeMap::new())];
        for (counted, calls) in counted.iter_mut().zip([0, load.calls]) {
            let load = Load { calls, ..load };
            run(kind, &Under::Callgrind(file.clone()), load);
            counted.0 = under::instructions(&file);
            run(kind, &Under::Strace(traced.clone()), load);
            counted.1 = under::system_calls(&traced);
        }
        let [(without, calls_without), (with, calls_with)] = counted;
        let each = |count: f64| count / f64::from(load.calls);
        let less = |(name, count): (String, f64)| {
            let count = each(count - calls_without.get(&name).copied().unwrap_or(0.0));
            (count >= SELDOM).then_some((name, count))
        };
        let system_calls = calls_with.into_iter().filter_map(less).collect();
        Self { instructions: each(with - without), system_calls }
    }
}

/// Runs the subject under a tool, with these round trips.
pub fn run(kind: &Kind<'_>, under: &Under, load: Load) {
    let mut subject = Subject::start(kind, under);
    subject.ask(load);
    subject.end();
}

/// Times of one round trip, hub and relay in turn.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Times {
    rounds: usize,
    processor_us: Pair,
    latency_us: Pair,
    switches: Pair,
}

/// The hub's figure, the relay's, and their ratio with half of its 95 % confidence interval.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Pair {
    hub: f64,
    relay: f64,
    ratio: f64,
    plus_minus: f64,
}

/// Measures until the ratios are known well enough, at most `rounds_max` rounds.
pub fn times(eye: &Path, load: Load, rounds_max: usize) -> Times {
    let mut subjects = [Kind::Hub(eye), Kind::Relay].map(|kind| Subject::start(&kind, &Under::Nothing));
    let mut samples: Vec<[[f64; 2]; 3]> = Vec::new();
    loop {
        let mut round = [[0.0; 2]; 3];
        for (at, subject) in subjects.iter_mut().enumerate() {
            let (started, before) = (Instant::now(), used(subject.pid()));
            subject.ask(load);
            let (took, after) = (started.elapsed(), used(subject.pid()));
            round[0][at] = (after.0 - before.0) / 1e3 / f64::from(load.calls);
            round[1][at] = took.as_secs_f64() * 1e6 / f64::from(load.calls);
            round[2][at] = (after.1 - before.1) / f64::from(load.calls);
        }
        samples.push(round);
        let [processor_us, latency_us, switches] =
            [0, 1, 2].map(|what| Pair::of(&samples.iter().map(|round| round[what]).collect::<Vec<_>>()));
        let known = samples.len() >= ROUNDS_MIN && processor_us.is_known() && latency_us.is_known();
        if known || samples.len() >= rounds_max {
            subjects.into_iter().for_each(Subject::end);
            return Times { rounds: samples.len(), processor_us, latency_us, switches };
        }
    }
}

impl Pair {
    fn of(samples: &[[f64; 2]]) -> Self {
        let median = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let ratios: Vec<f64> = samples.iter().map(|[hub, relay]| hub / relay.max(f64::MIN_POSITIVE)).collect();
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        let variance =
            ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum::<f64>() / (ratios.len().max(2) - 1) as f64;
        Self {
            hub: median(samples.iter().map(|[hub, _]| *hub).collect()),
            relay: median(samples.iter().map(|[_, relay]| *relay).collect()),
            ratio: mean,
            plus_minus: 1.96 * (variance / ratios.len() as f64).sqrt(),
        }
    }

    fn is_known(&self) -> bool {
        self.plus_minus < self.ratio * INTERVAL
    }
}

/// Processor time in ns and context switches of all threads of a process.
fn used(pid: u32) -> (f64, f64) {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).expect("a process").flatten();
    let switches = threads.map(|thread| {
        let status = fs::read_to_string(thread.path().join("status")).unwrap_or_default();
        let counts = status.lines().filter(|line| line.contains("ctxt_switches"));
        counts.filter_map(|line| line.split_once(':')?.1.trim().parse::<f64>().ok()).sum::<f64>()
    });
    (processor_time(pid).as_nanos() as f64, switches.sum())
}

/// A row of the table of times: name and figures.
type Row = (&'static str, fn(&Times) -> &Pair);

/// All figures of one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figures {
    pub hub: Cost,
    pub relay: Cost,
    pub times: Times,
    /// The hub's allocations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    /// The relay's allocations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relay_memory: Option<Memory>,
}

impl Figures {
    /// Reads the figures of an earlier run.
    pub fn read(file: &Path) -> Self {
        serde_json::from_str(&fs::read_to_string(file).expect("the earlier figures")).expect("figures of this program")
    }

    pub fn write(&self, file: &Path) {
        fs::write(file, serde_json::to_string_pretty(self).expect("figures") + "\n").expect("a file");
    }

    /// Prints the figures as a table, beside those of an earlier run.
    pub fn print(&self, at_once: u32, before: Option<&Self>) {
        let rounds = self.times.rounds;
        println!(
            "One round trip of {at_once} at once, agent on the Unix socket, page on a WebSocket; {rounds} rounds\n"
        );
        println!("| | hub | relay that copies | hub / relay |{}", if before.is_some() { " hub before |" } else { "" });
        println!("|---|--:|--:|--:|{}", if before.is_some() { "--:|" } else { "" });
        let last =
            |value: fn(&Self) -> f64| before.map_or_else(String::new, |before| format!(" {:.1} |", value(before)));
        let all = |cost: &Cost| cost.system_calls.values().sum::<f64>();
        let (hub, relay) = (&self.hub, &self.relay);
        let ratio = hub.instructions / relay.instructions;
        let (mine, its) = (hub.instructions, relay.instructions);
        println!("| instructions | {mine:.0} | {its:.0} | {ratio:.2} |{}", last(|figures| figures.hub.instructions));
        let (mine, its) = (all(hub), all(relay));
        let calls_before = last(|figures| figures.hub.system_calls.values().sum());
        println!("| system calls | {mine:.1} | {its:.1} | {:.2} |{calls_before}", mine / its);
        if let (Some(mine), Some(its)) = (&self.memory, &self.relay_memory) {
            mine.print(its, before.and_then(|before| before.memory.as_ref()));
        }
        let rows: [Row; 3] = [
            ("processor, µs", |times| &times.processor_us),
            ("latency, µs", |times| &times.latency_us),
            ("switches of context", |times| &times.switches),
        ];
        for (name, pick) in rows {
            let pair = pick(&self.times);
            let unsure = if pair.is_known() { "" } else { " (not known well enough)" };
            let was = before.map_or_else(String::new, |before| format!(" {:.1} |", pick(&before.times).hub));
            let Pair { hub, relay, ratio, plus_minus } = pair;
            println!("| {name} | {hub:.1} | {relay:.1} | {ratio:.2} ± {plus_minus:.2}{unsure} |{was}");
        }
        if let Some(memory) = &self.memory {
            memory.print_places();
        }
        for (name, cost) in [("hub", hub), ("relay", relay)] {
            let calls: Vec<String> =
                cost.system_calls.iter().map(|(call, count)| format!("{call} {count:.2}")).collect();
            println!("\nsystem calls of the {name}: {}", calls.join(", "));
        }
    }
}
