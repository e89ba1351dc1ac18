//! The transport of 2024-11-05, "HTTP with SSE": one stream of events carries every answer, and its first event names the address that
//! messages are posted to. Found out by the first request, which such a server refuses.

use super::{HttpWire, Unreached, is_events};
use crate::limits::MESSAGE_BYTES_MAX;
use crate::upstream::child::hear;
use crate::upstream::connection::{Connection, Wire};
use crate::upstream::envelope::Era;
use crate::upstream::sse::Events;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::HeaderMap;
use hyper::{Method, Response, StatusCode, Uri};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// How long such a server may take to name its address.
const ENDPOINT: Duration = Duration::from_secs(3);

/// Whether a refusal of the first request is that of such a server.
pub fn may_be(status: StatusCode) -> bool {
    matches!(status, StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED)
}

impl HttpWire {
    /// Opens the stream, if the server offers one that names an address. `true`: messages go there from now on.
    pub(super) async fn open_old(&self, connection: &Arc<Connection>) -> bool {
        let headers = self.headers.of(Era::Legacy, "", None);
        let Ok(response) = self.send(Method::GET, headers, None).await else { return false };
        if !response.status().is_success() || !is_events(&response) {
            return false;
        }
        let (tell, told) = oneshot::channel();
        let connection = Arc::clone(connection);
        let following = tokio::spawn(async move {
            let closed = connection.closed.clone();
            tokio::select! {
                () = closed.cancelled() => {}
                () = follow(&connection, response, tell) => connection.end("its stream of events ended"),
            }
        });
        let told = tokio::time::timeout(ENDPOINT, told).await.ok().and_then(Result::ok);
        let named = told.and_then(|address| resolved(&self.uri, &address));
        if named.is_none() {
            following.abort();
        }
        named.is_some_and(|endpoint| self.endpoint.set(endpoint).is_ok())
    }

    /// Sends a message to the address that the server named.
    pub(super) async fn post_old(
        &self,
        connection: &Arc<Connection>,
        id: Option<u64>,
        headers: HeaderMap,
        text: String,
    ) {
        match self.send(Method::POST, headers, Some(text)).await {
            Ok(response) => self.answered(connection, id, response).await,
            Err(Unreached { why, .. }) => connection.end(&why),
        }
    }
}

/// Hears the stream: an address first, then messages.
async fn follow(connection: &Arc<Connection>, response: Response<Incoming>, tell: oneshot::Sender<String>) {
    let mut tell = Some(tell);
    let mut events = Events::new(MESSAGE_BYTES_MAX);
    let mut body = response.into_body();
    while let Some(Ok(frame)) = body.frame().await {
        let Some(bytes) = frame.data_ref() else { continue };
        for event in events.feed(bytes) {
            match event {
                Ok(event) if event.kind.as_deref() == Some("endpoint") => {
                    if let Some(tell) = tell.take() {
                        let _ = tell.send(String::from_utf8_lossy(&event.data).trim().to_owned());
                    }
                }
                Ok(event) if !event.data.is_empty() => hear(connection, event.data, None).await,
                Ok(_) => {}
                Err(long) => connection.passed_over(&long.head, &long.tail),
            }
        }
    }
    debug_assert!(matches!(connection.wire, Wire::Http(_)), "only HTTP has such a stream");
}

/// The address that a server names, as seen from its own. Another host is none: what is sent may hold the user's token.
fn resolved(base: &Uri, address: &str) -> Option<Uri> {
    let absolute: Uri = if address.starts_with('/') {
        let (scheme, authority) = (base.scheme_str()?, base.authority()?);
        format!("{scheme}://{authority}{address}").parse().ok()?
    } else {
        address.parse().ok()?
    };
    (absolute.authority() == base.authority() && absolute.scheme() == base.scheme()).then_some(absolute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_address_of_the_same_server_is_taken() {
        let base: Uri = "https://a.example:8443/sse".parse().unwrap();
        let found = |address: &str| resolved(&base, address).map(|uri| uri.to_string());
        assert_eq!(found("/messages?sessionId=1").as_deref(), Some("https://a.example:8443/messages?sessionId=1"));
        assert_eq!(found("https://a.example:8443/m").as_deref(), Some("https://a.example:8443/m"));
        for address in ["https://evil.example/m", "http://a.example:8443/m", "//evil.example/m", "m", ""] {
            assert!(found(address).is_none_or(|uri| uri.starts_with("https://a.example:8443/")), "{address}");
        }
        assert!(found("https://evil.example/m").is_none() && found("http://a.example:8443/m").is_none());
    }
}
