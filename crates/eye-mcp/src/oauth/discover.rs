//! Finds the authorization server of an upstream: requests the upstream without a token, reads the published metadata,
//! and accepts only what is consistent.

use super::challenge::Challenge;
use super::error::OAuthError;
use super::fetch::Fetch;
use super::metadata::{Protected, Server, indicator, plain, resource_places, server_places, trusted};
use http::StatusCode;
use serde_json::json;
use url::Url;

/// The scope that requests a refresh token, if the authorization server supports it (OIDC Core §11).
pub const OFFLINE: &str = "offline_access";

/// Where to log in, and for which scopes.
#[derive(Debug)]
pub struct Found {
    pub resource: String,
    pub server: Server,
    pub authorization_endpoint: Url,
    pub token_endpoint: Url,
    pub registration_endpoint: Option<Url>,
    pub revocation_endpoint: Option<Url>,
    /// The scopes that the upstream requests.
    pub scopes: Vec<String>,
}

/// Discovers the authorization server. `upstream` must have been checked with `is_private`.
pub async fn discover(fetch: &Fetch, upstream: &Url) -> Result<Found, OAuthError> {
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "eye", "version": env!("CARGO_PKG_VERSION") },
    } });
    let answer = fetch.knock(upstream, hello.to_string()).await?;
    let refused = answer.status() == StatusCode::UNAUTHORIZED;
    let challenge = Challenge::of(answer.headers()).unwrap_or_default();
    let resource = resource(fetch, upstream, &challenge).await?;
    let issuer = match resource.as_ref().map(|resource| resource.authorization_servers.first()) {
        Some(Some(issuer)) => trusted(issuer, upstream)?,
        // Before RFC 9728, an upstream was its own authorization server (MCP 2025-03-26).
        Some(None) | None if refused => trusted(upstream.origin().ascii_serialization().as_str(), upstream)?,
        Some(None) | None => return Err(OAuthError::NotProtected(plain(upstream))),
    };
    let server = server(fetch, &issuer).await?;
    let endpoint = |address: &str| trusted(address, upstream);
    let optional = |address: &Option<String>| address.as_deref().map(endpoint).transpose();
    let mut scopes = challenge.scopes;
    if scopes.is_empty() {
        scopes = resource.as_ref().map(|resource| resource.scopes_supported.clone()).unwrap_or_default();
    }
    if server.scopes_supported.iter().any(|scope| scope == OFFLINE) && !scopes.iter().any(|scope| scope == OFFLINE) {
        scopes.push(OFFLINE.into());
    }
    Ok(Found {
        resource: resource.map_or_else(|| indicator(upstream), |resource| resource.resource),
        authorization_endpoint: endpoint(&server.authorization_endpoint)?,
        token_endpoint: endpoint(&server.token_endpoint)?,
        registration_endpoint: optional(&server.registration_endpoint)?,
        revocation_endpoint: optional(&server.revocation_endpoint)?,
        server,
        scopes,
    })
}

async fn resource(fetch: &Fetch, upstream: &Url, challenge: &Challenge) -> Result<Option<Protected>, OAuthError> {
    let places = match &challenge.resource_metadata {
        Some(address) => vec![trusted(address, upstream)?],
        None => resource_places(upstream),
    };
    for place in places {
        if let Some(found) = fetch.document::<Protected>(&place).await? {
            found.check(upstream, &place)?;
            return Ok(Some(found));
        }
    }
    Ok(None)
}

async fn server(fetch: &Fetch, issuer: &Url) -> Result<Server, OAuthError> {
    for place in server_places(issuer) {
        if let Some(found) = fetch.document::<Server>(&place).await? {
            found.check(issuer, &place)?;
            return Ok(found);
        }
    }
    Err(OAuthError::NoServer(plain(issuer)))
}
