//! What the command line asks: `gateway/servers` of a hub, and a trial start of one server without any.

use super::{Gateway, ServerStatus, Settings};
use crate::error::RpcError;
use crate::upstream::Unapproved;
use eye_protocol::{Code, Error};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Result of `gateway/servers`.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Servers {
    /// The servers of whoever asks.
    pub servers: Vec<ServerStatus>,
}

/// How a trial start went.
#[derive(Debug)]
pub struct Trial {
    /// The server, while it ran.
    pub server: ServerStatus,
    /// How long it took to answer.
    pub took: Duration,
    /// Its tools, a line each.
    pub tools: Vec<String>,
}

/// Starts one server as its config says, lists its tools, and ends it again. Blocks; it has a runtime of its own.
pub fn try_server(settings: Settings, server: &str) -> Result<Trial, RpcError> {
    // What the trial finds out is nobody else's: it leaves no list behind.
    let settings = Settings { state_folder: None, ..settings };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::new(Code::INTERNAL, format!("no runtime: {error}")))?;
    runtime.block_on(async {
        let gateway = Gateway::new(settings);
        let scope = gateway.own_scope();
        let began = Instant::now();
        let started = scope.start(server).await;
        let took = began.elapsed();
        let status = scope.servers().into_iter().find(|status| status.name == server);
        let tools =
            scope.entries().iter().filter(|entry| &*entry.server == server).map(|e| e.line(&e.name, false)).collect();
        gateway.shut_down().await;
        started?;
        let gone = || Error::new(Code::INTERNAL, format!("{server} is no longer in the config"));
        Ok(Trial { server: status.ok_or_else(gone)?, took, tools })
    })
}

/// The tools of a server, as they were last listed, that are not as the user approved them. Starts nothing.
pub fn review(settings: Settings, server: &str) -> Result<Vec<Unapproved>, RpcError> {
    let upstream = Gateway::new(settings).own_scope().upstream(server)?;
    if !upstream.is_listed() {
        let error = Error::new(Code::REQUEST, format!("{server} has not listed its tools yet"));
        return Err(error.hint("let an agent discover something, then approve").into());
    }
    Ok(upstream.unapproved().to_vec())
}

/// Approves the tools of a server as they were last listed. A hub that runs notices. Gives how many were approved.
pub fn approve(settings: Settings, server: &str) -> Result<usize, RpcError> {
    Gateway::new(settings).own_scope().approve(server)
}
