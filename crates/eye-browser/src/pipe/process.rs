//! The pipe of a browser that eye started with `--remote-debugging-pipe`: UTF-8 JSON, each message followed by a NUL.

use super::{MessageReader, MessageWriter, Pipe};
use crate::limits::MESSAGE_BYTES_MAX;
use serde::de::IgnoredAny;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Bytes to read at once.
const READ_BYTES: usize = 64 << 10;
/// A message up to this size may be parsed before its NUL has arrived.
const EARLY_BYTES_MAX: usize = 4 << 10;

/// The two ends of the browser's pipe.
#[derive(Debug)]
pub struct ProcessPipe<W, R> {
    /// The browser's file descriptor 3.
    pub input: W,
    /// The browser's file descriptor 4.
    pub output: R,
}

impl<W: AsyncWrite + Send + Unpin + 'static, R: AsyncRead + Send + Unpin + 'static> Pipe for ProcessPipe<W, R> {
    type Writer = NulWriter<W>;
    type Reader = NulReader<R>;

    fn split(self) -> (NulWriter<W>, NulReader<R>) {
        (
            NulWriter { input: Some(self.input), buffer: Vec::new() },
            NulReader { output: self.output, buffer: Vec::new(), start: 0, searched: 0, early: false },
        )
    }
}

/// Writes messages, each followed by a NUL.
#[derive(Debug)]
pub struct NulWriter<W> {
    input: Option<W>,
    buffer: Vec<u8>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> MessageWriter for NulWriter<W> {
    async fn write(&mut self, messages: &[String]) -> io::Result<()> {
        let Some(input) = &mut self.input else { return Err(io::ErrorKind::BrokenPipe.into()) };
        self.buffer.clear();
        for message in messages {
            self.buffer.extend_from_slice(message.as_bytes());
            self.buffer.push(0);
        }
        input.write_all(&self.buffer).await?;
        input.flush().await
    }

    async fn close(&mut self) {
        self.input = None;
    }
}

/// Reads messages, each followed by a NUL.
#[derive(Debug)]
pub struct NulReader<R> {
    output: R,
    /// Reused from one message to the next.
    buffer: Vec<u8>,
    /// Where the next message begins.
    start: usize,
    /// The buffer holds no NUL before this position.
    searched: usize,
    /// The last message was returned before its NUL arrived.
    early: bool,
}

impl<R: AsyncRead + Send + Unpin + 'static> MessageReader for NulReader<R> {
    async fn read(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(message) = self.next() {
                return Ok(Some(message));
            }
            if self.buffer.len() > MESSAGE_BYTES_MAX {
                return Err(io::Error::other("a message is over the limit of 256 MiB"));
            }
            self.buffer.reserve(READ_BYTES);
            if self.output.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        }
    }
}

impl<R> NulReader<R> {
    /// The next complete message in the buffer. The rest stays there as the beginning of the next one.
    fn next(&mut self) -> Option<String> {
        if self.early && self.buffer.get(self.start) == Some(&0) {
            self.early = false;
            self.start += 1;
            self.searched = self.start;
        }
        let Some(at) = memchr::memchr(0, &self.buffer[self.searched..]) else {
            self.searched = self.buffer.len();
            self.make_room();
            return self.take_message();
        };
        let (end, all) = (self.searched + at, self.buffer.len());
        let message = if self.start == 0 && end + 1 == all && all > READ_BYTES {
            let mut message = std::mem::take(&mut self.buffer);
            message.truncate(end);
            text(message)
        } else {
            let message = self.buffer[self.start..end].to_vec();
            self.start = end + 1;
            text(message)
        };
        self.searched = self.start;
        Some(message)
    }

    /// Moves the rest to the front, and frees the space that a large message took.
    fn make_room(&mut self) {
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        if self.buffer.is_empty() {
            self.buffer.shrink_to(2 * READ_BYTES);
        }
    }

    /// Returns a small message that is complete but for its NUL. Chromium writes the NUL separately, and the hub would
    /// sleep and wake up again between the two.
    fn take_message(&mut self) -> Option<String> {
        let there = &self.buffer;
        if self.early || there.len() > EARLY_BYTES_MAX || there.last() != Some(&b'}') {
            return None;
        }
        let message = text(there.clone());
        serde_json::from_str::<IgnoredAny>(&message).ok()?;
        self.buffer.clear();
        (self.searched, self.early) = (0, true);
        Some(message)
    }
}

