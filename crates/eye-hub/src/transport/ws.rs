//! One WebSocket: messages in, parcels out, both in one task so that nothing is handed over between tasks.

use super::turn::Turn;
use crate::hub::outbox::Parcel;
use crate::hub::peer::Peer;
use crate::hub::state::Hub;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use bytes::Bytes;
use eye_core::Conn;
use eye_protocol::close::Close;
use eye_protocol::limits::{MESSAGE_BYTES_MAX, SHUTDOWN_MS};
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The most a close frame's reason may hold.
const REASON_BYTES_MAX: usize = 123;

/// A message's text, which a worker may share.
struct Text(Utf8Bytes);

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self.0.as_str()
    }
}

/// Serves one WebSocket until either side ends it. `greet` runs once the peer is known to the hub.
pub async fn serve(hub: Arc<Hub>, socket: WebSocket, peer: Peer, greet: impl FnOnce(&Hub, Conn)) {
    let (conn, signals) = hub.enter(peer);
    greet(&hub, conn);
    let (mut sink, mut stream) = socket.split();
    let turn = Turn::new();
    let close = {
        let read = turn.take(async {
            while let Some(message) = stream.next().await {
                match message {
                    Ok(Message::Text(text)) => {
                        if let Err(close) = hub.hear_any(conn, Text(text)).await {
                            return Some(close);
                        }
                        hub.ready(conn, &signals).await;
                        turn.pass().await;
                    }
                    Ok(Message::Binary(bytes)) => {
                        if let Err(close) = hub.hear_binary(conn, &bytes) {
                            return Some(close);
                        }
                        turn.pass().await;
                    }
                    Ok(Message::Ping(_) | Message::Pong(_)) => {}
                    Ok(Message::Close(_)) => return None,
                    Err(error) => return too_big(&error),
                }
            }
            None
        });
        let write = async {
            while let Some((parcel, close)) = hub.parcel(conn, &signals).await {
                if send(&hub, conn, &mut sink, parcel).await.is_err() {
                    return None;
                }
                if close.is_some() {
                    return close;
                }
            }
            None
        };
        tokio::select! {
            close = read => close,
            close = write => close,
            () = signals.end.notified() => hub.closing(conn),
        }
    };
    hub.leave(conn);
    if let Some(close) = close {
        let frame = CloseFrame { code: close.code, reason: reason(&close.reason) };
        // A peer that reads nothing cannot be told; it is dropped all the same.
        let _ = timeout(Duration::from_millis(SHUTDOWN_MS), sink.send(Message::Close(Some(frame)))).await;
        let _ =
            timeout(Duration::from_millis(SHUTDOWN_MS), async { while let Some(Ok(_)) = stream.next().await {} }).await;
    }
}

async fn send(
    hub: &Hub,
    conn: Conn,
    sink: &mut SplitSink<WebSocket, Message>,
    parcel: Parcel,
) -> Result<(), axum::Error> {
    let bytes = Bytes::from(parcel.bytes);
    let (mut start, count) = (0, parcel.ends.len());
    for (at, end) in parcel.ends.into_iter().enumerate() {
        let message = bytes.slice(start..end);
        start = end;
        if parcel.binary.contains(&at) {
            sink.feed(Message::Binary(message)).await?;
        } else if let Ok(text) = Utf8Bytes::try_from(message) {
            sink.feed(Message::Text(text)).await?;
        }
        if at + 1 < count {
            hub.progress(conn);
        }
    }
    sink.flush().await
}

/// The library tells a message over the limit only by its words.
fn too_big(error: &axum::Error) -> Option<Close> {
    error.to_string().contains("too long").then(|| Close::too_big(MESSAGE_BYTES_MAX))
}

fn reason(text: &str) -> Utf8Bytes {
    let end = (0..=text.len().min(REASON_BYTES_MAX)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text[..end].into()
}
