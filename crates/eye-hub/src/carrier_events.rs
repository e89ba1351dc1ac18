//! One stream of server-sent events: parcels out, until either side ends it. What such a peer says comes by POST.

use crate::dialect::events::{ALIVE, CONNECTED, batches};
use crate::hub::Hub;
use crate::peer::{Peer, Signals};
use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use eye_core::Conn;
use futures_util::stream;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long a stream may be silent before a comment keeps it alive.
const SILENCE: Duration = Duration::from_secs(30);

/// A peer that leaves the hub when its stream is dropped, however that happens.
struct Stay {
    hub: Arc<Hub>,
    conn: Conn,
    signals: Arc<Signals>,
    begun: bool,
    over: bool,
}

impl Drop for Stay {
    fn drop(&mut self) {
        self.hub.leave(self.conn);
    }
}

/// Answers a request with a stream. `greet` runs once the peer is known to the hub.
pub fn serve(hub: Arc<Hub>, peer: Peer, greet: impl FnOnce(&Hub, Conn)) -> Response {
    let (conn, signals) = hub.enter(peer);
    greet(&hub, conn);
    let stay = Stay { hub, conn, signals, begun: false, over: false };
    let chunks = stream::unfold(stay, |mut stay| async move {
        let bytes = next(&mut stay).await?;
        Some((Ok::<Bytes, Infallible>(bytes), stay))
    });
    let mut response = Response::new(Body::from_stream(chunks));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

async fn next(stay: &mut Stay) -> Option<Bytes> {
    if !stay.begun {
        stay.begun = true;
        return Some(Bytes::from_static(CONNECTED.as_bytes()));
    }
    if stay.over {
        return None;
    }
    tokio::select! {
        parcel = timeout(SILENCE, stay.hub.parcel(stay.conn, &stay.signals)) => match parcel {
            Err(_) => Some(Bytes::from_static(ALIVE.as_bytes())),
            Ok(None) => None,
            Ok(Some((parcel, close))) => {
                stay.over = close.is_some();
                // Only an agent of our own dialect has messages here; to all others the outbox wrote events.
                let events = !parcel.ends.is_empty();
                Some(Bytes::from(if events { batches("data: ", "\n\n", &parcel) } else { parcel.bytes }))
            }
        },
        () = stay.signals.end.notified() => None,
    }
}
