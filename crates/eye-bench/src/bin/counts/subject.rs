//! The process that is counted, hub or relay, with a page that answers with the code and an agent that sends one
//! request after the other.

use crate::under::Under;
use eye_testkit::{Home, ScriptedPage};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

/// The argument that makes this program the relay.
pub const COPY: &str = "--copy";
const QUESTION: &[u8] = b"a:document.title\n";
/// How long one answer may take, also under a tool that slows everything down.
const TIMEOUT: Duration = Duration::from_mins(1);

pub enum Kind<'a> {
    /// The hub of this binary.
    Hub(&'a Path),
    Relay,
}

/// A running hub or relay.
pub struct Subject {
    child: Child,
    home: Home,
    is_hub: bool,
    agent: BufReader<UnixStream>,
    _page: Option<ScriptedPage>,
}

impl Subject {
    /// Starts the process under a tool, connects a page and an agent, and warms it up.
    pub fn start(kind: &Kind<'_>, under: &Under) -> Self {
        let own = std::env::current_exe().expect("this program");
        let (program, is_hub) = match kind {
            Kind::Hub(eye) => (*eye, true),
            Kind::Relay => (own.as_path(), false),
        };
        let home = Home::new(program);
        let socket = if is_hub { home.socket() } else { home.path("relay.sock") };
        let mut command = under.command(&home);
        if is_hub {
            command.args(["up", "--foreground"]);
        } else {
            command.arg(COPY).arg(&socket);
        }
        let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("it says that it is ready");
        let page = is_hub.then(|| ScriptedPage::echo(&home, "Page"));
        if !is_hub {
            let port = line.trim().parse().expect("the relay's port");
            std::thread::spawn(move || echo(port));
        }
        let agent = UnixStream::connect(&socket).expect("it listens");
        agent.set_read_timeout(Some(TIMEOUT)).expect("a socket");
        let mut subject = Self { child, home, is_hub, agent: BufReader::new(agent), _page: page };
        subject.ask(200);
        subject
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Does this many round trips.
    pub fn ask(&mut self, calls: u32) {
        let mut line = String::new();
        for _ in 0..calls {
            self.agent.get_mut().write_all(QUESTION).expect("it reads");
            line.clear();
            self.agent.read_line(&mut line).expect("an answer in time");
            assert_eq!(line.as_bytes(), QUESTION, "the page answers with the code");
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
