//! Writes to a peer's socket without waking its task. The first peer that is heard after the hub's thread has waited
//! writes to the sockets of its receivers at the end of its turn, if they are few and the frames small: no other frame
//! is there that could share their message. In all other cases the task of each receiver writes, after all peers that
//! are ready have been heard, so that their frames share a message.

use super::clock::Still;
use super::state::Hub;
use std::cell::Cell;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Weak;

/// Receivers that are written to at the end of one turn. More writes would hold up the thread.
pub const PEERS_MAX: usize = 4;
/// Bytes that are written to one of them.
const BYTES_MAX: usize = 16 << 10;

thread_local! {
    /// No peer was heard on this thread since it last waited for events.
    static FIRST: Cell<bool> = const { Cell::new(false) };
    /// Frames for other peers are sent at the end of the current turn.
    static DIRECT: Cell<bool> = const { Cell::new(false) };
}

/// To be called when the thread has waited for events.
pub fn thread_waited() {
    FIRST.set(true);
}

/// Whether frames for other peers are sent at the end of the current turn.
pub(super) fn is_on() -> bool {
    DIRECT.get()
}

/// The turn of a first peer. Sends when it is dropped, also when the turn panics.
struct Direct<'a>(&'a Hub);

impl<'a> Direct<'a> {
    fn begin(hub: &'a Hub) -> Option<Self> {
        let first = FIRST.replace(false);
        DIRECT.set(first);
        first.then_some(Self(hub))
    }
}

impl Drop for Direct<'_> {
    fn drop(&mut self) {
        DIRECT.set(false);
        self.0.send_directly();
    }
}

impl Hub {
    /// Runs the task of a peer, which the caller pins: moved into another future, it would take its memory twice.
    pub fn directly<F: Future>(&self, mut work: Pin<&mut F>) -> impl Future<Output = F::Output> {
        poll_fn(move |context| {
            let _direct = Direct::begin(self);
            work.as_mut().poll(context)
        })
    }

    /// Runs a turn of the task that is connected to other hubs. It hears their agents and their pages' answers as a
    /// peer's task hears a peer, and the clock stands still meanwhile.
    pub fn directly_now(&self, work: impl FnOnce()) {
        let _direct = Direct::begin(self);
        let _still = Still::begin();
        work();
    }

    /// Writes to the sockets of the receivers. The receiver's own task writes what the socket does not take.
    fn send_directly(&self) {
        let mut state = self.hold();
        let state = &mut *state;
        while let Some(conn) = state.direct.pop() {
            let Some(peer) = state.peers.get_mut(&conn) else { continue };
            let waits = peer.outbox.len_bytes();
            // Its own task may be writing, or about to close it.
            let may = peer.writing_since.is_none() && peer.close.is_none() && (1..=BYTES_MAX).contains(&waits);
            let waiting = peer.outbox.lend().filter(|_| may);
            if let (Some(outlet), Some(waiting)) = (peer.outlet.as_ref().and_then(Weak::upgrade), waiting) {
                let sent = outlet.send(waiting);
                peer.outbox.left(sent.taken);
                state.traffic.bytes_out += sent.taken as u64;
                if sent.all {
                    continue;
                }
                peer.unsent = true;
            }
            peer.signals.wake.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::links::tests::hub;
    use super::super::outbox::{Outbox, Waiting};
    use super::super::outlet::{Outlet, Sent};
    use super::super::peer::{Peer, Side, Voice};
    use super::*;
    use eye_core::Conn;
    use eye_protocol::close::Close;
    use std::pin::pin;
    use std::sync::{Arc, Mutex};
    use std::task::{Context, Poll, Waker};

    /// A socket that takes so much.
    #[derive(Debug)]
    struct Taking(Mutex<(usize, Vec<u8>)>);

    impl Taking {
        fn new(count: usize) -> Arc<Self> {
            Arc::new(Self(Mutex::new((count, Vec::new()))))
        }

        fn written(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().1.clone()).unwrap()
        }
    }

    impl Outlet for Taking {
        fn send(&self, waiting: Waiting<'_>) -> Sent {
            let mut socket = self.0.lock().unwrap();
            let taken = waiting.bytes.len().min(socket.0);
            socket.0 -= taken;
            socket.1.extend_from_slice(&waiting.bytes[..taken]);
            Sent { taken, all: taken == waiting.bytes.len() }
        }
    }

    fn peer(hub: &Arc<Hub>, outlet: &Arc<Taking>) -> Conn {
        let mut peer = Peer::new(Side::Agent, Voice::Eye { typed: false }, Outbox::stream(), None);
        let outlet = Arc::downgrade(outlet);
        peer.outlet = Some(outlet);
        hub.enter(peer).0
    }

    fn ready<F: Future>(work: F) -> F::Output {
        match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => done,
            Poll::Pending => panic!("it waits"),
        }
    }

