//! The loopback address that the browser is redirected to after a login (RFC 8252 §7.3). It accepts only an answer
//! with this login's state, once, and only from the expected issuer (RFC 9207).

use super::error::OAuthError;
use super::metadata::short;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use oauth2::{AuthorizationCode, CsrfToken};
use ring::digest::{SHA256, digest};
use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

const PATH: &str = "/callback";
/// Open connections at a time; further ones wait.
const CONNECTIONS_MAX: usize = 32;
/// The limit for reading a request's head, and for sending the response.
const REQUEST: Duration = Duration::from_secs(5);
const HEAD_BYTES_MAX: usize = 16 << 10;

#[derive(Debug)]
pub struct Landing {
    listener: TcpListener,
    port: u16,
}

/// What a valid answer must contain.
#[derive(Clone, Debug)]
pub struct Expected {
    pub state: CsrfToken,
    pub issuer: String,
    /// Whether the authorization server declares that it names itself in the answer.
    pub names_issuer: bool,
}

type Answer = Result<AuthorizationCode, OAuthError>;

impl Landing {
    /// Binds this port, or a free one.
    pub async fn bind(port: Option<u16>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).await?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    /// The redirect address, exactly as registered.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for the answer. Any other request gets an error page and changes nothing.
    pub async fn answer(self, expected: Expected) -> Answer {
        let expected = Arc::new(expected);
        let (sender, mut answers) = mpsc::channel(1);
        let mut connections = JoinSet::new();
        let answer = loop {
            tokio::select! {
                accepted = self.listener.accept(), if connections.len() < CONNECTIONS_MAX => {
                    if let Ok((stream, _)) = accepted {
                        connections.spawn(serve(stream, Arc::clone(&expected), sender.clone()));
                    }
                }
                _ = connections.join_next(), if !connections.is_empty() => {}
                Some(answer) = answers.recv() => break answer,
            }
        };
        // The response page is still being sent.
        let _ = tokio::time::timeout(REQUEST, async { while connections.join_next().await.is_some() {} }).await;
        answer
    }
}

async fn serve(stream: TcpStream, expected: Arc<Expected>, sender: mpsc::Sender<Answer>) {
    let service = service_fn(move |request: Request<Incoming>| {
        let judged = judge(&request, &expected);
        let sender = sender.clone();
        async move { Ok::<_, Infallible>(respond(judged, &sender)) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(REQUEST).max_buf_size(HEAD_BYTES_MAX).keep_alive(false);
    let serving = http.serve_connection(TokioIo::new(stream), service);
    let _ = tokio::time::timeout(REQUEST * 2, serving).await;
}

fn respond(judged: Option<Answer>, sender: &mpsc::Sender<Answer>) -> Response<Full<Bytes>> {
    let (status, text) = match judged {
        Some(answer) => {
            let text = match &answer {
                Ok(_) => "eye has the answer. You can close this tab and go back to the terminal.",
                Err(_) => "The login failed. The terminal says why.",
            };
            // Only the first answer counts.
            let _ = sender.try_send(answer);
            (StatusCode::OK, text)
        }
        None => (StatusCode::BAD_REQUEST, "This is not the answer to a login that eye waits for."),
    };
    let page = format!("<!doctype html><meta charset=utf-8><title>eye</title><p>{text}</p>\n");
    let mut response = Response::new(Full::new(Bytes::from(page)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'"));
    response
}

/// The answer in a request; `None` for a request that does not belong to this login.
fn judge<B>(request: &Request<B>, expected: &Expected) -> Option<Answer> {
    if request.method() != Method::GET || request.uri().path() != PATH {
        return None;
    }
    let query = request.uri().query().unwrap_or_default();
    let pairs: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let one = |name: &str| {
        let mut values = pairs.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let first = values.next();
        if values.next().is_some() { None } else { first }
    };
    // Digests are compared, so that the timing reveals nothing about the state.
    let hash = |text: &str| digest(&SHA256, text.as_bytes()).as_ref().to_vec();
    if one("state").is_none_or(|state| hash(state) != hash(expected.state.secret())) {
        return None;
    }
    let is_issuer = |found: &str| found == expected.issuer;
    match one("iss") {
        Some(found) if !is_issuer(found) => {
            return Some(Err(OAuthError::MixedUp { found: short(found), wanted: expected.issuer.clone() }));
        }
        None if expected.names_issuer => {
            return Some(Err(OAuthError::MixedUp { found: "(none)".into(), wanted: expected.issuer.clone() }));
        }
        Some(_) | None => {}
    }
    Some(match (one("code"), one("error")) {
        (Some(code), None) => Ok(AuthorizationCode::new(code.to_owned())),
        (_, error) => {
            let why = [error, one("error_description")].into_iter().flatten().collect::<Vec<_>>().join(": ");
            let error = if why.is_empty() { "it sent neither a code nor an error".into() } else { short(&why) };
            Err(OAuthError::Refused { issuer: expected.issuer.clone(), error })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(target: &str, names_issuer: bool) -> String {
        let expected =
            Expected { state: CsrfToken::new("s1".into()), issuer: "https://auth.example".into(), names_issuer };
        let request = Request::builder().uri(target).body(()).unwrap();
        match judge(&request, &expected) {
            None => "foreign".into(),
            Some(Ok(code)) => format!("code {}", code.secret()),
            Some(Err(error)) => error.to_string(),
        }
    }

    #[test]
    fn only_the_answer_to_this_login_is_believed() {
        let mixed = "the answer to the login came from the issuer https://evil.example, not from https://auth.example";
        let unnamed = "the answer to the login came from the issuer (none), not from https://auth.example";
        for (target, names_issuer, want) in [
            ("/callback?code=c1&state=s1", false, "code c1"),
            ("/callback?code=c1&state=s1&iss=https%3A%2F%2Fauth.example", true, "code c1"),
            ("/callback?code=c1&state=s1&iss=https%3A%2F%2Fevil.example", false, mixed),
            ("/callback?code=c1&state=s1", true, unnamed),
            ("/callback?code=c1", false, "foreign"),
            ("/callback?code=c1&state=s2", false, "foreign"),
            ("/callback?code=c1&state=s1&state=s1", false, "foreign"),
            ("/callback/?code=c1&state=s1", false, "foreign"),
            ("/?code=c1&state=s1", false, "foreign"),
            (
                "/callback?error=access_denied&error_description=no&state=s1",
                false,
                "the authorization server https://auth.example refused: access_denied: no",
            ),
            (
                "/callback?code=c1&code=c2&state=s1",
                false,
                "the authorization server https://auth.example refused: it sent neither a code nor an error",
            ),
        ] {
            assert_eq!(judged(target, names_issuer), want, "{target}");
        }
    }

    #[test]
    fn only_get_counts() {
        let expected =
            Expected { state: CsrfToken::new("s1".into()), issuer: "https://auth.example".into(), names_issuer: false };
        let request = Request::post("/callback?code=c1&state=s1").body(()).unwrap();
        assert!(judge(&request, &expected).is_none());
    }
}
