//! Agents: they send calls in bursts, in every form, sometimes disconnect in the middle, and check each ending.

use crate::frames::{Frames, Received};
use crate::hub::Ward;
use crate::ledger::{Ending, Ledger};
use crate::page::{FOREIGN, FOREIGN_IDS, ODD, STEADY};
use crate::reasons::Seen;
use fastrand::Rng;
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Agents whose pages answer at once: they make most of the calls.
const STEADY_AGENTS: u64 = 6;
/// Agents whose pages misbehave: they mostly wait.
const ODD_AGENTS: u64 = 6;
const BURST_MAX: u64 = 256;
/// Calls of a misbehaving page end by this timeout.
const CALL_TIMEOUT_MS: u64 = 1_500;
/// By then every call must have ended: many times its timeout plus the grace of a reload and of a restarted hub.
const LOST_AFTER: Duration = Duration::from_mins(1);

#[derive(Clone, Copy)]
enum Form {
    /// A line frame.
    Line,
    /// `eval` as JSON-RPC, with a timeout that is mostly too short for a slow page.
    Timed,
    Tool,
    Verb,
    /// A read of the hub's cache, so its value is not tied to the call.
    State,
    /// An `eval` that is cancelled right after it was sent.
    Cancelled,
}

const FORMS: [Form; 10] = [
    Form::Line,
    Form::Line,
    Form::Line,
    Form::Line,
    Form::Line,
    Form::Tool,
    Form::Tool,
    Form::Verb,
    Form::State,
    Form::Cancelled,
];

