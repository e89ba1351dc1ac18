//! `/evolution`, `/agents` and `/cartridges/`: admits requests and passes them to a backend. Computes nothing itself.

pub use super::conversation::{Incoming, Outgoing};
use super::conversation::{Terms, carry};
use crate::http::door::{Door, Ground, Head, Upgrade, admit_own, json_response, refused, with_cors};
use crate::hub::gateway::Later;
use crate::hub::links::Links;
use crate::mount::Guest;
use axum::body::Body;
use axum::extract::ws::WebSocket;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use eye_protocol::close::Close;
use eye_protocol::limits::{
    BACKEND_INCOMING_LEN_MAX, BACKEND_MESSAGE_BYTES_MAX, BACKEND_OUTGOING_LEN_MAX, BACKEND_SOCKETS_MAX,
};
use std::fmt::Debug;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Small on purpose: the library zeroes its read buffer on every read.
const READ_BUFFER_BYTES: usize = 4096;

/// An endpoint of a backend that speaks over a WebSocket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// `/evolution` and `/evo`.
    Evolution,
    /// `/agents`.
    Agents,
}

/// A file from a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    pub status: u16,
    pub media_type: &'static str,
    /// The file never changes, so a browser may cache it.
    pub lasting: bool,
    pub bytes: Vec<u8>,
}

/// Computes. Every request has passed the gate.
pub trait Backends: Debug + Send + Sync {
    /// Called when the hub starts to serve. `links` connect to the hub.
    fn begin(&self, links: Links);

    /// Handles a WebSocket until either side ends it. `origin` is the origin of the page that opened it; programs have
    /// none.
    fn talk(&self, room: Room, origin: Option<String>, incoming: Incoming, outgoing: Outgoing) -> Later<()>;

    /// Handles a GET below `/cartridges/`. The empty name is the list of cartridges.
    fn cartridge(&self, name: String) -> Later<Given>;

    /// More lines for `/metrics`.
    fn metrics(&self) -> String;

    /// Called before the hub ends. Must notify pages and agents at once, while they are still connected.
    fn shut_down(&self) -> Later<()>;
}

/// The backends as a guest.
#[derive(Clone, Debug)]
pub struct Computing {
    backends: Arc<dyn Backends>,
    /// Limits the number of connections.
    seats: Arc<Semaphore>,
}

impl Computing {
    pub fn new(backends: Arc<dyn Backends>) -> Self {
        Self { backends, seats: Arc::new(Semaphore::new(BACKEND_SOCKETS_MAX)) }
    }
}

impl Guest for Computing {
    fn routes(&self) -> Router<Door> {
        Router::new()
            .route("/evolution", get(evolution))
            .route("/evo", get(evolution))
            .route("/agents", get(agents))
            .route("/cartridges", get(cartridges))
            .route("/cartridges/", get(cartridges))
            .route("/cartridges/{name}", get(cartridge))
            .layer(Extension(self.clone()))
    }

    fn begin(&self, links: Links) {
        self.backends.begin(links);
    }

    fn metrics(&self) -> String {
        self.backends.metrics()
    }

    fn shut_down(&self) -> Later<()> {
        self.backends.shut_down()
    }
}

async fn evolution(
    State(door): State<Door>,
    Extension(guest): Extension<Computing>,
    headers: Head,
    upgrade: Upgrade,
) -> Response {
    enter(&door, &guest, Room::Evolution, &headers, upgrade)
}

async fn agents(
    State(door): State<Door>,
    Extension(guest): Extension<Computing>,
    headers: Head,
    upgrade: Upgrade,
) -> Response {
    enter(&door, &guest, Room::Agents, &headers, upgrade)
}

async fn cartridges(State(door): State<Door>, Extension(guest): Extension<Computing>, headers: Head) -> Response {
    stored(&door, &guest, String::new(), &headers).await
}

async fn cartridge(
    State(door): State<Door>,
    Extension(guest): Extension<Computing>,
    Path(name): Path<String>,
    headers: Head,
) -> Response {
    stored(&door, &guest, name, &headers).await
}

async fn stored(door: &Door, guest: &Computing, name: String, head: &Head) -> Response {
    if let Err(refusal) = admit_own(door, head) {
        return refused(&refusal);
    }
    let given = guest.backends.cartridge(name).await;
    let mut response = Response::new(Body::from(given.bytes));
    *response.status_mut() = StatusCode::from_u16(given.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let keep = if given.lasting { "private, max-age=3600" } else { "no-store" };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(given.media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    with_cors(door, head, response)
}

fn enter(door: &Door, guest: &Computing, room: Room, headers: &Head, upgrade: Upgrade) -> Response {
    let ground = match admit_own(door, headers) {
        Ok(ground) => ground,
        Err(refusal) => return refused(&refusal),
    };
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    let Ok(seat) = guest.seats.clone().try_acquire_owned() else {
        let body = serde_json::json!({ "error": "too many connections to the backends", "hint": "close some of them" });
        return (StatusCode::SERVICE_UNAVAILABLE, json_response(&body)).into_response();
    };
    let backends = guest.backends.clone();
    let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok()).map(str::to_owned);
    upgrade
        .protocols(["eye"])
        .read_buffer_size(READ_BUFFER_BYTES)
        .max_message_size(BACKEND_MESSAGE_BYTES_MAX)
        .max_frame_size(BACKEND_MESSAGE_BYTES_MAX)
        .on_upgrade(move |socket| serve(backends, room, origin, socket, seat, ground))
}

async fn serve(
    backends: Arc<dyn Backends>,
    room: Room,
    origin: Option<String>,
    socket: WebSocket,
    _seat: OwnedSemaphorePermit,
    ground: Ground,
) {
    let terms = Terms {
        incoming_len_max: BACKEND_INCOMING_LEN_MAX,
        outgoing_len_max: BACKEND_OUTGOING_LEN_MAX,
        message_bytes_max: BACKEND_MESSAGE_BYTES_MAX,
        farewell: Close { code: 1001, reason: "the backend ended the conversation".into() },
    };
    let over = async { Close::revoked(&ground.gone().await.reason) };
    carry(socket, terms, |incoming, outgoing| backends.talk(room, origin, incoming, outgoing), over).await;
}
