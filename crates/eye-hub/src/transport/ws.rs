//! One WebSocket: messages in, parcels out, both in one task so that nothing is passed between tasks.

use super::turn::Turn;
use super::websocket::decoder::{Decoder, Received};
use super::websocket::outlet::FrameOutlet;
use super::websocket::stream::{Reader, Stream};
use crate::hub::is_large;
use crate::hub::peer::{Peer, Signals};
use crate::hub::state::Hub;
use eye_core::Conn;
use eye_protocol::close::Close;
use eye_protocol::limits::{MESSAGE_BYTES_MAX, SHUTDOWN_MS};
use std::borrow::Cow;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

/// The code of a close frame that has none.
const NORMAL: u16 = 1000;

enum Ended {
    /// The peer expects a pong; then reading continues.
    Ping(Vec<u8>),
    Gone,
    /// The peer ends the connection.
    Closed(Close),
    /// The hub ends the connection.
    Refused(Close),
}

/// Serves one WebSocket until either side ends it. `greet` runs once the peer is in the hub, before this returns, so
/// that what it needs does not stay with the connection.
pub fn serve(
    hub: Arc<Hub>,
    socket: Stream,
    mut peer: Peer,
    greet: impl FnOnce(&Hub, Conn),
) -> impl Future<Output = ()> + Send {
    let (reader, outlet) = socket.split();
    let outlet = Arc::new(outlet);
    if outlet.is_direct() {
        let direct = Arc::downgrade(&outlet);
        peer.outlet = Some(direct);
    }
    let (conn, signals) = hub.enter(peer);
    greet(&hub, conn);
    serve_peer(hub, conn, signals, reader, outlet)
}

async fn serve_peer(hub: Arc<Hub>, conn: Conn, signals: Arc<Signals>, mut reader: Reader, outlet: Arc<FrameOutlet>) {
    let (mut decoder, turn) = (Decoder::new(MESSAGE_BYTES_MAX), Turn::new());
    let mut last = None;
    let serving = async {
        loop {
            let reading = pin!(read(&hub, conn, &signals, &turn, &mut reader, &mut decoder));
            // Always in this order: neither future is ready before the connection ends.
            let ended = tokio::select! {
                biased;
                ended = turn.take(reading) => ended,
                ended = write(&hub, conn, &signals, &outlet, &mut last) => ended,
            };
            match ended {
                Ended::Ping(payload) => outlet.pong(&payload),
                ended => return ended,
            }
        }
    };
    let ended = hub.directly(pin!(serving)).await;
    hub.leave(conn);
    let (close, by_hub) = match ended {
        Ended::Refused(close) => (close, true),
        Ended::Closed(close) => (close, false),
        Ended::Ping(_) | Ended::Gone => return,
    };
    outlet.close(&close);
    let _ = farewell(&outlet).await;
    if by_hub {
        let _ = timeout(Duration::from_millis(SHUTDOWN_MS), wait_for_close(&mut reader, &mut decoder)).await;
    }
    let _ = outlet.shutdown().await;
}

/// Ends a WebSocket before it is served.
pub async fn refuse(socket: Stream, close: Close) {
    let (_reader, outlet) = socket.split();
    outlet.close(&close);
    if farewell(&outlet).await.is_ok() {
        let _ = outlet.shutdown().await;
    }
}

async fn read(
    hub: &Hub,
    conn: Conn,
    signals: &Arc<Signals>,
    turn: &Turn,
    reader: &mut (impl AsyncRead + Unpin),
    decoder: &mut Decoder,
) -> Ended {
    loop {
        match decoder.next() {
            Ok(Some(Received::Text(text))) => {
                turn.frame().await;
                let outcome = match text {
                    Cow::Borrowed(text) if !is_large(text) => hub.receive(conn, text),
                    text => hub.receive_any(conn, text.into_owned()).await,
                };
                if let Err(close) = outcome {
                    return Ended::Refused(close);
                }
                hub.ready(conn, signals).await;
                turn.framed().await;
            }
            Ok(Some(Received::Binary(bytes))) => {
                turn.frame().await;
                if let Err(close) = hub.receive_binary(conn, &bytes) {
                    return Ended::Refused(close);
                }
                turn.framed().await;
            }
            Ok(Some(Received::Ping(payload))) => return Ended::Ping(payload),
            Ok(Some(Received::Pong)) => {}
            Ok(Some(Received::Close(code))) => {
                return Ended::Closed(Close { code: code.unwrap_or(NORMAL), reason: String::new() });
            }
            Ok(None) => {
                if decoder.is_within_frame() {
                    // Reading a large frame takes time too.
                    turn.pass().await;
                }
                if !matches!(reader.read_buf(decoder.buffer()).await, Ok(1..)) {
                    return Ended::Gone;
                }
            }
            Err(fault) => return Ended::Refused(fault.close()),
        }
    }
}

/// Writes parcels as they come. `last`: the hub's close frame, which follows what is not written yet.
async fn write(hub: &Hub, conn: Conn, signals: &Signals, outlet: &FrameOutlet, last: &mut Option<Close>) -> Ended {
    loop {
        loop {
            match signals.unless_ended(outlet.write()).await {
                Some(Ok(true)) => {}
                Some(Ok(false)) => break,
                Some(Err(_)) => return Ended::Gone,
                None => return hub.closing(conn).map_or(Ended::Gone, Ended::Refused),
            }
            if !outlet.is_empty() {
                hub.progress(conn);
            }
        }
        match signals.unless_ended(outlet.flush()).await {
            Some(Ok(())) => {}
            Some(Err(_)) => return Ended::Gone,
            None => return hub.closing(conn).map_or(Ended::Gone, Ended::Refused),
        }
        if let Some(close) = last.take() {
            return Ended::Refused(close);
        }
        let Some((parcel, close)) = hub.parcel(conn, signals).await else { return Ended::Gone };
        outlet.add(parcel);
        *last = close;
    }
}

/// Writes the last frames. A peer that does not read is dropped all the same.
async fn farewell(outlet: &FrameOutlet) -> io::Result<()> {
    let flushed = async {
        while outlet.write().await? {}
        outlet.flush().await
    };
    timeout(Duration::from_millis(SHUTDOWN_MS), flushed).await?
}

/// Reads until the peer has closed too.
async fn wait_for_close(reader: &mut (impl AsyncRead + Unpin), decoder: &mut Decoder) {
    loop {
        match decoder.next() {
            Ok(Some(Received::Close(_))) | Err(_) => return,
            Ok(Some(_)) => continue,
            Ok(None) => {}
        }
        if !matches!(reader.read_buf(decoder.buffer()).await, Ok(1..)) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::links::tests::hub;
    use crate::hub::outbox::Outbox;
    use crate::hub::peer::{Side, Voice};
    use bytes::Bytes;
    use tokio::net::{TcpListener, TcpStream};

    /// Every idle page keeps its task. A future that is handed on by value is a part of it once more.
    #[tokio::test]
    async fn the_task_of_a_connection_is_small() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let peer = Peer::new(Side::Page, Voice::Eye { typed: false }, Outbox::messages(), None);
        let task = serve(hub(), Stream::Plain { before: Bytes::new(), socket }, peer, |_, _| ());
        let size_bytes = size_of_val(&task);
        assert!(size_bytes <= 2048, "{size_bytes} bytes");
    }
}
