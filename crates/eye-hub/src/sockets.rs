//! What the kernel knows of this machine's TCP sockets (`sock_diag`, Linux). `/proc/net/tcp` says the same, but each
//! read of it walks the kernel's whole table: 1 ms on some machines, and there are eight of them.

use std::io;
use std::net::SocketAddr;

/// A socket that listens on a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listener {
    /// The user who owns it.
    pub uid: u32,
    /// The kernel's number for it, which `/proc/PID/fd` shows.
    pub inode: u32,
}

/// The user of the socket whose local end is `peer` and whose remote end is `here`. `None`: this machine has no such
/// socket.
pub fn owner(peer: SocketAddr, here: SocketAddr) -> io::Result<Option<u32>> {
    kernel::owner(peer, here)
}

/// All sockets that listen on a port, whatever their address.
pub fn listeners(port: u16) -> io::Result<Vec<Listener>> {
    Ok(kernel::listeners(port)?.into_iter().map(|(uid, inode)| Listener { uid, inode }).collect())
}

#[cfg(target_os = "linux")]
mod kernel {
    use netlink_packet_core::{NLM_F_DUMP, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload};
    use netlink_packet_sock_diag::inet::{ExtensionFlags, InetRequest, SocketId, StateFlags};
    use netlink_packet_sock_diag::{AF_INET, AF_INET6, IPPROTO_TCP, SockDiagMessage};
    use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with};
    use std::io;
    use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
    use std::os::fd::OwnedFd;

    /// What the kernel writes at once, at most.
    const ANSWER_BYTES_MAX: usize = 32 << 10;

    pub fn owner(peer: SocketAddr, here: SocketAddr) -> io::Result<Option<u32>> {
        let (source, destination) = (peer.ip().to_canonical(), here.ip().to_canonical());
        let socket_id = SocketId {
            source_port: peer.port(),
            destination_port: here.port(),
            source_address: source,
            destination_address: destination,
            interface_id: 0,
            cookie: [0xff; 8],
        };
        let family = if source.is_ipv4() { AF_INET } else { AF_INET6 };
        let socket = ask(NLM_F_REQUEST, family, StateFlags::all(), socket_id)?;
        let mut owner = None;
        answer(&socket, |uid, _| owner = Some(uid))?;
        Ok(owner)
    }

    /// The user and the inode of each.
    pub fn listeners(port: u16) -> io::Result<Vec<(u32, u32)>> {
        let mut all = Vec::new();
        let any = [(AF_INET, Ipv4Addr::UNSPECIFIED.into()), (AF_INET6, Ipv6Addr::UNSPECIFIED.into())];
        for (family, address) in any {
            let socket_id = SocketId {
                source_port: port,
                destination_port: 0,
                source_address: address,
                destination_address: address,
                interface_id: 0,
                cookie: [0xff; 8],
            };
            let socket = ask(NLM_F_REQUEST | NLM_F_DUMP, family, StateFlags::LISTEN, socket_id)?;
            while answer(&socket, |uid, inode| all.push((uid, inode)))? {}
        }
        Ok(all)
    }

    fn ask(flags: u16, family: u8, states: StateFlags, socket_id: SocketId) -> io::Result<OwnedFd> {
        let kind = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::NETLINK, SocketType::DGRAM, kind, Some(netlink::SOCK_DIAG))?;
        let extensions = ExtensionFlags::empty();
        let request = InetRequest { family, protocol: IPPROTO_TCP, extensions, states, socket_id };
        let mut header = NetlinkHeader::default();
        header.flags = flags;
        let mut message = NetlinkMessage::new(header, SockDiagMessage::InetRequest(request).into());
        message.finalize();
        let mut bytes = vec![0; message.buffer_len()];
        message.serialize(&mut bytes);
        send(&socket, &bytes, SendFlags::empty())?;
        Ok(socket)
    }

    /// Takes the sockets of one message of the kernel. `false`: it was the last. The kernel writes while it is asked,
    /// and while it is read from, so there is nothing to wait for.
    fn answer(socket: &OwnedFd, mut take: impl FnMut(u32, u32)) -> io::Result<bool> {
        let mut bytes = vec![0_u8; ANSWER_BYTES_MAX];
        let (count, _) = recv(socket, bytes.as_mut_slice(), RecvFlags::empty())?;
        let mut rest = &bytes[..count];
        while !rest.is_empty() {
            let message = NetlinkMessage::<SockDiagMessage>::deserialize(rest).map_err(io::Error::other)?;
            let NetlinkPayload::InnerMessage(SockDiagMessage::InetResponse(response)) = message.payload else {
                return Ok(false);
            };
            take(response.header.uid, response.header.inode);
            // Messages begin at multiples of four bytes.
            let len_bytes = usize::try_from(message.header.length).unwrap_or(usize::MAX).next_multiple_of(4);
            rest = rest.get(len_bytes..).unwrap_or_default();
        }
        Ok(true)
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use std::io;
    use std::net::SocketAddr;

    pub fn owner(_: SocketAddr, _: SocketAddr) -> io::Result<Option<u32>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn listeners(_: u16) -> io::Result<Vec<(u32, u32)>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsFd;

    #[test]
    fn who_listens_on_a_port_is_known_and_who_is_connected_does_not_count() {
        let four = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = four.local_addr().unwrap();
        let _client = TcpStream::connect(here).unwrap();
        let listener = |socket: &TcpListener| {
            let stat = rustix::fs::fstat(socket.as_fd()).unwrap();
            Listener { uid: rustix::process::getuid().as_raw(), inode: u32::try_from(stat.st_ino).unwrap() }
        };
        let mut expected = vec![listener(&four)];
        let six = TcpListener::bind(("::1", here.port())).ok();
        expected.extend(six.as_ref().map(listener));
        assert_eq!(listeners(here.port()).unwrap(), expected);
        drop((four, six));
        assert_eq!(listeners(here.port()).unwrap(), []);
    }

    #[test]
    fn more_listeners_than_one_message_holds_are_all_found() {
        let first = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = first.local_addr().unwrap().port();
        // Every address of 127/8 is this machine's.
        let others = (2..=250).flat_map(|last| [format!("127.0.1.{last}:{port}"), format!("127.0.2.{last}:{port}")]);
        let others: Vec<_> = others.map(|address| TcpListener::bind(address).unwrap()).collect();
        assert_eq!(listeners(port).unwrap().len(), 1 + others.len());
    }
}
