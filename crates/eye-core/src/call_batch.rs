//! Several calls of one request; it is answered when the last of them has ended.

use crate::task::Reply;
use eye_protocol::Ending;

/// The endings so far.
#[derive(Debug)]
pub(crate) struct CallBatch {
    reply: Reply,
    slots: Vec<Option<Ending>>,
    left: usize,
}

impl CallBatch {
    /// So many calls have begun.
    pub fn new(reply: Reply, calls: usize) -> Self {
        Self { reply, slots: vec![None; calls], left: calls }
    }

    /// Where the answer goes.
    pub fn reply(&self) -> &Reply {
        &self.reply
    }

    /// A call has ended. Whether it was the last one.
    pub fn end(&mut self, at: usize, ending: Ending) -> bool {
        if let Some(slot @ None) = self.slots.get_mut(at) {
            *slot = Some(ending);
            self.left -= 1;
        }
        self.left == 0
    }

    /// All endings, in the order of the calls.
    pub fn into_parts(self) -> (Reply, Vec<Option<Ending>>) {
        (self.reply, self.slots)
    }
}
