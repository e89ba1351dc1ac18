//! Connects to the remote hub: TCP, TLS and single HTTP requests. The protocol on top is in the transports.

use crate::secret::Secret;
use bytes::Bytes as Buffer;
use eye_protocol::limits::{REFUSAL_BYTES_MAX, RELAY_IDLE_MS};
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use serde::Deserialize;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::TlsConnector;

/// The address of a remote hub, and what is needed to connect.
#[derive(Clone)]
pub struct Remote {
    /// Host name or IP address, without brackets.
    pub host: String,
    pub port: u16,
    /// The prefix of every path, usually empty.
    pub prefix: String,
    /// The trusted certificates; `None` for plain HTTP.
    pub tls: Option<Arc<ClientConfig>>,
    /// Absent if the hub requires none.
    pub token: Option<Secret>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url())
    }
}

/// Why a link failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The hub cannot be reached or is not the right one: no other transport would do better.
    Unreachable(String),
    /// The hub itself refused.
    Refused {
        /// The hub's message.
        why: String,
        /// The hub's hint.
        hint: Option<String>,
    },
    /// This transport does not get through; another one may.
    Blocked(String),
}

impl Fault {
    /// The reason, in a few words.
    pub fn why(&self) -> &str {
        match self {
            Self::Unreachable(why) | Self::Blocked(why) | Self::Refused { why, .. } => why,
        }
    }
}

/// A byte stream to the remote hub, plain or encrypted.
pub trait Bytes: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Bytes for T {}

impl Remote {
    /// The URL for people, without secrets.
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}{}", self.authority(), self.prefix)
    }

    /// Host and port for URLs and the `Host` header.
    pub fn authority(&self) -> String {
        let (open, close) = if self.host.contains(':') { ("[", "]") } else { ("", "") };
        format!("{open}{}{close}:{}", self.host, self.port)
    }

    /// The value of the `Authorization` header.
    pub fn bearer(&self) -> Result<Option<HeaderValue>, Fault> {
        let Some(token) = &self.token else { return Ok(None) };
        let mut bearer = HeaderValue::from_str(&format!("Bearer {}", token.reveal())).map_err(|_| Fault::Refused {
            why: "the token holds characters that no token has".into(),
            hint: Some("see `eye token show` on the hub's machine".into()),
        })?;
        bearer.set_sensitive(true);
        Ok(Some(bearer))
    }

    pub async fn dial(&self) -> Result<Box<dyn Bytes>, Fault> {
        let unreachable = |error: std::io::Error| Fault::Unreachable(error.to_string());
        let tcp = TcpStream::connect((self.host.as_str(), self.port)).await.map_err(unreachable)?;
        tcp.set_nodelay(true).map_err(unreachable)?;
        let Some(config) = &self.tls else { return Ok(Box::new(tcp)) };
        let name = ServerName::try_from(self.host.clone()).map_err(|error| Fault::Unreachable(error.to_string()))?;
        let tls = TlsConnector::from(config.clone()).connect(name, tcp).await.map_err(unreachable)?;
        Ok(Box::new(tls))
    }
}

/// The body of one request.
pub type RequestBody = Full<Buffer>;

/// An HTTP connection that is kept between requests while it is fresh.
#[derive(Default)]
pub struct Http {
    kept: Option<(SendRequest<RequestBody>, Instant)>,
}

impl Http {
    /// Makes sure that a connection is open on which a request can be sent at once.
    pub async fn prepare(&mut self, remote: &Remote) -> Result<(), Fault> {
        let fresh = Duration::from_millis(RELAY_IDLE_MS);
        if self.kept.as_ref().is_none_or(|(sender, used)| !sender.is_ready() || used.elapsed() >= fresh) {
            self.kept = Some((open(remote).await?, Instant::now()));
        }
        Ok(())
    }

    /// Waits until the connection is free again, after a whole response was read.
    pub async fn settle(&mut self) {
        if let Some((sender, _)) = &mut self.kept {
            // A closed connection is replaced with the next request.
            let _ = sender.ready().await;
        }
    }

