//! Whole processes, as an agent's shell runs them: `eye EXPR` compared with `true`, `curl` and a peer.

use crate::agents::{Agent, Asks};
use crate::error::{BenchError, Doing};
use crate::hub::MeasuredHub;
use crate::report::Report;
use crate::roundtrip::CODE;
use crate::stats::{Series, micros};
use eye_testkit::Home;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Measures whole processes, interleaved one by one.
pub fn measure(report: &mut Report, hub: &MeasuredHub, http: u16, samples: usize) -> Result<(), BenchError> {
    let mcp = r#"{"method":"tools/call","params":{"name":"algo_eval","arguments":{"code":"document.title"}}}"#;
    let url = format!("http://127.0.0.1:{http}/api/mcp");
    let mut nothing = Command::new("true");
    let mut ask = hub.home.command();
    ask.env("EYE_PAGE", "bench").arg("document.title");
    let mut curl = Command::new("curl");
    curl.args(["-s", "-X", "POST", "-H", "Content-Type: application/json", "-d", mcp, &url]);
    let peer = Peer::open(hub.home.path(""));
    let with_curl = Command::new("curl").arg("--version").output().is_ok();
    let mut series: [Series; 5] = Default::default();
    for _ in 0..samples {
        series[0].0.push(run(&mut nothing, "")?);
        series[1].0.push(run(&mut ask, "bench\n")?);
        // A renderer answers later after a pause than in a tight loop: the round trip is measured at the same pace.
        run(&mut nothing, "")?;
        let started = Instant::now();
        Agent::over_socket(&hub.socket, Some("bench"))?.ask(CODE)?;
        series[4].0.push(micros(started.elapsed()) / 1000.0);
        if with_curl {
            series[2].0.push(run(&mut curl, "")?);
        }
        if let Some(peer) = &peer {
            series[3].0.push(run(&mut peer.command(&["eval", "document.title"]), "")?);
        }
    }
    let group = "whole process (ms)";
    let [nothing, ask, curl, peer_times, round_trip] = series;
    let budget_ms = 2.0 * nothing.median() + round_trip.median();
    let tight_ms = report.value_of("Unix socket, a new connection each time").unwrap_or(0.0) / 1000.0;
    report.figure(group, "`true`", nothing.median(), "ms").ratio(1.0);
    report.figure(group, "one round trip on a new connection, at the same pace", round_trip.median(), "ms");
    let row = report.figure(group, "`eye document.title`, hub warm", ask.median(), "ms");
    row.ratio(ask.ratio(&nothing)).budget(budget_ms / nothing.median());
    // Both budgets are shown: a tight loop's round trip is shorter, and makes the stricter budget.
    let strict_ms = 2.0 * nothing.median() + tight_ms;
    let verdict = if ask.median() <= strict_ms { "met" } else { "MISSED" };
    row.note(format!(
        "2 × true + a round trip at this pace = {budget_ms:.2} ms; at a tight loop's {strict_ms:.2} ms: {verdict}"
    ));
    if with_curl {
        let row = report.figure(group, "`curl` of MCP JSON (the seed's today)", curl.median(), "ms");
        row.ratio(curl.ratio(&nothing)).note(format!("eye takes {:.2} of it", ask.ratio(&curl).value));
    }
    if peer.is_some() {
        let row = report.figure(group, "`agent-browser eval document.title` (peer)", peer_times.median(), "ms");
        row.ratio(peer_times.ratio(&nothing));
        let own_ms = |series: &Series| series.median() - nothing.median();
        let row = report.figure(group, "`eye document.title` less `true`", own_ms(&ask), "ms");
        row.ratio(own_ms(&ask) / own_ms(&peer_times)).budget(0.33).note("× the peer less `true`");
    }
    Ok(())
}

/// A peer's CLI with its own browser and page open, if it is installed.
struct Peer {
    home: PathBuf,
}

impl Peer {
    fn open(home: PathBuf) -> Option<Self> {
        let peer = Self { home };
        let opened = peer.command(&["open", "data:text/html,<title>bench</title>"]).output().ok()?;
        opened.status.success().then_some(peer)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("agent-browser");
        command.args(args).env("HOME", &self.home).env("AGENT_BROWSER_ARGS", "--no-sandbox");
        if let Some(chromium) = eye_testkit::chromium() {
            command.env("AGENT_BROWSER_EXECUTABLE_PATH", chromium);
        }
        command
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.command(&["close"]).output();
    }
}

/// The first `eye` command with no hub running, and the second.
pub fn first_and_second(report: &mut Report, eye: &Path) -> Result<(), BenchError> {
    let (mut first, mut second) = (Series::default(), Series::default());
    for _ in 0..5 {
        let home = Home::new(eye);
        let mut pages = home.command();
        pages.arg("pages");
        first.0.push(run(&mut pages, "")?);
        second.0.push(run(&mut pages, "")?);
        run(home.command().arg("down"), "")?;
    }
    let group = "whole process (ms)";
    report.figure(group, "first `eye pages`, which starts the hub", first.median(), "ms");
    report.figure(group, "second `eye pages`", second.median(), "ms");
    Ok(())
}

/// Runs a command and returns its time in ms. Fails unless its output is `wanted` (any, if that is empty).
pub fn run(command: &mut Command, wanted: &str) -> Result<f64, BenchError> {
    let started = Instant::now();
    let output = command.stdin(Stdio::null()).output().doing("running a command")?;
    let time = micros(started.elapsed()) / 1000.0;
    let stdout = String::from_utf8_lossy(&output.stdout);
    if wanted.is_empty() || stdout == wanted {
        return Ok(time);
    }
    Err(BenchError::Odd(format!("{command:?} said {stdout:?} {:?}", String::from_utf8_lossy(&output.stderr))))
}
