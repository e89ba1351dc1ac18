//! One local connection: an agent on the Unix socket, with its own link to the remote hub.

use super::link::{Down, RelayLink, Up};
use super::screen::{Route, Screen};
use super::shared::Relay;
use super::status::RelayStatus;
use crate::dial::Fault;
use eye_platform::local::{AsyncStream, OwnedReadHalf, OwnedWriteHalf};
use eye_protocol::answer::write_plain;
use eye_protocol::limits::{RELAY_PROBE_MS, SHUTDOWN_MS};
use eye_protocol::rpc;
use eye_protocol::stream::{self, Decoder, StreamError};
use eye_protocol::{Code, Error};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval, timeout};

const READ_BYTES: usize = 16 << 10;

/// Why a connection ended.
enum End {
    /// The agent closed the connection.
    AgentGone,
    /// The agent sent invalid data.
    Broken(StreamError),
    /// No link was available in time; nothing was sent.
    NoLink(Fault),
    Lost(Fault),
    /// The agent ended the relay; these frames answer it.
    Stop(Vec<String>),
    /// The remote hub is retiring, and has executed nothing.
    Retiring,
    /// The relay is shutting down.
    Ending,
}

/// Serves one connection until either side ends it.
pub async fn serve(relay: Arc<Relay>, socket: AsyncStream, mut ending: watch::Receiver<bool>) {
    relay.agents.fetch_add(1, Ordering::Relaxed);
    let (reader, mut writer) = socket.into_split();
    let screen = Arc::new(Mutex::new(Screen::new(&relay.machine)));
    let end = tokio::select! {
        end = talk(&relay, reader, &mut writer, &screen) => end,
        _ = ending.wait_for(|ending| *ending) => End::Ending,
    };
    let stops = matches!(end, End::Stop(_));
    let frames = last_words(&relay, end, &mut hold(&screen));
    // An agent that does not read is not waited for longer.
    let _ = timeout(Duration::from_millis(SHUTDOWN_MS), write(&mut writer, &frames)).await;
    if stops {
        relay.stop.notify_one();
    }
    relay.agents.fetch_sub(1, Ordering::Relaxed);
}

fn hold(screen: &Mutex<Screen>) -> MutexGuard<'_, Screen> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The last frames for an agent: errors for its calls in progress.
fn last_words(relay: &Relay, end: End, screen: &mut Screen) -> Vec<String> {
    let url = relay.pool.remote().url();
    let error = match end {
        End::AgentGone => return Vec::new(),
        End::Broken(error) => {
            let mut frame = String::new();
            write_plain("", &Err(Error::new(Code::PARSE, error.to_string())), &mut frame);
            return vec![frame];
        }
        End::Stop(frames) => return frames,
        End::NoLink(Fault::Refused { why, hint }) | End::Lost(Fault::Refused { why, hint }) => {
            let hint = hint.unwrap_or_else(|| "eye disconnect, then eye connect with the right token".into());
            Error::new(Code::DENIED, format!("{url} refused this agent: {why}")).hint(hint)
        }
        End::NoLink(fault) => Error::new(Code::CONNECTION, format!("the link to {url} is down: {}", fault.why()))
            .hint("nothing was sent; see that a hub runs there, or go back to a local one with eye disconnect"),
        End::Lost(fault) => Error::new(Code::CONNECTION, format!("the link to {url} is lost: {}", fault.why())).hint(
            "what was under way may have run, so look before asking again; eye status tells when the link is back",
        ),
        End::Retiring => Error::new(Code::CONNECTION, format!("the hub at {url} is just being stopped"))
            .hint("nothing was executed; ask again when eye status says it is back"),
        End::Ending => Error::new(Code::CONNECTION, format!("disconnected from {url}"))
            .hint("what was under way may have run; the next command uses a local hub"),
    };
    screen.lost(&error)
}

async fn talk(
    relay: &Relay,
    mut reader: OwnedReadHalf,
    writer: &mut OwnedWriteHalf,
    screen: &Arc<Mutex<Screen>>,
) -> End {
    let mut decoder = Decoder::default();
    // A link is taken when the first frame needs one.
    let first = loop {
        let (pass, answers) = match read_frames(relay, &mut reader, &mut decoder, screen).await {
            Ok(frames) => frames,
            Err(end) => return end,
        };
        if write(writer, &answers).await.is_err() {
            return End::AgentGone;
        }
        if !pass.is_empty() {
            break pass;
        }
    };
    let RelayLink { mut up, mut down } = match relay.pool.take().await {
        Ok(link) => link,
        Err(fault) => return End::NoLink(fault),
    };
    // One message being sent and one queued: an agent that is faster than the link is read more slowly.
    let (to_send, sent) = mpsc::channel(1);
    let (to_answer, own_answers) = mpsc::channel(1);
    let read = async {
        loop {
            let (pass, answers) = match read_frames(relay, &mut reader, &mut decoder, screen).await {
                Ok(frames) => frames,
                Err(end) => return end,
            };
            if !answers.is_empty() && to_answer.send(answers).await.is_err() {
                return End::AgentGone;
            }
            if !pass.is_empty() && to_send.send(pass).await.is_err() {
                return End::AgentGone;
            }
        }
    };
    tokio::select! {
        end = read => end,
        fault = send(&mut up, first, sent) => End::Lost(fault),
        end = receive(&mut down, own_answers, writer, screen) => end,
    }
}