    /// What the peer's own task would write.
    fn rest(hub: &Hub, conn: Conn) -> Option<Vec<u8>> {
        let signals = hub.hold().peers.get(&conn).unwrap().signals.clone();
        let parcel = pin!(hub.parcel(conn, &signals)).poll(&mut Context::from_waker(Waker::noop()));
        match parcel {
            Poll::Ready(parcel) => parcel.map(|(parcel, _)| parcel.bytes),
            Poll::Pending => None,
        }
    }

    fn ping(hub: &Hub, conn: Conn) {
        hub.receive(conn, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).unwrap();
    }

    const PONG: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"pong\":true}}\n";

    #[test]
    fn only_what_the_first_peer_causes_after_a_wait_is_written_in_its_turn() {
        let (hub, outlet) = (hub(), Taking::new(1 << 20));
        let conn = peer(&hub, &outlet);
        thread_waited();
        ready(hub.directly(pin!(async {
            ping(&hub, conn);
            ping(&hub, conn);
            assert_eq!(outlet.written(), "", "frames of one turn leave together, at its end");
        })));
        assert_eq!(outlet.written(), PONG.repeat(2));
        assert_eq!(rest(&hub, conn), None, "there is nothing left for its task");
        ready(hub.directly(pin!(async { ping(&hub, conn) })));
        ping(&hub, conn);
        assert_eq!(outlet.written(), PONG.repeat(2), "others were heard since");
        assert_eq!(rest(&hub, conn), Some(PONG.repeat(2).into_bytes()));
        assert_eq!(hub.counts().1.bytes_out, 4 * PONG.len() as u64);
    }

    #[test]
    fn what_a_socket_does_not_take_its_own_task_writes_in_order() {
        let (hub, outlet) = (hub(), Taking::new(10));
        let conn = peer(&hub, &outlet);
        for _ in 0..2 {
            thread_waited();
            ready(hub.directly(pin!(async { ping(&hub, conn) })));
        }
        assert_eq!(outlet.written(), PONG[..10]);
        assert_eq!(rest(&hub, conn).unwrap(), &PONG.repeat(2).as_bytes()[10..]);
        // From here on its task is at it, and nothing may overtake that.
        *outlet.0.lock().unwrap() = (1 << 20, Vec::new());
        thread_waited();
        ready(hub.directly(pin!(async { ping(&hub, conn) })));
        assert_eq!(outlet.written(), "");
        assert_eq!(rest(&hub, conn).unwrap(), PONG.as_bytes());
        assert_eq!(rest(&hub, conn), None);
    }

    #[test]
    fn who_is_about_to_be_closed_is_left_to_its_task() {
        let (hub, outlet) = (hub(), Taking::new(1 << 20));
        let conn = peer(&hub, &outlet);
        thread_waited();
        ready(hub.directly(pin!(async {
            ping(&hub, conn);
            hub.hold().peers.get_mut(&conn).unwrap().close_after(Close::shutdown());
        })));
        assert_eq!(outlet.written(), "");
        assert_eq!(rest(&hub, conn).unwrap(), PONG.as_bytes());
    }

    #[test]
    fn many_peers_and_much_are_left_to_their_tasks() {
        let hub = hub();
        let outlets: Vec<_> = (0..=PEERS_MAX).map(|_| Taking::new(1 << 20)).collect();
        let conns: Vec<Conn> = outlets.iter().map(|outlet| peer(&hub, outlet)).collect();
        thread_waited();
        ready(hub.directly(pin!(async {
            for conn in &conns {
                ping(&hub, *conn);
            }
        })));
        let written = outlets.iter().filter(|outlet| outlet.written() == PONG).count();
        assert_eq!(written, PEERS_MAX);
        assert_eq!(conns.iter().filter(|conn| rest(&hub, **conn).is_some()).count(), 1);
        thread_waited();
        ready(hub.directly(pin!(async {
            for _ in 0..=BYTES_MAX / PONG.len() {
                ping(&hub, conns[0]);
            }
        })));
        assert_eq!(outlets[0].written(), PONG);
        assert!(rest(&hub, conns[0]).is_some());
    }
}
