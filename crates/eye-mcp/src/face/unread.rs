//! Asks the kernel whether the peer of a pipe or Unix socket has read everything that was written (Linux only).

/// How to ask for one file. The default cannot tell.
#[derive(Debug, Default)]
pub(super) struct Unread(Option<kernel::Way>);

impl Unread {
    /// For what is written to this file.
    #[cfg(target_os = "linux")]
    pub fn of(file: impl std::os::fd::AsFd) -> Self {
        Self(kernel::Way::of(file.as_fd()).ok())
    }

    /// Whether the kernel can tell.
    pub fn is_known(&self) -> bool {
        self.is_empty().is_some()
    }

    /// Whether everything was read. `None` if the kernel cannot tell.
    pub fn is_empty(&self) -> Option<bool> {
        self.0.as_ref().and_then(|way| way.is_empty().ok())
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use netlink_packet_core::{NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload};
    use netlink_packet_sock_diag::SockDiagMessage;
    use netlink_packet_sock_diag::unix::nlas::Nla;
    use netlink_packet_sock_diag::unix::{ShowFlags, StateFlags, UnixRequest};
    use rustix::fs::{FileType, fstat};
    use rustix::io::ioctl_fionread;
    use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with};
    use std::io;
    use std::os::fd::{BorrowedFd, OwnedFd};

    /// An upper bound for the kernel's answer about one socket.
    const ANSWER_BYTES_MAX: usize = 1024;

    /// The means to ask the kernel.
    #[derive(Debug)]
    pub enum Way {
        /// The writing end reports how many bytes are in the pipe.
        Pipe(OwnedFd),
        /// `sock_diag` reports how many bytes a socket sent that its peer has not read.
        Socket { socket: OwnedFd, question: Vec<u8> },
    }

    impl Way {
        pub fn of(file: BorrowedFd<'_>) -> io::Result<Self> {
            let stat = fstat(file)?;
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::Fifo => Ok(Self::Pipe(file.try_clone_to_owned()?)),
                FileType::Socket => {
                    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
                    let kind = Some(netlink::SOCK_DIAG);
                    let socket = socket_with(AddressFamily::NETLINK, SocketType::DGRAM, flags, kind)?;
                    let inode = u32::try_from(stat.st_ino).map_err(io::Error::other)?;
                    Ok(Self::Socket { socket, question: question(inode) })
                }
                _ => Err(io::ErrorKind::Unsupported.into()),
            }
        }

        pub fn is_empty(&self) -> io::Result<bool> {
            match self {
                Self::Pipe(file) => Ok(ioctl_fionread(file)? == 0),
                Self::Socket { socket, question } => {
                    send(socket, question, SendFlags::empty())?;
                    // The kernel has the answer ready when `send` returns, so receiving does not block.
                    let mut answer = [0_u8; ANSWER_BYTES_MAX];
                    let (count, _) = recv(socket, answer.as_mut_slice(), RecvFlags::empty())?;
                    sent_and_untaken(&answer[..count]).map(|bytes| bytes == 0)
                }
            }
        }
    }

    fn question(inode: u32) -> Vec<u8> {
        let request =
            UnixRequest { state_flags: StateFlags::all(), inode, show_flags: ShowFlags::RQLEN, cookie: [0xff; 8] };
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST;
        let mut message = NetlinkMessage::new(header, SockDiagMessage::UnixRequest(request).into());
        message.finalize();
        let mut bytes = vec![0; message.buffer_len()];
        message.serialize(&mut bytes);
        bytes
    }

    fn sent_and_untaken(answer: &[u8]) -> io::Result<u32> {
        let message = NetlinkMessage::<SockDiagMessage>::deserialize(answer).map_err(io::Error::other)?;
        let NetlinkPayload::InnerMessage(SockDiagMessage::UnixResponse(response)) = message.payload else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let queued = response.nlas.iter().find_map(|nla| match nla {
            Nla::ReceiveQueueLength(_, sent) => Some(*sent),
            _ => None,
        });
        queued.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use std::io;

    /// Other systems have no such means.
    #[derive(Debug)]
    pub enum Way {}

    impl Way {
        pub fn is_empty(&self) -> io::Result<bool> {
            match *self {}
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _, pipe};
    use std::os::unix::net::UnixStream;

    #[test]
    fn the_kernel_knows_what_was_read_of_sockets_and_pipes() {
        let (mut here, mut there) = UnixStream::pair().unwrap();
        let unread = Unread::of(&here);
        assert_eq!(unread.is_empty(), Some(true));
        here.write_all(b"abc").unwrap();
        assert_eq!(unread.is_empty(), Some(false));
        there.read_exact(&mut [0; 3]).unwrap();
        assert_eq!(unread.is_empty(), Some(true));

        let (mut reader, mut writer) = pipe().unwrap();
        let unread = Unread::of(&writer);
        writer.write_all(b"abc").unwrap();
        assert_eq!(unread.is_empty(), Some(false));
        reader.read_exact(&mut [0; 3]).unwrap();
        assert_eq!(unread.is_empty(), Some(true));
        // Neither a pipe nor a socket: the kernel cannot tell.
        assert!(!Unread::of(std::fs::File::open("/dev/null").unwrap()).is_known());
    }
}
