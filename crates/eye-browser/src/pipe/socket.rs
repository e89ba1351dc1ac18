//! The pipe to a CDP endpoint that a person named: a WebSocket, found by its own URL, over HTTP, or through
//! `DevToolsActivePort`.

use super::{MessageReader, MessageWriter, Pipe};
use crate::error::BrowserError;
use crate::limits::{ATTACH_MS, DISCOVERY_BYTES_MAX, MESSAGE_BYTES_MAX};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{Message, protocol::WebSocketConfig};

/// A CDP endpoint.
#[derive(Debug)]
pub struct SocketPipe(WebSocketStream<TcpStream>);

impl SocketPipe {
    /// Connects to `ws://HOST:PORT/devtools/browser/ID`, or to `http://HOST:PORT`, which returns that URL.
    pub async fn connect(url: &str) -> Result<Self, BrowserError> {
        let failed = |why: String| BrowserError::Unreachable { url: url.to_owned(), why };
        let reach = async {
            let ws = match url.strip_prefix("http://") {
                Some(rest) => discover(rest.trim_end_matches('/')).await.map_err(|error| failed(error.to_string()))?,
                None => url.to_owned(),
            };
            let Some(rest) = ws.strip_prefix("ws://") else {
                return Err(failed("write it as ws://… or http://HOST:PORT".into()));
            };
            let host = rest.split('/').next().unwrap_or(rest);
            let stream = TcpStream::connect(host).await.map_err(|error| failed(error.to_string()))?;
            let _ = stream.set_nodelay(true);
            let config = WebSocketConfig::default()
                .max_message_size(Some(MESSAGE_BYTES_MAX))
                .max_frame_size(Some(MESSAGE_BYTES_MAX));
            let (socket, _) = tokio_tungstenite::client_async_with_config(ws, stream, Some(config))
                .await
                .map_err(|error| failed(error.to_string()))?;
            Ok(Self(socket))
        };
        match timeout(Duration::from_millis(ATTACH_MS), reach).await {
            Ok(reached) => reached,
            Err(_) => Err(failed("it did not answer within a minute".into())),
        }
    }

    /// The file in which a browser with this profile writes its endpoint.
    pub fn file_of(folder: &Path) -> PathBuf {
        folder.join("DevToolsActivePort")
    }

    /// Connects to the browser that has this profile open, if it allows debugging.
    pub async fn of_profile(folder: &Path) -> Result<Self, BrowserError> {
        let file = Self::file_of(folder);
        let failed = |why: String| BrowserError::Unreachable { url: file.display().to_string(), why };
        let text = tokio::task::spawn_blocking({
            let file = file.clone();
            move || std::fs::read_to_string(file)
        });
        let text = text.await.map_err(|error| failed(error.to_string()))?.map_err(|error| failed(error.to_string()))?;
        let url = active_port(&text).ok_or_else(|| failed("it holds no port and path".into()))?;
        Self::connect(&url).await
    }
}

/// The endpoint in a `DevToolsActivePort` file: the port, and the path on the next line.
fn active_port(text: &str) -> Option<String> {
    let mut lines = text.lines();
    let port: u16 = lines.next()?.trim().parse().ok()?;
    let path = lines.next()?.trim();
    path.starts_with('/').then(|| format!("ws://127.0.0.1:{port}{path}"))
}

/// Reads the path of the WebSocket from `/json/version`. Keeps the host: an endpoint that names another host would lead
/// the hub to a browser that the person did not name.
async fn discover(host: &str) -> io::Result<String> {
    #[derive(Deserialize)]
    struct Version {
        #[serde(rename = "webSocketDebuggerUrl")]
        url: String,
    }
    let mut stream = TcpStream::connect(host).await?;
    let request = format!("GET /json/version HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(DISCOVERY_BYTES_MAX as u64).read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let version: Version = serde_json::from_str(body)
        .map_err(|_| io::Error::other("it is no debugging endpoint (/json/version does not name one)"))?;
    let path = version.url.strip_prefix("ws://").and_then(|rest| Some(&rest[rest.find('/')?..]));
    path.map(|path| format!("ws://{host}{path}")).ok_or_else(|| io::Error::other("its WebSocket is no ws://HOST/PATH"))
}

impl Pipe for SocketPipe {
    type Writer = SocketWriter;
    type Reader = SocketReader;

    fn split(self) -> (SocketWriter, SocketReader) {
        let (sink, stream) = self.0.split();
        (SocketWriter(sink), SocketReader(stream))
    }
}

#[derive(Debug)]
pub struct SocketWriter(SplitSink<WebSocketStream<TcpStream>, Message>);

impl MessageWriter for SocketWriter {
    async fn write(&mut self, messages: &[String]) -> io::Result<()> {
        for message in messages {
            self.0.feed(Message::text(message.as_str())).await.map_err(io::Error::other)?;
        }
        self.0.flush().await.map_err(io::Error::other)
    }

    async fn close(&mut self) {
        let _ = self.0.close().await;
    }
}

#[derive(Debug)]
pub struct SocketReader(SplitStream<WebSocketStream<TcpStream>>);

impl MessageReader for SocketReader {
    async fn read(&mut self) -> io::Result<Option<String>> {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Text(text))) => return Ok(Some(text.to_string())),
                Some(Ok(Message::Close(_))) | None => return Ok(None),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(io::Error::other(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use tokio::io::{AsyncBufReadExt, BufReader};
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn an_endpoint_leads_to_no_other_host() {
        let named = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let other = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (host, elsewhere) = (named.local_addr().unwrap(), other.local_addr().unwrap());
        let endpoint = async {
            let (mut first, _) = named.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                assert!(first.read_buf(&mut request).await.unwrap() > 0);
            }
            let body = format!(r#"{{"webSocketDebuggerUrl":"ws://{elsewhere}/devtools/browser/x"}}"#);
            first.write_all(format!("HTTP/1.1 200 OK\r\n\r\n{body}").as_bytes()).await.unwrap();
            drop(first);
            let (second, _) = named.accept().await.unwrap();
            let mut line = String::new();
            BufReader::new(second).read_line(&mut line).await.unwrap();
            line
        };
        let url = format!("http://{host}");
        let (line, reached) = tokio::join!(endpoint, SocketPipe::connect(&url));
        assert_eq!(line, "GET /devtools/browser/x HTTP/1.1\r\n");
        assert!(reached.is_err(), "nothing answered");
        assert!(other.accept().now_or_never().is_none(), "nothing came there");
    }

    #[test]
    fn the_active_port_is_a_port_and_a_path() {
        let url = active_port("9222\n/devtools/browser/ab-c\n");
        assert_eq!(url.as_deref(), Some("ws://127.0.0.1:9222/devtools/browser/ab-c"));
        for text in ["", "9222", "x\n/devtools", "9222\nhttp://elsewhere", "99999\n/devtools"] {
            assert_eq!(active_port(text), None, "{text}");
        }
    }
}
