//! A server that is reached over Streamable HTTP: one POST per message, answers as JSON or as events.

mod old;

use super::child::hear;
use super::connection::{Connection, Wire};
use super::envelope::{self, Era, MODERN};
use super::sse::Events;
use crate::config::Transport;
use crate::error::RpcError;
use crate::limits::MESSAGE_BYTES_MAX;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use eye_protocol::{Code, Error};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::task::AbortHandle;

const CONNECT: Duration = Duration::from_secs(10);
/// How often a broken stream is taken up again for one answer.
const RESUMES_MAX: usize = 10;
/// The pause before that, when the server does not say, and the longest that it may say.
const RESUME: Duration = Duration::from_millis(500);
const RESUME_MAX: Duration = Duration::from_secs(10);
/// How much of an error's body is shown.
const BODY_SHOWN_CHARS_MAX: usize = 300;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

type Body = Full<Bytes>;

/// Parameters of a tool that a modern server wants in headers too: where they stand, and the header.
pub type HeaderParams = HashMap<Box<str>, Vec<(Vec<String>, String)>>;

/// The sending end.
#[derive(Debug)]
pub struct HttpWire {
    client: Client<HttpsConnector<HttpConnector>, Body>,
    uri: Uri,
    /// The address as it may be printed.
    shown: String,
    headers: HeaderMap,
    session: Mutex<Option<HeaderValue>>,
    version: OnceLock<HeaderValue>,
    era: OnceLock<Era>,
    posts: Mutex<HashMap<u64, AbortHandle>>,
    header_params: Mutex<Arc<HeaderParams>>,
    /// Where messages go when the server speaks the transport of 2024, whose answers all come on one stream.
    endpoint: OnceLock<Uri>,
}

