//! A server over Streamable HTTP: one POST per message, responses as JSON or as events.

mod headers;
mod old;
mod refusal;

use super::envelope::{self, Era};
use super::listener::{Listener, receive};
use super::reason::Reason;
use super::sse::Events;
use crate::config::Transport;
use crate::error::RpcError;
use crate::http_client::{CONNECT, HttpClient, http_client};
use crate::limits::MESSAGE_BYTES_MAX;
use crate::oauth::{Bearer, Challenge};
use bytes::Bytes;
use eye_protocol::error::with_causes;
use eye_protocol::{Code, Error};
pub use headers::HeaderParams;
use headers::Headers;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode, Uri};
use oauth2::AccessToken;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

/// How often a broken stream is resumed for one response.
const RESUMES_MAX: usize = 10;
/// The pause before resuming if the server sets none, and the longest that it may set.
const RESUME: Duration = Duration::from_millis(500);
const RESUME_MAX: Duration = Duration::from_secs(10);

const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

type Body = Full<Bytes>;

/// The sending side of the connection.
#[derive(Debug)]
pub struct HttpWire {
    client: HttpClient,
    uri: Uri,
    /// The token of the user's login. `None` if the entry sets `Authorization` itself, or the token would be sent
    /// unencrypted.
    bearer: Option<Arc<Bearer>>,
    /// Whether the server's last response was that it requires a login.
    wants_login: AtomicBool,
    /// The URL for printing.
    shown: String,
    headers: Headers,
    era: OnceLock<Era>,
    posts: Mutex<HashMap<u64, AbortHandle>>,
    /// The POST address of a server with the 2024 transport, whose responses all come on one stream.
    endpoint: OnceLock<Uri>,
}