/// Chromium writes a lone surrogate of a page's text as it is, which is not UTF-8.
fn text(message: Vec<u8>) -> String {
    String::from_utf8(message).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::timeout;

    #[tokio::test(flavor = "current_thread")]
    async fn messages_are_split_at_nuls_however_they_arrive() {
        let (mut browser, ours) = tokio::io::duplex(8);
        let (_, mut reader) = ProcessPipe { input: tokio::io::sink(), output: ours }.split();
        let writing = tokio::spawn(async move {
            browser.write_all("{\"a\":\"ä\"}\0\0{}\0unfinished".as_bytes()).await.unwrap();
        });
        assert_eq!(reader.read().await.unwrap().as_deref(), Some("{\"a\":\"ä\"}"));
        assert_eq!(reader.read().await.unwrap().as_deref(), Some(""));
        assert_eq!(reader.read().await.unwrap().as_deref(), Some("{}"));
        assert_eq!(reader.read().await.unwrap(), None);
        writing.await.unwrap();
    }

    /// Reads messages that arrive in these pieces.
    async fn read(pieces: Vec<Vec<u8>>) -> Vec<String> {
        let (mut browser, ours) = tokio::io::duplex(1 << 20);
        let (_, mut reader) = ProcessPipe { input: tokio::io::sink(), output: ours }.split();
        tokio::spawn(async move {
            for piece in pieces {
                browser.write_all(&piece).await.unwrap();
                tokio::task::yield_now().await;
            }
        });
        let mut messages = Vec::new();
        while let Some(message) = reader.read().await.unwrap() {
            messages.push(message);
        }
        messages
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_message_is_given_before_its_nul_and_once() {
        let pieces = [r#"{"id":1}"#, "\0", r#"{"id":2,"result":{}"#, "}", "\0{\"id\":3", "}\0{\"id\":4}"];
        let messages = read(pieces.map(|piece| piece.as_bytes().to_vec()).to_vec()).await;
        assert_eq!(messages, [r#"{"id":1}"#, r#"{"id":2,"result":{}}"#, r#"{"id":3}"#, r#"{"id":4}"#]);
        let (mut browser, ours) = tokio::io::duplex(64);
        let (_, mut reader) = ProcessPipe { input: tokio::io::sink(), output: ours }.split();
        browser.write_all(br#"{"id":5}"#).await.unwrap();
        let early = timeout(Duration::from_secs(10), reader.read()).await.expect("it is given without its NUL");
        assert_eq!(early.unwrap().as_deref(), Some(r#"{"id":5}"#));
        browser.write_all(b"\0{\"id\":6}\0").await.unwrap();
        assert_eq!(reader.read().await.unwrap().as_deref(), Some(r#"{"id":6}"#));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn large_and_small_messages_follow_each_other_however_they_are_cut() {
        let sizes = [3, 100, READ_BYTES - 1, READ_BYTES, READ_BYTES + 1, 10, 5 * READ_BYTES, 0, EARLY_BYTES_MAX, 7];
        let sent: Vec<String> = sizes.iter().map(|size| format!("{{\"a\":\"{}\"}}", "é".repeat(*size))).collect();
        let bytes: Vec<u8> = sent.iter().flat_map(|message| message.bytes().chain([0])).collect();
        for cut in [1_000, READ_BYTES - 1, READ_BYTES, bytes.len()] {
            assert_eq!(read(bytes.chunks(cut).map(<[u8]>::to_vec).collect()).await, sent);
        }
    }

    #[tokio::test(flavor = "current_thread")]
    async fn messages_written_together_are_one_piece() {
        let (mut browser, ours) = tokio::io::duplex(64);
        let (mut writer, _) = ProcessPipe { input: ours, output: tokio::io::empty() }.split();
        writer.write(&["{}".into(), "[]".into()]).await.unwrap();
        writer.close().await;
        let mut written = Vec::new();
        browser.read_to_end(&mut written).await.unwrap();
        assert_eq!(written, b"{}\0[]\0");
        assert!(writer.write(&["{}".into()]).await.is_err());
    }
}
