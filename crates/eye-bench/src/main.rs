//! `cargo xtask bench`: every figure of DESIGN's budgets, measured side by side in one run and printed as ratios.
#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]
#![allow(clippy::cast_precision_loss, reason = "figures are read by people")]

mod agents;
mod bare;
mod cluster;
mod depth;
mod echo;
mod error;
mod hub;
mod idle;
mod mcp;
mod modes;
mod process;
mod relay;
mod report;
mod roundtrip;
mod sizes;
mod state;
mod stats;
mod tools;

use error::BenchError;
use eye_testkit::Chromium;
use report::{About, Report};
use stats::Rounds;
use std::ffi::OsString;
use std::path::PathBuf;

/// The parts of a run, by their modules.
const PARTS: [&str; 9] = ["roundtrip", "depth", "tools", "state", "mcp", "process", "modes", "idle", "sizes"];

/// The flags of the command line, after the three files.
#[derive(Debug, Default)]
struct Wanted {
    quick: bool,
    against: Option<PathBuf>,
    commit: String,
    /// The only part to measure: the name of its module.
    only: Option<String>,
}

impl Wanted {
    fn parse(mut words: impl Iterator<Item = OsString>, parts: &[&str]) -> Result<Self, BenchError> {
        let mut wanted = Self::default();
        while let Some(word) = words.next() {
            match word.to_str() {
                Some("--quick") => wanted.quick = true,
                Some("--against") => wanted.against = Some(words.next().ok_or(BenchError::Usage)?.into()),
                Some("--commit") => {
                    wanted.commit = words.next().ok_or(BenchError::Usage)?.to_string_lossy().into_owned();
                }
                Some("--only") => {
                    let part = words.next().ok_or(BenchError::Usage)?.to_string_lossy().into_owned();
                    if !parts.contains(&&*part) {
                        return Err(BenchError::Odd(format!(
                            "there is no part {part}; there are {}",
                            parts.join(", ")
                        )));
                    }
                    wanted.only = Some(part);
                }
                _ => return Err(BenchError::Usage),
            }
        }
        Ok(wanted)
    }

    fn wants(&self, part: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == part)
    }
}

fn main() -> Result<(), BenchError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match &words[..] {
        [word, rest @ ..] if word == cluster::HOLD => {
            raise_file_limit();
            return cluster::hold(rest);
        }
        [word, eye, json, rest @ ..] if word == "--cluster" => {
            raise_file_limit();
            let wanted = Wanted::parse(rest.iter().map(OsString::from), &cluster::PARTS)?;
            if wanted.against.is_some() {
                return Err(BenchError::Odd("runs of several hubs are not compared with earlier ones".into()));
            }
            return cluster::run(eye.as_ref(), json.as_ref(), wanted.quick, wanted.only.as_deref());
        }
        _ => {}
    }
    let mut args = std::env::args_os().skip(1);
    let eye: PathBuf = args.next().ok_or(BenchError::Usage)?.into();
    let json: PathBuf = args.next().ok_or(BenchError::Usage)?.into();
    let client_js: PathBuf = args.next().ok_or(BenchError::Usage)?.into();
    let wanted = Wanted::parse(args, &PARTS)?;
    let quick = wanted.quick;
    let earlier = wanted.against.as_deref().map(Report::read).transpose()?;
    raise_file_limit();

    let about = About {
        day: humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()[..10].to_owned(),
        commit: wanted.commit.clone(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        quick,
    };
    let mut report = Report::of(about);
    let hub = hub::MeasuredHub::start(&eye);
    let bare = bare::Bare::listen()?;
    let browser = Chromium::open(&hub.home.path("chromium"), &bare.page_url(hub.port));
    let (mut bare, second) = bare.wait_for_page()?;
    let mut relayed = relay::Relayed::connect(&hub.home.path("run"), second)?;
    hub.wait_for_pages(2)?;

    let rounds = if quick { Rounds { least: 3, most: 3 } } else { Rounds { least: 9, most: 40 } };
    if wanted.wants("roundtrip") {
        roundtrip::measure(&mut report, &mut bare, &mut relayed, &hub, rounds)?;
    }
    if wanted.wants("depth") {
        depth::measure(&mut report, &mut bare, &hub, rounds)?;
    }
    if wanted.wants("tools") {
        tools::measure(&mut report, &hub, rounds)?;
    }
    if wanted.wants("state") {
        state::measure(&mut report, &hub, rounds)?;
    }
    if wanted.wants("mcp") {
        mcp::measure(&mut report, &mut bare, &mut relayed, &hub, rounds)?;
    }
    let bare = bare.into_http_server()?;
    if wanted.wants("process") {
        process::measure(&mut report, &hub, bare.port(), if quick { 20 } else { 200 })?;
    }
    if wanted.wants("modes") {
        modes::measure(&mut report, &hub, rounds.least)?;
    }
    drop(browser);
    if wanted.wants("process") {
        process::first_and_second(&mut report, &eye)?;
    }
    drop(hub);
    if wanted.wants("idle") {
        idle::measure(&mut report, &eye, if quick { &[1_000] } else { &[1_000, 10_000] })?;
    }
    if wanted.wants("tools") {
        tools::growth(&mut report, &eye, if quick { &[10, 1_000] } else { &[10, 100, 1_000, 10_000] })?;
    }
    if wanted.wants("sizes") {
        sizes::measure(&mut report, &eye, &client_js)?;
    }

    report.print(earlier.as_ref());
    report.write(&json)
}

/// Ten thousand idle pages need as many sockets on this side, too.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}
