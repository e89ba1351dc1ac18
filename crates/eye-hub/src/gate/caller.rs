//! Whose program is at the other end of a connection from this machine, as far as the kernel tells.

use rustix::process::getuid;
use std::fmt::Write;
use std::fs;
use std::net::{IpAddr, SocketAddr};

/// The two ends of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// The other end.
    pub peer: SocketAddr,
    /// Our end.
    pub here: SocketAddr,
}

impl Caller {
    /// Whether the kernel says that the other end is another user's. What it does not tell is not held against anybody: there is
    /// no such table but on Linux, and none of another network namespace.
    pub fn is_stranger(self) -> bool {
        let table = match self.peer.ip().to_canonical() {
            IpAddr::V4(_) if self.peer.is_ipv4() => "/proc/net/tcp",
            IpAddr::V4(_) | IpAddr::V6(_) => "/proc/net/tcp6",
        };
        let uid = fs::read_to_string(table).ok().and_then(|table| self.uid_in(&table));
        uid.is_some_and(|uid| uid != getuid().as_raw())
    }

    /// The user of the socket whose own end is our peer, and whose far end is ours.
    fn uid_in(self, table: &str) -> Option<u32> {
        let (peer, here) = (hex(self.peer), hex(self.here));
        table.lines().skip(1).find_map(|line| {
            let mut fields = line.split_whitespace().skip(1);
            let found = fields.next()? == peer && fields.next()? == here;
            found.then(|| fields.nth(4)).flatten()?.parse().ok()
        })
    }
}

/// An address as the kernel's table has it: words of four bytes in the machine's order, and the port.
fn hex(address: SocketAddr) -> String {
    let words = |bytes: &[u8]| {
        bytes.as_chunks::<4>().0.iter().fold(String::new(), |mut text, word| {
            let _ = write!(text, "{:08X}", u32::from_ne_bytes(*word));
            text
        })
    };
    let ip = match address.ip() {
        IpAddr::V4(ip) => words(&ip.octets()),
        IpAddr::V6(ip) => words(&ip.octets()),
    };
    format!("{ip}:{:04X}", address.port())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn the_kernel_knows_whose_connection_it_is() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let here = listener.local_addr().unwrap();
            let client = TcpStream::connect(here).unwrap();
            let caller = Caller { peer: client.local_addr().unwrap(), here };
            let table = fs::read_to_string(if here.is_ipv4() { "/proc/net/tcp" } else { "/proc/net/tcp6" }).unwrap();
            assert_eq!(caller.uid_in(&table), Some(getuid().as_raw()), "{address}");
            assert!(!caller.is_stranger(), "{address}");
        }
    }

    #[test]
    fn another_users_connection_is_told() {
        const TABLE: &str =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:223D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0100007F:223D 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20 4 30 10 -1
   2: 0100007F:D431 0100007F:223D 01 00000000:00000000 00:00000000 00000000  1001        0 3 1 0 20 4 30 10 -1
";
        let caller = |peer: &str, here: &str| Caller { peer: peer.parse().unwrap(), here: here.parse().unwrap() };
        assert_eq!(caller("127.0.0.1:54321", "127.0.0.1:8765").uid_in(TABLE), Some(1001));
        assert_eq!(caller("127.0.0.1:8765", "127.0.0.1:54321").uid_in(TABLE), Some(1000));
        assert_eq!(caller("127.0.0.1:54321", "127.0.0.1:8766").uid_in(TABLE), None);
    }
}
