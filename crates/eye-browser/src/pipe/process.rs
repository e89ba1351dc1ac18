//! The pipe of a browser that eye started with `--remote-debugging-pipe`: UTF-8 JSON, each message ended by a NUL.

use super::{MessageReader, MessageWriter, Pipe};
use crate::limits::MESSAGE_BYTES_MAX;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Bytes that are read at once.
const READ_BYTES: usize = 64 << 10;

/// The two ends of a process: what it reads and what it writes.
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
            NulReader { output: self.output, buffer: Vec::new(), searched: 0 },
        )
    }
}

/// Writes messages that end with a NUL.
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

/// Reads messages that end with a NUL.
#[derive(Debug)]
pub struct NulReader<R> {
    output: R,
    buffer: Vec<u8>,
    /// How far the buffer is known to hold no NUL.
    searched: usize,
}

impl<R: AsyncRead + Send + Unpin + 'static> MessageReader for NulReader<R> {
    async fn read(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(at) = self.buffer[self.searched..].iter().position(|byte| *byte == 0) {
                let end = self.searched + at;
                let rest = self.buffer.split_off(end + 1);
                let mut message = std::mem::replace(&mut self.buffer, rest);
                message.truncate(end);
                self.searched = 0;
                // A lone surrogate of a page's text is written as it is, which is no UTF-8.
                let text = String::from_utf8(message)
                    .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
                return Ok(Some(text));
            }
            self.searched = self.buffer.len();
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

#[cfg(test)]
mod tests {
    use super::*;

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
