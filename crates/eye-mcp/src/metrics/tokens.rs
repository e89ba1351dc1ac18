//! Counts tokens on a thread of its own: counting takes CPU time, and no call should wait for it.

use crate::limits::COUNTING_BYTES_MAX;
use eye_platform::process::with_usual_turns;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

type Report = Box<dyn FnOnce(u64, u64) + Send>;

enum Job {
    Count { params: String, result: String, report: Report },
    Settle(Sender<()>),
}

/// The counting thread, which starts with the first job.
#[derive(Debug, Default)]
pub struct Counting {
    jobs: Mutex<Option<Sender<Job>>>,
    waiting_bytes: Arc<AtomicUsize>,
}

impl Counting {
    /// Queues two texts for counting. `false` if too much is queued already.
    pub fn submit(&self, params: &str, result: &str, report: impl FnOnce(u64, u64) + Send + 'static) -> bool {
        let bytes = params.len() + result.len();
        if self.waiting_bytes.load(Ordering::Relaxed) + bytes > COUNTING_BYTES_MAX {
            return false;
        }
        self.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.send(Job::Count { params: params.to_owned(), result: result.to_owned(), report: Box::new(report) })
    }

    /// Returns when all earlier jobs are done.
    pub fn settle(&self) {
        let (done, settled) = channel();
        if self.send(Job::Settle(done)) {
            let _ = settled.recv();
        }
    }

    fn send(&self, job: Job) -> bool {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = jobs.get_or_insert_with(|| {
            let (sender, receiver) = channel();
            let waiting = Arc::clone(&self.waiting_bytes);
            // The thread ends when the last sender is dropped.
            let count = move || {
                for job in receiver {
                    work(job, &waiting);
                }
            };
            with_usual_turns(|| std::thread::spawn(count));
            sender
        });
        sender.send(job).is_ok()
    }
}

fn work(job: Job, waiting: &AtomicUsize) {
    match job {
        Job::Count { params, result, report } => {
            // The first count unpacks the vocabulary, on this thread.
            let tokenizer = tiktoken::get_encoding("o200k_base").expect("Cargo.toml asks for this vocabulary");
            report(tokenizer.count(&params) as u64, tokenizer.count(&result) as u64);
            waiting.fetch_sub(params.len() + result.len(), Ordering::Relaxed);
        }
        Job::Settle(done) => {
            let _ = done.send(());
        }
    }
}
