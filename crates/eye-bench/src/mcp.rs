//! `tools/call eye` from MCP clients: through `eye mcp` on stdio, and over HTTP in both protocol eras. In the same run,
//! for comparison: the bare socket, and the copying relay with one pipe or one POST more.

use crate::agents::Asks;
use crate::bare::BarePage;
use crate::echo::{self, Pipe};
use crate::error::{BenchError, Doing};
use crate::hub::MeasuredHub;
use crate::relay::Relayed;
use crate::report::Report;
use crate::roundtrip::{CODE, token};
use crate::stats::{Rounds, Series, micros};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Instant;

const SAMPLES: usize = 400;
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
const MODERN: &str = r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Measures one call at a time, over every transport.
pub fn measure(
    report: &mut Report,
    bare: &mut BarePage,
    relayed: &mut Relayed,
    hub: &MeasuredHub,
    rounds: Rounds,
) -> Result<(), BenchError> {
    let token = token(hub)?;
    let mut pipe = Pipe::open()?;
    let line = format!("{}\n", request(""));
    let mut echo = HttpClient::connect(echo::serve()?, &token, request(""))?;
    let mut stdio = StdioClient::start(hub)?;
    let mut legacy = HttpClient::legacy(hub.port, &token)?;
    let mut modern = HttpClient::modern(hub.port, &token)?;
    let mut series: [Series; 6] = Default::default();
    let mut turns = rounds.turns();
    while turns.more(&mut series) {
        series[0].round(sample(|| bare.ask(CODE))?);
        series[1].round(sample(|| stdio.call())?);
        series[2].round(sample(|| legacy.call())?);
        series[3].round(sample(|| modern.call())?);
        series[4].round(sample(|| relayed.ask(CODE).and_then(|()| pipe.exchange(&line)))?);
        series[5].round(sample(|| relayed.ask(CODE).and_then(|()| echo.exchange().map(|_| ())))?);
    }
    let group = "MCP: tools/call eye, one at a time (µs)";
    let [limit, stdio, legacy, modern, pipe, echo] = series;
    report.figure(group, "the bare WebSocket again", limit.median(), "µs");
    let floors = [
        ("floor: the relay that copies, and a line through `cat`", &pipe),
        ("floor: the relay that copies, and a POST to an echo", &echo),
    ];
    for (what, floor) in floors {
        report.figure(group, what, floor.median(), "µs").ratio(1.0);
    }
    let ways = [
        ("stdio, through eye mcp", &stdio, &pipe),
        ("HTTP with a session (2025-11-25)", &legacy, &echo),
        ("HTTP without (2026-07-28)", &modern, &echo),
    ];
    for (what, series, floor) in ways {
        let row = report.figure(group, what, series.median(), "µs");
        let over = series.ratio(&limit).value;
        row.ratio(series.ratio(floor)).budget(1.2).note(format!("to its floor; {over:.2} × the bare WebSocket"));
    }
    Ok(())
}

fn sample(mut ask: impl FnMut() -> Result<(), BenchError>) -> Result<Vec<f64>, BenchError> {
    (0..SAMPLES)
        .map(|_| {
            let started = Instant::now();
            ask()?;
            Ok(micros(started.elapsed()))
        })
        .collect()
}

fn request(meta: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"eye","arguments":{{"expr":"{CODE}","page":"bench"}}{meta}}}}}"#
    )
}

/// Fails on an answer other than the expected one: a benchmark of errors measures nothing.
fn check(answer: &str) -> Result<(), BenchError> {
    if answer.contains(r#""text":"bench"#) { Ok(()) } else { Err(BenchError::Odd(format!("unexpected: {answer}"))) }
}

struct StdioClient {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    request: String,
    answer: String,
}

impl StdioClient {
    fn start(hub: &MeasuredHub) -> Result<Self, BenchError> {
        let mut child = hub
            .home
            .command()
            .arg("mcp")
            .stdin(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .doing("starting eye mcp")?;
        let gone = || BenchError::Odd("eye mcp has no pipes".into());
        let stdin = child.stdin.take().ok_or_else(gone)?;
        let stdout = BufReader::new(child.stdout.take().ok_or_else(gone)?);
        let request = format!("{}\n", request(""));
        let mut client = Self { child, stdin, stdout, request, answer: String::new() };
        client.exchange(&format!("{INITIALIZE}\n"))?;
        Ok(client)
    }

    fn exchange(&mut self, text: &str) -> Result<(), BenchError> {
        self.stdin.write_all(text.as_bytes()).doing("asking eye mcp")?;
        self.answer.clear();
        self.stdout.read_line(&mut self.answer).doing("reading from eye mcp")?;
        Ok(())
    }

    fn call(&mut self) -> Result<(), BenchError> {
        let request = std::mem::take(&mut self.request);
        let outcome = self.exchange(&request);
        self.request = request;
        outcome?;
        check(&self.answer)
    }
}

impl Drop for StdioClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client on one persistent HTTP connection.
struct HttpClient {
    stream: BufReader<TcpStream>,
    head: String,
    body: String,
}

impl HttpClient {
    fn legacy(port: u16, token: &str) -> Result<Self, BenchError> {
        let mut client = Self::connect(port, token, INITIALIZE.into())?;
        let (head, _) = client.exchange()?;
        let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        let session = session.ok_or_else(|| BenchError::Odd(format!("no session: {head}")))?.to_owned();
        let _ = write!(client.head, "Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
        client.body = request("");
        Ok(client)
    }

    fn modern(port: u16, token: &str) -> Result<Self, BenchError> {
        let mut client = Self::connect(port, token, request(MODERN))?;
        client.head.push_str("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: eye\r\n");
        Ok(client)
    }

    fn connect(port: u16, token: &str, body: String) -> Result<Self, BenchError> {
        let stream = TcpStream::connect(("127.0.0.1", port)).doing("connecting to the hub")?;
        stream.set_nodelay(true).doing("setting TCP_NODELAY")?;
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost:{port}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        );
        Ok(Self { stream: BufReader::new(stream), head, body })
    }

    fn call(&mut self) -> Result<(), BenchError> {
        let (_, body) = self.exchange()?;
        check(&body)
    }

    /// Sends the request; returns head and body of the response.
    fn exchange(&mut self) -> Result<(String, String), BenchError> {
        let text = format!("{}Content-Length: {}\r\n\r\n{}", self.head, self.body.len(), self.body);
        self.stream.get_mut().write_all(text.as_bytes()).doing("posting")?;
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if self.stream.read_line(&mut head).doing("reading a response")? == 0 {
                return Err(BenchError::Odd("the hub closed the connection".into()));
            }
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.ok_or_else(|| BenchError::Odd(format!("no length: {head}")))?];
        self.stream.read_exact(&mut body).doing("reading a response")?;
        Ok((head, String::from_utf8_lossy(&body).into_owned()))
    }
}
