//! The hub's own WebSocket endpoints for pages and agents: `/ws` and its other names.

use super::door::{Door, Head, bearer, knock, refused, speaks_lines};
use crate::gate::{Admitted, Wants};
use crate::hub::outbox::Outbox;
use crate::hub::peer::{Joining, Peer, Side, Voice};
use crate::hub::session_id;
use crate::transport::websocket::handshake::{Handshake, NotAHandshake};
use crate::transport::ws;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use eye_protocol::SessionId;
use eye_protocol::close::Close;
use eye_protocol::messages::{SUBPROTOCOL, version_fits};
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SocketQuery {
    session_id: Option<String>,
    client_type: Option<String>,
    version: Option<String>,
    /// A page's token, for clients that cannot send a header.
    token: Option<String>,
}

/// Connects a page or an agent, by `clientType`; without it, a browser is a page and a program an agent.
pub async fn socket(
    State(door): State<Door>,
    headers: Head,
    Query(query): Query<SocketQuery>,
    handshake: Result<Handshake, NotAHandshake>,
) -> Response {
    let side = match query.client_type.as_deref() {
        // Without `clientType`, a browser is a page and a program is an agent.
        None if headers.contains_key(header::ORIGIN) => Side::Page,
        Some("browser") => Side::Page,
        None | Some(_) => Side::Agent,
    };
    let wants = if side == Side::Page { Wants::Page } else { Wants::Agent };
    let token = bearer(&headers).or_else(|| query.token.clone().filter(|_| side == Side::Page));
    let admitted = match door.gate.admit(wants, knock(&headers, token.as_deref())) {
        Ok(admitted) => admitted,
        Err(refusal) => return refused(&refusal),
    };
    let handshake = match handshake {
        Ok(handshake) => handshake.protocol(SUBPROTOCOL),
        Err(why) => return why.into_response(),
    };
    if let Some(close) = query.fault() {
        return handshake.grant(move |socket| ws::refuse(socket, close));
    }
    let (scope, bearer) = (admitted.scope(), admitted.bearer());
    let joining = match (admitted, query.session_id.as_deref().and_then(SessionId::parse)) {
        (Admitted::Page { origin, policy, bearer }, session) => {
            let session = session.unwrap_or_else(session_id::fresh);
            Some(Joining { session, origin: origin.into(), policy, by_token: bearer.is_some() })
        }
        (Admitted::Public | Admitted::Agent(_) | Admitted::Own | Admitted::Console | Admitted::Extension, _) => None,
    };
    let mut peer =
        Peer::new(side, Voice::Eye { typed: false }, Outbox::messages(), joining).scoped(scope).borne_by(bearer);
    // BTCP clients send a version, or `clientType` without our subprotocol, and speak only JSON-RPC.
    let plain = query.version.is_some() || (query.client_type.is_some() && !speaks_lines(&headers));
    peer.rpc_only = plain;
    if plain {
        peer.face = "btcp";
    }
    let session = query.session_id.filter(|id| !id.is_empty());
    handshake.grant(move |socket| {
        ws::serve(door.hub, socket, peer, move |hub, conn| {
            if plain {
                hub.greet(conn, session.as_deref());
            } else if let Some(session) = session.filter(|_| side == Side::Agent) {
                hub.target(conn, session);
            }
        })
    })
}

impl SocketQuery {
    fn fault(&self) -> Option<Close> {
        if let Some(kind) = self.client_type.as_deref().filter(|kind| !matches!(*kind, "browser" | "agent")) {
            return Some(Close::bad_query(format!("clientType must be browser or agent, not {kind}")));
        }
        if let Some(version) = self.version.as_deref().filter(|version| !version_fits(version)) {
            return Some(Close::bad_query(format!("version {version} is not spoken here, 1.0.0 is")));
        }
        let session = self.session_id.as_deref().filter(|id| !id.is_empty());
        session
            .filter(|id| SessionId::parse(id).is_none())
            .map(|_| Close::bad_query("sessionId is 1 to 64 of A-Z a-z 0-9 _ . -"))
    }
}
