//! `cargo xtask bench`: every figure of DESIGN's budgets, measured side by side in one run and printed as ratios.
#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]
#![allow(clippy::cast_precision_loss, reason = "figures are read by people")]

mod agents;
mod bare;
mod browser;
mod cluster;
mod depth;
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

use error::{BenchError, Doing};
use report::Report;
use std::path::PathBuf;

fn main() -> Result<(), BenchError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match &words[..] {
        [word, rest @ ..] if word == cluster::HOLD => {
            raise_file_limit();
            return cluster::hold(rest);
        }
        [word, eye, json, rest @ ..] if word == "--cluster" => {
            raise_file_limit();
            return cluster::run(eye.as_ref(), json.as_ref(), rest.iter().any(|word| word == "--quick"));
        }
        _ => {}
    }
    let mut args = std::env::args_os().skip(1);
    let eye: PathBuf = args.next().ok_or(BenchError::Usage)?.into();
    let json: PathBuf = args.next().ok_or(BenchError::Usage)?.into();
    let client_js: PathBuf = args.next().ok_or(BenchError::Usage)?.into();
    let quick = args.next().is_some_and(|word| word == "--quick");
    raise_file_limit();

    let mut report = Report::default();
    let home = tempfile::tempdir().doing("making a home")?;
    let hub = hub::Hub::start(&eye, home.path(), "main")?;
    let bare = bare::Bare::listen()?;
    let browser = browser::Browser::open(home.path(), &bare.page_url(hub.port))?;
    let (mut bare, second) = bare.wait_for_page()?;
    let mut relayed = relay::Relayed::connect(home.path(), second)?;
    hub.wait_for_pages(2)?;

    let rounds = if quick { 3 } else { 9 };
    roundtrip::measure(&mut report, &mut bare, &mut relayed, &hub, rounds)?;
    depth::measure(&mut report, &mut bare, &hub, rounds)?;
    tools::measure(&mut report, &hub, rounds)?;
    state::measure(&mut report, &hub, rounds)?;
    mcp::measure(&mut report, &mut bare, &eye, &hub, rounds)?;
    let bare = bare.into_http_server()?;
    process::measure(&mut report, &eye, &hub, bare.port(), if quick { 20 } else { 200 })?;
    modes::measure(&mut report, &eye, &hub, rounds)?;
    drop(browser);
    process::first_and_second(&mut report, &eye, home.path())?;
    drop(hub);
    idle::measure(&mut report, &eye, home.path(), if quick { &[1_000] } else { &[1_000, 10_000] })?;
    tools::growth(&mut report, &eye, home.path(), if quick { &[10, 1_000] } else { &[10, 100, 1_000, 10_000] })?;
    sizes::measure(&mut report, &eye, &client_js)?;

    report.print();
    report.write(&json)
}

/// Ten thousand idle pages need as many sockets on this side, too.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}
