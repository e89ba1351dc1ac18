//! `cargo xtask metering`: what one page that never rests costs all others. A page does one thing in a loop, as fast as
//! the hub accepts it; another page answers an agent meanwhile. Three phases alternate in one run: nothing else
//! happens; the same page loads another hub, which shows the effect of the machine alone; and the page loads this hub.
#![allow(clippy::print_stdout, reason = "a program for people at a terminal")]
#![allow(clippy::cast_precision_loss, reason = "figures are read by people")]

mod hog;

use eye_testkit::process::processor_time;
use eye_testkit::{Home, HubProcess, ScriptedPage};
use hog::{Hog, KINDS};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const HELP: &str = "\
usage: cargo xtask metering [--debug] [--apart] [--rounds N] [KIND…]

  --debug      a debug build of eye instead of the release one
  --apart      the page that never rests and the other hub have the first core to themselves, all else the second: what is
               left is the hub's doing, not the machine's
  --rounds N   how often the three phases of half a second alternate for each kind (default 10)
  KIND         what the page does; all of them unless some are named
";
const ROUNDS_DEFAULT: usize = 10;
/// The core of the loading page and of the other hub.
const BUSY_CORE: usize = 0;
/// The core of the measured hub, its agent and the bystander.
const QUIET_CORE: usize = 1;
const PHASE: Duration = Duration::from_millis(500);
/// The pause of the agent between two requests.
const PAUSE: Duration = Duration::from_millis(1);
/// How long hubs may take to finish the work of a busy phase.
const SETTLE: Duration = Duration::from_secs(30);
/// A hub is at rest if it uses at most `REST_USE_MAX` of the processor in this time.
const REST: Duration = Duration::from_millis(200);
const REST_USE_MAX: Duration = Duration::from_millis(1);
/// How long one answer may take.
const TIMEOUT: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (mut rounds, mut wanted, mut apart) = (ROUNDS_DEFAULT, Vec::new(), false);
    let eye = args.next().filter(|eye| !eye.starts_with('-')).map(PathBuf::from);
    while let Some(word) = args.next() {
        match word.as_str() {
            "--apart" => apart = true,
            "--rounds" => rounds = args.next().and_then(|text| text.parse().ok()).unwrap_or(0),
            kind => wanted.push(kind.to_owned()),
        }
    }
    let known = |word: &String| KINDS.iter().any(|kind| kind.name == word);
    let Some(eye) = eye.filter(|_| rounds > 0 && wanted.iter().all(known)) else {
        println!("{HELP}\nkinds: {}", KINDS.map(|kind| kind.name).join(", "));
        return ExitCode::from(2);
    };
    println!("µs of a round trip, medians of {rounds} rounds; one page in a loop\n");
    println!(
        "| what it does | p50: idle | at another hub | at this hub | p99: idle | at another hub | at this hub | p99 to idle \
         | to the other hub | its frames/s |"
    );
    println!("|{}", "---|".repeat(10));
    for kind in KINDS.iter().filter(|kind| wanted.is_empty() || wanted.iter().any(|word| word == kind.name)) {
        let (home, other_home) = (Home::new(&eye), Home::new(&eye));
        // Processes inherit the core of the thread that starts them.
        place(apart, QUIET_CORE);
        let hub = HubProcess::start(&home);
        let _page = ScriptedPage::echo(&home, "Bystander");
        place(apart, BUSY_CORE);
        let other_hub = HubProcess::start(&other_home);
        let pids = [hub.pid(), other_hub.pid()];
        let (hog, elsewhere) = (Hog::start(&home, kind), Hog::start(&other_home, kind));
        place(apart, QUIET_CORE);
        let mut agent = Agent::connect(&home);
        // By percentile and phase, one value per round.
        let mut percentiles: [[Vec<u64>; 3]; 2] = Default::default();
        let mut frames = 0;
        for _ in 0..rounds {
            let mut trips = [agent.ask_for(PHASE), Vec::new(), Vec::new()];
            elsewhere.run();
            trips[1] = agent.ask_for(PHASE);
            elsewhere.pause();
            settle(pids);
            let before = hog.run();
            trips[2] = agent.ask_for(PHASE);
            frames += hog.pause() - before;
            // Work left from the busy phase must not count for the idle phase.
            settle(pids);
            for (percent, phases) in [50, 99].into_iter().zip(&mut percentiles) {
                phases.iter_mut().zip(&mut trips).for_each(|(phase, trips)| phase.push(at(trips, percent)));
            }
        }
        // Now and then the machine itself stalls for one phase of one round; medians over the rounds hide that.
        let [p50, p99] = percentiles.map(|mut phases| phases.each_mut().map(|rounds| at(rounds, 50)));
        let to = |base: u64| p99[2] as f64 / base.max(1) as f64;
        let rate = frames as f64 / (PHASE * u32::try_from(rounds).unwrap_or(1)).as_secs_f64();
        let figures = p50.iter().chain(&p99).map(u64::to_string).collect::<Vec<_>>().join(" | ");
        println!("| {} | {figures} | {:.1} | {:.1} | {rate:.0} |", kind.about, to(p99[0]), to(p99[1]));
    }
    ExitCode::SUCCESS
}

/// With `apart`, pins this thread and the processes that it starts to one core.
fn place(apart: bool, core: usize) {
    if apart {
        let mut cores = CpuSet::new();
        cores.set(core);
        sched_setaffinity(None, &cores).expect("a core of this number");
    }
}

/// Waits until these processes are at rest.
fn settle(pids: [u32; 2]) {
    let used = || pids.map(processor_time).iter().sum::<Duration>();
    let until = Instant::now() + SETTLE;
    while Instant::now() < until {
        let before = used();
        std::thread::sleep(REST);
        if used().saturating_sub(before) <= REST_USE_MAX {
            return;
        }
    }
    println!("a hub was still at work after {} s: the next row says nothing", SETTLE.as_secs());
}

/// A percentile of the values.
fn at(all: &mut [u64], percent: usize) -> u64 {
    all.sort_unstable();
    all.get(all.len() * percent / 100).copied().unwrap_or(0)
}

/// The agent that uses the bystander's page.
struct Agent {
    lines: BufReader<UnixStream>,
}

impl Agent {
    fn connect(home: &Home) -> Self {
        let mut stream = UnixStream::connect(home.socket()).expect("the hub listens");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
        let hello = r#"{"jsonrpc":"2.0","method":"hello","params":{"clientType":"agent","target":"Bystander"}}"#;
        writeln!(stream, "{hello}").expect("the hub reads");
        Self { lines: BufReader::new(stream) }
    }

    /// Sends requests for this long; returns the µs of each round trip.
    fn ask_for(&mut self, time: Duration) -> Vec<u64> {
        let (until, mut trips) = (Instant::now() + time, Vec::new());
        while Instant::now() < until {
            trips.push(self.ask());
            std::thread::sleep(PAUSE);
        }
        trips
    }

    fn ask(&mut self) -> u64 {
        let started = Instant::now();
        self.lines.get_mut().write_all(b"b:bystander\n").expect("the hub reads");
        let mut line = String::new();
        while !line.starts_with("b:") {
            line.clear();
            assert!(self.lines.read_line(&mut line).expect("an answer in time") > 0, "the hub ended");
        }
        u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}
