//! The process that is counted, hub or relay, with a page that answers with the code and an agent that sends one
//! request after the other.

use crate::under::Under;
use eye_testkit::{Home, HubProcess, Nats, ScriptedPage};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The argument that makes this program the relay.
pub const COPY: &str = "--copy";
const QUESTION: &[u8] = b"a:document.title\n";
/// Round trips before anything is counted.
const WARM: u32 = 200;
/// How long it waits before it asks again for a page that is not known yet.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// How long one answer may take, also under a tool that slows everything down.
const TIMEOUT: Duration = Duration::from_mins(1);

/// What the agent asks while it is counted.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// The number of questions.
    pub calls: u32,
    /// How many of them the agent sends before it reads their answers.
    pub at_once: u32,
}

/// What is counted.
pub enum Kind<'a> {
    /// The hub of this binary.
    Hub(&'a Path),
    /// The same, as one of two hubs: the agent asks at this one, and the page is at the other.
    Asking(&'a Path),
    /// The other of these two: the page is here.
    Asked(&'a Path),
    Relay,
}

/// A running hub or relay.
pub struct Subject {
    child: Child,
    home: Home,
    is_hub: bool,
    agent: BufReader<UnixStream>,
    _page: Option<ScriptedPage>,
    _beside: Option<Beside>,
}

/// The hub that is not counted, and the server between the two.
struct Beside {
    // In this order, because the hub ends before its home and its server.
    _hub: HubProcess,
    home: Home,
    nats: Nats,
}

impl Beside {
    fn start(eye: &Path) -> Self {
        let (nats, home) = (Nats::start(), Home::new(eye));
        let hub = HubProcess::start_with(&home, &["--cluster", &nats.url(), "--hub-name", "beside"]);
        Self { _hub: hub, home, nats }
    }
}

impl Subject {
    /// Starts the process under a tool, connects a page and an agent, and warms it up.
    pub fn start(kind: &Kind<'_>, under: &Under) -> Self {
        let own = std::env::current_exe().expect("this program");
        let (program, is_hub) = match kind {
            Kind::Hub(eye) | Kind::Asking(eye) | Kind::Asked(eye) => (*eye, true),
            Kind::Relay => (own.as_path(), false),
        };
        let beside = match kind {
            Kind::Asking(eye) | Kind::Asked(eye) => Some(Beside::start(eye)),
            Kind::Hub(_) | Kind::Relay => None,
        };
        let home = Home::new(program);
        let other = beside.as_ref().map_or(&home, |beside| &beside.home);
        let (agents, pages) = if matches!(kind, Kind::Asked(_)) { (other, &home) } else { (&home, other) };
        let socket = if is_hub { agents.socket() } else { home.path("relay.sock") };
        let mut command = under.command(&home);
        if is_hub {
            command.args(["up", "--foreground"]);
            command.args(beside.iter().flat_map(|beside| ["--cluster".to_owned(), beside.nats.url()]));
        } else {
            command.arg(COPY).arg(&socket);
        }
        let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("it says that it is ready");
        let page = is_hub.then(|| ScriptedPage::echo(pages, "Page"));
        if !is_hub {
            let port = line.trim().parse().expect("the relay's port");
            thread::spawn(move || echo(port));
        }
        let agent = UnixStream::connect(&socket).expect("it listens");
        agent.set_read_timeout(Some(TIMEOUT)).expect("a socket");
        let agent = BufReader::new(agent);
        let mut subject = Self { child, home, is_hub, agent, _page: page, _beside: beside };
        subject.find();
        subject.ask(Load { calls: WARM, at_once: 1 });
        subject
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Asks until the page is known where the agent is.
    fn find(&mut self) {
        let (mut line, begun) = (String::new(), Instant::now());
        while line.as_bytes() != QUESTION {
            assert!(begun.elapsed() < TIMEOUT, "the page is not known: {line}");
            // Seldom, because what is asked in vain is counted.
            thread::sleep(LOOK_AGAIN);
            self.agent.get_mut().write_all(QUESTION).expect("it reads");
            line.clear();
            self.agent.read_line(&mut line).expect("an answer in time");
        }
    }

    /// Asks, and reads all answers.
    pub fn ask(&mut self, Load { calls, at_once }: Load) {
        let mut line = String::new();
        for first in (0..calls).step_by(at_once as usize) {
            let questions: Vec<String> =
                (0..at_once.min(calls - first)).map(|number| format!("{number}:document.title\n")).collect();
            self.agent.get_mut().write_all(questions.concat().as_bytes()).expect("it reads");
            for question in questions {
                line.clear();
                self.agent.read_line(&mut line).expect("an answer in time");
                assert_eq!(line, question, "the page answers with the code, in order");
            }
        }
    }

    /// Ends the process and waits for it.
    pub fn end(mut self) {
        if self.is_hub {
            let down = self.home.command().arg("down").status();
            assert!(down.is_ok_and(|status| status.success()), "the hub goes down");
        }
        drop(self.agent);
        self.child.wait().expect("it ends");
    }
}

/// The relay's page: answers with the text that it receives.
fn echo(port: u16) {
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("the relay listens");
    let _ = stream.set_nodelay(true);
    let (mut page, _) = tungstenite::client(format!("ws://127.0.0.1:{port}/"), stream).expect("a WebSocket");
    while let Ok(message) = page.read() {
        let Ok(text) = message.to_text() else { return };
        if page.send(tungstenite::Message::text(format!("{text}\n"))).is_err() {
            return;
        }
    }
}
