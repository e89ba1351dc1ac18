//! A turn of the link's task: everything that is ready is handled, and the frames that follow from it share messages.

use super::NatsLink;
use super::often::Often;
use super::rare::Rare;
use eye_protocol::limits::RECALL_MS;
use futures_util::stream::{BoxStream, SelectAll, StreamExt};
use std::future::poll_fn;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// How much of what this hub has queued is handled in one turn.
const QUEUED_LEN_MAX: usize = 256;

impl NatsLink {
    /// Handles the messages and effects that are ready, and sends what follows. Ready with a rare event, which the
    /// caller handles before the next turn.
    pub(super) fn poll_turn(
        &mut self,
        context: &mut Context<'_>,
        rare: &mut SelectAll<BoxStream<'_, Rare>>,
        often: &mut Often<'_>,
    ) -> Poll<Rare> {
        // Before the messages: of a heartbeat, those count first that its hub sent before it.
        let one = rare.poll_next_unpin(context);
        // While the connection takes nothing, nothing more is made to be sent. The rare events go on: the connection
        // may be lost.
        if self.unsent.is_empty() || self.poll_flush(context).is_ready() {
            let hub = self.hub.clone();
            hub.turn(&mut || {
                while let Poll::Ready(Some(message)) = often.own.poll_next_unpin(context) {
                    self.message(&message);
                }
                self.take_queued(context, often);
            });
        }
        if let Poll::Ready(Some(one)) = one {
            return Poll::Ready(one);
        }
        ready!(self.poll_flush(context));
        Poll::Pending
    }

    /// Handles what this hub has queued, up to a number: then other tasks go first.
    fn take_queued(&mut self, context: &Context<'_>, often: &mut Often<'_>) {
        for _ in 0..QUEUED_LEN_MAX {
            // Without a notification it stays in the queue: more is about to come that can share its message.
            if often.taken.is_empty() && self.hub.poll_queued(context).is_pending() {
                return;
            }
            if let Some(one) = often.next() {
                self.on_hub(one);
            }
        }
        context.waker().wake_by_ref();
    }

    /// Leaves the cluster.
    pub(super) async fn end(&mut self, rare: &mut SelectAll<BoxStream<'_, Rare>>, often: &mut Often<'_>) {
        // A hub that ends tells the others what it has ended until then.
        while let Some(one) = often.next() {
            self.on_hub(one);
        }
        // Also sends what workers are still writing. The channel closes with the last worker.
        self.alone = mpsc::unbounded_channel().0;
        while let Some(one) = rare.next().await {
            match one {
                Rare::Alone(one) => self.send_alone(one),
                Rare::AllWritten => break,
                Rare::Tick | Rare::Beat(_) | Rare::Unread(_) | Rare::Stored(_) | Rare::Link(_) | Rare::Stop => {}
            }
        }
        poll_fn(|context| self.poll_flush(context)).await;
        // A hub that takes over a page reads what outlives this hub after the last heartbeat, so all writes end before
        // it.
        let all = async { tokio::join!(self.states.finish(), self.mail.finish()) };
        let _ = timeout(Duration::from_millis(RECALL_MS), all).await;
        self.send_heartbeat(true);
        poll_fn(|context| self.poll_flush(context)).await;
        let _ = self.client.flush().await;
        self.served.leave_all();
    }
}
