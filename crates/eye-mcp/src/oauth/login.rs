//! Login, split in two: up to the URL that the user opens, and from the browser's return. And logout.

use super::client::Client;
use super::discover::{Found, OFFLINE, discover};
use super::error::OAuthError;
use super::fetch::Fetch;
use super::grant::{Grant, GrantFile};
use super::landing::{Expected, Landing};
use super::metadata::{is_private, plain, short};
use super::tokens;
use oauth2::{AccessToken, AuthUrl, CsrfToken, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope};
use oauth2::{ClientId, ClientSecret};
use serde::Deserialize;
use serde_json::json;
use std::fs::File;
use std::path::Path;
use std::time::Duration;
use url::Url;

/// How long the user may take in the browser.
pub const LOGIN: Duration = Duration::from_mins(5);

/// The input of a login.
#[derive(Debug)]
pub struct Wanted<'a> {
    /// The server's URL.
    pub url: &'a str,
    /// The folder of grants.
    pub folder: &'a Path,
    /// Scopes in addition to those that the server requests.
    pub scopes: Vec<String>,
    /// A client that the user registered. Without it, eye registers one.
    pub client_id: Option<String>,
    /// The redirect port of that client.
    pub port: Option<u16>,
}

/// A login that waits for the user.
#[derive(Debug)]
pub struct Login {
    address: Url,
    landing: Landing,
    redirect: RedirectUrl,
    verifier: PkceCodeVerifier,
    expected: Expected,
    /// Complete except for the tokens.
    grant: Grant,
    file: GrantFile,
    fetch: Fetch,
    /// A lock, held until the end: no other login of this server runs meanwhile.
    _alone: File,
}

#[derive(Deserialize)]
struct Registered {
    client_id: ClientId,
    #[serde(default)]
    client_secret: Option<ClientSecret>,
    #[serde(default)]
    token_endpoint_auth_method: Option<String>,
}

impl Login {
    /// Finds the authorization server, registers with it, and binds a loopback port.
    pub async fn prepare(wanted: Wanted<'_>) -> Result<Self, OAuthError> {
        let upstream = Url::parse(wanted.url).map_err(|_| OAuthError::NotUrl(short(wanted.url)))?;
        if !is_private(&upstream) {
            return Err(OAuthError::Insecure(plain(&upstream)));
        }
        let file = GrantFile::new(wanted.folder, wanted.url);
        let alone = file.lock_login()?;
        let fetch = Fetch::default();
        let found = discover(&fetch, &upstream).await?;
        let landing = Landing::bind(wanted.port).await.map_err(OAuthError::io("listen on 127.0.0.1"))?;
        let redirect = RedirectUrl::new(landing.address()).map_err(|_| OAuthError::NotUrl(landing.address()))?;
        let scopes = scopes(&found, wanted.scopes, file.read().as_ref());
        let client = match wanted.client_id {
            Some(id) => Client { id: ClientId::new(id), secret: None, basic: false },
            None => register(&fetch, &found, &redirect, &scopes).await?,
        };
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let known = client.known().set_auth_uri(AuthUrl::from_url(found.authorization_endpoint.clone()));
        let known = known.set_redirect_uri(redirect.clone());
        let mut request = known
            .authorize_url(CsrfToken::new_random)
            .set_pkce_challenge(challenge)
            .add_scopes(scopes.iter().cloned().map(Scope::new))
            .add_extra_param("resource", found.resource.as_str());
        if scopes.iter().any(|scope| scope == OFFLINE) {
            // OIDC gives a refresh token only with the user's consent.
            request = request.add_extra_param("prompt", "consent");
        }
        let (address, state) = request.url();
        let expected = Expected {
            state,
            issuer: found.server.issuer.clone(),
            names_issuer: found.server.authorization_response_iss_parameter_supported,
        };
        let grant = Grant {
            url: wanted.url.to_owned(),
            resource: found.resource,
            issuer: found.server.issuer,
            token_endpoint: found.token_endpoint.into(),
            revocation_endpoint: found.revocation_endpoint.map(String::from),
            client,
            access_token: AccessToken::new(String::new()),
            refresh_token: None,
            expires_at_s: None,
            scopes,
        };
        Ok(Self { address, landing, redirect, verifier, expected, grant, file, fetch, _alone: alone })
    }

    /// The URL for the user to open.
    pub fn address(&self) -> &Url {
        &self.address
    }

    /// Waits for the browser, exchanges the code, and stores the tokens. Returns the granted scopes.
    pub async fn finish(self) -> Result<Vec<String>, OAuthError> {
        let answer = tokio::time::timeout(LOGIN, self.landing.answer(self.expected)).await;
        let code = answer.map_err(|_| OAuthError::TooLate(LOGIN.as_secs()))??;
        let mut grant = self.grant;
        let response = tokens::exchange(&self.fetch, &grant, code, self.verifier, &self.redirect).await?;
        tokens::take(&mut grant, &response)?;
        let _changing = self.file.lock()?;
        self.file.write(&grant)?;
        Ok(grant.scopes)
    }
}

/// The scopes to request: those that the server wants, those that the user adds, and with added ones also those granted
/// before, so that adding rights removes none.
fn scopes(found: &Found, added: Vec<String>, before: Option<&Grant>) -> Vec<String> {
    let kept = before.filter(|before| before.issuer == found.server.issuer && !added.is_empty());
    let kept = kept.map(|before| before.scopes.clone()).unwrap_or_default();
    let mut all: Vec<String> = Vec::new();
    for scope in found.scopes.iter().cloned().chain(kept).chain(added) {
        if !all.contains(&scope) {
            all.push(scope);
        }
    }
    all
}

/// Registers eye as a public client (RFC 7591). The server may answer with other settings, which are used.
async fn register(
    fetch: &Fetch,
    found: &Found,
    redirect: &RedirectUrl,
    scopes: &[String],
) -> Result<Client, OAuthError> {
    let Some(endpoint) = &found.registration_endpoint else {
        return Err(OAuthError::NoRegistration(short(&found.server.issuer)));
    };
    let mut client = json!({
        "client_name": "eye",
        "application_type": "native",
        "redirect_uris": [redirect.as_str()],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    });
    if !scopes.is_empty() {
        client["scope"] = scopes.join(" ").into();
    }
    let registered = match fetch.post(endpoint, &client).await {
        // Some servers know only their own scopes, not those of the resources behind them.
        Err(OAuthError::Refused { .. }) if !scopes.is_empty() => {
            if let Some(members) = client.as_object_mut() {
                members.remove("scope");
            }
            fetch.post(endpoint, &client).await
        }
        registered => registered,
    };
    let Registered { client_id, client_secret, token_endpoint_auth_method } = registered?;
    let basic = match token_endpoint_auth_method.as_deref() {
        Some(method) => method == "client_secret_basic",
        // RFC 7591 §2: Basic is the default.
        None => client_secret.is_some(),
    };
    Ok(Client { id: client_id, secret: client_secret, basic })
}

/// Logs out: revokes the tokens if the authorization server supports that, and deletes them. Returns whether there were
/// any.
pub async fn logout(folder: &Path, url: &str) -> Result<bool, OAuthError> {
    let file = GrantFile::new(folder, url);
    let _changing = file.lock()?;
    let grant = file.read();
    let was = file.remove()?;
    if let Some(grant) = grant {
        // The tokens are deleted here even if the revocation fails.
        let _ = tokens::revoke(&Fetch::default(), &grant).await;
    }
    Ok(was)
}
