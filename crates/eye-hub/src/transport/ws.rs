//! One WebSocket: messages in, parcels out, both in one task so that nothing is passed between tasks.

use super::turn::Turn;
use super::websocket::decoder::{Decoder, Received};
use super::websocket::encoder::Outgoing;
use super::websocket::stream::Stream;
use crate::hub::is_large;
use crate::hub::peer::{Peer, Signals};
use crate::hub::state::Hub;
use eye_core::Conn;
use eye_protocol::close::Close;
use eye_protocol::limits::{MESSAGE_BYTES_MAX, SHUTDOWN_MS};
use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
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

/// Serves one WebSocket until either side ends it. `greet` runs once the peer is in the hub.
pub async fn serve(hub: Arc<Hub>, socket: Stream, peer: Peer, greet: impl FnOnce(&Hub, Conn)) {
    let (conn, signals) = hub.enter(peer);
    greet(&hub, conn);
    let (mut reader, mut writer) = split(socket);
    let (mut decoder, mut outgoing, turn) = (Decoder::new(MESSAGE_BYTES_MAX), Outgoing::default(), Turn::new());
    let mut last = None;
    let ended = loop {
        // Always in this order: neither future is ready before the connection ends.
        let ended = tokio::select! {
            biased;
            ended = turn.take(read(&hub, conn, &signals, &turn, &mut reader, &mut decoder)) => ended,
            ended = write(&hub, conn, &signals, &mut writer, &mut outgoing, &mut last) => ended,
        };
        match ended {
            Ended::Ping(payload) => outgoing.pong(&payload),
            ended => break ended,
        }
    };
    hub.leave(conn);
    let (close, by_hub) = match ended {
        Ended::Refused(close) => (close, true),
        Ended::Closed(close) => (close, false),
        Ended::Ping(_) | Ended::Gone => return,
    };
    outgoing.close(&close);
    let _ = farewell(&mut writer, &mut outgoing).await;
    if by_hub {
        let _ = timeout(Duration::from_millis(SHUTDOWN_MS), wait_for_close(&mut reader, &mut decoder)).await;
    }
    let _ = writer.shutdown().await;
}

/// Ends a WebSocket before it is served.
pub async fn refuse(mut socket: Stream, close: Close) {
    let mut outgoing = Outgoing::default();
    outgoing.close(&close);
    if farewell(&mut socket, &mut outgoing).await.is_ok() {
        let _ = socket.shutdown().await;
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
                let heard = match text {
                    Cow::Borrowed(text) if !is_large(text) => hub.hear(conn, text),
                    text => hub.hear_any(conn, text.into_owned()).await,
                };
                if let Err(close) = heard {
                    return Ended::Refused(close);
                }
                hub.ready(conn, signals).await;
                turn.framed().await;
            }
            Ok(Some(Received::Binary(bytes))) => {
                turn.frame().await;
                if let Err(close) = hub.hear_binary(conn, &bytes) {
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
async fn write(
    hub: &Hub,
    conn: Conn,
    signals: &Signals,
    writer: &mut (impl AsyncWrite + Unpin),
    outgoing: &mut Outgoing,
    last: &mut Option<Close>,
) -> Ended {
    loop {
        while let Some(next) = outgoing.next() {
            match signals.unless_ended(writer.write(next)).await {
                Some(Ok(count @ 1..)) => outgoing.wrote(count),
                Some(Ok(0) | Err(_)) => return Ended::Gone,
                None => return hub.closing(conn).map_or(Ended::Gone, Ended::Refused),
            }
            if outgoing.next().is_some() {
                hub.progress(conn);
            }
        }
        match signals.unless_ended(writer.flush()).await {
            Some(Ok(())) => {}
            Some(Err(_)) => return Ended::Gone,
            None => return hub.closing(conn).map_or(Ended::Gone, Ended::Refused),
        }
        if let Some(close) = last.take() {
            return Ended::Refused(close);
        }
        let Some((parcel, close)) = hub.parcel(conn, signals).await else { return Ended::Gone };
        outgoing.add(parcel);
        *last = close;
    }
}

/// Writes the last frames. A peer that does not read is dropped all the same.
async fn farewell(writer: &mut (impl AsyncWrite + Unpin), outgoing: &mut Outgoing) -> io::Result<()> {
    let told = async {
        while let Some(next) = outgoing.next() {
            let count = writer.write(next).await?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            outgoing.wrote(count);
        }
        writer.flush().await
    };
    timeout(Duration::from_millis(SHUTDOWN_MS), told).await?
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
