//! Threads that answer calls: one more is started when all are busy, up to a limit; beyond that calls wait.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Most calls of one page that are answered at the same time.
const THREADS_MAX: usize = 64;

type Job = Box<dyn FnOnce() + Send>;

/// Threads that run jobs in order.
#[derive(Default)]
pub struct Workers {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    over: bool,
}

impl Workers {
    /// Runs a job as soon as a thread is free.
    pub fn run(self: &Arc<Self>, job: impl FnOnce() + Send + 'static) {
        let mut state = self.lock();
        if state.over {
            return;
        }
        state.jobs.push_back(Box::new(job));
        if state.idle < state.jobs.len() && state.threads < THREADS_MAX {
            let workers = Arc::clone(self);
            let thread = std::thread::Builder::new().name("eye-tool".into()).spawn(move || workers.work());
            // If no thread can be started, the existing ones do the work; without any, the call times out.
            state.threads += usize::from(thread.is_ok());
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Ends the threads once each has finished its current job.
    pub fn end(&self) {
        let mut state = self.lock();
        state.over = true;
        state.jobs.clear();
        drop(state);
        self.changed.notify_all();
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                job();
                state = self.lock();
                continue;
            }
            if state.over {
                return;
            }
            state.idle += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
