//! A process that holds idle pages: one process may not have enough file descriptors for all of them.

use super::page::{self, Socket};
use crate::error::{BenchError, Doing};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use tungstenite::{Error, Message};

/// The argument that makes this program such a process.
pub const HOLD: &str = "--hold";
/// How often the pages answer the hub's pings.
const PINGS: Duration = Duration::from_secs(10);
/// Enough for a page that only answers pings.
const BUFFER_BYTES: usize = 512;
const JOINED: &str = "joined";

/// Idle pages in a process of their own. They leave when this value is dropped.
pub struct Crowd {
    child: Child,
}

impl Crowd {
    /// Joins `count` pages and returns when all have joined.
    pub fn join(port: u16, name: &str, count: usize) -> Result<Self, BenchError> {
        let program = std::env::current_exe().doing("looking for this program")?;
        let mut command = Command::new(program);
        command.args([HOLD, &port.to_string(), name, &count.to_string()]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().doing("starting pages")?;
        let (mut crowd, from) = (Self { child }, Instant::now());
        crowd.line(JOINED)?;
        println!("        {count} pages `{name}` joined in {:.0} s", from.elapsed().as_secs_f64());
        Ok(crowd)
    }

    fn line(&mut self, wanted: &str) -> Result<(), BenchError> {
        let stdout = self.child.stdout.as_mut().ok_or(BenchError::Usage)?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).doing("waiting for pages")?;
        if line.trim() == wanted { Ok(()) } else { Err(BenchError::Odd(format!("pages said: {line}"))) }
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `--hold PORT NAME COUNT`: joins, reports that, and answers pings until stdin ends.
pub fn hold(words: &[String]) -> Result<(), BenchError> {
    let [port, name, count] = words else { return Err(BenchError::Usage) };
    let port = port.parse().map_err(|_| BenchError::Usage)?;
    let count: usize = count.parse().map_err(|_| BenchError::Usage)?;
    let (over, is_over) = channel::<()>();
    thread::spawn(move || {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        drop(over);
    });
    let mut pages: Vec<Socket> = (0..count)
        .map(|number| page::join(port, &format!("{name}{number}"), BUFFER_BYTES))
        .collect::<Result<_, _>>()?;
    for page in &pages {
        page.get_ref().set_nonblocking(true).doing("holding pages")?;
    }
    println!("{JOINED}");
    io::stdout().flush().doing("saying so")?;
    while is_over.recv_timeout(PINGS) == Err(RecvTimeoutError::Timeout) {
        pages.iter_mut().for_each(answer_pings);
    }
    Ok(())
}

fn answer_pings(page: &mut Socket) {
    loop {
        match page.read() {
            Ok(Message::Text(text)) => {
                let answer = page::answer(&text);
                if !answer.is_empty() {
                    let _ = page.send(Message::text(format!("[{}]", answer.join(","))));
                }
            }
            Ok(_) => {}
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => return,
            Err(_) => return,
        }
    }
}
