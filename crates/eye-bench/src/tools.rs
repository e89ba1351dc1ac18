//! Tools: a call's round trip over each transport, calls per second with many agents, and the cost as sessions grow.

use crate::agents::Agent;
use crate::error::{BenchError, Doing};
use crate::hub::MeasuredHub;
use crate::idle;
use crate::report::Report;
use crate::roundtrip::token;
use crate::stats::{Rounds, Series, micros};
use eye_client::connection::Connection;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

const CALL: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"title","arguments":{}}}"#;
const SAMPLES: usize = 200;

/// A transport on which to call the tool and wait for its result.
trait Caller {
    fn call(&mut self) -> Result<String, BenchError>;
}

impl Caller for Agent {
    fn call(&mut self) -> Result<String, BenchError> {
        self.ask_raw(CALL)
    }
}

/// `POST /rpc` on one persistent connection.
struct Rpc {
    stream: BufReader<TcpStream>,
    head: String,
}

/// The event stream that carries the results, and a second connection for the calls.
struct Events {
    events: BufReader<TcpStream>,
    posts: Rpc,
}

impl Rpc {
    fn connect(hub: &MeasuredHub, token: &str, path: &str) -> Result<Self, BenchError> {
        let stream = connect(hub)?;
        let length = CALL.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nx-session-id: bench\r\ncontent-length: {length}\r\n\r\n"
        );
        Ok(Self { stream: BufReader::new(stream), head })
    }

    fn post(&mut self) -> Result<String, BenchError> {
        let request = format!("{}{CALL}", self.head);
        self.stream.get_mut().write_all(request.as_bytes()).doing("posting")?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).doing("reading a head")?;
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).doing("reading a body")?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }
}

impl Caller for Rpc {
    fn call(&mut self) -> Result<String, BenchError> {
        self.post()
    }
}

impl Events {
    fn connect(hub: &MeasuredHub, token: &str) -> Result<Self, BenchError> {
        let mut stream = connect(hub)?;
        let query = "sessionId=bench&clientType=agent&version=1.0.0";
        write!(stream, "GET /events?{query} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\r\n")
            .doing("opening events")?;
        let mut events = Self { events: BufReader::new(stream), posts: Rpc::connect(hub, token, "/message")? };
        // Greetings come first; this is the last of them.
        while !events.next()?.contains("\"id\":\"welcome\"") {}
        Ok(events)
    }

    fn next(&mut self) -> Result<String, BenchError> {
        loop {
            let mut line = String::new();
            if self.events.read_line(&mut line).doing("reading an event")? == 0 {
                return Err(BenchError::Odd("the events ended".into()));
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return Ok(data.to_owned());
            }
        }
    }
}

impl Caller for Events {
    fn call(&mut self) -> Result<String, BenchError> {
        self.posts.post()?;
        self.next()
    }
}

fn connect(hub: &MeasuredHub) -> Result<TcpStream, BenchError> {
    let stream = TcpStream::connect(("127.0.0.1", hub.port)).doing("connecting to the hub")?;
    stream.set_nodelay(true).doing("setting TCP_NODELAY")?;
    Ok(stream)
}

fn sample(caller: &mut dyn Caller) -> Result<Vec<f64>, BenchError> {
    (0..SAMPLES)
        .map(|_| {
            let started = Instant::now();
            let answer = caller.call()?;
            let time = micros(started.elapsed());
            if answer.contains("\"text\":\"bench") {
                Ok(time)
            } else {
                Err(BenchError::Odd(format!("answered {answer}")))
            }
        })
        .collect()
}

/// Measures calls of a tool in the real page.
pub fn measure(report: &mut Report, hub: &MeasuredHub, rounds: Rounds) -> Result<(), BenchError> {
    let token = token(hub)?;
    let mut unix = Agent::over_socket(&hub.socket, Some("bench"))?;
    wait_for_tool(&mut unix)?;
    let mut socket = Agent::over_websocket(hub.port, &token, Some("bench"))?;
    let mut rpc = Rpc::connect(hub, &token, "/rpc")?;
    let mut events = Events::connect(hub, &token)?;
    let mut series: [Series; 4] = Default::default();
    let mut turns = rounds.turns();
    while turns.more(&mut series) {
        series[0].round(sample(&mut unix)?);
        series[1].round(sample(&mut socket)?);
        series[2].round(sample(&mut rpc)?);
        series[3].round(sample(&mut events)?);
    }
    let group = "one call of a tool at a time (µs; × is against the Unix socket)";
    let [unix, socket, rpc, events] = series;
    report.figure(group, "Unix socket", unix.median(), "µs").ratio(1.0);
    report.figure(group, "WebSocket", socket.median(), "µs").ratio(socket.ratio(&unix));
    report.figure(group, "POST /rpc, kept alive", rpc.median(), "µs").ratio(rpc.ratio(&unix));
    report.figure(group, "events and POST /message", events.median(), "µs").ratio(events.ratio(&unix));
    throughput(report, hub)
}

