//! How CDP messages travel: whole JSON texts both ways. It knows nothing of what they mean.

pub mod process;
pub mod socket;
pub mod tunnel;

use std::io;

/// A way to a browser.
pub trait Pipe: Send + 'static {
    /// The end that is written to.
    type Writer: MessageWriter;
    /// The end that is read from.
    type Reader: MessageReader;

    /// Both ends, to be used by two tasks: a browser that does not read must not keep us from reading.
    fn split(self) -> (Self::Writer, Self::Reader);
}

/// Writes messages.
pub trait MessageWriter: Send + 'static {
    /// Writes these, in order, together.
    fn write(&mut self, messages: &[String]) -> impl Future<Output = io::Result<()>> + Send;

    /// Says that nothing more comes.
    fn close(&mut self) -> impl Future<Output = ()> + Send;
}

/// Reads messages.
pub trait MessageReader: Send + 'static {
    /// The next message. `None`: the pipe ended.
    fn read(&mut self) -> impl Future<Output = io::Result<Option<String>>> + Send;
}
