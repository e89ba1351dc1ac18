//! One stream of server-sent events to a peer, until either side ends it. The peer sends by POST.

use crate::hub::outbox::Parcel;
use crate::hub::peer::{Peer, Signals};
use crate::hub::state::Hub;
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

/// The first bytes of a stream.
const CONNECTED: &str = ": connected\n\n";
/// The comment that keeps a stream alive.
const ALIVE: &str = ": ping\n\n";

/// Writes messages that are batches, each on one line between `before` and `after`.
///
/// In JSON, line breaks occur only between tokens, never in strings, so they can be replaced by spaces.
pub fn batches(before: &str, after: &str, parcel: &Parcel) -> Vec<u8> {
    let mut out = Vec::with_capacity(parcel.bytes.len() + parcel.ends.len() * (before.len() + after.len()));
    let mut start = 0;
    for &end in &parcel.ends {
        out.extend_from_slice(before.as_bytes());
        out.extend(parcel.bytes[start..end].iter().map(|&b| if matches!(b, b'\n' | b'\r') { b' ' } else { b }));
        out.extend_from_slice(after.as_bytes());
        start = end;
    }
    out
}

/// A peer that leaves the hub when its stream is dropped for any reason.
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

/// Responds with a stream. `greet` runs once the peer is in the hub.
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
        biased;
        () = stay.signals.end.notified() => None,
        parcel = timeout(SILENCE, stay.hub.parcel(stay.conn, &stay.signals)) => match parcel {
            Err(_) => Some(Bytes::from_static(ALIVE.as_bytes())),
            Ok(None) => None,
            Ok(Some((parcel, close))) => {
                stay.over = close.is_some();
                // Only an agent of our own dialect has messages here; for all others the outbox already wrote events.
                let events = !parcel.ends.is_empty();
                Some(Bytes::from(if events { batches("data: ", "\n\n", &parcel) } else { parcel.bytes }))
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_one_line_whatever_white_space_a_page_put_into_it() {
        let (first, second) = (r#"["a:1\n2"]"#, "[{\n\r\n\"x\":1}]");
        let bytes = format!("{first}{second}").into_bytes();
        let parcel = Parcel { ends: vec![first.len(), bytes.len()], bytes, binary: Vec::new() };
        let text = String::from_utf8(batches("data: ", "\n\n", &parcel)).unwrap();
        assert_eq!(text, format!("data: {first}\n\ndata: [{{   \"x\":1}}]\n\n"));
    }
}
