//! The hub's handle to its cluster: it passes the hub's messages to the task that keeps the link.

use crate::settings::{Settings, Status};
use crate::{FromHub, HubHandle, nats};
use eye_core::Effect;
use eye_core::elsewhere::{ChangedInterest, ChangedRow};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Notify, mpsc, watch};

/// The hub's handle to its cluster.
#[derive(Debug)]
pub struct Cluster {
    settings: Settings,
    hand_over: mpsc::UnboundedSender<FromHub>,
    taken: Mutex<Option<mpsc::UnboundedReceiver<FromHub>>>,
    status: watch::Sender<Status>,
    /// Requests that other hubs have not answered, at the end of the last turn.
    calls_out: Arc<AtomicUsize>,
    stop: Arc<Notify>,
    stopped: Arc<Notify>,
}

impl Cluster {
    /// Creates the handle. [`Cluster::begin`] joins the cluster.
    pub fn new(settings: Settings) -> Self {
        let (hand_over, taken) = mpsc::unbounded_channel();
        let status = Status {
            cluster: settings.cluster.clone(),
            hub: settings.hub.clone(),
            problem: Some("the link to NATS is not up yet".into()),
            ..Status::default()
        };
        Self {
            settings,
            hand_over,
            taken: Mutex::new(Some(taken)),
            status: watch::Sender::new(status),
            calls_out: Arc::default(),
            stop: Arc::default(),
            stopped: Arc::default(),
        }
    }

    /// Joins the cluster, in its own task.
    pub fn begin(&self, hub: Arc<dyn HubHandle>) {
        let Some(taken) = self.taken.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        let (settings, status) = (self.settings.clone(), self.status.clone());
        let (stop, stopped, calls_out) = (self.stop.clone(), self.stopped.clone(), self.calls_out.clone());
        tokio::spawn(async move {
            if let Err(error) =
                nats::run(&settings, hub, taken, &nats::Shown { status: &status, calls_out: &calls_out }, &stop).await
            {
                tracing::error!(%error, "the cluster cannot be joined");
                status.send_modify(|status| status.problem = Some(error.to_string()));
            }
            stopped.notify_one();
        });
    }

    /// Passes on an effect that concerns another hub.
    pub fn effect(&self, effect: Effect) {
        // Fails only when the hub ends: the receiver ends with it.
        let _ = self.hand_over.send(FromHub::Effect(effect));
    }

    /// Passes on changed rows of local pages.
    pub fn rows(&self, rows: Vec<ChangedRow>) {
        let _ = self.hand_over.send(FromHub::Rows(rows));
    }

    /// Passes on topic subscriptions that were added or removed here.
    pub fn interests(&self, changed: Vec<ChangedInterest>) {
        let _ = self.hand_over.send(FromHub::Interests(changed));
    }

    /// Requests that other hubs have not answered.
    pub fn calls_out(&self) -> usize {
        self.calls_out.load(Relaxed)
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
