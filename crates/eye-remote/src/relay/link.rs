//! One link to the remote hub over any transport: frames up, frames down.

use super::{events, post, ws};
use crate::dial::{Fault, Remote};
use eye_protocol::limits::{RELAY_OPEN_MS, RELAY_PROBE_MS};
use eye_protocol::rpc::{self, Message};
use serde::{Deserialize, Serialize};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// The id of the relay's own ping, as JSON text. It cannot clash with an agent's id: pings are sent on idle links only.
const PROBE: &str = "\"relay\"";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    Ws,
    /// Server-sent events down, POST up.
    Events,
    /// One POST for each request.
    Post,
}

impl Transport {
    /// All transports, the best first.
    pub const ALL: [Self; 3] = [Self::Ws, Self::Events, Self::Post];

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ws => "WebSocket",
            Self::Events => "SSE + POST",
            Self::Post => "plain POST",
        }
    }
}

/// The sending half.
pub enum Up {
    Ws(ws::Up),
    /// By POST; responses come on the stream.
    Events(events::Up),
    /// By POST; responses come in its response.
    Post(Box<post::Up>),
}

/// The receiving half.
pub enum Down {
    Ws(ws::Down),
    /// From the event stream.
    Events(events::Down),
    /// From the responses to POSTs.
    Post(post::Down),
}

/// One link. The remote hub sees each link as an agent of its own.
pub struct RelayLink {
    pub up: Up,
    pub down: Down,
}

impl Up {
    /// Sends frames in order.
    pub async fn send(&mut self, frames: &[String]) -> Result<(), Fault> {
        match self {
            Self::Ws(up) => up.send(frames).await,
            Self::Events(up) => up.send(frames).await,
            Self::Post(up) => up.send(frames).await,
        }
    }

    /// Sends a request of the relay's own.
    async fn ask(&mut self, frame: String) -> Result<(), Fault> {
        match self {
            // Sent without the agent's name, which a ping does not need.
            Self::Post(up) => up.ask(frame).await,
            Self::Ws(_) | Self::Events(_) => self.send(&[frame]).await,
        }
    }

    /// Sends a sign of life, so that neither the hub nor a proxy closes the link.
    pub async fn keep_alive(&mut self) -> Result<(), Fault> {
        match self {
            Self::Ws(up) => up.ping().await,
            // The hub keeps an event stream alive, and a POST ends with its response.
            Self::Events(_) | Self::Post(_) => Ok(()),
        }
    }
}

impl Down {
    /// The next frames.
    pub async fn next(&mut self) -> Result<Vec<String>, Fault> {
        match self {
            Self::Ws(down) => down.next().await,
            Self::Events(down) => down.next().await,
            Self::Post(down) => down.next().await,
        }
    }
}

impl RelayLink {
    /// Opens a link over this transport.
    pub async fn open(transport: Transport, remote: &Remote) -> Result<Self, Fault> {
        let opening = async {
            match transport {
                Transport::Ws => {
                    let (up, down) = ws::open(remote).await?;
                    Ok(Self { up: Up::Ws(up), down: Down::Ws(down) })
                }
                Transport::Events => {
                    let (up, down) = events::open(remote).await?;
                    Ok(Self { up: Up::Events(up), down: Down::Events(down) })
                }
                Transport::Post => {
                    let (up, down) = post::open(remote);
                    let mut link = Self { up: Up::Post(Box::new(up)), down: Down::Post(down) };
                    // POST has no handshake: only a request shows whether a hub answers.
                    link.probe().await?;
                    Ok(link)
                }
            }
        };
        let late = || Fault::Unreachable(format!("no answer within {} s", RELAY_OPEN_MS / 1000));
        timeout(Duration::from_millis(RELAY_OPEN_MS), opening).await.unwrap_or_else(|_| Err(late()))
    }

    /// Opens the first link: over this transport, or over the best that gets through.
    pub async fn first(transport: Option<Transport>, remote: &Remote) -> Result<Self, Fault> {
        if let Some(transport) = transport {
            return Self::open(transport, remote).await;
        }
        let mut tried = Vec::new();
        for transport in Transport::ALL {
            match Self::open(transport, remote).await {
                Err(Fault::Blocked(why)) => tried.push(format!("{}: {why}", transport.name())),
                done => return done,
            }
        }
        Err(Fault::Unreachable(tried.join("; ")))
    }

    pub fn transport(&self) -> Transport {
        match self.up {
            Up::Ws(_) => Transport::Ws,
            Up::Events(_) => Transport::Events,
            Up::Post(_) => Transport::Post,
        }
    }

    /// Measures the round trip to the remote hub. For idle links only.
    pub async fn probe(&mut self) -> Result<Duration, Fault> {
        let begun = Instant::now();
        self.up.ask(rpc::request(PROBE, "ping", &serde_json::json!({}))).await?;
        let answered = async {
            loop {
                let frames = self.down.next().await?;
                let answers = |frame: &String| match rpc::parse_one(frame) {
                    Some(Message::Response { id, .. }) => &*id == PROBE,
                    _ => false,
                };
                if frames.iter().any(answers) {
                    return Ok(begun.elapsed());
                }
            }
        };
        let silent = || Fault::Unreachable("the hub does not answer".into());
        timeout(Duration::from_millis(RELAY_PROBE_MS), answered).await.unwrap_or_else(|_| Err(silent()))
    }

    /// Checks that a link from the pool can be used: for POST, a missing connection would only show on sending.
    pub async fn prepare(&mut self) -> Result<(), Fault> {
        match &mut self.up {
            Up::Post(up) => up.prepare().await,
            Up::Ws(_) | Up::Events(_) => Ok(()),
        }
    }

    /// Whether an idle link is lost. Registers the waker for that.
    pub fn poll_lost(&mut self, context: &mut Context<'_>) -> Poll<()> {
        match &mut self.down {
            Down::Ws(down) => down.poll_lost(context),
            Down::Events(down) => down.poll_lost(context),
            // No connection is open that could be lost.
            Down::Post(_) => Poll::Pending,
        }
    }
}
