//! Transport of CDP messages: whole JSON texts in both directions. It does not know their meaning.

pub mod process;
pub mod socket;
pub mod tunnel;

use std::io;

/// A connection to a browser.
pub trait Pipe: Send + 'static {
    type Writer: MessageWriter;
    type Reader: MessageReader;

    /// Splits the pipe for use by two tasks: a browser that does not read must not stop this side from reading.
    fn split(self) -> (Self::Writer, Self::Reader);
}

pub trait MessageWriter: Send + 'static {
    /// Writes the messages in order, in one go.
    fn write(&mut self, messages: &[String]) -> impl Future<Output = io::Result<()>> + Send;

    /// Announces that no more messages follow.
    fn close(&mut self) -> impl Future<Output = ()> + Send;
}

pub trait MessageReader: Send + 'static {
    /// The next message. `None`: the pipe ended.
    fn read(&mut self) -> impl Future<Output = io::Result<Option<String>>> + Send;
}
