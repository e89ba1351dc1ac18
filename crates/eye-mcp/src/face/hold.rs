//! Locks mutexes that the clients of a face share.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, also after a panic of the task that held it.
pub fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No update under these locks can be left half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
