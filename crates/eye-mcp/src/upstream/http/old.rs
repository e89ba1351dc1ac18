//! The transport of 2024-11-05, "HTTP with SSE": one stream of events carries all responses, and its first event names
//! the address to post messages to. Recognized by the first request, which such a server refuses.

use crate::limits::MESSAGE_BYTES_MAX;
use crate::upstream::listener::{Listener, receive};
use crate::upstream::sse::Events;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::{Response, StatusCode, Uri};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// How long such a server may take to name its address.
pub const ENDPOINT: Duration = Duration::from_secs(3);

/// Whether this refusal of the first request may come from such a server.
pub fn may_be(status: StatusCode) -> bool {
    matches!(status, StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED)
}

/// Reads the stream: an address first, then messages.
pub async fn follow(
    listener: &Arc<dyn Listener>,
    response: Response<Incoming>,
    endpoint_sender: oneshot::Sender<String>,
) {
    let mut endpoint_sender = Some(endpoint_sender);
    let mut events = Events::new(MESSAGE_BYTES_MAX);
    let mut body = response.into_body();
    while let Some(Ok(frame)) = body.frame().await {
        let Some(bytes) = frame.data_ref() else { continue };
        for event in events.feed(bytes) {
            match event {
                Ok(event) if event.kind.as_deref() == Some("endpoint") => {
                    if let Some(endpoint_sender) = endpoint_sender.take() {
                        let _ = endpoint_sender.send(String::from_utf8_lossy(&event.data).trim().to_owned());
                    }
                }
                Ok(event) if !event.data.is_empty() => receive(listener, event.data, None).await,
                Ok(_) => {}
                Err(long) => listener.passed_over(&long.head, &long.tail),
            }
        }
    }
}

/// Resolves the address against the server's own. Another host is refused: messages may carry the user's token.
pub fn resolved(base: &Uri, address: &str) -> Option<Uri> {
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
