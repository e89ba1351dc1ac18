//! A connection to a browser: one task reads, one task writes, and both share the state of commands and sessions.

use super::message::{Event, Incoming, TargetInfo};
use super::session::{Events, Session, Shared};
use crate::pipe::{MessageReader, MessageWriter, Pipe};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// The most commands to write together.
const WRITE_LEN_MAX: usize = 256;

/// The prefix of events of the browser itself.
const OF_THE_BROWSER: &str = "Browser.";

/// How long to wait for the process after its pipe ended, to learn why it ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A session that began.
#[derive(Debug)]
pub struct Attached {
    /// The session, with its events.
    pub events: Events,
    pub target: TargetInfo,
    /// Whether the target runs nothing before `Runtime.runIfWaitingForDebugger`.
    pub waiting: bool,
    /// The session that reported it; `None`: the browser's own.
    pub parent: Option<Box<str>>,
}

/// Messages of a browser that are not for a known session.
#[derive(Debug)]
pub enum News {
    Attached(Box<Attached>),
    /// An event of the browser itself.
    Event(Event),
}

/// A connected browser. When it and all its sessions are dropped, the pipe is closed, which ends a browser that eye
/// started.
#[derive(Debug)]
pub struct Connection {
    /// The browser's own session.
    pub browser: Session,
    news: mpsc::UnboundedReceiver<News>,
}

impl Connection {
    /// The next session that begins (once `Target.setAutoAttach` is on), or event of the browser. `None`: the pipe
    /// ended.
    pub async fn next(&mut self) -> Option<News> {
        self.news.recv().await
    }

    /// The next session that begins. Skips events of the browser.
    pub async fn attached(&mut self) -> Option<Attached> {
        loop {
            if let News::Attached(attached) = self.next().await? {
                return Some(*attached);
            }
        }
    }
}

/// Starts the tasks for a pipe. `gone` resolves with the ending of the browser's process: children of a browser that
/// was killed may keep the pipe open.
pub fn connect<P: Pipe, F: Future<Output = String> + Send + 'static>(pipe: P, gone: F) -> Connection {
    let (mut writer, mut reader) = pipe.split();
    let (outgoing, mut queue) = mpsc::unbounded_channel::<String>();
    let (begun, news) = mpsc::unbounded_channel();
    let shared = Arc::new(Shared::new(outgoing));
    tokio::spawn(async move {
        let mut messages = Vec::new();
        while queue.recv_many(&mut messages, WRITE_LEN_MAX).await > 0 {
            // If the pipe cannot be written to, the reader sees its end.
            if writer.write(&messages).await.is_err() {
                break;
            }
            messages.clear();
        }
        writer.close().await;
    });
    // A weak reference, so that the reader does not keep the browser alive when all sessions are dropped.
    let watching = Arc::downgrade(&shared);
    tokio::spawn(async move {
        let mut gone = pin!(gone);
        let why = loop {
            let read = tokio::select! {
                biased;
                read = reader.read() => read,
                why = &mut gone => break why,
            };
            match read {
                Ok(Some(text)) => {
                    let Some(shared) = watching.upgrade() else { return };
                    if let Some(news) = take(&shared, &text) {
                        // Without a receiver for sessions, new sessions stay with the browser.
                        let _ = begun.send(news);
                    }
                }
                Ok(None) => break timeout(LAST_WORDS, gone).await.unwrap_or_else(|_| "it closed its pipe".into()),
                Err(error) => break error.to_string(),
            }
        };
        if let Some(shared) = watching.upgrade() {
            shared.hold().end(&why.into());
        }
    });
    Connection { browser: Session::new(shared, None), news }
}

/// Handles a message. Returns what is not for a known session.
fn take(shared: &Arc<Shared>, text: &str) -> Option<News> {
    let message = serde_json::from_str::<Incoming<'_>>(text).ok()?;
    if let (None, Some(method), Some(params)) = (&message.session, &message.method, message.params)
        && method.starts_with(OF_THE_BROWSER)
    {
        return Some(News::Event(Event { method: method.to_string().into(), params: params.to_owned(), note: None }));
    }
    let new = shared.hold().take(&message)?;
    let session = Session::new(shared.clone(), Some(new.id));
    let events = Events { session, receiver: new.events };
    let (target, waiting, parent) = (new.target, new.waiting, new.parent);
    Some(News::Attached(Box::new(Attached { events, target, waiting, parent })))
}
