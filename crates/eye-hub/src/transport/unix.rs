//! One connection on the Unix socket: frames in, bytes out. Its peer belongs to the same user.

use super::turn::Turn;
use crate::hub::is_large;
use crate::hub::outbox::{Outbox, Waiting};
use crate::hub::outlet::{Outlet, Sent};
use crate::hub::peer::{Peer, Side, Signals, Voice};
use crate::hub::state::Hub;
use eye_core::Conn;
use eye_platform::local::{AsyncStream, Reader, Writer, join, split};
use eye_protocol::answer::write_plain;
use eye_protocol::frame::MCP_ANNOUNCEMENT;
use eye_protocol::limits::SHUTDOWN_MS;
use eye_protocol::stream::{Decoder, StreamError};
use eye_protocol::{Code, Error};
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

const READ_BYTES: usize = 16 << 10;
const KEPT_BUFFER_BYTES_MAX: usize = 256 << 10;

/// Serves one connection until either side ends it.
pub async fn serve(hub: Arc<Hub>, socket: AsyncStream) {
    let (mut reader, writer) = match split(socket) {
        Ok(halves) => halves,
        Err(error) => return tracing::warn!(%error, "a connection of an agent cannot be served"),
    };
    let outlet = Arc::new(StreamOutlet(writer));
    let mut peer = Peer::new(Side::Agent, Voice::Eye { typed: false }, Outbox::stream(), None);
    peer.may_provide = true;
    let direct = Arc::downgrade(&outlet);
    peer.outlet = Some(direct);
    let (conn, signals) = hub.enter(peer);
    let turn = Turn::new();
    let serving = async {
        let write = async {
            while let Some((parcel, close)) = hub.parcel(conn, &signals).await {
                let written = signals.unless_ended(write_all(&hub, conn, &outlet, &parcel.bytes)).await;
                if !matches!(written, Some(Ok(()))) || close.is_some() {
                    return;
                }
            }
        };
        let reading = pin!(read_all(&hub, conn, &signals, &turn, &mut reader));
        // Always in this order: neither future is ready before the connection ends.
        tokio::select! {
            biased;
            ended = turn.take(reading) => ended,
            () = write => Ended::Closed,
        }
    };
    let ended = hub.directly(pin!(serving)).await;
    if let Ended::Announced { announcement, rest } = ended {
        hub.leave(conn);
        let writer = Arc::into_inner(outlet).map(|outlet| outlet.0);
        let socket = writer.and_then(|writer| join(reader, writer).ok());
        if let (Some(gateway), Some(socket)) = (hub.gateway.get(), socket) {
            let scope = hub.announced_scope(&announcement);
            gateway.stream(announcement, scope, rest, socket).await;
        }
        return;
    }
    if let Ended::Broken(error) = ended {
        // Half a frame cannot be skipped: the peer gets an error, and the stream ends.
        let mut frame = String::new();
        write_plain("", &Err(Error::new(Code::PARSE, error.to_string())), &mut frame);
        hub.tell(conn, &frame);
        if let Some((parcel, _)) = hub.parcel(conn, &signals).await {
            let write = write_all(&hub, conn, &outlet, &parcel.bytes);
            let _ = timeout(Duration::from_millis(SHUTDOWN_MS), write).await;
        }
    }
    hub.leave(conn);
}

enum Ended {
    /// The peer closed the connection, or is closed.
    Closed,
    /// The rest of the stream cannot be parsed.
    Broken(StreamError),
    /// The peer speaks MCP from here on.
    Announced { announcement: String, rest: Vec<u8> },
}

async fn read_all(hub: &Hub, conn: Conn, signals: &Arc<Signals>, turn: &Turn, reader: &mut Reader) -> Ended {
    let mut decoder = Decoder::default();
    loop {
        let buffer = decoder.buffer();
        if buffer.is_empty() && buffer.capacity() > KEPT_BUFFER_BYTES_MAX {
            *buffer = Vec::new();
        }
        buffer.reserve(READ_BYTES);
        match reader.read_buf(buffer).await {
            Ok(0) | Err(_) => return Ended::Closed,
            Ok(_) => {}
        }
        loop {
            match decoder.frame() {
                // No JavaScript code begins like this: a name cannot stand before a brace.
                Ok(Some(frame)) if frame.starts_with(MCP_ANNOUNCEMENT) && hub.gateway.get().is_some() => {
                    let announcement = frame[MCP_ANNOUNCEMENT.len() - 1..].to_owned();
                    return Ended::Announced { announcement, rest: std::mem::take(decoder.buffer()) };
                }
                // An agent that requested batches still gets single frames: a byte stream has no messages.
                Ok(Some(frame)) => {
                    turn.frame().await;
                    if is_large(frame) {
                        let _ = hub.receive_any(conn, frame.to_owned()).await;
                    } else {
                        let _ = hub.receive(conn, frame);
                    }
                    hub.ready(conn, signals).await;
                    turn.framed().await;
                }
                Ok(None) => break,
                Err(error) => return Ended::Broken(error),
            }
        }
    }
}

async fn write_all(hub: &Hub, conn: Conn, outlet: &StreamOutlet, bytes: &[u8]) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let count = poll_fn(|context| outlet.0.poll_write(context, rest)).await?;
        rest = &rest[count..];
        if !rest.is_empty() {
            hub.progress(conn);
        }
    }
    Ok(())
}

/// The half that is written to.
#[derive(Debug)]
struct StreamOutlet(Writer);

impl Outlet for StreamOutlet {
    fn send(&self, waiting: Waiting<'_>) -> Sent {
        // What goes wrong the task of the connection hears when it writes the rest.
        let taken = self.0.try_write(waiting.bytes).unwrap_or(0);
        Sent { taken, all: taken == waiting.bytes.len() }
    }
}
