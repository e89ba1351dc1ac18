//! The table that the seed projected: 1, 10 and 100 requests in each mode, from `curl` one after another to fire
//! and forget.

use crate::agents::{Agent, Asks};
use crate::error::{BenchError, Doing};
use crate::hub::MeasuredHub;
use crate::process::run;
use crate::report::Report;
use crate::roundtrip::{CODE, token};
use crate::stats::{Series, micros};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

const COUNTS: [(usize, &str); 3] = [
    (1, "1 question in each mode (ms; × is against the first)"),
    (10, "10 questions in each mode (ms; × is against the first)"),
    (100, "100 questions in each mode (ms; × is against the first)"),
];
const ANSWER: &str = "bench\n";

/// One way to send `count` requests; it returns when all are answered.
struct Mode<'a> {
    name: &'static str,
    ask: Box<dyn FnMut(usize) -> Result<(), BenchError> + 'a>,
}

/// Measures every mode, interleaved round by round.
pub fn measure(report: &mut Report, hub: &MeasuredHub, rounds: usize) -> Result<(), BenchError> {
    let mut modes = modes(hub)?;
    for (count, group) in COUNTS {
        let mut series = vec![Series::default(); modes.len()];
        // The first round only warms up.
        for round in 0..=rounds {
            for (mode, times) in modes.iter_mut().zip(&mut series) {
                let started = Instant::now();
                (mode.ask)(count)?;
                if round > 0 {
                    times.0.push(micros(started.elapsed()) / 1000.0);
                }
            }
        }
        for (mode, times) in modes.iter().zip(&series) {
            let ratio = times.ratio(&series[0]);
            let row = report.figure(group, mode.name, times.median(), "ms").ratio(ratio);
            // Two digits of a small ratio say too little; "times as fast" is printed in addition.
            if ratio.value < 0.5 {
                row.note(format!("{:.0} times as fast", 1.0 / ratio.value));
            }
        }
    }
    Ok(())
}

fn modes<'a>(hub: &MeasuredHub) -> Result<Vec<Mode<'a>>, BenchError> {
    let token = token(hub)?;
    let mut modes = Vec::new();
    if Command::new("curl").arg("--version").output().is_ok() {
        let mut curl = curl(hub, &token);
        modes.push(mode("`curl` of HTTP JSON, one after another", move |count| {
            (0..count).try_for_each(|_| called(&mut curl))
        }));
    }
    let mut ask = at_page(hub);
    ask.arg(CODE);
    modes.push(mode("`eye EXPR`, a process each", move |count| {
        (0..count).try_for_each(|_| run(&mut ask, ANSWER).map(drop))
    }));
    let mut lines = at_page(hub);
    lines.args(["batch", "--ordered"]);
    modes.push(mode("`eye batch`, one process", move |count| batch(&mut lines, count)));
    let mut unix = Agent::over_socket(&hub.socket, Some("bench"))?;
    modes.push(mode("Unix socket, one at a time", move |count| (0..count).try_for_each(|_| unix.ask(CODE))));
    let mut unix = Agent::over_socket(&hub.socket, Some("bench"))?;
    modes.push(mode("Unix socket, pipelined", move |count| unix.ask_many(CODE, count)));
    let mut socket = Agent::over_websocket(hub.port, &token, Some("bench"))?;
    modes.push(mode("WebSocket, pipelined", move |count| socket.ask_many(CODE, count)));
    let mut unix = Agent::over_socket(&hub.socket, Some("bench"))?;
    modes.push(mode("fire and forget, until the page has done them", move |count| {
        unix.fire_many("fired++", count)?;
        unix.ask(CODE)
    }));
    // Last, so that its work still under way delays only the slowest mode.
    let mut unix = Agent::over_socket(&hub.socket, Some("bench"))?;
    modes.push(mode("fire and forget, handed over", move |count| unix.fire_many("fired++", count)));
    Ok(modes)
}

fn mode<'a>(name: &'static str, ask: impl FnMut(usize) -> Result<(), BenchError> + 'a) -> Mode<'a> {
    Mode { name, ask: Box::new(ask) }
}

fn at_page(hub: &MeasuredHub) -> Command {
    let mut command = hub.home.command();
    command.env("EYE_PAGE", "bench");
    command
}

/// The baseline that the seed calls "today": a process, a TCP connection, HTTP and JSON for every request.
fn curl(hub: &MeasuredHub, token: &str) -> Command {
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"title","arguments":{}}}"#;
    let mut curl = Command::new("curl");
    curl.args(["-s", "-X", "POST", "-H", "Content-Type: application/json", "-H", "X-Session-ID: bench", "-H"]);
    curl.arg(format!("Authorization: Bearer {token}"));
    curl.args(["-d", call]).arg(format!("http://127.0.0.1:{}/rpc", hub.port));
    curl
}

/// Fails on an answer other than the expected one: a benchmark of errors measures nothing.
fn called(curl: &mut Command) -> Result<(), BenchError> {
    let output = curl.stdin(Stdio::null()).output().doing("running curl")?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    if stdout.contains(r#""text":"bench""#) { Ok(()) } else { Err(BenchError::Odd(format!("curl said {stdout:?}"))) }
}

fn batch(command: &mut Command, count: usize) -> Result<(), BenchError> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().doing("starting eye batch")?;
    let mut stdin = child.stdin.take().ok_or_else(|| BenchError::Odd("eye batch has no stdin".into()))?;
    stdin.write_all(format!("{CODE}\n").repeat(count).as_bytes()).doing("writing to eye batch")?;
    drop(stdin);
    let output = child.wait_with_output().doing("waiting for eye batch")?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    if stdout == ANSWER.repeat(count) { Ok(()) } else { Err(BenchError::Odd(format!("eye batch said {stdout:?}"))) }
}
