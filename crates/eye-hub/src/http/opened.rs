//! `/open/ID/…`: files and folders that an agent opened. They are not eye's own, so they are never served under the
//! host name of eye's own pages.

use super::door::{Door, Head, json_response, knock, moved_to, refused};
use crate::gate::{OWN_NAME, Wants, host_name};
use crate::hub::opened::{self, Found};
use axum::body::Body;
use axum::extract::{Path as Segments, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use eye_protocol::limits::SERVED_FILE_BYTES_MAX;
use std::io;

/// The folder itself.
pub async fn index(door: State<Door>, Segments(id): Segments<String>, uri: Uri, headers: Head) -> Response {
    file(door, Segments((id, String::new())), uri, headers).await
}

/// A file in the folder.
pub async fn file(
    State(door): State<Door>,
    Segments((id, path)): Segments<(String, String)>,
    uri: Uri,
    headers: Head,
) -> Response {
    // Nothing is looked up before the gate admits the request.
    if let Err(refusal) = door.gate.admit(Wants::Public, knock(&headers, None)) {
        return refused(&refusal);
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("");
    if host_name(host).eq_ignore_ascii_case(OWN_NAME) {
        return moved_to(door.hub.address(), host, &uri);
    }
    let found = match door.hub.opened(&id) {
        // Read on another thread: a slow disk must not block other work.
        Some(target) => {
            let below = path.clone();
            let reading = tokio::task::spawn_blocking(move || opened::read(&target, &below));
            reading.await.unwrap_or(Err(io::ErrorKind::Other))
        }
        None => Err(io::ErrorKind::NotFound),
    };
    match found {
        Ok(Found::File(bytes, media_type)) => {
            let kind = [(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, "no-cache".into())];
            (kind, Body::from(bytes)).into_response()
        }
        Ok(Found::Folder) => Redirect::temporary(&format!("/open/{id}/{path}/")).into_response(),
        Err(io::ErrorKind::FileTooLarge) => {
            let error = format!("over the limit of {} MiB", SERVED_FILE_BYTES_MAX >> 20);
            (StatusCode::PAYLOAD_TOO_LARGE, json_response(&serde_json::json!({ "error": error }))).into_response()
        }
        Err(_) => (StatusCode::NOT_FOUND, json_response(&serde_json::json!({ "error": "Not found" }))).into_response(),
    }
}