impl HttpWire {
    /// A wire to this address; nothing is sent yet.
    pub fn new(transport: &Transport) -> Result<Self, String> {
        let Transport::Http { url, shown, headers } = transport else { return Err("it has no url".into()) };
        let uri: Uri = url.parse().map_err(|error| format!("its url is none: {error}"))?;
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let header = HeaderName::try_from(name).map_err(|_| format!("`{name}` is no name of a header"))?;
            let mut value = HeaderValue::try_from(value).map_err(|_| format!("the header {name} has a bad value"))?;
            value.set_sensitive(true);
            map.insert(header, value);
        }
        let mut tcp = HttpConnector::new();
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT));
        tcp.enforce_http(false);
        let builder = HttpsConnectorBuilder::new();
        let builder = if uri.scheme_str() == Some("https") {
            let provider = rustls::crypto::ring::default_provider();
            builder.with_provider_and_native_roots(provider).map_err(|error| format!("no certificates: {error}"))?
        } else {
            // No certificate is looked at on this way, so none need be loaded.
            let provider = Arc::new(rustls::crypto::ring::default_provider());
            let config = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
            let config = config.map_err(|error| error.to_string())?;
            builder.with_tls_config(config.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth())
        };
        let connector = builder.https_or_http().enable_http1().wrap_connector(tcp);
        Ok(Self {
            client: Client::builder(TokioExecutor::new()).build(connector),
            uri,
            shown: shown.clone(),
            headers: map,
            session: Mutex::default(),
            version: OnceLock::new(),
            era: OnceLock::new(),
            posts: Mutex::default(),
            header_params: Mutex::default(),
            endpoint: OnceLock::new(),
        })
    }

    /// Fixes the era.
    pub fn set_era(&self, era: Era) {
        let _ = self.era.set(era);
    }

    /// Fixes the revision that every further request names.
    pub fn set_version(&self, version: &str) {
        if let Ok(value) = HeaderValue::from_str(version) {
            let _ = self.version.set(value);
        }
    }

    /// Which parameters of which tools go into headers too.
    pub fn set_header_params(&self, params: HeaderParams) {
        *self.header_params.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(params);
    }

    /// Sends a message from a task of its own; what comes back is heard by the connection.
    pub fn post(
        &self,
        connection: &Arc<Connection>,
        id: Option<u64>,
        era: Era,
        method: &str,
        params: Option<&RawValue>,
        text: String,
    ) {
        let headers = self.request_headers(era, method, params);
        let connection = Arc::clone(connection);
        let task = tokio::spawn(async move {
            let Wire::Http(wire) = &connection.wire else { return };
            let posted = wire.exchange(&connection, id, headers, text);
            tokio::select! {
                () = connection.closed.cancelled() => {}
                () = posted => {}
            }
            if let Some(id) = id {
                wire.posts.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            }
        });
        if let Some(id) = id
            && !task.is_finished()
        {
            self.posts.lock().unwrap_or_else(PoisonError::into_inner).insert(id, task.abort_handle());
        }
    }

    /// Sends a notification and waits until it was taken.
    pub async fn tell(&self, connection: &Arc<Connection>, era: Era, method: &str, text: String) {
        let headers = self.request_headers(era, method, None);
        self.exchange(connection, None, headers, text).await;
    }

    /// Closes the stream of a call: in the modern era that is what cancels it.
    pub fn abort(&self, id: u64) {
        if let Some(task) = self.posts.lock().unwrap_or_else(PoisonError::into_inner).remove(&id) {
            task.abort();
        }
    }

    fn request_headers(&self, era: Era, method: &str, params: Option<&RawValue>) -> HeaderMap {
        let mut headers = self.headers.clone();
        match era {
            Era::Legacy => {
                if let Some(session) = self.session.lock().unwrap_or_else(PoisonError::into_inner).clone() {
                    headers.insert(SESSION, session);
                }
                if let Some(version) = self.version.get() {
                    headers.insert(VERSION, version.clone());
                }
            }
            Era::Modern => {
                headers.insert(VERSION, HeaderValue::from_static(MODERN));
                self.add_standard_headers(&mut headers, method, params);
            }
        }
        headers
    }

    /// The modern era repeats method, name and marked arguments in headers, for whatever stands in between.
    fn add_standard_headers(&self, headers: &mut HeaderMap, method: &str, params: Option<&RawValue>) {
        let mut add = |name: &str, value: &str| {
            if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(encoded(value))) {
                headers.insert(name, value);
            }
        };
        if method.is_empty() {
            return;
        }
        add("mcp-method", method);
        let key = match method {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            _ => return,
        };
        let params: Value = params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default();
        let Some(name) = params[key].as_str() else { return };
        add("mcp-name", name);
        if method == "tools/call" {
            let marked = Arc::clone(&self.header_params.lock().unwrap_or_else(PoisonError::into_inner));
            for (path, header) in marked.get(name).into_iter().flatten() {
                let value = path.iter().fold(&params["arguments"], |value, step| &value[step.as_str()]);
                let text = match value {
                    Value::String(text) => text.clone(),
                    Value::Bool(_) | Value::Number(_) => value.to_string(),
                    Value::Null | Value::Array(_) | Value::Object(_) => continue,
                };
                add(&format!("mcp-param-{header}"), &text);
            }
        }
    }

    async fn exchange(&self, connection: &Arc<Connection>, id: Option<u64>, headers: HeaderMap, text: String) {
        // The first request may find out that the server speaks the older transport; then it is sent again there.
        let first =
            (self.era.get().is_none() && self.endpoint.get().is_none()).then(|| (headers.clone(), text.clone()));
        match self.send(Method::POST, headers, Some(text)).await {
            Ok(response) => {
                if let Some((headers, text)) = first.filter(|_| old::may_be(response.status()))
                    && self.open_old(connection).await
                {
                    return self.post_old(connection, id, headers, text).await;
                }
                self.answered(connection, id, response).await;
            }
            Err(Unreached { why, unsent }) => {
                if let Some(id) = id.filter(|_| unsent) {
                    connection.fail_unsent(id, &why);
                }
                // What may have been sent ends with the connection, and is not sent again.
                connection.end(&why);
            }
        }
    }

    async fn send(
        &self,
        method: Method,
        headers: HeaderMap,
        text: Option<String>,
    ) -> Result<Response<Incoming>, Unreached> {
        let mut request = Request::new(Body::from(text.unwrap_or_default()));
        let posted_to = self.endpoint.get().filter(|_| method == Method::POST);
        *request.uri_mut() = posted_to.unwrap_or(&self.uri).clone();
        *request.headers_mut() = headers;
        let accepted = if method == Method::GET { "text/event-stream" } else { "application/json, text/event-stream" };
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static(accepted));
        if method == Method::POST {
            request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        *request.method_mut() = method;
        self.client.request(request).await.map_err(|error| {
            let unsent = error.is_connect();
            let what = if unsent { "cannot be reached" } else { "broke off" };
            let mut why = format!("{} {what}: {error}", self.shown);
            let mut cause = std::error::Error::source(&error);
            while let Some(inner) = cause {
                why = format!("{why}: {inner}");
                cause = inner.source();
            }
            Unreached { why, unsent }
        })
    }

    async fn answered(&self, connection: &Arc<Connection>, id: Option<u64>, response: Response<Incoming>) {
        let status = response.status();
        if let Some(session) = response.headers().get(SESSION) {
            *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(session.clone());
        }
        if status.is_success() && self.endpoint.get().is_some() {
            // The answer comes on the stream.
            return;
        }
        if status.is_success() {
            if is_events(&response) {
                self.listen_for(connection, id, response).await;
            } else if let Some(id) = id {
                match whole(response).await {
                    Some(body) => hear(connection, body, Some(id)).await,
                    None => connection.passed_over(format!("\"id\":{id},\"result\"").as_bytes(), b""),
                }
                // Whatever that was, no other answer comes.
                connection
                    .fail(id, said(Code::INTERNAL, &connection.server, "answered with something else than JSON-RPC"));
            }
            return;
        }
        let realm = response.headers().get("www-authenticate").and_then(|value| value.to_str().ok()).map(str::to_owned);
        let body = whole(response).await.unwrap_or_default();
        let error = rpc_error(&body);
        if self.session_is_over(status, error.as_ref()) {
            // The request was refused unread, so it may be sent in a new session.
            let why = "its session is over";
            if let Some(id) = id {
                connection.fail_unsent(id, why);
            }
            connection.end(why);
            return;
        }
        let Some(id) = id else { return };
        if let Some(error) = error {
            connection.fail(id, error);
            return;
        }
        let shown: String = String::from_utf8_lossy(&body).chars().take(BODY_SHOWN_CHARS_MAX).collect();
        let error = match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let wants = realm.map(|realm| format!(" ({realm})")).unwrap_or_default();
                Error::new(Code::DENIED, format!("{} answered {status}{wants}", connection.server))
                    .hint("give it a token: `headers: { Authorization: \"Bearer ${TOKEN}\" }` in its config")
                    .into()
            }
            _ => said(Code::CONNECTION, &connection.server, &format!("answered {status}: {}", shown.trim())),
        };
        connection.fail(id, error);
    }

    /// Whether the server no longer knows the session. It should say 404; many say 400 and tell it in words.
    fn session_is_over(&self, status: StatusCode, error: Option<&RpcError>) -> bool {
        let had_session = self.session.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        let in_words = || error.is_some_and(|error| error.message.to_lowercase().contains("session"));
        let told = status == StatusCode::NOT_FOUND || (status == StatusCode::BAD_REQUEST && in_words());
        told && had_session && self.era.get() == Some(&Era::Legacy)
    }

    /// Hears events until the answer is there. A stream that breaks off is taken up where it was.
    async fn listen_for(&self, connection: &Arc<Connection>, id: Option<u64>, response: Response<Incoming>) {
        let mut place = Place::default();
        let mut response = Some(response);
        for _ in 0..=RESUMES_MAX {
            let Some(stream) = response.take() else { break };
            hear_events(connection, id, stream, &mut place).await;
            let (Some(id), Some(last)) = (id, place.last.clone()) else { break };
            if !connection.waits_for(id) {
                return;
            }
            tokio::time::sleep(place.pause).await;
            response = self.take_up(&last).await;
        }
        if let Some(id) = id {
            connection.fail(id, said(Code::CONNECTION, &connection.server, "closed the stream without an answer"));
        }
    }

    async fn take_up(&self, last: &HeaderValue) -> Option<Response<Incoming>> {
        let mut headers = self.request_headers(Era::Legacy, "", None);
        headers.insert(LAST_EVENT, last.clone());
        let response = self.send(Method::GET, headers, None).await.ok()?;
        (response.status().is_success() && is_events(&response)).then_some(response)
    }

    /// Hears what the server says unasked, as long as it offers that. Legacy only.
    pub async fn listen(&self, connection: &Arc<Connection>) {
        if self.endpoint.get().is_some() {
            return;
        }
        let mut place = Place::default();
        loop {
            let mut headers = self.request_headers(Era::Legacy, "", None);
            if let Some(last) = &place.last {
                headers.insert(LAST_EVENT, last.clone());
            }
            match self.send(Method::GET, headers, None).await {
                Ok(response) if response.status().is_success() && is_events(&response) => {
                    hear_events(connection, None, response, &mut place).await;
                }
                // It offers no such stream.
                Ok(response) if response.status().is_client_error() => return,
                Ok(_) | Err(_) => place.pause = (place.pause * 2).min(RESUME_MAX),
            }
            tokio::time::sleep(place.pause).await;
        }
    }

    /// Says goodbye to a session.
    pub async fn farewell(&self) {
        if self.session.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            let headers = self.request_headers(Era::Legacy, "", None);
            let _ = tokio::time::timeout(CONNECT, self.send(Method::DELETE, headers, None)).await;
        }
    }
}

