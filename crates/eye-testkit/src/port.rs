//! Free ports for programs that listen on them themselves.

use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Below the range of outgoing connections, so that none of those takes a chosen port.
const FIRST: u16 = 12_000;
const COUNT: u16 = 20_000;

/// The next candidate. Each process starts at a different one.
static NEXT: LazyLock<AtomicU64> = LazyLock::new(|| AtomicU64::new(RandomState::new().hash_one(std::process::id())));

/// A free loopback port. This process returns each port only once.
pub fn free_port() -> u16 {
    let mut ports = (0..COUNT).map(|_| {
        let next = NEXT.fetch_add(1, Ordering::Relaxed) % u64::from(COUNT);
        FIRST + u16::try_from(next).expect("less than the count")
    });
    ports.find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok()).expect("a free port")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ports_are_given_once_and_not_while_they_are_taken() {
        let ports: HashSet<u16> = (0..50).map(|_| free_port()).collect();
        assert_eq!(ports.len(), 50);
        assert!(ports.iter().all(|port| (FIRST..FIRST + COUNT).contains(port)));
        let next = NEXT.load(Ordering::Relaxed) % u64::from(COUNT);
        let taken = FIRST + u16::try_from(next).unwrap();
        let _listener = TcpListener::bind((Ipv4Addr::LOCALHOST, taken));
        assert!((0..50).all(|_| free_port() != taken));
    }
}