fn wait_for_tool(agent: &mut Agent) -> Result<(), BenchError> {
    let deadline = Instant::now() + Duration::from_secs(30);
    while Instant::now() < deadline {
        if agent.request("tools/list")?["tools"][0]["name"] == "title" {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err(BenchError::Odd("the page offered no tool within 30 s".into()))
}

/// Calls per second, each agent on a connection of its own, one call at a time.
fn throughput(report: &mut Report, hub: &MeasuredHub) -> Result<(), BenchError> {
    const LASTS: Duration = Duration::from_secs(2);
    for count in [1, 10, 100] {
        let counts: Result<Vec<usize>, BenchError> = std::thread::scope(|scope| {
            let agent = || -> Result<usize, BenchError> {
                let mut agent = Agent::over_socket(&hub.socket, Some("bench"))?;
                let (started, mut calls) = (Instant::now(), 0);
                while started.elapsed() < LASTS {
                    agent.call()?;
                    calls += 1;
                }
                Ok(calls)
            };
            let threads: Vec<_> = (0..count).map(|_| scope.spawn(agent)).collect();
            let ended = |_| BenchError::Odd("an agent panicked".into());
            threads.into_iter().map(|thread| thread.join().map_err(ended)?).collect()
        });
        let rate = counts?.into_iter().sum::<usize>() as f64 / LASTS.as_secs_f64();
        let what = format!("calls per second, {count} agents");
        report.figure("many agents on one page", what, rate, "1/s");
    }
    Ok(())
}

/// Measures a call's cost as the number of idle sessions grows. The page is scripted, so that only the hub counts.
pub fn growth(report: &mut Report, eye: &Path, counts: &[usize]) -> Result<(), BenchError> {
    let hub = MeasuredHub::start(eye);
    let mut page = idle_provider(hub.port)?;
    std::thread::spawn(move || while answer(&mut page).is_ok() {});
    let mut agent = Agent::over_socket(&hub.socket, Some("busy"))?;
    wait_for_tool(&mut agent)?;
    let (mut idle_pages, mut first) = (Vec::new(), 0.0);
    for &count in counts {
        while idle_pages.len() < count {
            idle_pages.push(idle::idle_page(hub.port, idle_pages.len())?);
        }
        hub.wait_for_pages(count + 1)?;
        let mut series = Series::default();
        for _ in 0..5 {
            series.round(sample(&mut agent)?);
        }
        if first == 0.0 {
            first = series.median();
        }
        let what = format!("call to a scripted page, {count} other sessions");
        report
            .figure("cost of a call as sessions grow (µs; × is against the first)", what, series.median(), "µs")
            .ratio(series.median() / first);
    }
    Ok(())
}

fn idle_provider(port: u16) -> Result<Connection, BenchError> {
    let page = idle::join(port, "busy")?;
    let hello = r#"{"jsonrpc":"2.0","method":"hello","params":{"typed":true,"page":{"title":"busy"}}}"#;
    let offer = r#"{"jsonrpc":"2.0","method":"tools/register","id":"r","params":{"tools":[{"name":"title"}]}}"#;
    page.send(&[hello, offer]).doing("offering a tool")?;
    Ok(page)
}

fn answer(page: &mut Connection) -> Result<(), BenchError> {
    let frame = page.receive().doing("reading a call")?.unwrap_or_default();
    let call: serde_json::Value = serde_json::from_str(&frame).unwrap_or_default();
    match call["method"].as_str() {
        Some("tools/call") => {
            let reply = format!(r#"{{"jsonrpc":"2.0","id":{},"result":"bench"}}"#, call["id"]);
            page.send(&[&reply]).doing("answering")
        }
        Some("ping") => page.send(&[r#"{"jsonrpc":"2.0","id":"ping","result":{"pong":true}}"#]).doing("answering"),
        _ => Ok(()),
    }
}
