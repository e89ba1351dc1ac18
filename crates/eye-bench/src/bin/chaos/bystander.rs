//! One well-behaved agent at the first hub, with its page at the last: measures what the chaos costs them.

use crate::frames::{Frames, Received};
use crate::hub::Ward;
use crate::page::BYSTANDER;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const IDLE_TRIPS: usize = 5_000;
/// The pause of the agent between two requests.
const PAUSE: Duration = Duration::from_millis(2);
const TIMEOUT_MS: u64 = 30_000;

/// Round trips in µs.
pub struct Trips(Vec<u64>);

pub struct Watching {
    thread: JoinHandle<Trips>,
    over: Arc<AtomicBool>,
}

/// Measures round trips before the chaos begins.
pub fn measure_idle(ward: &Ward) -> Trips {
    let mut trips = Trips(Vec::new());
    let mut frames = None;
    while trips.0.len() < IDLE_TRIPS {
        trip(&ward.sockets()[0], &mut frames, &mut trips);
    }
    trips
}

/// Measures round trips until `over` is set or [`Watching::finish`] is called.
pub fn watch(ward: &Ward, over: &Arc<AtomicBool>) -> Watching {
    let (socket, ended) = (ward.sockets().swap_remove(0), Arc::new(AtomicBool::new(false)));
    let (all, own) = (Arc::clone(over), Arc::clone(&ended));
    let thread = thread::spawn(move || ask_until(&socket, &[all, own]));
    Watching { thread, over: ended }
}

impl Watching {
    pub fn finish(self) -> Trips {
        self.over.store(true, Relaxed);
        self.thread.join().expect("the bystander does not panic")
    }
}

fn ask_until(socket: &Path, over: &[Arc<AtomicBool>]) -> Trips {
    let mut trips = Trips(Vec::new());
    let mut frames = None;
    while !over.iter().any(|over| over.load(Relaxed)) {
        trip(socket, &mut frames, &mut trips);
        thread::sleep(PAUSE);
    }
    trips
}

/// One round trip. If the hub was killed, there is none, and the next one connects again.
fn trip(socket: &Path, frames: &mut Option<Frames>, trips: &mut Trips) {
    if frames.is_none() {
        *frames = Frames::connect(socket, "bystander", BYSTANDER, TIMEOUT_MS).ok();
        // The first answer may wait until the page is back after a restart.
        let _ = frames.as_mut().is_some_and(|frames| ask(frames).is_some());
    }
    let took = frames.as_mut().and_then(ask);
    match took {
        Some(took) => trips.0.push(u64::try_from(took.as_micros()).unwrap_or(u64::MAX)),
        None => *frames = None,
    }
}

fn ask(frames: &mut Frames) -> Option<Duration> {
    let started = Instant::now();
    frames.send("b:bystander\n").ok()?;
    match frames.next(started + Duration::from_millis(TIMEOUT_MS)) {
        Received::Frame(frame) if frame == "b:bystander" => Some(started.elapsed()),
        Received::Frame(_) | Received::Late | Received::Closed => None,
    }
}

impl fmt::Display for Trips {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = |part: f64| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position in a list")]
            let position = (sorted.len() as f64 * part) as usize;
            sorted.get(position).copied().unwrap_or(0)
        };
        write!(f, "p50 {} µs, p99 {} µs, {} round trips", at(0.5), at(0.99), sorted.len())
    }
}