/// A request that got no response.
struct Unreached {
    why: String,
    /// Nobody was there to take it.
    unsent: bool,
}

/// Where a stream of events is.
struct Place {
    last: Option<HeaderValue>,
    pause: Duration,
}

impl Default for Place {
    fn default() -> Self {
        Self { last: None, pause: RESUME }
    }
}

/// Hears a stream; what comes on the stream of a call is about that call.
async fn hear_events(
    connection: &Arc<Connection>,
    about: Option<u64>,
    response: Response<Incoming>,
    place: &mut Place,
) {
    let mut events = Events::new(MESSAGE_BYTES_MAX);
    let mut body = response.into_body();
    while let Some(Ok(frame)) = body.frame().await {
        let Some(bytes) = frame.data_ref() else { continue };
        for event in events.feed(bytes) {
            match event {
                Ok(event) => {
                    if let Some(id) = event.id.and_then(|id| HeaderValue::try_from(id).ok()) {
                        place.last = Some(id);
                    }
                    if !event.data.is_empty() {
                        hear(connection, event.data, about).await;
                    }
                }
                Err(long) => connection.passed_over(&long.head, &long.tail),
            }
        }
        if let Some(ms) = events.retry_ms {
            place.pause = Duration::from_millis(ms).min(RESUME_MAX);
        }
    }
}

