//! One HTTP/1 connection: serves its requests one after the other, within the peer's turns.

use super::turn::Turn;
use axum::body::Body;
use eye_protocol::limits::HANDSHAKE_MS;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};

/// The largest head of a request.
const HEAD_BYTES_MAX: usize = 16 << 10;

/// Serves one connection until either side ends it. A request counts in the peer's turn as a frame does on a WebSocket.
pub async fn serve<S, F>(socket: S, answer: impl Fn(Request<Incoming>) -> F)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    F: Future<Output = Result<Response<Body>, Infallible>>,
{
    let turn = Arc::new(Turn::new());
    let own = turn.clone();
    let service = service_fn(move |request| {
        let (answered, turn) = (answer(request), own.clone());
        async move {
            let answered = answered.await;
            turn.pass().await;
            answered
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(HANDSHAKE_MS))
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(socket), service)
        .with_upgrades();
    // A connection that breaks off concerns only its peer.
    let _ = turn.take(pin!(connection)).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::time::Instant;
    use tokio::io::AsyncWriteExt;

    #[tokio::test]
    async fn a_peer_that_posts_without_rest_lets_others_go_first() {
        const POSTS: u32 = 200;
        let (mut peer, here) = tokio::io::duplex(1 << 20);
        let post = "POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n";
        peer.write_all(post.repeat(POSTS as usize).as_bytes()).await.unwrap();
        let served = Cell::new(0);
        let hub = serve(here, |_| {
            let served = &served;
            async move {
                // As long as a turn lasts.
                let begun = Instant::now();
                while begun.elapsed() < Duration::from_micros(100) {}
                served.set(served.get() + 1);
                Ok(Response::new(Body::empty()))
            }
        });
        let other = async {
            let mut most = 0;
            while served.get() < POSTS {
                let before = served.get();
                tokio::task::yield_now().await;
                most = most.max(served.get() - before);
            }
            most
        };
        let most = tokio::select! {
            () = hub => panic!("its peer is there"),
            most = other => most,
        };
        assert!((1..=2).contains(&most), "{most} POSTs before another went");
    }
}
