//! 2026-07-28 over HTTP: every request is self-contained. Closing the connection cancels it.

use super::events::{Work, answering};
use super::headers;
use super::reply::{Body, empty, json_body, plain_error, rpc_error};
use crate::RpcError;
use crate::face::call::{Call, Outgoing, Outlet};
use crate::face::client::Newcomer;
use crate::face::era::{Era, HEADER_MISMATCH, MISSING_CAPABILITY, Meta, UNSUPPORTED_VERSION};
use crate::face::faces::Face;
use crate::face::limits::OUTLET_LEN_MAX;
use crate::face::message::{Incoming, Message, response};
use crate::face::{methods, pump};
use eye_protocol::{Code, Error};
use http::{HeaderMap, Response, StatusCode};
use tokio::sync::mpsc;

pub async fn post(face: &Face, headers: &HeaderMap, incoming: Incoming, newcomer: Newcomer) -> Response<Body> {
    let request = match incoming {
        Incoming::One(Message::Request(request)) => request,
        // Clients cancel by closing the connection; the modern era has no other notification of clients.
        Incoming::One(Message::Notification { .. }) => return empty(StatusCode::ACCEPTED),
        Incoming::One(Message::Response { .. }) => {
            return plain_error(StatusCode::BAD_REQUEST, "nothing was asked of this client");
        }
        Incoming::One(Message::Invalid { id, error }) => {
            return rpc_error(StatusCode::BAD_REQUEST, &id, &error.into());
        }
        Incoming::Batch(_) => return plain_error(StatusCode::BAD_REQUEST, "this revision has no batches"),
    };
    let meta = Meta::of(request.params.as_deref());
    let id = request.id.get().to_owned();
    let checked = headers::check(headers, &request, &meta).and_then(|()| meta.check_modern());
    if let Err(error) = checked {
        return rpc_error(StatusCode::BAD_REQUEST, &id, &error);
    }
    // Every request gets its own client: no state remains from earlier requests.
    let Some(client) = face.client(newcomer) else {
        let error = Error::new(Code::CONNECTION, "the hub shuts down");
        return rpc_error(StatusCode::SERVICE_UNAVAILABLE, &id, &error.into());
    };
    if request.method == "tools/call"
        && let Err(error) = headers::check_arguments(&client, headers, &request).await
    {
        return rpc_error(StatusCode::BAD_REQUEST, &id, &error);
    }
    let (sender, mut outgoing) = mpsc::channel(OUTLET_LEN_MAX);
    let call = Call { client, provider: face.provider(), era: Era::Modern, request, meta, outlet: Outlet(sender) };
    let mut answer = Box::pin(answer(call));
    tokio::select! {
        biased;
        outcome = &mut answer => match outgoing.try_recv() {
            // A message was queued at the moment when the request ended.
            Ok(Outgoing::Message(first)) => {
                let last = response(&id, outcome.as_deref());
                answering(first, outgoing, Box::pin(std::future::ready(last)))
            }
            Ok(Outgoing::Pause) | Err(_) => json_body(status(&outcome), response(&id, outcome.as_deref())),
        },
        Some(Outgoing::Message(first)) = outgoing.recv() => {
            let work: Work = Box::pin(async move { response(&id, answer.await.as_deref()) });
            answering(first, outgoing, work)
        }
    }
}

async fn answer(call: Call) -> Result<String, RpcError> {
    if call.method() == "subscriptions/listen" { pump::listen(&call).await } else { methods::answer(&call).await }
}

fn status(outcome: &Result<String, RpcError>) -> StatusCode {
    match outcome {
        Err(error) if error.is(Code::METHOD) => StatusCode::NOT_FOUND,
        Err(RpcError { code: HEADER_MISMATCH | MISSING_CAPABILITY | UNSUPPORTED_VERSION, .. }) => {
            StatusCode::BAD_REQUEST
        }
        Ok(_) | Err(_) => StatusCode::OK,
    }
}
