//! There and back over NATS with the library that hubs use: what it costs compared with a bare client.

use crate::error::BenchError;
use crate::stats::micros;
use async_nats::{Client, Subscriber};
use futures_util::StreamExt;
use std::thread;
use std::time::Instant;
use tokio::runtime::{Builder, Runtime};

const THERE: &str = "bench.library.there";
const BACK: &str = "bench.library.back";

/// A client of the library. Another one, on a thread of its own, sends each message back.
pub struct LibraryTrips {
    runtime: Runtime,
    client: Client,
    back: Subscriber,
}

impl LibraryTrips {
    pub fn open(url: &str) -> Result<Self, BenchError> {
        let echo = runtime()?;
        let (client, mut there) = echo.block_on(subscribed(url, THERE))?;
        thread::spawn(move || {
            echo.block_on(async {
                while let Some(message) = there.next().await
                    && client.publish(BACK, message.payload).await.is_ok()
                {}
            });
        });
        let runtime = runtime()?;
        let (client, back) = runtime.block_on(subscribed(url, BACK))?;
        Ok(Self { runtime, client, back })
    }

    /// The time of one message there and back, in µs.
    pub fn trip(&mut self, bytes: &'static [u8]) -> Result<f64, BenchError> {
        let Self { runtime, client, back } = self;
        runtime.block_on(async {
            let started = Instant::now();
            client.publish(THERE, bytes.into()).await.map_err(odd)?;
            back.next().await.ok_or_else(|| BenchError::Odd("the library has lost its connection".into()))?;
            Ok(micros(started.elapsed()))
        })
    }
}

/// One thread, as in a hub.
fn runtime() -> Result<Runtime, BenchError> {
    Builder::new_current_thread().enable_all().build().map_err(odd)
}

async fn subscribed(url: &str, subject: &'static str) -> Result<(Client, Subscriber), BenchError> {
    let client = async_nats::connect(url).await.map_err(odd)?;
    let subscriber = client.subscribe(subject).await.map_err(odd)?;
    // The server knows the subscription when this is back.
    client.flush().await.map_err(odd)?;
    Ok((client, subscriber))
}

fn odd(error: impl std::fmt::Display) -> BenchError {
    BenchError::Odd(format!("the library of NATS: {error}"))
}
