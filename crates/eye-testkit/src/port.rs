//! Free ports for programs that listen on them themselves. A process takes ports in blocks that no other test process
//! uses, so a program that is ended and started again finds its port free. `web/harness/ports.ts` does the same.

use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::ops::Range;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Below the range of outgoing connections, so that none of those takes a chosen port.
const FIRST: u16 = 12_000;
const BLOCK_LEN: u16 = 200;
const BLOCKS: u16 = 100;

static PORTS: LazyLock<Mutex<Ports>> = LazyLock::new(|| Mutex::new(Ports::default()));

/// The blocks of one process.
#[derive(Default)]
struct Ports {
    /// The ports of the newest block that were not returned yet.
    left: Range<u16>,
    /// A process holds a block as long as it has the block's first port for UDP, which no program of the tests uses.
    held: Vec<UdpSocket>,
}

impl Ports {
    fn next(&mut self) -> u16 {
        loop {
            if let Some(port) = self.left.find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok()) {
                return port;
            }
            self.take_block();
        }
    }

    fn take_block(&mut self) {
        let start = RandomState::new().hash_one(std::process::id()) % u64::from(BLOCKS);
        let start = u16::try_from(start).expect("less than the count");
        let mut firsts = (0..BLOCKS).map(|at| FIRST + (start + at) % BLOCKS * BLOCK_LEN);
        let taken = firsts.find_map(|first| Some((first, UdpSocket::bind((Ipv4Addr::LOCALHOST, first)).ok()?)));
        let (first, socket) = taken.expect("a block of ports that no other process has");
        self.left = first..first + BLOCK_LEN;
        self.held.push(socket);
    }
}

/// A free loopback port. It is returned once, and to no other process until this one ends.
pub fn free_port() -> u16 {
    PORTS.lock().unwrap_or_else(PoisonError::into_inner).next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn block_of(port: u16) -> u16 {
        FIRST + (port - FIRST) / BLOCK_LEN * BLOCK_LEN
    }

    #[test]
    fn ports_are_given_once_and_not_while_they_are_taken() {
        let mut ports = Ports::default();
        let next = ports.next() + 1;
        let _listener = TcpListener::bind((Ipv4Addr::LOCALHOST, next));
        let given: HashSet<u16> = (0..BLOCK_LEN).map(|_| ports.next()).collect();
        assert_eq!(given.len(), usize::from(BLOCK_LEN));
        assert!(!given.contains(&next));
    }

    #[test]
    fn two_processes_never_get_ports_of_one_block() {
        let (mut one, mut other) = (Ports::default(), Ports::default());
        let blocks = |ports: &mut Ports| (0..2 * BLOCK_LEN).map(|_| block_of(ports.next())).collect::<HashSet<u16>>();
        assert!(blocks(&mut one).is_disjoint(&blocks(&mut other)));
        let held = one.held[0].local_addr().unwrap();
        assert!(UdpSocket::bind(held).is_err(), "another process sees that the block is taken");
    }
}
