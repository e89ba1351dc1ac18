//! A link over a `WebSocket`: one frame per text message.

use crate::dial::{Bytes, Fault, Remote, refusal};
use eye_protocol::limits::{MESSAGE_BYTES_MAX, RELAY_FIRST_ANSWER_MS, RELAY_SILENCE_MS};
use eye_protocol::messages::SUBPROTOCOL;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use http::{HeaderValue, header};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};

type Socket = WebSocketStream<Box<dyn Bytes>>;

/// The sending half.
pub struct Up(SplitSink<Socket, Message>);

/// The receiving half.
pub struct Down(SplitStream<Socket>);

/// Connects as an agent, before any hello.
pub async fn open(remote: &Remote) -> Result<(Up, Down), Fault> {
    let blocked = |error: tungstenite::Error| Fault::Blocked(error.to_string());
    let scheme = if remote.tls.is_some() { "wss" } else { "ws" };
    let url = format!("{scheme}://{}{}/ws?clientType=agent", remote.authority(), remote.prefix);
    let mut request = url.into_client_request().map_err(blocked)?;
    // The subprotocol tells the hub that lines are spoken too; without it the hub expects JSON-RPC only.
    request.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(SUBPROTOCOL));
    if let Some(bearer) = remote.bearer()? {
        request.headers_mut().insert(header::AUTHORIZATION, bearer);
    }
    let config = WebSocketConfig::default()
        .read_buffer_size(16 << 10)
        .max_message_size(Some(MESSAGE_BYTES_MAX))
        .max_frame_size(Some(MESSAGE_BYTES_MAX));
    let bytes = remote.dial().await?;
    let upgrade = tokio_tungstenite::client_async_with_config(request, bytes, Some(config));
    let Ok(upgraded) = timeout(Duration::from_millis(RELAY_FIRST_ANSWER_MS), upgrade).await else {
        return Err(Fault::Blocked("no answer to the upgrade".into()));
    };
    match upgraded {
        Ok((socket, _)) => {
            let (sink, stream) = socket.split();
            Ok((Up(sink), Down(stream)))
        }
        Err(tungstenite::Error::Http(response)) => {
            Err(refusal(response.status(), response.body().as_deref().unwrap_or_default()))
        }
        Err(error) => Err(blocked(error)),
    }
}

fn lost(error: &tungstenite::Error) -> Fault {
    Fault::Unreachable(error.to_string())
}

impl Up {
    /// Sends frames, one message each, in one flush.
    pub async fn send(&mut self, frames: &[String]) -> Result<(), Fault> {
        for frame in frames {
            self.0.feed(Message::text(frame.as_str())).await.map_err(|error| lost(&error))?;
        }
        self.0.flush().await.map_err(|error| lost(&error))
    }

    /// Sends a `WebSocket` ping.
    pub async fn ping(&mut self) -> Result<(), Fault> {
        self.0.send(Message::Ping(Vec::new().into())).await.map_err(|error| lost(&error))
    }
}

impl Down {
    /// The next frame.
    pub async fn next(&mut self) -> Result<Vec<String>, Fault> {
        loop {
            let Ok(message) = timeout(Duration::from_millis(RELAY_SILENCE_MS), self.0.next()).await else {
                return Err(Fault::Unreachable(format!("silent for {} s", RELAY_SILENCE_MS / 1000)));
            };
            match message {
                Some(Ok(Message::Text(text))) => return Ok(vec![text.as_str().to_owned()]),
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                Some(Ok(Message::Close(Some(close)))) if !close.reason.is_empty() => {
                    return Err(Fault::Unreachable(close.reason.as_str().to_owned()));
                }
                // The hub sends binary messages only to agents that requested them, which a relay does not let through.
                Some(Ok(Message::Close(_) | Message::Binary(_))) | None => {
                    return Err(Fault::Unreachable("the hub closed the link".into()));
                }
                Some(Err(error)) => return Err(lost(&error)),
            }
        }
    }

    /// Whether the link was lost while it was idle.
    pub fn poll_lost(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            match self.0.poll_next_unpin(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => {}
                // Any other message on an idle link means that the hub is retiring.
                Poll::Ready(_) => return Poll::Ready(()),
            }
        }
    }
}
