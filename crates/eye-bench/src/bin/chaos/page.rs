//! Pages: some answer correctly, each of the others misbehaves in one way.

mod bombs;
mod socket;

use crate::plan::Plan;
use fastrand::Rng;
use serde_json::{Value as Json, json};
use socket::{Received, Socket};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Sessions whose pages answer at once.
pub const STEADY: &[&str] = &["steady-1", "steady-2", "steady-3", "steady-4"];
/// Sessions whose pages misbehave, each as its name says.
pub const ODD: &[&str] =
    &["reloads", "vanishes", "answers-twice", "late", FOREIGN_IDS, "slow-reader", "half-open", "bombs"];
/// The session whose page also answers ids near those of its calls, with [`FOREIGN`].
pub const FOREIGN_IDS: &str = "foreign-ids";
/// The answer of that page to calls that are mostly not its own.
pub const FOREIGN: &str = "FOREIGN";
/// The session of the page that only the bystander uses.
pub const BYSTANDER: &str = "bystander";

/// How long a page waits for a frame before it checks its other tasks.
const TURN: Duration = Duration::from_millis(20);

/// Starts all pages; returns when each has joined once. They end when `over` is set and the hub is gone.
pub fn start_all(ports: &[u16], plan: &Plan, over: &Arc<AtomicBool>) -> Vec<JoinHandle<()>> {
    let (joined, waiting) = std::sync::mpsc::channel();
    let sessions: Vec<&'static str> = STEADY
        .iter()
        .chain(ODD)
        .copied()
        .chain([BYSTANDER])
        .filter(|session| !plan.without.iter().any(|kind| kind == session))
        .collect();
    let count = sessions.len();
    let start = |(number, session): (usize, &'static str)| {
        let (over, joined) = (Arc::clone(over), joined.clone());
        let rng = Rng::with_seed(plan.seed.wrapping_add(number as u64));
        let ports = if session == BYSTANDER { ports[ports.len() - 1..].to_vec() } else { ports.to_vec() };
        thread::spawn(move || {
            let mut page = Page { ports, session, rng, over, kept: VecDeque::new(), calls: 0 };
            page.run(|| joined.send(()).expect("the starter waits"));
        })
    };
    let pages = sessions.into_iter().enumerate().map(start).collect();
    for _ in 0..count {
        waiting.recv_timeout(Duration::from_mins(1)).expect("every page joins");
    }
    pages
}

struct Page {
    /// Of the hubs that it joins: each connection uses one of them, as behind a load balancer.
    ports: Vec<u16>,
    session: &'static str,
    rng: Rng,
    over: Arc<AtomicBool>,
    /// Answers to send later, with their time.
    kept: VecDeque<(Instant, String)>,
    calls: u64,
}

impl Page {
    fn run(&mut self, mut on_first: impl FnMut()) {
        let mut first = true;
        while !self.over.load(Relaxed) {
            let port = self.ports[self.rng.usize(..self.ports.len())];
            let Ok(mut socket) = Socket::join(port, self.session) else {
                thread::sleep(TURN);
                continue;
            };
            if std::mem::take(&mut first) {
                on_first();
            }
            self.serve(&mut socket);
            if self.session == "vanishes" {
                // Longer than the grace period for a page that is expected back.
                thread::sleep(Duration::from_millis(self.rng.u64(0..3_500)));
            }
        }
    }

    /// Answers until the connection is over, or until the page ends it in its own way.
    fn serve(&mut self, socket: &mut Socket) {
        let lifetime = self.rng.u64(50..2_000);
        let began = self.calls;
        while !self.over.load(Relaxed) {
            match socket.next(TURN) {
                Received::Frames(frames) => {
                    let answers: Vec<String> = frames.iter().flat_map(|frame| self.answer(frame)).collect();
                    if socket.send(&answers).is_err() {
                        return;
                    }
                }
                Received::Nothing => {}
                Received::Closed => return,
            }
            let due = self.kept.iter().take_while(|(at, _)| *at <= Instant::now()).count();
            let late: Vec<String> = self.kept.drain(..due).map(|(_, frame)| frame).collect();
            if !late.is_empty() && socket.send(&late).is_err() {
                return;
            }
            match self.session {
                "reloads" if self.calls > began + lifetime => {
                    let leaving = json!({ "jsonrpc": "2.0", "method": "page/leaving", "params": {} });
                    let _ = socket.send(&[leaving.to_string()]);
                    return;
                }
                "vanishes" if self.calls > began + lifetime / 4 => return,
                "slow-reader" => thread::sleep(Duration::from_millis(self.rng.u64(0..200))),
                "half-open" if self.calls > began + lifetime / 4 => {
                    // Neither reads nor sends, until the hub has dropped the connection or a while has passed.
                    thread::sleep(Duration::from_secs(self.rng.u64(1..20)));
                    return;
                }
                "bombs" if socket.send(&[bombs::any(&mut self.rng)]).is_err() => return,
                _ => {}
            }
        }
    }

    /// The page's answers to one frame, according to its misbehaviour.
    fn answer(&mut self, frame: &Json) -> Vec<String> {
        let Some((id, own)) = own_answer(frame) else { return Vec::new() };
        self.calls += 1;
        match self.session {
            "answers-twice" => vec![own.clone(), own],
            "late" => {
                let due = Instant::now() + Duration::from_millis(self.rng.u64(0..4_000));
                self.kept.push_back((due, own));
                Vec::new()
            }
            // Calls of other pages have nearby ids; an answer to one of them must not count.
            FOREIGN_IDS => {
                let near: Vec<u64> =
                    (0..4).map(|_| id.saturating_add(self.rng.u64(0..40)).saturating_sub(20)).collect();
                let foreign =
                    near.into_iter().filter(|&near| near != id).map(|near| line(&format!("{near}:{FOREIGN}")));
                foreign.chain([own]).collect()
            }
            _ => vec![own],
        }
    }
}

/// The right answer to a call, and the hub's id of it. `None` for a frame that needs no answer.
fn own_answer(frame: &Json) -> Option<(u64, String)> {
    if let Some(text) = frame.as_str() {
        let (id, code) = text.split_once(':')?;
        return Some((id.parse().ok()?, line(&format!("{id}:{code}"))));
    }
    let id = frame.get("id")?;
    let number = id.as_str().and_then(|id| id.parse().ok()).unwrap_or(0);
    let params = &frame["params"];
    let result = match frame.get("method")?.as_str()? {
        "ping" => json!({ "pong": true }),
        "tools/call" => json!({ "content": [{ "type": "text", "text": params["arguments"]["nonce"] }] }),
        "state/get" => json!({ "state": { "n": 1 }, "revision": 1 }),
        "eval" => params["code"].clone(),
        _ => params["nonce"].clone(),
    };
    Some((number, json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()))
}

/// A line frame as an element of a batch.
fn line(text: &str) -> String {
    Json::from(text).to_string()
}
