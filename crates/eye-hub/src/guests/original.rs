//! The original eye's endpoints, unchanged: agents at `/api/eye`, pages at `/api/eye-bridge`.

use crate::dialect::original;
use crate::gate::{Admitted, Wants};
use crate::http::door::{Door, Head, knock, log_refusal, refused};
use crate::hub::outbox::Outbox;
use crate::hub::peer::{Joining, Peer, Side, Voice};
use crate::hub::session_id;
use crate::mount::Guest;
use crate::transport::websocket::handshake::{Handshake, NotAHandshake};
use crate::transport::ws;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use eye_protocol::SessionId;
use eye_protocol::close::Close;
use eye_protocol::messages::{PageInfo, Presence, SUBPROTOCOL, SessionRow};
use eye_protocol::scope::Scope;
use serde::Deserialize;

/// The title of original pages, which send none.
const TITLE: &str = "eye-bridge";

#[derive(Clone, Copy, Debug, Default)]
pub struct OriginalEye;

impl Guest for OriginalEye {
    fn routes(&self) -> Router<Door> {
        Router::new().route("/api/eye", get(agent)).route("/api/eye-bridge", get(page))
    }
}

#[derive(Debug, Default, Deserialize)]
struct TokenQuery {
    token: Option<String>,
}

impl TokenQuery {
    fn token(&self) -> Option<&str> {
        self.token.as_deref().filter(|token| !token.is_empty())
    }
}

/// Admits a client of the original. It sends the token in the query and expects the original's texts.
fn admit(door: &Door, headers: &Head, token: Option<&str>, wants: Wants) -> Result<Admitted, Box<Response>> {
    door.gate.admit(wants, knock(headers, token)).map_err(|refusal| {
        let answer = match (refusal.status, token) {
            (401, Some(_)) => "Invalid token",
            (401, None) => "Token required",
            (_, _) => return Box::new(refused(&refusal)),
        };
        log_refusal(&refusal);
        Box::new((StatusCode::UNAUTHORIZED, answer).into_response())
    })
}

/// The session that an original page of this URL had and left.
fn left_behind(rows: &[SessionRow], origin: &str, url: &str) -> Option<SessionId> {
    let same = |row: &&SessionRow| row.title == TITLE && row.origin == origin && row.url == url;
    let gone = rows.iter().filter(same).filter(|row| row.state != Presence::Connected);
    gone.min_by_key(|row| row.idle_ms).and_then(|row| SessionId::parse(&row.id))
}

async fn agent(
    State(door): State<Door>,
    headers: Head,
    Query(query): Query<TokenQuery>,
    handshake: Result<Handshake, NotAHandshake>,
) -> Response {
    let scope = match admit(&door, &headers, query.token(), Wants::Agent) {
        Ok(admitted) => admitted.scope(),
        Err(refusal) => return *refusal,
    };
    let handshake = match handshake {
        Ok(handshake) => handshake.protocol(SUBPROTOCOL),
        Err(why) => return why.into_response(),
    };
    handshake.grant(move |socket| {
        let mut peer = Peer::new(Side::Agent, Voice::Original, Outbox::messages(), None).scoped(scope.clone());
        // The newest page; connected ones come first.
        let rows = door.hub.rows(&scope);
        let there = rows.into_iter().find(|row| row.state != Presence::Gone && !row.frame).map(|row| row.id);
        if there.is_none() {
            peer.close = Some(Close { code: 1000, reason: "no browser connected".into() });
        }
        ws::serve(door.hub, socket, peer, move |hub, conn| match &there {
            Some(page) => {
                hub.target(conn, page.clone());
                hub.tell(conn, original::AGENT_READY);
            }
            None => hub.tell(conn, original::NO_PAGE),
        })
    })
}

async fn page(
    State(door): State<Door>,
    headers: Head,
    Query(query): Query<TokenQuery>,
    handshake: Result<Handshake, NotAHandshake>,
) -> Response {
    // The origin decides the page's policy, as at every endpoint; the token is required in addition, as the original
    // does.
    let admitted = admit(&door, &headers, query.token(), Wants::Page).and_then(|page| {
        match admit(&door, &headers, query.token(), Wants::Agent) {
            Err(refusal) if !query.token().is_some_and(|token| door.gate.joins(token)) => Err(refusal),
            Ok(agent) => Ok((page, agent.bearer())),
            Err(_) => Ok((page, None)),
        }
    });
    let (origin, policy, bearer, by_token) = match admitted {
        Ok((Admitted::Page { origin, policy, bearer }, beside)) => {
            let by_token = bearer.is_some();
            (origin, policy, bearer.or(beside), by_token)
        }
        Ok((Admitted::Public | Admitted::Agent(_) | Admitted::Own | Admitted::Console | Admitted::Extension, _)) => {
            return StatusCode::FORBIDDEN.into_response();
        }
        Err(refusal) => return *refusal,
    };
    let handshake = match handshake {
        Ok(handshake) => handshake.protocol(SUBPROTOCOL),
        Err(why) => return why.into_response(),
    };
    let referer = headers.get(header::REFERER).and_then(|value: &HeaderValue| value.to_str().ok());
    let url = referer.unwrap_or(&origin).to_owned();
    // The original sends no session id. A page of the same URL that was here before counts as the same page, reloaded.
    let before = left_behind(&door.hub.rows(&Scope::ALL), &origin, &url);
    let session = before.unwrap_or_else(session_id::fresh);
    let joining = Joining { session, origin: origin.into(), policy, by_token };
    handshake.grant(move |socket| {
        let peer = Peer::new(Side::Page, Voice::Original, Outbox::messages(), Some(joining)).borne_by(bearer);
        let info = PageInfo { title: Some(TITLE.into()), url: Some(url), ..PageInfo::default() };
        ws::serve(door.hub, socket, peer, move |hub, conn| {
            hub.tell(conn, original::PAGE_READY);
            hub.join(conn, info);
        })
    })
}
