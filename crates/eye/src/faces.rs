//! Connects the MCP front ends with the hub: neither crate depends on the other.

use eye_hub::guests::Mcp;
use eye_hub::guests::mcp::{Body, Faces};
use eye_hub::{Gateway, Guest, Later, Links, Stream};
use eye_mcp::face::Face;
use eye_protocol::Error;
use eye_protocol::scope::Scope;
use std::sync::Arc;

/// MCP as a guest of the hub.
pub fn guest(face: Face) -> Arc<dyn Guest> {
    Arc::new(Mcp::new(Arc::new(Seated(face))))
}

#[derive(Debug)]
struct Seated(Face);

impl Gateway for Seated {
    fn stream(&self, announcement: String, scope: Scope, rest: Vec<u8>, stream: Stream) -> Later<()> {
        let face = self.0.clone();
        Box::pin(async move { face.stream(&announcement, scope, rest, stream).await })
    }

    fn request(&self, method: String, params: String, trusted: bool, scope: Scope) -> Later<Result<String, Error>> {
        let face = self.0.clone();
        Box::pin(async move { face.gateway_request(&method, &params, trusted, scope).await })
    }
}

impl Faces for Seated {
    fn begin(&self, links: Links) {
        self.0.begin(Box::new(links));
    }

    fn http(&self, request: http::Request<bytes::Bytes>) -> Later<http::Response<Body>> {
        let face = self.0.clone();
        Box::pin(async move { face.http(request).await })
    }

    fn metrics(&self) -> String {
        self.0.metrics()
    }

    fn shut_down(&self) -> Later<()> {
        let face = self.0.clone();
        Box::pin(async move { face.shut_down().await })
    }
}
