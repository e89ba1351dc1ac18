//! HTTP requests to authorization servers: with limits on size and time, without redirects.

use super::error::OAuthError;
use super::metadata::{plain, short};
use crate::http_client::{HttpClient, http_client};
use bytes::Bytes;
use eye_protocol::error::with_causes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use serde::de::DeserializeOwned;
use std::pin::Pin;
use std::sync::OnceLock;
use std::time::Duration;
use url::Url;

/// The limit for one response.
const ANSWER: Duration = Duration::from_secs(20);
/// The longest response that is read.
const ANSWER_BYTES_MAX: usize = 256 << 10;

/// Clients for both schemes, created on first use.
#[derive(Debug, Default)]
pub struct Fetch {
    http: OnceLock<HttpClient>,
    https: OnceLock<HttpClient>,
}

impl Fetch {
    fn client(&self, https: bool) -> Result<&HttpClient, OAuthError> {
        let kept = if https { &self.https } else { &self.http };
        if let Some(client) = kept.get() {
            return Ok(client);
        }
        let client = http_client(https).map_err(OAuthError::io("load the system's certificates"))?;
        Ok(kept.get_or_init(|| client))
    }

    /// Sends one request, and reads the whole response.
    pub async fn send(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, OAuthError> {
        let url = Url::parse(&request.uri().to_string()).map_err(|_| OAuthError::NotUrl(request.uri().to_string()))?;
        let unreached = |why: String| OAuthError::Unreached { url: plain(&url), why };
        let client = self.client(url.scheme() == "https")?;
        let asking = async {
            let response = client.request(request.map(|body| Full::new(Bytes::from(body)))).await;
            let (head, body) = response.map_err(|error| unreached(with_causes(&error)))?.into_parts();
            let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
            let body = body.map_err(|error| unreached(error.to_string()))?.to_bytes().to_vec();
            Ok(Response::from_parts(head, body))
        };
        let late = |_| unreached(format!("no answer within {} s", ANSWER.as_secs()));
        tokio::time::timeout(ANSWER, asking).await.map_err(late)?
    }

    /// A JSON document; `None` if the server answers with a client error.
    pub async fn document<T: DeserializeOwned>(&self, url: &Url) -> Result<Option<T>, OAuthError> {
        let mut request = Request::new(Vec::new());
        *request.uri_mut() = url.as_str().parse().map_err(|_| OAuthError::NotUrl(plain(url)))?;
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
        let response = self.send(request).await?;
        if response.status().is_client_error() {
            return Ok(None);
        }
        read(url, &response).map(Some)
    }

    /// Posts JSON, and reads a JSON response.
    pub async fn post<T: DeserializeOwned>(&self, url: &Url, body: &serde_json::Value) -> Result<T, OAuthError> {
        let response = self.send(post(url, body.to_string())?).await?;
        read(url, &response)
    }

    /// Posts JSON, and returns any response.
    pub async fn knock(&self, url: &Url, body: String) -> Result<Response<Vec<u8>>, OAuthError> {
        let mut request = post(url, body)?;
        let accepted = HeaderValue::from_static("application/json, text/event-stream");
        request.headers_mut().insert(ACCEPT, accepted);
        self.send(request).await
    }
}

impl<'c> oauth2::AsyncHttpClient<'c> for Fetch {
    type Error = OAuthError;
    type Future = Pin<Box<dyn Future<Output = Result<oauth2::HttpResponse, OAuthError>> + Send + 'c>>;

    fn call(&'c self, request: oauth2::HttpRequest) -> Self::Future {
        Box::pin(self.send(request))
    }
}

fn post(url: &Url, body: String) -> Result<Request<Vec<u8>>, OAuthError> {
    let mut request = Request::new(body.into_bytes());
    *request.method_mut() = Method::POST;
    *request.uri_mut() = url.as_str().parse().map_err(|_| OAuthError::NotUrl(plain(url)))?;
    let json = HeaderValue::from_static("application/json");
    request.headers_mut().insert(ACCEPT, json.clone());
    request.headers_mut().insert(CONTENT_TYPE, json);
    Ok(request)
}

/// The JSON of a response. An OAuth error in it keeps its own text.
fn read<T: DeserializeOwned>(url: &Url, response: &Response<Vec<u8>>) -> Result<T, OAuthError> {
    #[derive(serde::Deserialize)]
    struct Refusal {
        error: String,
        #[serde(default)]
        error_description: String,
    }
    if !response.status().is_success() {
        return Err(match serde_json::from_slice::<Refusal>(response.body()) {
            Ok(Refusal { error, error_description }) => {
                let error = short(format!("{error} {error_description}").trim());
                OAuthError::Refused { issuer: plain(url), error }
            }
            Err(_) => OAuthError::Status { url: plain(url), status: response.status().as_u16() },
        });
    }
    let malformed = |error: serde_json::Error| OAuthError::Malformed { url: plain(url), why: error.to_string() };
    serde_json::from_slice(response.body()).map_err(malformed)
}