fn is_events(response: &Response<Incoming>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.starts_with("text/event-stream")
}

/// The whole body, unless it is longer than a message may be.
async fn whole(response: Response<Incoming>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut body = response.into_body();
    while let Some(Ok(frame)) = body.frame().await {
        if let Some(data) = frame.data_ref() {
            if bytes.len() + data.len() > MESSAGE_BYTES_MAX {
                return None;
            }
            bytes.extend_from_slice(data);
        }
    }
    Some(bytes)
}

/// Modern servers put an error of JSON-RPC into the body of an error of HTTP, with or without our id.
fn rpc_error(body: &[u8]) -> Option<RpcError> {
    match envelope::read(body).pop() {
        Some(envelope::Incoming::Response { outcome: Err(error), .. }) => Some(error),
        _ => None,
    }
}

fn said(code: Code, server: &str, what: &str) -> RpcError {
    Error::new(code, format!("{server} {what}")).into()
}

/// A value that a header cannot carry travels in base64.
fn encoded(value: &str) -> String {
    let edge = |c: Option<char>| c.is_some_and(|c| c == ' ' || c == '\t');
    let odd = value.chars().any(|c| !(' '..='~').contains(&c))
        || edge(value.chars().next())
        || edge(value.chars().last())
        || (value.starts_with("=?base64?") && value.ends_with("?="));
    if odd { format!("=?base64?{}?=", STANDARD.encode(value)) } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_header_cannot_carry_is_encoded() {
        assert_eq!(encoded("read_file"), "read_file");
        assert_eq!(encoded("ä"), "=?base64?w6Q=?=");
        assert_eq!(encoded(" a"), "=?base64?IGE=?=");
    }
}