impl HttpWire {
    /// Creates a wire; sends nothing yet.
    pub fn new(transport: &Transport, bearer: Option<Arc<Bearer>>) -> Result<Self, Reason> {
        let Transport::Http { url, shown, headers } = transport else { return Err("it has no url".into()) };
        let uri: Uri = url.parse().map_err(|error| format!("its url is none: {error}"))?;
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let header = HeaderName::try_from(name).map_err(|_| format!("`{name}` is no name of a header"))?;
            let mut value = HeaderValue::try_from(value).map_err(|_| format!("the header {name} has a bad value"))?;
            value.set_sensitive(true);
            map.insert(header, value);
        }
        let client =
            http_client(uri.scheme_str() == Some("https")).map_err(|error| format!("no certificates: {error}"))?;
        Ok(Self {
            client,
            uri,
            bearer: bearer.filter(|bearer| bearer.url() == url && !map.contains_key(AUTHORIZATION)),
            wants_login: AtomicBool::new(false),
            shown: shown.clone(),
            headers: Headers::new(map),
            era: OnceLock::new(),
            posts: Mutex::default(),
            endpoint: OnceLock::new(),
        })
    }

    /// Whether the server requires a login.
    pub fn wants_login(&self) -> bool {
        self.wants_login.load(Ordering::Relaxed)
    }

    pub fn set_era(&self, era: Era) {
        let _ = self.era.set(era);
    }

    /// Sets the revision for all further requests.
    pub fn set_version(&self, version: &str) {
        self.headers.set_version(version);
    }

    /// Sets the parameters that go into headers too.
    pub fn set_header_params(&self, params: HeaderParams) {
        self.headers.set_params(params);
    }

    /// Sends a message in a task of its own; the listener receives what comes back.
    pub fn post(
        self: &Arc<Self>,
        listener: Arc<dyn Listener>,
        id: Option<u64>,
        era: Era,
        method: &str,
        params: Option<&RawValue>,
        text: String,
    ) {
        let headers = self.headers.of(era, method, params);
        let wire = Arc::clone(self);
        let task = tokio::spawn(async move {
            let posted = wire.exchange(&listener, id, headers, text);
            tokio::select! {
                () = listener.closed().cancelled() => {}
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

    /// Sends a notification, and waits until the server has taken it.
    pub async fn tell(&self, listener: &Arc<dyn Listener>, era: Era, method: &str, text: String) {
        let headers = self.headers.of(era, method, None);
        self.exchange(listener, None, headers, text).await;
    }

    /// Closes the stream of a call, which cancels it in the modern era.
    pub fn abort(&self, id: u64) {
        if let Some(task) = self.posts.lock().unwrap_or_else(PoisonError::into_inner).remove(&id) {
            task.abort();
        }
    }

    async fn exchange(&self, listener: &Arc<dyn Listener>, id: Option<u64>, headers: HeaderMap, text: String) {
        // The first request shows whether the server speaks the 2024 transport; if so, it is sent again there.
        let first =
            (self.era.get().is_none() && self.endpoint.get().is_none()).then(|| (headers.clone(), text.clone()));
        match self.send(Method::POST, headers, Some(text)).await {
            Ok(response) => {
                if let Some((headers, text)) = first.filter(|_| old::may_be(response.status()))
                    && self.open_old(listener).await
                {
                    return self.post_old(listener, id, headers, text).await;
                }
                self.answered(listener, id, response).await;
            }
            Err(Unreached { why, unsent }) => {
                if let Some(id) = id.filter(|_| unsent) {
                    listener.fail_unsent(id, &why);
                }
                // Other requests may have reached the server: they fail with the connection, and are not sent again.
                listener.end(&why);
            }
        }
    }

    /// Opens the stream of the 2024 transport. `true` if it names an address, which messages go to from now on.
    async fn open_old(&self, listener: &Arc<dyn Listener>) -> bool {
        let headers = self.headers.of(Era::Legacy, "", None);
        let Ok(response) = self.send(Method::GET, headers, None).await else { return false };
        if !response.status().is_success() || !is_events(&response) {
            return false;
        }
        let (endpoint_sender, endpoint) = oneshot::channel();
        let listener = Arc::clone(listener);
        let following = tokio::spawn(async move {
            let closed = listener.closed().clone();
            tokio::select! {
                () = closed.cancelled() => {}
                () = old::follow(&listener, response, endpoint_sender) => listener.end("its stream of events ended"),
            }
        });
        let endpoint = tokio::time::timeout(old::ENDPOINT, endpoint).await.ok().and_then(Result::ok);
        let named = endpoint.and_then(|address| old::resolved(&self.uri, &address));
        if named.is_none() {
            following.abort();
        }
        named.is_some_and(|endpoint| self.endpoint.set(endpoint).is_ok())
    }

    /// Posts a message to the address that the server named.
    async fn post_old(&self, listener: &Arc<dyn Listener>, id: Option<u64>, headers: HeaderMap, text: String) {
        match self.send(Method::POST, headers, Some(text)).await {
            Ok(response) => self.answered(listener, id, response).await,
            Err(Unreached { why, .. }) => listener.end(&why),
        }
    }

    async fn send(
        &self,
        method: Method,
        headers: HeaderMap,
        text: Option<String>,
    ) -> Result<Response<Incoming>, Unreached> {
        let body = Bytes::from(text.unwrap_or_default());
        let Some(bearer) = &self.bearer else { return self.send_with(None, method, headers, body).await };
        let unrenewed = |error| Unreached { why: format!("the login cannot be renewed: {error}"), unsent: true };
        let token = bearer.token().await.map_err(unrenewed)?;
        let response = self.send_with(token.as_ref(), method.clone(), headers.clone(), body.clone()).await?;
        let Some(token) = token.filter(|_| response.status() == StatusCode::UNAUTHORIZED) else { return Ok(response) };
        match bearer.renew(token).await.map_err(unrenewed)? {
            // A refused request was not processed, so it may be sent again.
            Some(token) => self.send_with(Some(&token), method, headers, body).await,
            None => Ok(response),
        }
    }

    async fn send_with(
        &self,
        token: Option<&AccessToken>,
        method: Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<Incoming>, Unreached> {
        let mut request = Request::new(Body::from(body));
        let posted_to = self.endpoint.get().filter(|_| method == Method::POST);
        *request.uri_mut() = posted_to.unwrap_or(&self.uri).clone();
        *request.headers_mut() = headers;
        let value = token.and_then(|token| HeaderValue::try_from(format!("Bearer {}", token.secret())).ok());
        if let Some(mut value) = value {
            value.set_sensitive(true);
            request.headers_mut().insert(AUTHORIZATION, value);
        }
        let accepted = if method == Method::GET { "text/event-stream" } else { "application/json, text/event-stream" };
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static(accepted));
        if method == Method::POST {
            request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        *request.method_mut() = method;
        self.client.request(request).await.map_err(|error| {
            let unsent = error.is_connect();
            let what = if unsent { "cannot be reached" } else { "broke off" };
            Unreached { why: format!("{} {what}: {}", self.shown, with_causes(&error)), unsent }
        })
    }

    async fn answered(&self, listener: &Arc<dyn Listener>, id: Option<u64>, response: Response<Incoming>) {
        let status = response.status();
        self.headers.take_session(response.headers());
        if status.is_success() {
            self.wants_login.store(false, Ordering::Relaxed);
        }
        if status.is_success() && self.endpoint.get().is_some() {
            // The response comes on the stream.
            return;
        }
        if status.is_success() {
            if is_events(&response) {
                self.listen_for(listener, id, response).await;
            } else if let Some(id) = id {
                match read_body(response).await {
                    Some(body) => receive(listener, body, Some(id)).await,
                    None => listener.passed_over(format!("\"id\":{id},\"result\"").as_bytes(), b""),
                }
                // The body was the only response: if it did not answer the call, nothing will.
                listener.fail(
                    id,
                    server_error(Code::INTERNAL, listener.server(), "answered with something else than JSON-RPC"),
                );
            }
            return;
        }
        let challenge = Challenge::of(response.headers());
        if status == StatusCode::UNAUTHORIZED && self.bearer.is_some() {
            self.wants_login.store(true, Ordering::Relaxed);
        }
        let body = read_body(response).await.unwrap_or_default();
        let error = rpc_error(&body);
        if self.session_is_over(status, error.as_ref()) {
            // The request was refused unprocessed, so it may be sent in a new session.
            let why = "its session is over";
            if let Some(id) = id {
                listener.fail_unsent(id, why);
            }
            listener.end(why);
            return;
        }
        let Some(id) = id else { return };
        let refused = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        let error = match error {
            Some(error) if !refused || self.bearer.is_none() => error,
            Some(_) | None if refused => {
                refusal::refusal(self.bearer.is_some(), listener.server(), status, challenge.as_ref())
            }
            Some(_) | None => refusal::status(listener.server(), status, &body),
        };
        listener.fail(id, error);
    }

    /// Whether the server no longer knows the session. It should answer 404; many answer 400 with a message about it.
    fn session_is_over(&self, status: StatusCode, error: Option<&RpcError>) -> bool {
        let had_session = self.headers.has_session();
        let in_words = || error.is_some_and(|error| error.message.to_lowercase().contains("session"));
        let is_unknown = status == StatusCode::NOT_FOUND || (status == StatusCode::BAD_REQUEST && in_words());
        is_unknown && had_session && self.era.get() == Some(&Era::Legacy)
    }

    /// Reads events until the response is there. A stream that breaks off is resumed.
    async fn listen_for(&self, listener: &Arc<dyn Listener>, id: Option<u64>, response: Response<Incoming>) {
        let mut position = StreamPosition::default();
        let mut response = Some(response);
        for _ in 0..=RESUMES_MAX {
            let Some(stream) = response.take() else { break };
            read_events(listener, id, stream, &mut position).await;
            let (Some(id), Some(last)) = (id, position.last.clone()) else { break };
            if !listener.waits_for(id) {
                return;
            }
            tokio::time::sleep(position.pause).await;
            response = self.take_up(&last).await;
        }
        if let Some(id) = id {
            listener.fail(id, server_error(Code::CONNECTION, listener.server(), "closed the stream without an answer"));
        }
    }

    async fn take_up(&self, last: &HeaderValue) -> Option<Response<Incoming>> {
        let mut headers = self.headers.of(Era::Legacy, "", None);
        headers.insert(LAST_EVENT, last.clone());
        let response = self.send(Method::GET, headers, None).await.ok()?;
        (response.status().is_success() && is_events(&response)).then_some(response)
    }

    /// Reads the server's notifications, while it offers a stream for them. Legacy only.
    pub async fn listen(&self, listener: &Arc<dyn Listener>) {
        if self.endpoint.get().is_some() {
            return;
        }
        let mut position = StreamPosition::default();
        loop {
            let mut headers = self.headers.of(Era::Legacy, "", None);
            if let Some(last) = &position.last {
                headers.insert(LAST_EVENT, last.clone());
            }
            match self.send(Method::GET, headers, None).await {
                Ok(response) if response.status().is_success() && is_events(&response) => {
                    read_events(listener, None, response, &mut position).await;
                }
                // The server offers no such stream.
                Ok(response) if response.status().is_client_error() => return,
                Ok(_) | Err(_) => position.pause = (position.pause * 2).min(RESUME_MAX),
            }
            tokio::time::sleep(position.pause).await;
        }
    }

    /// Ends the session.
    pub async fn farewell(&self) {
        if self.headers.has_session() {
            let headers = self.headers.of(Era::Legacy, "", None);
            let _ = tokio::time::timeout(CONNECT, self.send(Method::DELETE, headers, None)).await;
        }
    }
}

/// A request without a response.
struct Unreached {
    why: String,
    /// The request did not reach a server.
    unsent: bool,
}

/// The position in a stream of events.
struct StreamPosition {
    last: Option<HeaderValue>,
    pause: Duration,
}

impl Default for StreamPosition {
    fn default() -> Self {
        Self { last: None, pause: RESUME }
    }
}

/// Reads a stream. Messages on the stream of a call belong to that call.
async fn read_events(
    listener: &Arc<dyn Listener>,
    about: Option<u64>,
    response: Response<Incoming>,
    position: &mut StreamPosition,
) {
    let mut events = Events::new(MESSAGE_BYTES_MAX);
    let mut body = response.into_body();
    while let Some(Ok(frame)) = body.frame().await {
        let Some(bytes) = frame.data_ref() else { continue };
        for event in events.feed(bytes) {
            match event {
                Ok(event) => {
                    if let Some(id) = event.id.and_then(|id| HeaderValue::try_from(id).ok()) {
                        position.last = Some(id);
                    }
                    if !event.data.is_empty() {
                        receive(listener, event.data, about).await;
                    }
                }
                Err(long) => listener.passed_over(&long.head, &long.tail),
            }
        }
        if let Some(ms) = events.retry_ms {
            position.pause = Duration::from_millis(ms).min(RESUME_MAX);
        }
    }
}

fn is_events(response: &Response<Incoming>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.starts_with("text/event-stream")
}

/// The whole body; `None` if it is longer than a message may be.
async fn read_body(response: Response<Incoming>) -> Option<Vec<u8>> {
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

/// A JSON-RPC error in the body of an HTTP error, as modern servers send it, with or without our id.
fn rpc_error(body: &[u8]) -> Option<RpcError> {
    match envelope::read(body).pop() {
        Some(envelope::Incoming::Response { outcome: Err(error), .. }) => Some(error),
        _ => None,
    }
}

fn server_error(code: Code, server: &str, what: &str) -> RpcError {
    Error::new(code, format!("{server} {what}")).into()
}
