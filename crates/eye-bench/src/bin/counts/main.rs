//! `cargo xtask counts`: the cost of one round trip to the hub, in measures that do not depend on other load:
//! instructions, system calls, allocations, context switches and processor time. Compared with a relay that only
//! copies, on the same libraries.
#![allow(clippy::print_stdout, reason = "a program for people at a terminal")]
#![allow(clippy::cast_precision_loss, reason = "figures are read by people")]

mod across;
mod copying;
mod cost;
mod memory;
mod subject;
mod under;

use cost::Cost;
use memory::Memory;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use subject::{Kind, Load};
use under::Under;

const HELP: &str = "\
usage: cargo xtask counts [--rounds N] [--calls N] [--at-once N] [--json FILE] [--against FILE] [--watched FILE]
                          [--profile FILE]
       cargo xtask counts --cluster FOLDER [--calls N]

  --rounds N       how often hub and relay alternate for the time of the processor, at most (default 30);
                   it ends sooner when the interval of confidence of their ratio is below 5 %
  --calls N        round trips that are counted (default 2000)
  --at-once N      questions that the agent sends before it reads their answers (default 1)
  --json FILE      writes the figures
  --against FILE   prints those of an earlier run beside them
  --watched FILE   a hub on the system's allocator, whose allocations are counted too (xtask builds one)
  --profile FILE   keeps what callgrind wrote of the hub, for callgrind_annotate, and counts nothing else
  --cluster FOLDER a call from one hub to a page of another instead: what it costs each of the two;
                   callgrind's files are kept in the folder
";

const TOOLS: [&str; 2] = ["valgrind", "strace"];

struct Wanted {
    eye: PathBuf,
    rounds: usize,
    load: Load,
    json: Option<PathBuf>,
    against: Option<PathBuf>,
    profile: Option<PathBuf>,
    watched: Option<PathBuf>,
    cluster: Option<PathBuf>,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, socket] = &words[..]
        && word == subject::COPY
    {
        return copying::run(Path::new(socket));
    }
    let Some(wanted) = wanted(&words) else {
        println!("{HELP}");
        return ExitCode::from(2);
    };
    if let Some(missing) = TOOLS.iter().find(|tool| Command::new(tool).arg("--version").output().is_err()) {
        println!("{missing} is missing; on Debian: apt-get install {}", TOOLS.join(" "));
        return ExitCode::FAILURE;
    }
    if let Some(file) = wanted.profile {
        cost::run(&Kind::Hub(&wanted.eye), &Under::Callgrind(file), wanted.load);
        return ExitCode::SUCCESS;
    }
    if let Some(folder) = wanted.cluster {
        across::print(&wanted.eye, wanted.load, &folder);
        return ExitCode::SUCCESS;
    }
    let [hub, relay] = [Kind::Hub(&wanted.eye), Kind::Relay].map(|kind| Cost::of(&kind, wanted.load));
    let times = cost::times(&wanted.eye, wanted.load, wanted.rounds);
    let memory = wanted.watched.as_deref().map(|watched| Memory::of(&Kind::Hub(watched), wanted.load));
    let relay_memory = memory.is_some().then(|| Memory::of(&Kind::Relay, wanted.load));
    let figures = cost::Figures { hub, relay, times, memory, relay_memory };
    let before = wanted.against.as_deref().map(cost::Figures::read);
    figures.print(wanted.load.at_once, before.as_ref());
    if let Some(file) = &wanted.json {
        figures.write(file);
    }
    ExitCode::SUCCESS
}

fn wanted(words: &[String]) -> Option<Wanted> {
    let (eye, mut rest) = words.split_first()?;
    let (json, against, profile, watched, cluster) = (None, None, None, None, None);
    let load = Load { calls: 2_000, at_once: 1 };
    let mut wanted = Wanted { eye: eye.into(), rounds: 30, load, json, against, profile, watched, cluster };
    while let [option, value, after @ ..] = rest {
        match option.as_str() {
            "--rounds" => wanted.rounds = value.parse().ok().filter(|rounds| *rounds > 1)?,
            "--calls" => wanted.load.calls = value.parse().ok().filter(|calls| *calls > 0)?,
            "--at-once" => wanted.load.at_once = value.parse().ok().filter(|at_once| *at_once > 0)?,
            "--json" => wanted.json = Some(value.into()),
            "--profile" => wanted.profile = Some(value.into()),
            "--cluster" => wanted.cluster = Some(value.into()),
            "--watched" => wanted.watched = Some(value.into()),
            "--against" => wanted.against = Some(value.into()),
            _ => return None,
        }
        rest = after;
    }
    (rest.is_empty() && !eye.starts_with('-')).then_some(wanted)
}
