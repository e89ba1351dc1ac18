//! The hub's listeners: a TCP port for pages, with and without TLS, and a socket of this user for agents.

use crate::error::HubError;
use crate::gate::Caller;
use crate::http;
use crate::hub::state::Hub;
use crate::seldom::Seldom;
use crate::transport::{holder, requests, tls, unix};
use axum::Router;
use eye_platform::local::Listener;
use eye_platform::process;
use eye_protocol::limits::{CONNECTIONS_MAX, HANDSHAKE_MS};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

const HANDSHAKE: Duration = Duration::from_millis(HANDSHAKE_MS);
/// Pause after a failed accept (no file descriptors left), so that other connections can close theirs.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Listens on the TCP address.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, HubError> {
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => HubError::PortTaken { listen: address, holder: holder::of(address) },
        _ => HubError::io(format!("listening on {address}"))(error),
    })
}

/// `localhost` has two addresses. A program on the other one could serve our pages a client of its own, so the hub
/// listens on both.
pub async fn listen_twin(wanted: SocketAddr, listen: SocketAddr) -> Result<Option<TcpListener>, HubError> {
    if listen.ip() != IpAddr::V4(Ipv4Addr::LOCALHOST) {
        return Ok(None);
    }
    let twin = SocketAddr::new(IpAddr::V6(Ipv6Addr::LOCALHOST), listen.port());
    match TcpListener::bind(twin).await {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && wanted.port() != 0 => {
            Err(HubError::PortTaken { listen: twin, holder: holder::of(twin) })
        }
        // No IPv6 on this machine, or a port chosen by the system that is taken on the other address.
        Err(_) => Ok(None),
    }
}

/// The same endpoints behind two gates: for connections from this machine, and for all others.
#[derive(Clone)]
pub struct Routers {
    /// For connections from this machine.
    pub here: Site,
    /// For all others.
    pub elsewhere: Site,
}

/// Two sets of endpoints at one port: under the console's host name the console's, otherwise the hub's.
#[derive(Clone)]
pub struct Site {
    pub hub: Router,
    pub console: Router,
}

impl Site {
    /// The same endpoints under every host name.
    fn only(router: Router) -> Self {
        Self { console: router.clone(), hub: router }
    }
}

/// Serves connections at the port until the hub ends.
pub async fn accept_pages(hub: &Arc<Hub>, listener: TcpListener, acceptor: Option<TlsAcceptor>, routers: Routers) {
    loop {
        let (socket, peer) = admitted(hub, async || listener.accept().await).await;
        let _ = socket.set_nodelay(true);
        let router = if is_here(peer.ip()) { routers.here.clone() } else { routers.elsewhere.clone() };
        let caller = socket.local_addr().ok().map(|here| Caller { peer, here });
        // Two tasks of two sizes: a plain connection does not hold the memory that a handshake needs.
        match &acceptor {
            None => {
                tokio::spawn(serve_http(socket, router, caller));
            }
            Some(acceptor) => {
                tokio::spawn(serve_either(socket, acceptor.clone(), router, caller));
            }
        }
    }
}

/// Accepts the next connection. Closes connections beyond the limit at once.
async fn admitted<T>(hub: &Hub, accept: impl AsyncFn() -> io::Result<T>) -> T {
    loop {
        match accept().await {
            Ok(accepted) if hub.peers() < CONNECTIONS_MAX => return accepted,
            Ok(_) => full(),
            Err(error) => {
                not_accepted(&error);
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Logged failures per minute: without file descriptors there are twenty a second.
static NOT_ACCEPTED: Seldom = Seldom::new(2);
/// Logged refusals per minute.
static FULL: Seldom = Seldom::new(2);

fn not_accepted(error: &io::Error) {
    if let Some(left_out) = NOT_ACCEPTED.take() {
        let hint = process::out_of_files(error).unwrap_or("it is tried again");
        tracing::error!(%error, hint, left_out, "a connection cannot be accepted");
    }
}

fn full() {
    if let Some(left_out) = FULL.take() {
        tracing::warn!(connections = CONNECTIONS_MAX, left_out, "there are too many connections; another is refused");
    }
}

/// Serves TLS and plain HTTP on one port, with a time limit for the handshake: pages on `http://localhost` and on
/// `https://` may use the same hub. Beyond loopback, plain HTTP gets only an error that says so.
async fn serve_either(socket: TcpStream, acceptor: TlsAcceptor, site: Site, caller: Option<Caller>) {
    let here = socket.local_addr().is_ok_and(|address| is_here(address.ip()));
    match timeout(HANDSHAKE, tls::begins(&socket)).await {
        Ok(Ok(true)) => {
            if let Ok(Ok(socket)) = timeout(HANDSHAKE, acceptor.accept(socket)).await {
                serve_http(socket, site, caller).await;
            }
        }
        Ok(Ok(false)) if here => serve_http(socket, site, caller).await,
        Ok(Ok(false)) => serve_http(socket, Site::only(http::encrypted_only()), caller).await,
        // The client disconnected, or sent nothing in time.
        Ok(Err(_)) | Err(_) => {}
    }
}

/// Whether an address is loopback: traffic to it has not left the machine.
fn is_here(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

async fn serve_http<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(socket: S, site: Site, caller: Option<Caller>) {
    let hub = TowerToHyperService::new(site.hub);
    let console = TowerToHyperService::new(site.console);
    let answer = move |mut request: hyper::Request<hyper::body::Incoming>| {
        if let Some(caller) = caller {
            request.extensions_mut().insert(caller);
        }
        if http::is_for_console(request.headers()) { console.call(request) } else { hub.call(request) }
    };
    requests::serve(socket, answer).await;
}

/// Serves connections at the agents' socket until the hub ends.
pub async fn accept_agents(hub: &Arc<Hub>, listener: &Listener) {
    loop {
        let arrived = admitted(hub, async || listener.accept().await).await;
        let hub = hub.clone();
        tokio::spawn(async move {
            if let Some(socket) = arrived.admit().await {
                unix::serve(hub, socket).await;
            } else {
                tracing::warn!("another user's connection on the agents' socket was refused");
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[test]
    fn only_loopback_is_spoken_to_in_the_clear() {
        for address in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            assert!(is_here(address.parse().unwrap()), "{address}");
        }
        for address in ["0.0.0.0", "192.168.1.5", "172.17.0.2", "fe80::1", "::ffff:10.0.0.1"] {
            assert!(!is_here(address.parse().unwrap()), "{address}");
        }
    }

    #[tokio::test]
    async fn a_client_that_must_encrypt_is_told_so_and_nothing_else() {
        for path in ["/", "/eye.js", "/health", "/ws"] {
            let (mut near, far) = tokio::io::duplex(4096);
            let served = tokio::spawn(serve_http(far, Site::only(http::encrypted_only()), None));
            let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
            near.write_all(request.as_bytes()).await.unwrap();
            let mut answer = String::new();
            near.read_to_string(&mut answer).await.unwrap();
            assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
            assert!(answer.contains("speaks TLS only") && answer.contains("write https:// instead"), "{answer}");
            served.await.unwrap();
        }
    }
}
