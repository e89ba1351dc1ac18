//! The pipe through the extension. The hub owns its WebSocket, so the messages go through channels.

use super::{MessageReader, MessageWriter, Pipe};
use std::io;
use tokio::sync::mpsc;

/// The channels of an extension's connection.
#[derive(Debug)]
pub struct TunnelPipe {
    /// Messages to the extension. Dropping the sender closes the connection.
    pub outgoing: mpsc::Sender<String>,
    /// Messages from the extension.
    pub incoming: mpsc::Receiver<String>,
}

impl Pipe for TunnelPipe {
    type Writer = TunnelWriter;
    type Reader = TunnelReader;

    fn split(self) -> (TunnelWriter, TunnelReader) {
        (TunnelWriter(Some(self.outgoing)), TunnelReader(self.incoming))
    }
}

/// Writes messages to the channel.
#[derive(Debug)]
pub struct TunnelWriter(Option<mpsc::Sender<String>>);

impl MessageWriter for TunnelWriter {
    async fn write(&mut self, messages: &[String]) -> io::Result<()> {
        let Some(outgoing) = &self.0 else { return Err(io::ErrorKind::BrokenPipe.into()) };
        for message in messages {
            outgoing.send(message.clone()).await.map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(())
    }

    async fn close(&mut self) {
        self.0 = None;
    }
}

/// Reads messages from the channel.
#[derive(Debug)]
pub struct TunnelReader(mpsc::Receiver<String>);

impl MessageReader for TunnelReader {
    async fn read(&mut self) -> io::Result<Option<String>> {
        Ok(self.0.recv().await)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn messages_pass_in_order_and_a_closed_end_is_told() {
        let (outgoing, mut sent) = mpsc::channel(4);
        let (from_extension, incoming) = mpsc::channel(4);
        let (mut writer, mut reader) = TunnelPipe { outgoing, incoming }.split();
        writer.write(&["a".into(), "b".into()]).await.unwrap();
        assert_eq!((sent.recv().await.as_deref(), sent.recv().await.as_deref()), (Some("a"), Some("b")));
        from_extension.send("c".into()).await.unwrap();
        drop(from_extension);
        assert_eq!(reader.read().await.unwrap().as_deref(), Some("c"));
        assert_eq!(reader.read().await.unwrap(), None);
        writer.close().await;
        assert_eq!(sent.recv().await, None);
        assert!(writer.write(&["d".into()]).await.is_err());
    }
}
