//! Requests to a token endpoint, by the `oauth2` crate over our own HTTP client.

use super::error::OAuthError;
use super::fetch::Fetch;
use super::grant::{Grant, now_s};
use super::metadata::short;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::Request;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use oauth2::basic::{BasicErrorResponseType, BasicRequestTokenError, BasicTokenResponse, BasicTokenType};
use oauth2::{AuthorizationCode, PkceCodeVerifier, RedirectUrl, TokenResponse};
use std::borrow::Cow;
use std::time::Duration;

const FORM: &str = "application/x-www-form-urlencoded";

pub enum Renewed {
    Token(BasicTokenResponse),
    /// The authorization server no longer accepts the refresh token, or there is none.
    Over,
}

/// Exchanges the code of a login. `grant` names the endpoint, client and resource; its tokens are ignored.
pub async fn exchange(
    fetch: &Fetch,
    grant: &Grant,
    code: AuthorizationCode,
    verifier: PkceCodeVerifier,
    redirect: &RedirectUrl,
) -> Result<BasicTokenResponse, OAuthError> {
    let endpoint = grant.client.at(&grant.token_endpoint)?;
    let request = endpoint.exchange_code(code).set_pkce_verifier(verifier).set_redirect_uri(Cow::Borrowed(redirect));
    let request = request.add_extra_param("resource", grant.resource.as_str());
    request.request_async(fetch).await.map_err(|error| to_oauth_error(&grant.issuer, error))
}

pub async fn renew(fetch: &Fetch, grant: &Grant) -> Result<Renewed, OAuthError> {
    let Some(refresh) = &grant.refresh_token else { return Ok(Renewed::Over) };
    let endpoint = grant.client.at(&grant.token_endpoint)?;
    let request = endpoint.exchange_refresh_token(refresh).add_extra_param("resource", grant.resource.as_str());
    match request.request_async(fetch).await {
        Ok(response) => Ok(Renewed::Token(response)),
        Err(BasicRequestTokenError::ServerResponse(refused))
            if matches!(
                refused.error(),
                BasicErrorResponseType::InvalidGrant
                    | BasicErrorResponseType::InvalidClient
                    | BasicErrorResponseType::UnauthorizedClient
            ) =>
        {
            Ok(Renewed::Over)
        }
        Err(error) => Err(to_oauth_error(&grant.issuer, error)),
    }
}

/// Revokes the tokens (RFC 7009). Not by the `oauth2` crate, which requires https: an authorization server on this
/// machine may use http.
pub async fn revoke(fetch: &Fetch, grant: &Grant) -> Result<(), OAuthError> {
    let Some(address) = &grant.revocation_endpoint else { return Ok(()) };
    let (token, kind) = match &grant.refresh_token {
        Some(refresh) => (refresh.secret(), "refresh_token"),
        None => (grant.access_token.secret(), "access_token"),
    };
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.append_pair("token", token).append_pair("token_type_hint", kind);
    let mut request = Request::builder().method("POST").uri(address.as_str()).header(CONTENT_TYPE, FORM);
    match &grant.client.secret {
        Some(secret) if grant.client.basic => {
            let part = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
            let pair = format!("{}:{}", part(&grant.client.id), part(secret.secret()));
            request = request.header(AUTHORIZATION, format!("Basic {}", STANDARD.encode(pair)));
        }
        secret => {
            form.append_pair("client_id", &grant.client.id);
            if let Some(secret) = secret {
                form.append_pair("client_secret", secret.secret());
            }
        }
    }
    let request = request.body(form.finish().into_bytes()).map_err(|_| OAuthError::NotUrl(short(address)))?;
    let response = fetch.send(request).await?;
    if response.status().is_success() {
        return Ok(());
    }
    Err(OAuthError::Status { url: short(address), status: response.status().as_u16() })
}

/// Puts a token response into a grant. Without a new refresh token, the old one stays.
pub fn take(grant: &mut Grant, response: &BasicTokenResponse) -> Result<(), OAuthError> {
    if *response.token_type() != BasicTokenType::Bearer {
        let kind = short(response.token_type().as_ref());
        let error = format!("its token is of the type `{kind}`, which eye does not know");
        return Err(OAuthError::Refused { issuer: short(&grant.issuer), error });
    }
    grant.access_token = response.access_token().clone();
    if let Some(refresh) = response.refresh_token() {
        grant.refresh_token = Some(refresh.clone());
    }
    grant.expires_at_s = response.expires_in().map(|left: Duration| now_s() + left.as_secs());
    if let Some(scopes) = response.scopes() {
        grant.scopes = scopes.iter().map(|scope| scope.to_string()).collect();
    }
    Ok(())
}

fn to_oauth_error(issuer: &str, error: BasicRequestTokenError<OAuthError>) -> OAuthError {
    let issuer = short(issuer);
    match error {
        BasicRequestTokenError::Request(error) => error,
        BasicRequestTokenError::ServerResponse(refused) => {
            OAuthError::Refused { issuer, error: short(&refused.to_string()) }
        }
        // The unparsed body may hold the token, so only the path of the error is shown.
        BasicRequestTokenError::Parse(error, _) => OAuthError::Malformed { url: issuer, why: error.path().to_string() },
        BasicRequestTokenError::Other(why) => OAuthError::Refused { issuer, error: short(&why) },
    }
}
