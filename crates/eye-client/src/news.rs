//! What the hub tells an agent of the session it joined, for as many as want to hear it.

use crate::link::{self, Link};
use crate::mailbox::{Mailbox, Taken};
use serde::Deserialize;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// What may wait for a listener that does not listen; the oldest goes first.
const NOTIFICATIONS_WAITING_MAX: usize = 1024;

/// Something happened to the session that the agent joined.
#[derive(Clone, Debug, PartialEq)]
pub enum Notification {
    /// Its page offers other tools than before.
    ToolsUpdated {
        /// Which session.
        session: String,
        /// All it offers now, with their whole definitions.
        tools: Vec<serde_json::Value>,
    },
    /// Its page has gone; it may come back.
    PageGone {
        /// Which session.
        session: String,
    },
    /// Its page is back.
    PageBack {
        /// Which session.
        session: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    session_id: String,
    #[serde(default)]
    tools: Vec<serde_json::Value>,
}

impl Notification {
    /// `None`: it is none that this version knows.
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

/// All listeners.
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

    fn each(&self, tell: impl Fn(&Inbox)) {
        let mut listeners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.retain(|listener| listener.upgrade().inspect(|mailbox| tell(mailbox)).is_some());
    }
}

/// What the hub tells of the joined session, from now on. Ends when the connection does.
pub struct Notifications {
    mailbox: Arc<Inbox>,
    _link: Arc<Link>,
}

impl Notifications {
    /// The next one, if it comes in time.
    pub fn next_within(&mut self, time: Duration) -> Option<Notification> {
        self.hear(Instant::now().checked_add(time))
    }

    fn hear(&self, until: Option<Instant>) -> Option<Notification> {
        match self.mailbox.take(until) {
            Taken::Item(notification) => Some(notification),
            Taken::End(()) | Taken::Late => None,
        }
    }
}

impl Iterator for Notifications {
    type Item = Notification;

    fn next(&mut self) -> Option<Notification> {
        self.hear(None)
    }
}

impl fmt::Debug for Notifications {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Notifications").finish_non_exhaustive()
    }
}
