//! The messages to a child: a queue with a limit in bytes.

use crate::limits::OUTBOX_BYTES_MAX;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

#[derive(Debug, Default)]
struct Queue {
    texts: VecDeque<String>,
    bytes: usize,
}

#[derive(Debug, Default)]
pub struct Outbox {
    queue: Mutex<Queue>,
    more: Notify,
}

impl Outbox {
    /// Adds a message. `false` if the queue is full because the child does not read.
    pub fn push(&self, text: String) -> bool {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.bytes + text.len() > OUTBOX_BYTES_MAX {
            return false;
        }
        queue.bytes += text.len();
        queue.texts.push_back(text);
        drop(queue);
        self.more.notify_one();
        true
    }

    /// Waits for messages, and removes all of them as one piece of bytes.
    pub async fn next(&self) -> Vec<u8> {
        loop {
            if let Some(bytes) = self.take() {
                return bytes;
            }
            self.more.notified().await;
        }
    }

    fn take(&self) -> Option<Vec<u8>> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.texts.is_empty() {
            return None;
        }
        let mut bytes = Vec::with_capacity(queue.bytes + queue.texts.len());
        for text in queue.texts.drain(..) {
            bytes.extend_from_slice(text.as_bytes());
            bytes.push(b'\n');
        }
        queue.bytes = 0;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_waits_has_an_end_and_leaves_in_order() {
        let outbox = Outbox::default();
        let half = "x".repeat(OUTBOX_BYTES_MAX / 2);
        assert!(outbox.push(half.clone()) && outbox.push(half) && !outbox.push("y".into()));
        assert_eq!(outbox.next().await.len(), OUTBOX_BYTES_MAX + 2);
        assert!(outbox.push("a".into()) && outbox.push("b".into()));
        assert_eq!(outbox.next().await, b"a\nb\n");
    }
}
