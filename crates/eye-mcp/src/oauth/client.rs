//! eye as a client of an authorization server: its id, and its secret if it has one.

use super::error::OAuthError;
use super::metadata::short;
use oauth2::basic::BasicClient;
use oauth2::{AuthType, ClientId, ClientSecret, EndpointNotSet, EndpointSet, TokenUrl};
use serde::{Deserialize, Serialize};

/// eye's registration at an authorization server.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Client {
    pub id: ClientId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<ClientSecret>,
    /// Whether the secret is sent as HTTP Basic instead of in the body.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub basic: bool,
}

type Endpoint = BasicClient<EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

impl Client {
    /// The `oauth2` client, without endpoints.
    pub fn known(&self) -> BasicClient {
        let kind = if self.basic { AuthType::BasicAuth } else { AuthType::RequestBody };
        let client = BasicClient::new(self.id.clone()).set_auth_type(kind);
        match &self.secret {
            Some(secret) => client.set_client_secret(secret.clone()),
            None => client,
        }
    }

    /// The `oauth2` client with a token endpoint.
    pub fn at(&self, token_endpoint: &str) -> Result<Endpoint, OAuthError> {
        let url = TokenUrl::new(token_endpoint.to_owned()).map_err(|_| OAuthError::NotUrl(short(token_endpoint)))?;
        Ok(self.known().set_token_uri(url))
    }
}
