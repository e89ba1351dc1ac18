//! `/mcp` and `/api/mcp`: the gate, and then whoever serves MCP.

use crate::body;
use crate::gate::Wants;
use crate::http::{Door, bearer, json_response, knock, refused};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use eye_protocol::limits::POST_BODY_BYTES_MAX;

/// Hands an admitted request over, with its whole body.
pub async fn serve(State(door): State<Door>, request: Request) -> Response {
    let token = bearer(request.headers());
    if let Err(refusal) = door.gate.admit(Wants::Agent, knock(request.headers(), token.as_deref())) {
        let mut response = refused(&refusal);
        if response.status() == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        return response;
    }
    let Some(seat) = door.hub.seat.get() else {
        let body = serde_json::json!({ "error": "this hub serves no MCP" });
        return (StatusCode::NOT_FOUND, json_response(&body)).into_response();
    };
    let (head, body) = request.into_parts();
    let body = match body::read(body, POST_BODY_BYTES_MAX).await {
        Ok(body) => body,
        Err(error) => return error.response(),
    };
    let response = seat.faces.http(Request::from_parts(head, body)).await;
    response.map(Body::new)
}
