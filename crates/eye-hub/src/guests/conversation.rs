//! A WebSocket that is text both ways, as two bounded channels: what cannot be taken yet is not read, and a peer that
//! does not read is closed. Who is admitted, and what is said, is not known here.

use crate::hub::gateway::Later;
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use eye_protocol::close::Close;
use eye_protocol::limits::{OUTBOX_STALL_MS, SHUTDOWN_MS};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// What a peer says, one text message each. It ends when the peer is gone.
pub type Heard = mpsc::Receiver<String>;
/// What is said to a peer. Who lets go of it closes the connection; who finds it full has a peer that does not read,
/// and lets go of it.
pub type Say = mpsc::Sender<String>;

/// What a conversation may hold, and how it is told that it ends.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Messages of the peer that were not taken yet.
    pub heard_len_max: usize,
    /// Messages that the peer has not taken yet.
    pub said_len_max: usize,
    /// Of one message; the socket has the same limit.
    pub message_bytes_max: usize,
    /// Said where our side lets go.
    pub farewell: Close,
}

/// Carries text until either side ends it, or until `over` says why it is.
pub async fn carry(
    socket: WebSocket,
    terms: Terms,
    talk: impl FnOnce(Heard, Say) -> Later<()>,
    over: impl Future<Output = Close>,
) {
    let (mut sink, mut stream) = socket.split();
    let (hear, heard) = mpsc::channel(terms.heard_len_max);
    let (say, said) = mpsc::channel(terms.said_len_max);
    let close = {
        let talk = talk(heard, say);
        // Its own end is told by its letting go of what it says, so that all of it is written before.
        let talk = async {
            talk.await;
            std::future::pending().await
        };
        tokio::select! {
            close = read(&mut stream, hear, terms.message_bytes_max) => close,
            close = write(&mut sink, said, terms.farewell) => close,
            close = talk => close,
            close = over => Some(close),
        }
    };
    if let Some(close) = close {
        tell(sink, stream, close).await;
    }
}

/// Closes a connection with the reason.
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
    // A peer that reads nothing cannot be told; it is dropped all the same.
    let _ = timeout(Duration::from_millis(SHUTDOWN_MS), ending).await;
}

async fn read(stream: &mut SplitStream<WebSocket>, hear: Say, message_bytes_max: usize) -> Option<Close> {
    while let Some(message) = stream.next().await {
        match message {
            // What cannot be taken yet waits here, and then in the peer.
            Ok(Message::Text(text)) => {
                if hear.send(text.to_string()).await.is_err() {
                    // It hears no more, but may have something left to say; its writer ends this.
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

async fn write(sink: &mut SplitSink<WebSocket, Message>, mut said: Heard, farewell: Close) -> Option<Close> {
    while let Some(text) = said.recv().await {
        match timeout(Duration::from_millis(OUTBOX_STALL_MS), sink.send(Message::text(text))).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return None,
            Err(_) => return Some(Close::too_slow("nothing was read for 10 s")),
        }
    }
    Some(farewell)
}
