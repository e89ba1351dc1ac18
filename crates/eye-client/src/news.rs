//! Notifications about the session that an agent joined, for any number of listeners.

use crate::link::{self, Link};
use crate::mailbox::{Mailbox, Taken};
use serde::Deserialize;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Most notifications that are queued for one listener; the oldest are dropped.
const NOTIFICATIONS_WAITING_MAX: usize = 1024;

/// A change of the session that the agent joined.
#[derive(Clone, Debug, PartialEq)]
pub enum Notification {
    /// The session's page offers other tools than before.
    ToolsUpdated {
        session: String,
        /// All tools that it offers now, with their whole definitions.
        tools: Vec<serde_json::Value>,
    },
    /// The session's page has gone; it may come back.
    PageGone { session: String },
    /// The session's page is back.
    PageBack { session: String },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    session_id: String,
    #[serde(default)]
    tools: Vec<serde_json::Value>,
}

impl Notification {
    /// `None`: not a notification that this version knows.
    pub(crate) fn parse(method: &str, params: &str) -> Option<Self> {
        let known = matches!(method, "tools/updated" | "session/pageGone" | "session/pageBack");
        let Params { session_id: session, tools } = known.then(|| link::read(params).ok())??;
        match method {
            "tools/updated" => Some(Self::ToolsUpdated { session, tools }),
            "session/pageGone" => Some(Self::PageGone { session }),
            _ => Some(Self::PageBack { session }),
        }
    }
}

type Inbox = Mailbox<Notification, ()>;

#[derive(Default)]
pub(crate) struct News(Mutex<Vec<Weak<Inbox>>>);

impl News {
    pub fn listen(&self, link: &Arc<Link>) -> Notifications {
        let mailbox = Arc::new(Inbox::new(NOTIFICATIONS_WAITING_MAX));
        let mut listeners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.push(Arc::downgrade(&mailbox));
        drop(listeners);
        if link.calls.lost().is_some() {
            mailbox.end(());
        }
        Notifications { mailbox, _link: Arc::clone(link) }
    }

    pub fn tell(&self, notification: &Notification) {
        self.each(|mailbox| mailbox.put(notification.clone()));
    }

    pub fn end(&self) {
        self.each(|mailbox| mailbox.end(()));
    }

    fn each(&self, send: impl Fn(&Inbox)) {
        let mut listeners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.retain(|listener| listener.upgrade().inspect(|mailbox| send(mailbox)).is_some());
    }
}

/// Notifications about the joined session, from now on. Ends with the connection.
pub struct Notifications {
    mailbox: Arc<Inbox>,
    _link: Arc<Link>,
}

impl Notifications {
    /// The next notification, if it comes in time.
    pub fn next_within(&mut self, time: Duration) -> Option<Notification> {
        self.next_until(Instant::now().checked_add(time))
    }

    fn next_until(&self, until: Option<Instant>) -> Option<Notification> {
        match self.mailbox.take(until) {
            Taken::Item(notification) => Some(notification),
            Taken::End(()) | Taken::Late => None,
        }
    }
}

impl Iterator for Notifications {
    type Item = Notification;

    fn next(&mut self) -> Option<Notification> {
        self.next_until(None)
    }
}

impl fmt::Debug for Notifications {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notifications").finish_non_exhaustive()
    }
}