/// Starts all agents. They end when the ledger has no calls left.
pub fn start_all(ward: &Ward, seed: u64, ledger: &Arc<Ledger>) -> Vec<JoinHandle<()>> {
    let agent = |number: u64| {
        let pages = if number < STEADY_AGENTS { STEADY } else { ODD };
        let (sockets, ledger) = (ward.sockets(), Arc::clone(ledger));
        let rng = Rng::with_seed(seed ^ (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        thread::spawn(move || Agent { number, pages, sockets, ledger, rng, nonce: 0, seen: Seen::new() }.run())
    };
    (0..STEADY_AGENTS + ODD_AGENTS).map(agent).collect()
}

struct Agent {
    number: u64,
    pages: &'static [&'static str],
    /// Of all hubs: each connection uses one of them.
    sockets: Vec<PathBuf>,
    ledger: Arc<Ledger>,
    rng: Rng,
    nonce: u64,
    seen: Seen,
}

/// The calls of a burst that have not ended, by id.
type Open = HashMap<String, Expected>;

struct Expected {
    /// A text that the answer must contain. `None`: the value is not tied to the call.
    nonce: Option<String>,
    page: &'static str,
}

impl Agent {
    fn run(mut self) {
        loop {
            let target = self.page();
            let socket = self.sockets[self.rng.usize(..self.sockets.len())].clone();
            let Some(mut frames) = connect(&socket, &format!("chaos-{}", self.number), target) else { return };
            for _ in 0..self.rng.u32(1..40) {
                let count = self.ledger.take(self.rng.u64(1..=if self.pages == STEADY { BURST_MAX } else { 16 }));
                if count == 0 {
                    return;
                }
                if !self.burst(&mut frames, target, count) {
                    break;
                }
            }
        }
    }

    fn page(&mut self) -> &'static str {
        self.pages[self.rng.usize(..self.pages.len())]
    }

    /// Sends `count` calls at once and waits for all endings. `false`: the connection is over.
    fn burst(&mut self, frames: &mut Frames, target: &'static str, count: u64) -> bool {
        let mut open = Open::new();
        let mut text = String::new();
        for n in 0..count {
            // Ids restart at 0 with every burst, so that a late second ending hits a call of the next burst.
            let form = FORMS[self.rng.usize(..FORMS.len())];
            let form = if self.rng.u8(..) < 8 { Form::Timed } else { form };
            self.write_call(form, n, target, &mut text, &mut open);
        }
        if frames.send(&text).is_err() || self.rng.u16(..) < 400 {
            self.ledger.ended(Ending::Cut, open.len() as u64);
            return false;
        }
        let until = Instant::now() + LOST_AFTER;
        while !open.is_empty() {
            match frames.next(until) {
                Received::Frame(frame) => self.check(&frame, &mut open),
                Received::Closed => {
                    self.ledger.ended(Ending::Cut, open.len() as u64);
                    return false;
                }
                Received::Late => {
                    self.ledger.lost(open.len() as u64, &format!("agent {}: {:?}", self.number, open.keys()));
                    return false;
                }
            }
        }
        true
    }

    fn write_call(&mut self, form: Form, n: u64, target: &'static str, text: &mut String, open: &mut Open) {
        self.nonce += 1;
        let nonce = format!("x{}_{}x", self.number, self.nonce);
        let page = self.page();
        let id = format!("r{n}");
        let mut rpc = |method: &str, params: Json| {
            let _ = writeln!(text, "{}", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        };
        let expected = match form {
            Form::Line => {
                let _ = writeln!(text, "{n}:{nonce}");
                open.insert(n.to_string(), Expected { nonce: Some(nonce), page: target });
                return;
            }
            Form::Timed => {
                let timeout = self.rng.u64(1..60);
                rpc("eval", json!({ "code": nonce, "page": page, "timeout": timeout }));
                Some(nonce)
            }
            Form::Tool => {
                rpc("tools/call", json!({ "name": "echo", "arguments": { "nonce": nonce }, "page": page }));
                Some(nonce)
            }
            Form::Verb => {
                rpc("page/look", json!({ "nonce": nonce, "page": page, "timeout": CALL_TIMEOUT_MS }));
                Some(nonce)
            }
            Form::State => {
                rpc("state/get", json!({ "page": page, "path": "n" }));
                None
            }
            Form::Cancelled => {
                rpc("eval", json!({ "code": nonce, "page": page }));
                let cancel = json!({ "jsonrpc": "2.0", "method": "call/cancel", "params": { "id": id } });
                let _ = writeln!(text, "{cancel}");
                Some(nonce)
            }
        };
        open.insert(id, Expected { nonce: expected, page });
    }

    fn check(&mut self, frame: &str, open: &mut Open) {
        let Some((id, failed)) = ending_of(frame) else { return };
        let Some(expected) = open.remove(&id) else { return self.ledger.doubled(frame) };
        // A page may answer its own calls with anything; only its answers to other pages' calls must not count.
        let own_word = expected.page == FOREIGN_IDS && frame.contains(FOREIGN);
        match expected.nonce {
            Some(nonce) if !failed && !own_word && !frame.contains(&nonce) => self.ledger.crossed(frame, &nonce),
            Some(_) | None => {}
        }
        if failed {
            self.ledger.reasons.add(frame, STEADY.contains(&expected.page), &mut self.seen);
        }
        self.ledger.ended(if failed { Ending::Failed } else { Ending::Answered }, 1);
    }
}

/// The call that a frame ends, and whether with an error. `None` for a notification.
fn ending_of(frame: &str) -> Option<(String, bool)> {
    if frame.starts_with('{') {
        let json: Json = serde_json::from_str(frame).ok()?;
        let id = json.get("id")?.as_str()?.to_owned();
        return Some((id, json.get("error").is_some()));
    }
    let at = frame.find([':', '=', '~', '!'])?;
    Some((frame[..at].to_owned(), frame.as_bytes()[at] == b'!'))
}

/// Connects, also while the hub is being restarted. `None`: no hub came back.
fn connect(socket: &Path, agent: &str, target: &str) -> Option<Frames> {
    let until = Instant::now() + LOST_AFTER;
    while Instant::now() < until {
        if let Ok(frames) = Frames::connect(socket, agent, target, CALL_TIMEOUT_MS) {
            return Some(frames);
        }
        thread::sleep(Duration::from_millis(10));
    }
    None
}
