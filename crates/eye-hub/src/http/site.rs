//! The hub's own site for browsers: the page client and its parts, the start page, documents and the demo apps.

use super::assets;
use super::door::{Door, Head, SEC_FETCH_DEST, json_response, moved_to, nothing, public};
use super::sockets::{SocketQuery, socket};
use crate::gate::{OWN_NAME, is_loopback_address};
use crate::transport::websocket::handshake::{Handshake, NotAHandshake};
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};

pub async fn client(State(door): State<Door>, headers: Head) -> Response {
    script(&door, &headers, assets::CLIENT)
}

/// A script that the page client loads on first use.
pub async fn part(State(door): State<Door>, Path(name): Path<String>, headers: Head) -> Response {
    match assets::part(&name) {
        Some(text) => script(&door, &headers, text),
        None => nothing(State(door), headers).await,
    }
}

pub async fn document(State(door): State<Door>, Path(name): Path<String>, headers: Head) -> Response {
    let Some(text) = assets::document(&name) else { return nothing(State(door), headers).await };
    public(&door, &headers, || {
        let kind = [
            (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
            (header::CACHE_CONTROL, "no-cache"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ];
        (kind, text).into_response()
    })
}

pub async fn app(State(door): State<Door>, Path(path): Path<String>, uri: Uri, headers: Head) -> Response {
    // A tab at the hub's address is redirected to its name: only there do its pages count as eye's own.
    let tab = headers.get(SEC_FETCH_DEST).is_some_and(|dest| dest == "document");
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("");
    public(&door, &headers, || match assets::app(&path) {
        Some(_) if tab && is_loopback_address(host) => moved_to(OWN_NAME, host, &uri),
        Some((bytes, media_type)) => {
            let kind = [(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, "no-cache".into())];
            (kind, Body::from(bytes.into_owned())).into_response()
        }
        None if assets::is_app(&path) => Redirect::permanent(&format!("/apps/{path}/")).into_response(),
        None => {
            let error = if assets::has_apps() { "no such app" } else { "this hub was built without the demo apps" };
            let body = serde_json::json!({ "error": error, "hint": "`cargo xtask gen` builds them" });
            (StatusCode::NOT_FOUND, json_response(&body)).into_response()
        }
    })
}

/// The page client or one of its parts. Any page may load them, even one that isolates itself (COEP).
fn script(door: &Door, headers: &Head, text: &'static str) -> Response {
    public(door, headers, || {
        let kind = [
            (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
            (header::CACHE_CONTROL, "no-cache"),
            (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        ];
        let mut response = (kind, text).into_response();
        response.headers_mut().insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
        response
    })
}

/// The start page, and the endpoint of the original 3D server's pages, which connect at the root.
pub async fn start_page(
    State(door): State<Door>,
    headers: Head,
    query: Query<SocketQuery>,
    handshake: Result<Handshake, NotAHandshake>,
) -> Response {
    if handshake.is_ok() {
        return socket(State(door), headers, query, handshake).await;
    }
    public(&door, &headers, || {
        let kind = [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CACHE_CONTROL, "no-cache"),
            (header::X_FRAME_OPTIONS, "DENY"),
        ];
        (kind, assets::START_PAGE).into_response()
    })
}
