//! A pool of links that are opened before a connection needs one: replaced when taken or lost, and reopened when the
//! hub is back.

use super::link::{RelayLink, Transport};
use super::news::RelayNews;
use crate::dial::{Fault, Remote};
use eye_protocol::limits::{
    RELAY_PAUSE_MAX_MS, RELAY_PAUSE_MIN_MS, RELAY_PROBE_MS, RELAY_RETRY_MS, RELAY_WAIT_MS, RELAY_WARM_LINKS,
};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};

/// The idle links to one remote hub.
pub struct Pool {
    remote: Remote,
    transport: Transport,
    inner: Mutex<Inner>,
    /// A link was taken and must be replaced.
    taken: Notify,
    /// A link was added, or the remote hub is back.
    added: Notify,
}

struct Inner {
    warm: VecDeque<RelayLink>,
    since: Instant,
    /// Why the remote hub cannot be reached; `None` while it can.
    fault: Option<Fault>,
    round_trip: Option<Duration>,
}

/// The state of a pool.
pub struct Condition {
    /// For how long the remote hub has been reachable, or unreachable.
    pub since: Duration,
    /// Why it is unreachable; `None` while it is not.
    pub fault: Option<Fault>,
    /// The number of idle links.
    pub warm: usize,
    /// The last measured round trip.
    pub round_trip: Option<Duration>,
}

impl Pool {
    /// A pool with its first link.
    pub fn new(remote: Remote, transport: Transport, first: RelayLink) -> Self {
        let inner = Inner { warm: VecDeque::from([first]), since: Instant::now(), fault: None, round_trip: None };
        Self { remote, transport, inner: Mutex::new(inner), taken: Notify::new(), added: Notify::new() }
    }

    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    pub fn transport(&self) -> Transport {
        self.transport
    }

    /// An exclusive link: an idle one, or a new one, within `RELAY_WAIT_MS`.
    pub async fn take(&self) -> Result<RelayLink, Fault> {
        let deadline = Instant::now() + Duration::from_millis(RELAY_WAIT_MS);
        let mut fault = Fault::Unreachable(format!("no answer within {} s", RELAY_WAIT_MS / 1000));
        while Instant::now() < deadline {
            if let Some(mut link) = self.pop() {
                match timeout_at(deadline, link.prepare()).await {
                    Ok(Ok(())) => return Ok(link),
                    // Other idle links of this kind would fail too. The `keep` task finds out by itself.
                    Ok(Err(_)) | Err(_) => self.hold().warm.clear(),
                }
            }
            match timeout_at(deadline, RelayLink::open(self.transport, &self.remote)).await {
                Ok(Ok(link)) => {
                    // The hub is reachable, so the `keep` task need not wait any longer.
                    self.taken.notify_one();
                    return Ok(link);
                }
                Ok(Err(refused @ Fault::Refused { .. })) => return Err(refused),
                Ok(Err(other)) => fault = other,
                Err(_) => break,
            }
            let again = deadline.min(Instant::now() + Duration::from_millis(RELAY_RETRY_MS));
            tokio::select! {
                () = sleep_until(again) => {}
                () = self.added.notified() => {}
            }
        }
        Err(fault)
    }

    /// The state of the pool, with a round trip measured now.
    pub async fn look(&self) -> Condition {
        // The link is put back afterwards: the remote hub has received only a ping on it.
        let in_reach = self.hold().fault.is_none();
        let link = match self.pop() {
            None if in_reach => self.take().await.ok(),
            link => link,
        };
        if let Some(mut link) = link
            && let Ok(Ok(round_trip)) = timeout(Duration::from_millis(RELAY_WAIT_MS), link.probe()).await
        {
            let mut inner = self.hold();
            inner.round_trip = Some(round_trip);
            if inner.warm.len() < RELAY_WARM_LINKS {
                inner.warm.push_back(link);
            }
        }
        let inner = self.hold();
        let round_trip = inner.round_trip.filter(|_| inner.fault.is_none());
        Condition { since: inner.since.elapsed(), fault: inner.fault.clone(), warm: inner.warm.len(), round_trip }
    }

