//! The lower limit: a relay that only copies between a Unix socket and a WebSocket, in one task of one thread, with the
//! hub's own libraries.

use axum::Router;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::routing::any;
use futures_util::{SinkExt, StreamExt};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{Mutex, Notify};

/// The size that the hub used when it had the same library.
const READ_BUFFER_BYTES: usize = 4 << 10;

/// Copies until either side ends.
pub fn run(socket: &Path) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let agents = Arc::new(Mutex::new(UnixListener::bind(socket).expect("a socket")));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        println!("{}", listener.local_addr().expect("its address").port());
        let ended = Arc::new(Notify::new());
        let end = ended.clone();
        let upgrade = move |upgrade: WebSocketUpgrade| async move {
            upgrade.read_buffer_size(READ_BUFFER_BYTES).write_buffer_size(0).on_upgrade(move |page| async move {
                copy(&*agents.lock().await, page).await;
                end.notify_one();
            })
        };
        tokio::select! {
            served = axum::serve(listener, Router::new().route("/", any(upgrade))) => served.expect("it serves"),
            () = ended.notified() => {}
        }
    });
    ExitCode::SUCCESS
}

async fn copy(agents: &UnixListener, page: WebSocket) {
    let Ok((mut agent, _)) = agents.accept().await else { return };
    let (mut to_page, mut from_page) = page.split();
    let (reader, mut writer) = agent.split();
    let mut lines = BufReader::new(reader).lines();
    let there = async {
        while let Ok(Some(line)) = lines.next_line().await {
            if to_page.send(Message::text(line)).await.is_err() {
                return;
            }
        }
    };
    let back = async {
        while let Some(Ok(Message::Text(text))) = from_page.next().await {
            if writer.write_all(text.as_bytes()).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = there => {}
        () = back => {}
    }
}
