//! MCP at `/mcp` and `/api/mcp`, on announced streams of the Unix socket, and as `gateway/…`. The hub only admits
//! requests and passes them on.

use crate::gate::Wants;
use crate::http::body;
use crate::http::door::{Door, bearer, knock_here, refused};
use crate::hub::gateway::{Gateway, Later};
use crate::hub::links::Links;
use crate::mount::Guest;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::any;
use axum::{Extension, Router};
use bytes::Bytes;
use eye_protocol::limits::POST_BODY_BYTES_MAX;
use std::convert::Infallible;
use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;

/// The body of an answer, whole or as a stream.
pub type Body = Pin<Box<dyn http_body::Body<Data = Bytes, Error = Infallible> + Send>>;

/// Serves agents over MCP. Every request has passed the gate.
pub trait Faces: Gateway {
    /// Called when the hub starts to serve. `links` connect to the hub.
    fn begin(&self, links: Links);

    /// A request to `/mcp` or `/api/mcp`.
    fn http(&self, request: http::Request<Bytes>) -> Later<http::Response<Body>>;

    /// More lines for `/metrics`.
    fn metrics(&self) -> String;

    /// Called before the hub ends.
    fn shut_down(&self) -> Later<()>;
}

#[derive(Debug)]
pub struct Mcp(Arc<dyn Faces>);

impl Mcp {
    pub fn new(faces: Arc<dyn Faces>) -> Self {
        Self(faces)
    }
}

impl Guest for Mcp {
    fn routes(&self) -> Router<Door> {
        let routes = Router::new().route("/mcp", any(serve)).route("/api/mcp", any(serve));
        routes.layer(Extension(self.0.clone()))
    }

    fn begin(&self, links: Links) {
        self.0.begin(links);
    }

    fn gateway(&self) -> Option<Arc<dyn Gateway>> {
        Some(self.0.clone())
    }

    fn metrics(&self) -> String {
        self.0.metrics()
    }

    fn shut_down(&self) -> Later<()> {
        self.0.shut_down()
    }
}

/// Admits a request and passes it on with its whole body.
async fn serve(State(door): State<Door>, Extension(faces): Extension<Arc<dyn Faces>>, request: Request) -> Response {
    let token = bearer(request.headers());
    let knock = knock_here(request.headers(), request.extensions(), token.as_deref());
    let scope = match door.gate.admit(Wants::Agent, knock) {
        Ok(admitted) => admitted.scope(),
        Err(refusal) => {
            let mut response = refused(&refusal);
            if response.status() == StatusCode::UNAUTHORIZED {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            return response;
        }
    };
    let (mut head, body) = request.into_parts();
    head.extensions.insert(scope);
    let body = match body::read(body, POST_BODY_BYTES_MAX).await {
        Ok(body) => body,
        Err(error) => return error.response(),
    };
    let response = faces.http(Request::from_parts(head, body)).await;
    response.map(axum::body::Body::new)
}
