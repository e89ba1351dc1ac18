//! Turns a WebSocket of text messages into two bounded channels. If our side does not take messages, reading stops; a
//! peer that does not read is closed. Knows nothing about admission or the content of messages.

use crate::hub::gateway::Later;
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use eye_protocol::close::Close;
use eye_protocol::limits::{OUTBOX_STALL_MS, SHUTDOWN_MS};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// The peer's text messages. Ends when the peer is gone.
pub type Incoming = mpsc::Receiver<String>;
/// Text messages for the peer. Dropping the sender closes the connection. A full channel means that the peer does not
/// read; drop the sender then.
pub type Outgoing = mpsc::Sender<String>;

/// The limits of a conversation, and its close message.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Most messages of the peer that are queued for our side.
    pub incoming_len_max: usize,
    /// Most messages of our side that are queued for the peer.
    pub outgoing_len_max: usize,
    /// Of one message; the socket has the same limit.
    pub message_bytes_max: usize,
    /// Sent when our side drops its sender.
    pub farewell: Close,
}

/// Carries text until either side ends it, or until `over` returns a reason.
pub async fn carry(
    socket: WebSocket,
    terms: Terms,
    talk: impl FnOnce(Incoming, Outgoing) -> Later<()>,
    over: impl Future<Output = Close>,
) {
    let (mut sink, mut stream) = socket.split();
    let (to_talk, incoming) = mpsc::channel(terms.incoming_len_max);
    let (outgoing, from_talk) = mpsc::channel(terms.outgoing_len_max);
    let close = {
        let talk = talk(incoming, outgoing);
        // When `talk` ends, it drops its sender, and `write` then ends the connection after all queued messages.
        let talk = async {
            talk.await;
            std::future::pending().await
        };
        tokio::select! {
            close = read(&mut stream, to_talk, terms.message_bytes_max) => close,
            close = write(&mut sink, from_talk, terms.farewell) => close,
            close = talk => close,
            close = over => Some(close),
        }
    };
    if let Some(close) = close {
        tell(sink, stream, close).await;
    }
}

/// Closes a connection with a reason.
pub async fn end(socket: WebSocket, close: Close) {
    let (sink, stream) = socket.split();
    tell(sink, stream, close).await;
}

async fn tell(mut sink: SplitSink<WebSocket, Message>, mut stream: SplitStream<WebSocket>, close: Close) {
    let frame = CloseFrame { code: close.code, reason: close.reason.as_str().into() };
    let ending = async {
        let _ = sink.send(Message::Close(Some(frame))).await;
        while let Some(Ok(_)) = stream.next().await {}
    };
    // A peer that does not read misses the close frame and is dropped all the same.
    let _ = timeout(Duration::from_millis(SHUTDOWN_MS), ending).await;
}

async fn read(stream: &mut SplitStream<WebSocket>, to_talk: Outgoing, message_bytes_max: usize) -> Option<Close> {
    while let Some(message) = stream.next().await {
        match message {
            // A message that our side does not take yet waits here, and the next ones in the peer.
            Ok(Message::Text(text)) => {
                if to_talk.send(text.to_string()).await.is_err() {
                    // Our side reads no more but may still send; `write` ends the connection.
                    return std::future::pending().await;
                }
            }
            Ok(Message::Binary(_)) => return Some(Close::unsupported("messages are text")),
            Ok(Message::Ping(_) | Message::Pong(_)) => {}
            Err(error) if error.to_string().contains("too long") => return Some(Close::too_big(message_bytes_max)),
            Ok(Message::Close(_)) | Err(_) => return None,
        }
    }
    None
}

async fn write(sink: &mut SplitSink<WebSocket, Message>, mut from_talk: Incoming, farewell: Close) -> Option<Close> {
    while let Some(text) = from_talk.recv().await {
        match timeout(Duration::from_millis(OUTBOX_STALL_MS), sink.send(Message::text(text))).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return None,
            Err(_) => return Some(Close::too_slow("nothing was read for 10 s")),
        }
    }
    Some(farewell)
}
