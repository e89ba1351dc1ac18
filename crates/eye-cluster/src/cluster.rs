//! The hub's handle to its cluster: it passes the hub's messages to the task that keeps the link.

use crate::queue::Queue;
use crate::settings::{Settings, Status};
use crate::{FromHub, HubHandle, nats};
use eye_core::Effect;
use eye_core::elsewhere::{ChangedInterest, ChangedRow};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use tokio::sync::{Notify, watch};

/// The hub's handle to its cluster.
#[derive(Debug)]
pub struct Cluster {
    settings: Settings,
    queue: Arc<Queue>,
    has_begun: AtomicBool,
    status: watch::Sender<Status>,
    /// Requests that other hubs have not answered, at the end of the last turn.
    calls_out: Arc<AtomicUsize>,
    stop: Arc<Notify>,
    stopped: Arc<Notify>,
}

impl Cluster {
    /// Creates the handle. [`Cluster::begin`] joins the cluster.
    pub fn new(settings: Settings) -> Self {
        let status = Status {
            cluster: settings.cluster.clone(),
            hub: settings.hub.clone(),
            problem: Some("the link to NATS is not up yet".into()),
            ..Status::default()
        };
        Self {
            settings,
            queue: Arc::default(),
            has_begun: AtomicBool::new(false),
            status: watch::Sender::new(status),
            calls_out: Arc::default(),
            stop: Arc::default(),
            stopped: Arc::default(),
        }
    }

    /// Joins the cluster, in its own task.
    pub fn begin(&self, hub: Arc<dyn HubHandle>) {
        if self.has_begun.swap(true, Relaxed) {
            return;
        }
        let (settings, status, queue) = (self.settings.clone(), self.status.clone(), self.queue.clone());
        let (stop, stopped, calls_out) = (self.stop.clone(), self.stopped.clone(), self.calls_out.clone());
        tokio::spawn(async move {
            if let Err(error) =
                nats::run(&settings, hub, &queue, &nats::Shown { status: &status, calls_out: &calls_out }, &stop).await
            {
                tracing::error!(%error, "the cluster cannot be joined");
                status.send_modify(|status| status.problem = Some(error.to_string()));
            }
            queue.close();
            stopped.notify_one();
        });
    }

    /// Queues an effect that concerns another hub. Returns how much waits in the queue.
    pub fn effect(&self, effect: Effect) -> usize {
        self.queue.push(FromHub::Effect(effect))
    }

    /// Queues changed rows of local pages.
    pub fn rows(&self, rows: Vec<ChangedRow>) {
        self.queue.push(FromHub::Rows(rows));
    }

    /// Queues topic subscriptions that were added or removed here.
    pub fn interests(&self, changed: Vec<ChangedInterest>) {
        self.queue.push(FromHub::Interests(changed));
    }

    /// Requests that other hubs have not answered, and what waits to be sent to them.
    pub fn calls_out(&self) -> usize {
        self.queue.len() + self.calls_out.load(Relaxed)
    }

    pub fn status(&self) -> Status {
        self.status.borrow().clone()
    }

    /// Waits until this hub has read which sessions other hubs hold.
    pub fn settled(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut status = self.status.subscribe();
        async move {
            let _ = status.wait_for(|status| status.read).await;
        }
    }

    /// Leaves the cluster: tells the other hubs that this hub ends.
    pub fn stop(&self) -> impl Future<Output = ()> + Send + use<> {
        let stopped = self.stopped.clone();
        self.stop.notify_one();
        async move { stopped.notified().await }
    }
}
