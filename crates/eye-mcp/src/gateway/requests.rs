//! Requests of the command line: `gateway/servers` to a hub, and without a hub, trial starts, approvals and logins.
//! These functions block.

use super::handle::Gateway;
use super::shared::Settings;
use crate::config::Transport;
use crate::error::RpcError;
use crate::oauth::{self, Login, OAuthError, Wanted};
use crate::status::ServerStatus;
use crate::upstream::Unapproved;
use eye_protocol::{Code, Error};
use serde::{Deserialize, Serialize};
use std::future::Future;
use std::path::Path;
use std::time::{Duration, Instant};

/// The result of `gateway/servers`.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Servers {
    pub servers: Vec<ServerStatus>,
}

/// The result of a trial start.
#[derive(Debug)]
pub struct Trial {
    /// The server's status while it ran.
    pub server: ServerStatus,
    /// The time until it was ready.
    pub took: Duration,
    /// Its tools, one line each.
    pub tools: Vec<String>,
}

/// Starts one server as configured, lists its tools, and ends it. Blocks; creates its own runtime.
pub fn try_server(settings: Settings, server: &str) -> Result<Trial, RpcError> {
    // Without a state folder, the trial leaves no tool list behind.
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

/// The tools of a server's last list that differ from what the user approved. Starts nothing.
pub fn review(settings: Settings, server: &str) -> Result<Vec<Unapproved>, RpcError> {
    let upstream = Gateway::new(settings).own_scope().upstream(server)?;
    if !upstream.is_listed() {
        let error = Error::new(Code::REQUEST, format!("{server} has not listed its tools yet"));
        return Err(error.hint("let an agent discover something, then approve").into());
    }
    Ok(upstream.unapproved().to_vec())
}

/// Approves the tools of a server's last list; a running hub notices. Returns how many were newly approved.
pub fn approve(settings: Settings, server: &str) -> Result<usize, RpcError> {
    Gateway::new(settings).own_scope().approve(server)
}

/// The user's options for a login.
#[derive(Clone, Debug, Default)]
pub struct LoginOptions {
    /// Scopes in addition to those that the server requests.
    pub scopes: Vec<String>,
    /// A client that the user registered. Without it, eye registers one.
    pub client_id: Option<String>,
    /// The redirect port of that client.
    pub port: Option<u16>,
}

/// Logs in to a server. `show` receives the URL for the user to open. Returns the granted scopes.
pub fn login(
    settings: Settings,
    server: &str,
    options: LoginOptions,
    show: impl FnOnce(&str),
) -> Result<Vec<String>, RpcError> {
    let LoginOptions { scopes, client_id, port } = options;
    with_address(settings, server, async |folder, url| {
        let login = Login::prepare(Wanted { url, folder, scopes, client_id, port }).await?;
        show(login.address().as_str());
        login.finish().await
    })
}

/// Logs out; returns whether there was a login.
pub fn logout(settings: Settings, server: &str) -> Result<bool, RpcError> {
    with_address(settings, server, async |folder, url| oauth::logout(folder, url).await)
}

fn with_address<T>(
    settings: Settings,
    server: &str,
    work: impl AsyncFnOnce(&Path, &str) -> Result<T, OAuthError>,
) -> Result<T, RpcError> {
    let folder = settings.login_folder.clone().unwrap_or_default();
    let url = address_of(settings, server)?;
    let done = block_on(work(&folder, &url))?;
    let to_error = |error: OAuthError| Error::new(Code::DENIED, format!("{server}: {error}")).hint(error.hint());
    done.map_err(|error| to_error(error).into())
}

fn block_on<T>(work: impl Future<Output = T>) -> Result<T, RpcError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::new(Code::INTERNAL, format!("no runtime: {error}")))?;
    Ok(runtime.block_on(work))
}

/// The URL of a server over HTTP, with variables replaced; logins are bound to it.
fn address_of(settings: Settings, server: &str) -> Result<String, RpcError> {
    let upstream = Gateway::new(settings).own_scope().upstream(server)?;
    match &upstream.spec.transport {
        Transport::Http { url, headers, .. } => {
            if headers.keys().any(|name| name.eq_ignore_ascii_case("authorization")) {
                let error = Error::new(Code::REQUEST, format!("{server} has an `Authorization` header in its config"));
                return Err(error.hint("remove it there to log in instead").into());
            }
            Ok(url.clone())
        }
        Transport::Child { .. } => {
            let error = Error::new(Code::REQUEST, format!("{server} is a program on this machine, not a url"));
            Err(error.hint("only servers over HTTP have a login").into())
        }
    }
}