/// Reads until there are frames to pass on or answers from the relay itself.
async fn read_frames(
    relay: &Relay,
    reader: &mut OwnedReadHalf,
    decoder: &mut Decoder,
    screen: &Mutex<Screen>,
) -> Result<(Vec<String>, Vec<String>), End> {
    let mut routes = Vec::new();
    while routes.is_empty() {
        let buffer = decoder.buffer();
        buffer.reserve(READ_BYTES);
        match reader.read_buf(buffer).await {
            Ok(0) | Err(_) => return Err(End::AgentGone),
            Ok(_) => {}
        }
        while let Some(frame) = decoder.frame().map_err(End::Broken)? {
            hold(screen).take_from_agent(frame, |one| routes.push(one));
        }
    }
    let (mut pass, mut answers) = (Vec::new(), Vec::new());
    for one in routes {
        match one {
            Route::Pass(frame) => pass.push(frame),
            Route::Answer(frame) => answers.push(frame),
            Route::Status(id) => answers.push(rpc::response(&id, Ok(&rpc::json(&status(relay).await)))),
            Route::Stop(id) => {
                let result = serde_json::json!({ "stopping": true, "url": relay.pool.remote().url() });
                answers.push(rpc::response(&id, Ok(&result.to_string())));
                return Err(End::Stop(answers));
            }
        }
    }
    Ok((pass, answers))
}

async fn status(relay: &Relay) -> RelayStatus {
    let ms = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let condition = relay.pool.look().await;
    RelayStatus {
        url: relay.pool.remote().url(),
        transport: relay.pool.transport(),
        connected: condition.fault.is_none(),
        since_ms: ms(condition.since),
        warm: condition.warm,
        round_trip_us: condition.round_trip.map(|took| u64::try_from(took.as_micros()).unwrap_or(u64::MAX)),
        why: condition.fault.map(|fault| fault.why().to_owned()),
        agents: relay.agents.load(Ordering::Relaxed),
        version: env!("CARGO_PKG_VERSION").into(),
        pid: std::process::id(),
        socket: relay.socket.display().to_string(),
    }
}

async fn send(up: &mut Up, first: Vec<String>, mut frames: mpsc::Receiver<Vec<String>>) -> Fault {
    let mut alive = interval(Duration::from_millis(RELAY_PROBE_MS));
    alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
    alive.reset();
    let mut next = Some(first);
    loop {
        let sent = match next.take() {
            Some(frames) => up.send(&frames).await,
            None => up.keep_alive().await,
        };
        if let Err(fault) = sent {
            return fault;
        }
        tokio::select! {
            // When the agent has closed the connection, the reading side notices.
            Some(more) = frames.recv() => next = Some(more),
            _ = alive.tick() => {}
        }
    }
}

async fn receive(
    down: &mut Down,
    mut own_answers: mpsc::Receiver<Vec<String>>,
    writer: &mut OwnedWriteHalf,
    screen: &Mutex<Screen>,
) -> End {
    loop {
        let frames = tokio::select! {
            frames = down.next() => match frames {
                Ok(frames) => frames,
                Err(fault) => return End::Lost(fault),
            },
            Some(frames) = own_answers.recv() => {
                if write(writer, &frames).await.is_err() {
                    return End::AgentGone;
                }
                continue;
            }
        };
        if !frames.iter().all(|frame| hold(screen).take_from_hub(frame)) {
            return End::Retiring;
        }
        if write(writer, &frames).await.is_err() {
            return End::AgentGone;
        }
    }
}

async fn write(writer: &mut OwnedWriteHalf, frames: &[String]) -> std::io::Result<()> {
    let mut bytes = Vec::with_capacity(frames.iter().map(|frame| frame.len() + 16).sum());
    for frame in frames {
        stream::write(frame, &mut bytes);
    }
    writer.write_all(&bytes).await
}