    /// Sends one request, and returns its response; the body may still be arriving.
    ///
    /// A connection that the hub may be about to close is not reused: a request without a response could have been
    /// processed, so it could not be sent again.
    pub async fn send(
        &mut self,
        remote: &Remote,
        method: Method,
        path: &str,
        body: Vec<u8>,
    ) -> Result<Response<Incoming>, Fault> {
        self.prepare(remote).await?;
        let Some((mut sender, _)) = self.kept.take() else {
            return Err(Fault::Unreachable("there is no connection".into()));
        };
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", remote.prefix))
            .header(header::HOST, remote.authority())
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(bearer) = remote.bearer()? {
            request = request.header(header::AUTHORIZATION, bearer);
        }
        let request = request.body(RequestBody::from(body)).map_err(|error| Fault::Blocked(error.to_string()))?;
        let response = sender.send_request(request).await.map_err(|error| Fault::Blocked(error.to_string()))?;
        self.kept = Some((sender, Instant::now()));
        let (head, body) = response.into_parts();
        if head.status.is_success() {
            return Ok(Response::from_parts(head, body));
        }
        let body = Limited::new(body, REFUSAL_BYTES_MAX)
            .collect()
            .await
            .map(http_body_util::Collected::to_bytes)
            .unwrap_or_default();
        Err(refusal(head.status, &body))
    }
}

/// An open HTTP connection, ready for a request.
pub async fn open(remote: &Remote) -> Result<SendRequest<RequestBody>, Fault> {
    let bytes = remote.dial().await?;
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(bytes)).await.map_err(|error| Fault::Blocked(error.to_string()))?;
    // The task ends with the last request, when every sender is dropped.
    tokio::spawn(connection);
    sender.ready().await.map_err(|error| Fault::Blocked(error.to_string()))?;
    Ok(sender)
}

/// Interprets an HTTP error status. Only a refusal by the hub itself is final: a proxy may block one transport only.
pub fn refusal(status: StatusCode, body: &[u8]) -> Fault {
    #[derive(Deserialize)]
    struct RefusalBody {
        error: String,
        hint: Option<String>,
    }
    let denied = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN, StatusCode::MISDIRECTED_REQUEST];
    match serde_json::from_slice::<RefusalBody>(body) {
        // The hub's own hint is for the author of a request; this one is for a person at a shell.
        Ok(RefusalBody { error, .. }) if status == StatusCode::UNAUTHORIZED => {
            let hint = "set EYE_TOKEN to what `eye token show` prints on the hub's machine, or use --token-file";
            Fault::Refused { why: error, hint: Some(hint.into()) }
        }
        Ok(RefusalBody { error, hint }) if denied.contains(&status) => Fault::Refused { why: error, hint },
        Ok(RefusalBody { error, .. }) => Fault::Blocked(error),
        Err(_) => Fault::Blocked(status.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(host: &str) -> Remote {
        let token = Some(Secret::new("secret"));
        Remote { host: host.into(), port: 8765, prefix: "/eye".into(), tls: None, token }
    }

    #[test]
    fn an_address_for_people_has_no_secrets() {
        assert_eq!(format!("{:?}", remote("box.local")), "http://box.local:8765/eye");
        assert_eq!(remote("::1").url(), "http://[::1]:8765/eye");
        assert!(!format!("{:?}", remote("box").bearer()).contains("secret"));
    }

    #[test]
    fn only_the_hubs_own_words_are_final() {
        let body = br#"{"error":"the token is not this hub's","hint":"send it"}"#;
        assert!(matches!(refusal(StatusCode::UNAUTHORIZED, body), Fault::Refused { .. }));
        assert_eq!(refusal(StatusCode::FORBIDDEN, b"<html>"), Fault::Blocked("403 Forbidden".into()));
        assert_eq!(refusal(StatusCode::NOT_FOUND, br#"{"error":"Not found"}"#), Fault::Blocked("Not found".into()));
    }
}
