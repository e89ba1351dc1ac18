//! One open call: waits for its ending, reports its progress, cancels it.

use crate::calls::Slot;
use crate::error::Error;
use crate::link::{self, Link};
use crate::mailbox::Taken;
use crate::progress::Progress;
use serde_json::json;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time beyond a call's own timeout after which the hub counts as hung.
const HUNG_AFTER: Duration = Duration::from_secs(15);

/// Options of a tool call.
#[derive(Default)]
pub struct CallOptions<'a> {
    /// Default: the tool's own timeout, else 30 s.
    pub timeout: Option<Duration>,
    /// The page: an id, an alias, or part of a title or URL. Default: the agent's page.
    pub page: Option<String>,
    /// States a person's consent, for tools with irreversible effects.
    pub confirm: bool,
    /// Receives progress reports, on the thread that waits for the call.
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

/// An open call. If it is dropped before its ending, it is cancelled in the page.
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

    /// Waits for the ending. Reports progress in the meantime.
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

    /// A handle that cancels the call while another thread is in [`Call::wait`].
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

#[derive(Clone)]
pub struct Canceller {
    id: u64,
    link: Arc<Link>,
}

impl Canceller {
    /// Asks the hub to cancel the call. It then ends with [`Code::CANCELLED`](crate::Code::CANCELLED), unless it ends
    /// first.
    pub fn cancel(&self) {
        self.link.notify("call/cancel", &json!({ "id": self.id }));
    }
}

impl fmt::Debug for Canceller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Canceller").field("id", &self.id).finish_non_exhaustive()
    }
}
