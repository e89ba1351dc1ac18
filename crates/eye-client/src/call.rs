//! One call under way: waiting for its ending, hearing of its progress, cancelling it.

use crate::calls::Slot;
use crate::error::Error;
use crate::link::{self, Link};
use crate::mailbox::Taken;
use crate::progress::Progress;
use serde_json::json;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the hub may take beyond a call's own timeout before it is taken for hung.
const HUNG_AFTER: Duration = Duration::from_secs(15);

/// How a tool is to be called.
#[derive(Default)]
pub struct CallOptions<'a> {
    /// How long the call may take; else as the tool says, else 30 s.
    pub timeout: Option<Duration>,
    /// In which page: an id, an alias, or part of a title or URL; else the agent's.
    pub page: Option<String>,
    /// That a person wants it, for tools that cannot be undone.
    pub confirm: bool,
    /// Told how far the call is, by the thread that waits for it.
    pub on_progress: Option<Box<dyn FnMut(Progress) + Send + 'a>>,
}

impl fmt::Debug for CallOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOptions")
            .field("timeout", &self.timeout)
            .field("page", &self.page)
            .field("confirm", &self.confirm)
            .field("on_progress", &self.on_progress.is_some())
            .finish()
    }
}

/// A call under way. Dropped before its ending, it is cancelled in the page.
pub struct Call<'a> {
    id: u64,
    slot: Arc<Slot>,
    link: Arc<Link>,
    timeout: Option<Duration>,
    on_progress: Option<Box<dyn FnMut(Progress) + Send + 'a>>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(link: &Arc<Link>, (id, slot): (u64, Arc<Slot>), timeout: Option<Duration>) -> Self {
        Self { id, slot, link: Arc::clone(link), timeout, on_progress: None }
    }

    pub(crate) fn on_progress(mut self, hear: Option<Box<dyn FnMut(Progress) + Send + 'a>>) -> Self {
        self.on_progress = hear;
        self
    }

    /// Waits for its ending, and tells of its progress on the way.
    pub fn wait(self) -> Result<serde_json::Value, Error> {
        link::read(&self.wait_raw()?)
    }

    pub(crate) fn wait_raw(mut self) -> Result<Arc<str>, Error> {
        let patience = self.timeout.and_then(|timeout| timeout.checked_add(HUNG_AFTER));
        let until = patience.and_then(|patience| Instant::now().checked_add(patience));
        loop {
            match self.slot.take(until) {
                Taken::Item(progress) => {
                    if let Some(hear) = &mut self.on_progress {
                        hear(progress);
                    }
                }
                Taken::End(ending) => return ending,
                Taken::Late => return Err(Error::Silent),
            }
        }
    }

    /// What cancels it from elsewhere while [`Call::wait`] waits.
    pub fn canceller(&self) -> Canceller {
        Canceller { id: self.id, link: Arc::clone(&self.link) }
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if self.link.calls.forget(self.id) {
            self.link.notify("call/cancel", &json!({ "id": self.id }));
        }
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Cancels one call.
#[derive(Clone)]
pub struct Canceller {
    id: u64,
    link: Arc<Link>,
}

impl Canceller {
    /// Asks the hub to cancel the call. It then ends with [`Code::CANCELLED`](crate::Code::CANCELLED), unless it was
    /// faster.
    pub fn cancel(&self) {
        self.link.notify("call/cancel", &json!({ "id": self.id }));
    }
}

impl fmt::Debug for Canceller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Canceller").field("id", &self.id).finish_non_exhaustive()
    }
}
