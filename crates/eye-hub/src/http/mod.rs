//! The hub's HTTP endpoints. Guests add their own paths to these ([`crate::mount`]).

mod agent;
mod assets;
pub mod body;
mod console;
pub mod door;
mod facts;
mod metrics;
mod opened;
mod site;
mod sockets;

use crate::gate::{CONSOLE_NAME, Refusal, host_name};
use axum::Router;
use axum::routing::get;
use door::{Door, elsewhere, not_so, preflight, refused};

pub fn routes() -> Router<Door> {
    Router::new()
        .route("/ws", get(sockets::socket))
        .route("//ws", get(sockets::socket))
        .route("/api/mcp/stream", get(sockets::socket))
        .route("/agent", get(agent::events).post(agent::message).options(preflight))
        .route("/eye.js", get(site::client))
        .route("/eye/{part}", get(site::part))
        .route("/apps/{*path}", get(site::app))
        .route("/docs/{name}", get(site::document))
        .route("/open/{id}/", get(opened::index))
        .route("/open/{id}/{*path}", get(opened::file))
        .route("/health", get(facts::health))
        .route("/sessions", get(facts::sessions))
        .route("/metrics", get(facts::counters))
        .route("/why", get(facts::why).post(facts::why))
        .route("/", get(site::start_page))
        .fallback(elsewhere)
        .method_not_allowed_fallback(not_so)
}

/// Everything that is served under the console's own host name.
pub fn console_routes() -> Router<Door> {
    Router::new()
        .route("/", get(console::index))
        .route("/assets/{name}", get(console::asset))
        .route("/key", axum::routing::post(console::key))
        .route("/ws", get(console::socket))
        .fallback(console::nothing)
        .method_not_allowed_fallback(console::nothing)
}

/// Whether a request is for the console, by its `Host`.
pub fn is_for_console(headers: &axum::http::HeaderMap) -> bool {
    let host = headers.get(axum::http::header::HOST).and_then(|host| host.to_str().ok());
    host.is_some_and(|host| host_name(host).eq_ignore_ascii_case(CONSOLE_NAME))
}

/// The response to plain HTTP where only TLS is allowed.
pub fn encrypted_only() -> Router {
    Router::new().fallback(async || {
        refused(&Refusal {
            status: 400,
            reason: "this hub speaks TLS only, beyond its own machine".into(),
            hint: "write https:// instead of http://, wss:// instead of ws://".into(),
        })
    })
}
