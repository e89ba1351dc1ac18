//! The open calls of one connection, by id. Each gets exactly one ending.

use crate::error::Error;
use crate::mailbox::Mailbox;
use crate::progress::Progress;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Progress reports that a call has not read yet; the oldest are dropped.
const PROGRESS_WAITING_MAX: usize = 64;

/// Receives the progress and the one ending of a call: its raw result, or its error.
pub type Slot = Mailbox<Progress, Result<Arc<str>, Error>>;

#[derive(Default)]
pub struct Calls {
    state: Mutex<State>,
    over: Condvar,
}

#[derive(Default)]
struct State {
    waiting: HashMap<u64, Arc<Slot>>,
    last_id: u64,
    lost: Option<Arc<str>>,
}

impl Calls {
    /// Begins a call and assigns its id. Fails at once if the connection is gone.
    pub fn begin(&self) -> Result<(u64, Arc<Slot>), Error> {
        let mut state = self.lock();
        if let Some(why) = &state.lost {
            return Err(Error::Disconnected { why: Arc::clone(why) });
        }
        state.last_id += 1;
        let (id, slot) = (state.last_id, Arc::new(Slot::new(PROGRESS_WAITING_MAX)));
        state.waiting.insert(id, Arc::clone(&slot));
        Ok((id, slot))
    }

    /// Ends a call. An answer to an unknown call, or one that has ended, is dropped.
    pub fn end(&self, id: u64, ending: Result<Arc<str>, Error>) {
        let slot = self.lock().waiting.remove(&id);
        if let Some(slot) = slot {
            slot.end(ending);
        }
    }

    /// Passes progress to a call.
    pub fn progress(&self, id: u64, progress: Progress) {
        let slot = self.lock().waiting.get(&id).map(Arc::clone);
        if let Some(slot) = slot {
            slot.put(progress);
        }
    }

    /// Removes a call whose caller no longer waits. `false`: it had ended.
    pub fn forget(&self, id: u64) -> bool {
        self.lock().waiting.remove(&id).is_some()
    }

    /// The connection is gone: ends every open call, and makes [`Self::begin`] fail.
    pub fn lose(&self, why: &Arc<str>) {
        let mut state = self.lock();
        state.lost.get_or_insert_with(|| Arc::clone(why));
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        for slot in waiting.into_values() {
            slot.end(Err(Error::Disconnected { why: Arc::clone(why) }));
        }
        self.over.notify_all();
    }

    /// Why the connection is gone; `None`: it is open.
    pub fn lost(&self) -> Option<Arc<str>> {
        self.lock().lost.clone()
    }

    /// Waits until the connection is gone, and returns the reason.
    pub fn wait_lost(&self) -> Arc<str> {
        let mut state = self.lock();
        loop {
            if let Some(why) = &state.lost {
                return Arc::clone(why);
            }
            state = self.over.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
