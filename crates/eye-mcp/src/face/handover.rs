//! Takes over a shim's stdin and stdout: the hub reads the client's requests itself, and the shim only waits. This
//! saves waking up two processes for every call.
//!
//! A client started from a shell shares these files with it, so their flags must be restored in the end.

use super::unread::Unread;
use rustix::fs::{FileType, Mode, OFlags, fcntl_getfl, fcntl_setfl, fstat, open};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use tokio::io::{AsyncRead, AsyncWrite, Interest};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

/// Sent by the hub to a shim that offered its files: it may send them now.
pub const ASK: &[u8] = b"stdio?\n";
/// Sent by the hub when the client has closed its side and has all its answers. Without it, the hub is gone.
pub const DONE: &[u8] = b"done\n";

/// Whether a file can be handed over: only files that can be polled (pipes and sockets).
pub fn can_be_handed_over(file: impl AsFd) -> bool {
    kind(file.as_fd()).is_ok()
}

/// Restores the flags of a file on drop.
#[derive(Debug)]
pub struct Flags<'file> {
    file: BorrowedFd<'file>,
    flags: Option<OFlags>,
}

impl<'file> Flags<'file> {
    /// Remembers the current flags.
    pub fn of(file: BorrowedFd<'file>) -> Self {
        Self { file, flags: fcntl_getfl(file).ok() }
    }
}

impl Drop for Flags<'_> {
    fn drop(&mut self) {
        if let Some(flags) = self.flags {
            let _ = fcntl_setfl(self.file, flags);
        }
    }
}

/// Sends the two files to the hub, which asked for them.
pub fn hand_over(socket: impl AsFd, files: [BorrowedFd<'_>; 2]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&files));
    // Ancillary data is sent only with at least one byte of data.
    sendmsg(socket, &[IoSlice::new(b"\n")], &mut control, SendFlags::empty())?;
    Ok(())
}

/// Requests a shim's files, and receives them.
pub(super) async fn take(socket: &UnixStream) -> io::Result<(Reader, Writer, Unread)> {
    let mut rest = ASK;
    while !rest.is_empty() {
        socket.writable().await?;
        match socket.try_write(rest) {
            Ok(count) => rest = &rest[count..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    let [stdin, stdout] = loop {
        socket.readable().await?;
        match socket.try_io(Interest::READABLE, || receive(socket)) {
            Ok(files) => break files,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    };
    let unread = Unread::of(&stdout);
    Ok((reader(stdin)?, writer(stdout)?, unread))
}

/// Received files must not be inherited by programs that the hub starts. Only Linux can set this on receiving, so
/// nothing is handed over on other systems.
const RECEIVING: RecvFlags = RecvFlags::CMSG_CLOEXEC;

fn receive(socket: &UnixStream) -> io::Result<[OwnedFd; 2]> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, RECEIVING)?;
    let files: Vec<OwnedFd> = control
        .drain()
        .filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(files) => Some(files),
            _ => None,
        })
        .flatten()
        .collect();
    files.try_into().map_err(|_| io::Error::other("the shim sent no files"))
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Pipe,
    Socket,
}

fn kind(file: BorrowedFd<'_>) -> io::Result<Kind> {
    match FileType::from_raw_mode(fstat(file)?.st_mode) {
        FileType::Fifo => Ok(Kind::Pipe),
        FileType::Socket => Ok(Kind::Socket),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// The client's output, which the hub reads.
pub(super) type Reader = Box<dyn AsyncRead + Send + Unpin>;
/// The client's input, which the hub writes.
pub(super) type Writer = Box<dyn AsyncWrite + Send + Unpin>;

fn reader(file: OwnedFd) -> io::Result<Reader> {
    Ok(match kind(file.as_fd())? {
        Kind::Pipe => Box::new(pipe::Receiver::from_owned_fd(opened_anew(&file, OFlags::RDONLY)?)?),
        Kind::Socket => Box::new(socket(file)?),
    })
}

fn writer(file: OwnedFd) -> io::Result<Writer> {
    Ok(match kind(file.as_fd())? {
        Kind::Pipe => Box::new(pipe::Sender::from_owned_fd(opened_anew(&file, OFlags::WRONLY)?)?),
        Kind::Socket => Box::new(socket(file)?),
    })
}

/// Opens the pipe anew, to set flags on our handle only: other holders must keep blocking mode.
fn opened_anew(file: &OwnedFd, access: OFlags) -> io::Result<OwnedFd> {
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(open(path, access | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?)
}

/// A socket cannot be opened anew. The shim holds it too, and restores its flags in the end.
fn socket(file: OwnedFd) -> io::Result<UnixStream> {
    let socket = std::os::unix::net::UnixStream::from(file);
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket)
}