    /// Keeps links ready. Never returns.
    pub async fn keep(&self, news: &mut impl FnMut(&RelayNews<'_>)) {
        let mut pause = Pause::default();
        loop {
            if self.hold().warm.len() < RELAY_WARM_LINKS {
                match RelayLink::open(self.transport, &self.remote).await {
                    Ok(link) => {
                        pause = Pause::default();
                        self.add(link, news);
                    }
                    Err(fault) => {
                        self.note_lost(&fault, news);
                        tokio::select! {
                            () = sleep(pause.next()) => {}
                            () = self.taken.notified() => {}
                        }
                    }
                }
                continue;
            }
            tokio::select! {
                () = self.one_lost() => {}
                () = self.taken.notified() => {}
                () = sleep(Duration::from_millis(RELAY_PROBE_MS)) => self.probe_all().await,
            }
        }
    }

    fn hold(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pop(&self) -> Option<RelayLink> {
        let mut inner = self.hold();
        // The `keep` task may not have noticed yet that a link is lost.
        let mut context = Context::from_waker(Waker::noop());
        while let Some(mut link) = inner.warm.pop_front() {
            self.taken.notify_one();
            if link.poll_lost(&mut context).is_pending() {
                return Some(link);
            }
        }
        None
    }

    fn add(&self, link: RelayLink, news: &mut impl FnMut(&RelayNews<'_>)) {
        let mut inner = self.hold();
        inner.warm.push_back(link);
        let was_lost = inner.fault.take().is_some();
        if was_lost {
            inner.since = Instant::now();
        }
        drop(inner);
        self.added.notify_waiters();
        if was_lost {
            news(&RelayNews::Back);
        }
    }

    fn note_lost(&self, fault: &Fault, news: &mut impl FnMut(&RelayNews<'_>)) {
        let mut inner = self.hold();
        if inner.fault.replace(fault.clone()).is_none() {
            inner.since = Instant::now();
            drop(inner);
            news(&RelayNews::Lost(fault.why()));
        }
    }

    /// Waits until a link is lost, and drops all lost ones.
    async fn one_lost(&self) {
        poll_fn(|context| {
            let mut inner = self.hold();
            let before = inner.warm.len();
            inner.warm.retain_mut(|link| link.poll_lost(context).is_pending());
            if inner.warm.len() < before { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Pings every link, which also keeps proxies from closing it.
    async fn probe_all(&self) {
        let links = std::mem::take(&mut self.hold().warm);
        for mut link in links {
            if let Ok(round_trip) = link.probe().await {
                let mut inner = self.hold();
                inner.round_trip = Some(round_trip);
                inner.warm.push_back(link);
            }
        }
    }
}

/// Pauses that grow, with random variation so that relays do not all reconnect at once.
#[derive(Default)]
struct Pause {
    tries: u32,
}

impl Pause {
    fn next(&mut self) -> Duration {
        let mut random = [0_u8; 2];
        // If the system gives no random bytes, only the variation is missing.
        let _ = getrandom::fill(&mut random);
        let longest = RELAY_PAUSE_MIN_MS.saturating_mul(1 << self.tries.min(16)).min(RELAY_PAUSE_MAX_MS);
        self.tries += 1;
        let half = longest / 2;
        Duration::from_millis(half + half * u64::from(u16::from_le_bytes(random)) / u64::from(u16::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_their_limit_and_are_never_the_whole_of_nothing() {
        let mut pause = Pause::default();
        let first = pause.next();
        assert!(first >= Duration::from_millis(RELAY_PAUSE_MIN_MS / 2));
        assert!(first <= Duration::from_millis(RELAY_PAUSE_MIN_MS));
        let last = (0..40).map(|_| pause.next()).last().unwrap();
        assert!(last >= Duration::from_millis(RELAY_PAUSE_MAX_MS / 2));
        assert!(last <= Duration::from_millis(RELAY_PAUSE_MAX_MS));
    }
}
