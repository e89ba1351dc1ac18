//! Lets the frames of several turns of one peer share a message. A peer that has sent many frames at once is heard in
//! short turns, and others go first in between. If the writers of its receivers were woken behind each turn, a page
//! would get hundreds of small messages, each of which costs it more than the calls in it. So they are woken when the
//! peer has no more frames at hand, or after some turns, or when enough waits for a message.

use super::peer::Signals;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// When so many bytes wait, they are sent: a longer message saves nothing more.
pub const BYTES_MAX: usize = 4 << 10;

thread_local! {
    /// Whether a turn is on, in which receivers are gathered.
    static IS_ON: Cell<bool> = const { Cell::new(false) };
    /// The receivers whose writers are to be woken behind this turn or a later one of the same peer.
    static RECEIVERS: RefCell<Vec<Arc<Signals>>> = const { RefCell::new(Vec::new()) };
}

/// The receivers that wait between two turns of a peer.
#[derive(Debug, Default)]
pub struct Gathering {
    receivers: Mutex<Vec<Arc<Signals>>>,
    /// Whether there are any.
    any: AtomicBool,
}

impl Gathering {
    /// Begins a turn. It ends when the value is dropped, also when the turn panics.
    pub fn begin(&self) -> GatheringTurn<'_> {
        IS_ON.set(true);
        if self.any.swap(false, Ordering::Relaxed) {
            let mut waiting = self.receivers.lock().unwrap_or_else(PoisonError::into_inner);
            RECEIVERS.with_borrow_mut(|receivers| receivers.append(&mut waiting));
        }
        GatheringTurn { of: self, goes_on: false }
    }
}

impl Drop for Gathering {
    fn drop(&mut self) {
        let waiting = self.receivers.get_mut().unwrap_or_else(PoisonError::into_inner);
        for signals in waiting.iter() {
            signals.wake.notify_one();
        }
    }
}

/// A turn in which receivers are gathered.
#[derive(Debug)]
pub struct GatheringTurn<'a> {
    of: &'a Gathering,
    /// Whether the receivers wait for the peer's next turn.
    pub goes_on: bool,
}

impl Drop for GatheringTurn<'_> {
    fn drop(&mut self) {
        IS_ON.set(false);
        RECEIVERS.with_borrow_mut(|receivers| {
            if self.goes_on && !receivers.is_empty() {
                self.of.receivers.lock().unwrap_or_else(PoisonError::into_inner).append(receivers);
                self.of.any.store(true, Ordering::Relaxed);
            } else {
                for signals in receivers.drain(..) {
                    signals.wake.notify_one();
                }
            }
        });
    }
}

/// Something was written for a receiver, for whom so many bytes wait now: its writer is woken at once, or behind a turn
/// of the peer that is heard.
pub(crate) fn wake(signals: &Arc<Signals>, bytes: usize) {
    if !IS_ON.get() || bytes >= BYTES_MAX {
        return signals.wake.notify_one();
    }
    RECEIVERS.with_borrow_mut(|receivers| {
        if receivers.last().is_none_or(|last| !Arc::ptr_eq(last, signals)) {
            receivers.push(signals.clone());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn is_woken(signals: &Signals) -> bool {
        pin!(signals.wake.notified()).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn writers_are_woken_when_the_peer_has_no_more_or_enough_waits() {
        let (gathering, page) = (Gathering::default(), Arc::<Signals>::default());
        let mut turn = gathering.begin();
        wake(&page, 10);
        turn.goes_on = true;
        drop(turn);
        assert!(!is_woken(&page), "the peer has more");
        drop(gathering.begin());
        assert!(is_woken(&page));
        let mut turn = gathering.begin();
        wake(&page, BYTES_MAX);
        assert!(is_woken(&page), "a message is full");
        wake(&page, 10);
        turn.goes_on = true;
        drop(turn);
        wake(&page, 10);
        assert!(is_woken(&page), "another wakes it at once");
        drop(gathering);
        assert!(is_woken(&page), "the peer is gone");
    }

    #[test]
    fn a_turn_that_broke_off_wakes_them() {
        let (gathering, page) = (Gathering::default(), Arc::<Signals>::default());
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _turn = gathering.begin();
            wake(&page, 10);
            panic!("in the midst of a turn");
        }));
        assert!(broken.is_err() && is_woken(&page));
    }
}
