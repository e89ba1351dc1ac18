//! What the command line asks: `gateway/servers` of a hub; without one, a trial start of a server, approvals and
//! logins. These block.

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

/// Result of `gateway/servers`.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Servers {
    /// The caller's servers.
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
    // The trial's findings are for this call only: it leaves no list behind.
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

/// What a user may say about a login.
#[derive(Clone, Debug, Default)]
pub struct LoginOptions {
    /// Scopes besides those that the server asks for.
    pub scopes: Vec<String>,
    /// A client that the user registered; without it, eye registers one.
    pub client_id: Option<String>,
    /// The port that such a client was registered with.
    pub port: Option<u16>,
}

/// Logs in to a server. `show` gets the URL that the user opens. Gives the scopes that were granted.
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

/// Ends a login. Says whether there was one.
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
    let told = |error: OAuthError| Error::new(Code::DENIED, format!("{server}: {error}")).hint(error.hint());
    done.map_err(|error| told(error).into())
}

fn block_on<T>(work: impl Future<Output = T>) -> Result<T, RpcError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::new(Code::INTERNAL, format!("no runtime: {error}")))?;
    Ok(runtime.block_on(work))
}

/// The address of a server over HTTP, with its variables replaced: what a login is for.
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
