//! Reports clients' requests to MCP servers to the hub's audit log: the hub itself sees only what passes through it.

use crate::RpcError;
use eye_protocol::Code;
use eye_protocol::local::{Auditor, ServerCall};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Instant;

/// Runs a request to a server and records its outcome; a dropped request counts as cancelled.
pub(super) async fn audited(
    auditor: Option<Arc<dyn Auditor>>,
    server: String,
    method: String,
    params: Option<Box<RawValue>>,
    work: impl Future<Output = Result<Box<RawValue>, RpcError>>,
) -> Result<Box<RawValue>, RpcError> {
    let Some(auditor) = auditor else { return work.await };
    let mut noting = Noting { auditor, server, method, params, began: Instant::now(), ended: Err(Code::CANCELLED) };
    let outcome = work.await;
    noting.ended = match &outcome {
        Ok(_) => Ok(()),
        Err(error) => Err(Code(i32::try_from(error.code).unwrap_or(Code::INTERNAL.0))),
    };
    outcome
}

struct Noting {
    auditor: Arc<dyn Auditor>,
    server: String,
    method: String,
    params: Option<Box<RawValue>>,
    began: Instant,
    ended: Result<(), Code>,
}

impl Drop for Noting {
    fn drop(&mut self) {
        self.auditor.note(&ServerCall {
            server: &self.server,
            method: &self.method,
            params: self.params.as_deref().map_or("{}", RawValue::get),
            ended: self.ended,
            took: self.began.elapsed(),
        });
    }
}
