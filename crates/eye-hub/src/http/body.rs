//! Reads the body of an admitted request, bounded in bytes and in time. The gate decides by the head, so nothing of a
//! refused request's body is read.

use super::door::json_response;
use axum::body::Body;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use eye_protocol::limits::{BODY_MS, BODY_PAUSE_MS};
use futures_util::FutureExt;
use http_body::Body as _;
use http_body_util::BodyExt;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// Longer than the endpoint's limit, in bytes.
    #[error("a body is at most {} KiB here", .0 >> 10)]
    TooLong(usize),
    /// Did not arrive in time.
    #[error("the body did not arrive in time")]
    Late,
    /// The connection broke, or the framing is wrong.
    #[error("the body broke off")]
    Broken,
    #[error("the body is not UTF-8 text")]
    NotText,
}

impl BodyError {
    pub fn status(self) -> u16 {
        match self {
            Self::TooLong(_) => 413,
            Self::Late => 408,
            Self::Broken | Self::NotText => 400,
        }
    }

    pub fn response(self) -> Response {
        let status = StatusCode::from_u16(self.status()).unwrap_or(StatusCode::BAD_REQUEST);
        (status, json_response(&serde_json::json!({ "error": self.to_string() }))).into_response()
    }
}

/// Reads a body of at most `bytes_max` bytes. If its declared length is larger, nothing is read.
pub async fn read(mut body: Body, bytes_max: usize) -> Result<Bytes, BodyError> {
    if body.size_hint().lower() > bytes_max as u64 {
        return Err(BodyError::TooLong(bytes_max));
    }
    // Most bodies are there, whole and in one piece.
    let first = body.frame().now_or_never();
    let mut all = BytesMut::new();
    match first {
        None => {}
        Some(None) => return Ok(Bytes::new()),
        Some(Some(Err(_))) => return Err(BodyError::Broken),
        Some(Some(Ok(frame))) => {
            if let Ok(data) = frame.into_data() {
                if data.len() > bytes_max {
                    return Err(BodyError::TooLong(bytes_max));
                }
                if body.is_end_stream() {
                    return Ok(data);
                }
                all.extend_from_slice(&data);
            }
        }
    }
    let end = Instant::now() + Duration::from_millis(BODY_MS);
    loop {
        let piece = timeout(Duration::from_millis(BODY_PAUSE_MS), body.frame());
        let frame = match timeout_at(end, piece).await {
            Err(_) | Ok(Err(_)) => return Err(BodyError::Late),
            Ok(Ok(None)) => return Ok(all.freeze()),
            Ok(Ok(Some(Err(_)))) => return Err(BodyError::Broken),
            Ok(Ok(Some(Ok(frame)))) => frame,
        };
        // Trailers are not used.
        let Ok(data) = frame.into_data() else { continue };
        if all.len() + data.len() > bytes_max {
            return Err(BodyError::TooLong(bytes_max));
        }
        all.extend_from_slice(&data);
    }
}

/// Reads a body as text.
pub async fn read_text(body: Body, bytes_max: usize) -> Result<String, BodyError> {
    String::from_utf8(read(body, bytes_max).await?.into()).map_err(|_| BodyError::NotText)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;
    use std::convert::Infallible;

    fn pieces(pieces: Vec<(u64, &'static [u8])>) -> Body {
        Body::from_stream(stream::unfold(pieces.into_iter(), async |mut pieces| {
            let (pause_ms, piece) = pieces.next()?;
            tokio::time::sleep(Duration::from_millis(pause_ms)).await;
            Some((Ok::<_, Infallible>(piece), pieces))
        }))
    }

    #[tokio::test]
    async fn a_body_has_a_limit_with_and_without_a_length() {
        assert_eq!(read(Body::from("12345"), 5).await, Ok(Bytes::from("12345")));
        assert_eq!(read(Body::from("123456"), 5).await, Err(BodyError::TooLong(5)));
        assert_eq!(read(pieces(vec![(0, b"123"), (0, b"45")]), 5).await, Ok(Bytes::from("12345")));
        assert_eq!(read(pieces(vec![(0, b"123"), (0, b"456")]), 5).await, Err(BodyError::TooLong(5)));
        assert_eq!(read_text(Body::from(&b"\xff"[..]), 5).await, Err(BodyError::NotText));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_may_pause_and_last_only_so_long() {
        assert!(read(pieces(vec![(BODY_PAUSE_MS - 1, b"1"), (BODY_PAUSE_MS - 1, b"2")]), 9).await.is_ok());
        assert_eq!(read(pieces(vec![(0, b"1"), (BODY_PAUSE_MS + 1, b"2")]), 9).await, Err(BodyError::Late));
        let drops = |count| pieces(vec![(BODY_PAUSE_MS / 2, b"1"); count]);
        let fitting = usize::try_from(BODY_MS / (BODY_PAUSE_MS / 2)).unwrap() - 1;
        assert!(read(drops(fitting), 99).await.is_ok());
        assert_eq!(read(drops(fitting + 2), 99).await, Err(BodyError::Late));
    }
}
