//! `/v1/chat/completions`: admits requests, limits their number, and forwards them to the LLM server that was named
//! when the hub started. The server's key stays here. Requests and answers pass unchanged, except for default members.

mod chat_request;
mod pace;
mod trouble;

use crate::gate::Refusal;
use crate::http::body;
use crate::http::door::{Door, Head, admit_own, preflight, with_cors};
use crate::mount::Guest;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::post;
use axum::{Extension, Router};
use bytes::Bytes;
use chat_request::ChatRequest;
use eye_protocol::limits::{
    LLM_ANSWER_BYTES_MAX, LLM_CALLS_MAX, LLM_ERROR_SHOWN_BYTES_MAX, LLM_REQUEST_BYTES_MAX, LLM_SILENCE_MS,
};
use eye_remote::dial::{self, Fault, RequestBody};
use eye_remote::{Remote, Secret};
use futures_util::{StreamExt, stream};
use hyper::client::conn::http1::SendRequest;
use pace::Pace;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;
use trouble::Trouble;

/// Most chunks of a stream that are queued for its reader.
const PIECES_LEN_MAX: usize = 16;
/// How long the server took: for its whole answer, or until its stream began.
const LATENCY: &str = "x-eye-latency-ms";

#[derive(Clone, Debug)]
pub struct LlmServer {
    /// The server's address; the token is its key.
    pub remote: Remote,
    /// The longest wait for the answer to begin, and then for each next chunk.
    pub silence: Duration,
}

impl LlmServer {
    /// A server with the default time limit.
    pub fn new(remote: Remote) -> Self {
        Self { remote, silence: Duration::from_millis(LLM_SILENCE_MS) }
    }
}

/// The client of the LLM server.
#[derive(Debug)]
pub struct Llm {
    remote: Remote,
    silence: Duration,
    calls: Arc<Semaphore>,
    pace: Pace,
}

impl Llm {
    pub fn new(LlmServer { remote, silence }: LlmServer) -> Self {
        Self { remote, silence, calls: Arc::new(Semaphore::new(LLM_CALLS_MAX)), pace: Pace::new(Instant::now()) }
    }

    fn enter(&self) -> Result<OwnedSemaphorePermit, Trouble> {
        let permit = self.calls.clone().try_acquire_owned().map_err(|_| Trouble::Busy)?;
        self.pace.step(Instant::now()).map_err(|wait| Trouble::TooMany { wait })?;
        Ok(permit)
    }

    /// Sends the request. Returns the head of the answer, and a body that is still arriving.
    async fn ask(&self, chat: ChatRequest) -> Result<Answering, Trouble> {
        let url = self.remote.url();
        let unreachable = |fault: Fault| Trouble::Unreachable { url: url.clone(), why: fault.why().to_owned() };
        let begun = Instant::now();
        let exchange = async {
            let mut sender = dial::open(&self.remote).await.map_err(unreachable)?;
            let mut request = Request::post(format!("{}/v1/chat/completions", self.remote.prefix))
                .header(header::HOST, self.remote.authority())
                .header(header::CONTENT_TYPE, "application/json")
                .header(header::ACCEPT, if chat.stream { "text/event-stream" } else { "application/json" });
            let bad_key = |_| Trouble::BadKey;
            if let Some(bearer) = self.remote.bearer().map_err(bad_key)? {
                request = request.header(header::AUTHORIZATION, bearer);
            }
            let request = request.body(RequestBody::from(chat.body)).map_err(|_| Trouble::BadKey)?;
            let answer = sender.send_request(request).await;
            let answer = answer.map_err(|error| unreachable(Fault::Blocked(error.to_string())))?;
            Ok((sender, answer))
        };
        let (sender, answer) = timeout(self.silence, exchange)
            .await
            .map_err(|_| Trouble::Slow { url: url.clone(), silence: self.silence })??;
        let (head, body) = answer.into_parts();
        Ok(Answering { head, body: Body::new(body), begun, silence: self.silence, _connection: sender })
    }

    /// Removes the key from text of the server, which might repeat it.
    fn without_key(&self, text: &str) -> String {
        match self.remote.token.as_ref().map(Secret::reveal).filter(|key| !key.is_empty()) {
            Some(key) => text.replace(key, "…"),
            None => text.to_owned(),
        }
    }

    /// Converts an answer without success to an error.
    async fn refusal(&self, answering: Answering) -> Trouble {
        let status = answering.head.status;
        if status.is_redirection() {
            return Trouble::Redirect { status: status.as_u16() };
        }
        let mut text = Vec::new();
        let mut pieces = answering.body.into_data_stream();
        while text.len() < LLM_ERROR_SHOWN_BYTES_MAX
            && let Ok(Some(Ok(piece))) = timeout(self.silence, pieces.next()).await
        {
            text.extend_from_slice(&piece);
        }
        // Remove the key first: a cut through the key would leave half of it.
        let text = self.without_key(&String::from_utf8_lossy(&text));
        let text: String = text.trim().chars().take(LLM_ERROR_SHOWN_BYTES_MAX).collect();
        Trouble::Status { status: status.as_u16(), text }
    }
}

struct Answering {
    head: axum::http::response::Parts,
    body: Body,
    begun: Instant,
    silence: Duration,
    /// Dropping it ends the connection, once the answer was read.
    _connection: SendRequest<RequestBody>,
}

impl Answering {
    fn media_type(&self) -> Option<&HeaderValue> {
        self.head.headers.get(header::CONTENT_TYPE)
    }

    fn is_stream(&self) -> bool {
        let kind = self.media_type().and_then(|kind| kind.to_str().ok()).unwrap_or("");
        kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream")
    }

