//! Puts MCP's faces and the hub together: neither knows the other.

use eye_hub::guests::Mcp;
use eye_hub::guests::mcp::{Body, Faces};
use eye_hub::{AgentLink, Ended, Gateway, Guest, Later, Links, Stream};
use eye_mcp::face::{self, Auditor, Counter, Face, Hub, Identity, Link, ProgressSender, ServerCall};
use eye_protocol::Error;
use eye_protocol::messages::{ClientType, Hello};
use eye_protocol::scope::Scope;
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Duration;

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
        self.0.begin(Box::new(OfHub(links)));
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

#[derive(Debug)]
struct OfHub(Links);

impl Hub for OfHub {
    fn open(&self, who: Identity) -> Arc<dyn Link> {
        let hello =
            Hello { client_type: Some(ClientType::Agent), agent: who.name, target: who.page, ..Hello::default() };
        Arc::new(OfAgent(self.0.open_scoped(&hello, who.scope)))
    }

    fn changes(&self) -> Counter {
        self.0.changes()
    }
}

#[derive(Debug)]
struct OfAgent(AgentLink);

impl Link for OfAgent {
    fn request(
        &self,
        method: &str,
        params: &str,
        progress: Option<ProgressSender>,
    ) -> face::Later<'static, Result<Box<RawValue>, Error>> {
        Box::pin(self.0.request(method, params, progress))
    }

    fn news(&self) -> face::Later<'_, Option<String>> {
        Box::pin(self.0.news())
    }

    fn ended(&self) -> face::Later<'static, Error> {
        Box::pin(self.0.ended())
    }

    fn turn(&self, within: Duration) -> Option<face::Later<'static, Result<(), Error>>> {
        let turn = self.0.turn(within)?;
        Some(Box::pin(turn))
    }

    fn auditor(&self) -> Option<Auditor> {
        let auditor = self.0.auditor()?;
        Some(Arc::new(move |call: &ServerCall<'_>| {
            let ended = call.ended.map_or_else(Ended::Error, |()| Ended::Ok);
            auditor.ended(call.server, call.method, call.params, ended, call.took);
        }))
    }
}
