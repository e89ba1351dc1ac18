//! Wakes the one task that serves a connection: one flag and one waker. A queue of waiters, as in
//! `tokio::sync::Notify`, costs several times as much, and this runs for every frame.

use futures_util::task::AtomicWaker;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

#[derive(Debug, Default)]
pub struct Wake {
    is_notified: AtomicBool,
    waiter: AtomicWaker,
}

impl Wake {
    /// Wakes the waiting task, or the next one that waits.
    pub fn notify_one(&self) {
        if !self.is_notified.swap(true, Ordering::AcqRel) {
            self.waiter.wake();
        }
    }

    /// Waits for a notification. If several tasks wait, only the last one is woken.
    pub async fn notified(&self) {
        poll_fn(|context| self.poll(context)).await;
    }

    /// Ready if there was a notification. Otherwise the task of this context is woken by the next one.
    pub fn poll(&self, context: &Context<'_>) -> Poll<()> {
        if self.is_notified.swap(false, Ordering::AcqRel) {
            return Poll::Ready(());
        }
        self.waiter.register(context.waker());
        // It may have been notified before its waker was registered.
        if self.is_notified.swap(false, Ordering::AcqRel) { Poll::Ready(()) } else { Poll::Pending }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::task::Waker;

    /// Counts its wake-ups.
    #[derive(Default)]
    struct Counting(std::sync::atomic::AtomicUsize);

    impl std::task::Wake for Counting {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_task_is_woken_once_also_by_what_came_before_it_waited() {
        let (wake, counting) = (Wake::default(), Arc::<Counting>::default());
        let waker = Waker::from(counting.clone());
        let context = Context::from_waker(&waker);
        assert!(wake.poll(&context).is_pending());
        wake.notify_one();
        wake.notify_one();
        assert_eq!(counting.0.load(Ordering::Relaxed), 1);
        assert!(wake.poll(&context).is_ready());
        assert!(wake.poll(&context).is_pending());
        wake.notify_one();
        assert_eq!(counting.0.load(Ordering::Relaxed), 2, "it is woken again");
        assert!(wake.poll(&context).is_ready());
        wake.notify_one();
        assert!(wake.poll(&context).is_ready(), "nobody waited");
    }
}