    fn respond(&self, body: Body) -> Response {
        let mut response = Response::new(body);
        let headers = response.headers_mut();
        let json = HeaderValue::from_static("application/json");
        headers.insert(header::CONTENT_TYPE, self.media_type().cloned().unwrap_or(json));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(LATENCY, HeaderValue::from(u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)));
        response
    }

    /// Reads an answer that is one JSON text.
    async fn buffered(mut self) -> Result<Response, Trouble> {
        let mut text = Vec::new();
        let mut pieces = std::mem::take(&mut self.body).into_data_stream();
        loop {
            match timeout(self.silence, pieces.next()).await {
                Err(_) => return Err(Trouble::Stalled { silence: self.silence }),
                Ok(None) => break,
                Ok(Some(Err(error))) => return Err(Trouble::Malformed { why: format!("it breaks off: {error}") }),
                Ok(Some(Ok(piece))) if text.len() + piece.len() > LLM_ANSWER_BYTES_MAX => {
                    let why = format!("it is over the limit of {} MiB", LLM_ANSWER_BYTES_MAX >> 20);
                    return Err(Trouble::Malformed { why });
                }
                Ok(Some(Ok(piece))) => text.extend_from_slice(&piece),
            }
        }
        match serde_json::from_slice::<serde::de::IgnoredAny>(&text) {
            Ok(_) => Ok(self.respond(Body::from(text))),
            Err(error) => Err(Trouble::Malformed { why: format!("it is not JSON: {error}") }),
        }
    }

    /// Forwards the chunks of an answer as they arrive. The task holds its permit until the last one.
    fn streamed(mut self, permit: OwnedSemaphorePermit, mut gone: Gone) -> Response {
        let (sender, receiver) = mpsc::channel::<Bytes>(PIECES_LEN_MAX);
        let body = std::mem::take(&mut self.body);
        let pieces = stream::unfold(receiver, async |mut receiver| {
            let piece = receiver.recv().await?;
            Some((Ok::<_, Infallible>(piece), receiver))
        });
        let response = self.respond(Body::from_stream(pieces));
        tokio::spawn(async move {
            let (answering, _permit) = (self, permit);
            let pump = async { pump(body, answering.silence, &sender).await.map_or(Ok(()), Err) };
            tokio::select! {
                () = sender.closed() => {}
                ended = or_revoked(&mut gone, pump) => {
                    if let Err(trouble) = ended {
                        let _ = sender.try_send(trouble.as_event());
                    }
                }
            }
        });
        response
    }
}

/// Forwards all chunks. Returns the error that ended the stream early.
async fn pump(body: Body, silence: Duration, sender: &mpsc::Sender<Bytes>) -> Option<Trouble> {
    let mut pieces = body.into_data_stream();
    let mut passed = 0;
    loop {
        match timeout(silence, pieces.next()).await {
            Err(_) => return Some(Trouble::Stalled { silence }),
            Ok(None) => return None,
            Ok(Some(Err(error))) => return Some(Trouble::Malformed { why: format!("it breaks off: {error}") }),
            Ok(Some(Ok(piece))) => {
                passed += piece.len();
                if passed > LLM_ANSWER_BYTES_MAX {
                    let why = format!("it is over the limit of {} MiB", LLM_ANSWER_BYTES_MAX >> 20);
                    return Some(Trouble::Malformed { why });
                }
                // A reader that takes nothing must not keep its permit.
                if !matches!(timeout(silence, sender.send(piece)).await, Ok(Ok(()))) {
                    return None;
                }
            }
        }
    }
}

/// The LLM pass-through as a guest. Without a server, its answer says how to name one.
#[derive(Clone, Debug)]
pub struct PassThrough(Option<Arc<Llm>>);

impl PassThrough {
    pub fn new(server: Option<LlmServer>) -> Self {
        Self(server.map(|server| Arc::new(Llm::new(server))))
    }
}

impl Guest for PassThrough {
    fn routes(&self) -> Router<Door> {
        Router::new().route("/v1/chat/completions", post(completions).options(preflight)).layer(Extension(self.clone()))
    }
}

/// Forwards a request and returns the answer.
async fn completions(State(door): State<Door>, Extension(guest): Extension<PassThrough>, request: Request) -> Response {
    let head = Head::of(request.headers(), request.extensions());
    let response = match passed(&door, &guest, request).await {
        Ok(response) => response,
        Err(trouble) => trouble.response(),
    };
    with_cors(&door, &head, response)
}

async fn passed(door: &Door, guest: &PassThrough, request: Request) -> Result<Response, Trouble> {
    let ground = admit_own(door, &Head::of(request.headers(), request.extensions())).map_err(Trouble::NotAllowed)?;
    let llm = guest.0.as_ref().ok_or(Trouble::None)?;
    let body = body::read(request.into_body(), LLM_REQUEST_BYTES_MAX).await.map_err(Trouble::Body)?;
    let chat = ChatRequest::parse(&body).map_err(Trouble::Invalid)?;
    let permit = llm.enter()?;
    let mut gone: Gone = Box::pin(ground.gone());
    let answering = or_revoked(&mut gone, llm.ask(chat)).await?;
    match answering.head.status {
        status if !status.is_success() => Err(llm.refusal(answering).await),
        StatusCode::OK if answering.is_stream() => Ok(answering.streamed(permit, gone)),
        _ => or_revoked(&mut gone, answering.buffered()).await,
    }
}

/// Resolves with the reason when the client's admission ends.
type Gone = Pin<Box<dyn Future<Output = Refusal> + Send>>;

/// Ends the work when the client's admission ends.
async fn or_revoked<T>(gone: &mut Gone, work: impl Future<Output = Result<T, Trouble>>) -> Result<T, Trouble> {
    tokio::select! {
        done = work => done,
        refusal = gone => Err(Trouble::NotAllowed(refusal)),
    }
}
