//! A browser at the other end of a pipe: two tasks, one that reads and one that writes, around the shared bookkeeping.

use super::message::{Incoming, TargetInfo};
use super::session::{Events, Session, Shared};
use crate::pipe::{MessageReader, MessageWriter, Pipe};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Commands that are written together at most.
const WRITE_LEN_MAX: usize = 256;

/// How long after the end of a pipe its process is waited for, to tell why.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A session that began.
#[derive(Debug)]
pub struct Attached {
    /// The session, with its events.
    pub events: Events,
    /// What it is of.
    pub target: TargetInfo,
    /// Whether it runs nothing before `Runtime.runIfWaitingForDebugger`.
    pub waiting: bool,
    /// The session in which it was found; none is the browser's own.
    pub parent: Option<Box<str>>,
}

/// A connected browser. When it and all its sessions are dropped, the pipe is closed, which ends a browser that eye started.
#[derive(Debug)]
pub struct Connection {
    /// The browser's own session.
    pub browser: Session,
    attached: mpsc::UnboundedReceiver<Attached>,
}

impl Connection {
    /// The next session that begins, once `Target.setAutoAttach` is on. `None`: the pipe ended.
    pub async fn attached(&mut self) -> Option<Attached> {
        self.attached.recv().await
    }
}

/// Begins to speak over a pipe. `gone` resolves when the process behind it has ended, with how it did: children of a browser that
/// was killed may keep the pipe open.
pub fn connect<P: Pipe, F: Future<Output = String> + Send + 'static>(pipe: P, gone: F) -> Connection {
    let (mut writer, mut reader) = pipe.split();
    let (outgoing, mut queue) = mpsc::unbounded_channel::<String>();
    let (begun, attached) = mpsc::unbounded_channel();
    let shared = Arc::new(Shared::new(outgoing));
    tokio::spawn(async move {
        let mut messages = Vec::new();
        while queue.recv_many(&mut messages, WRITE_LEN_MAX).await > 0 {
            // The reader sees the end of a pipe that cannot be written to.
            if writer.write(&messages).await.is_err() {
                break;
            }
            messages.clear();
        }
        writer.close().await;
    });
    // The reader must not keep the browser alive: without a session to ask, nothing reads its answers.
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
                    if let Some(attached) = take(&shared, &text) {
                        // A connection that takes no sessions leaves them to the browser.
                        let _ = begun.send(attached);
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
    Connection { browser: Session::new(shared, None), attached }
}

/// Takes a message; gives the session that it began.
fn take(shared: &Arc<Shared>, text: &str) -> Option<Attached> {
    let message = serde_json::from_str::<Incoming<'_>>(text).ok()?;
    let new = shared.hold().take(&message)?;
    let session = Session::new(shared.clone(), Some(new.id));
    let events = Events { session, receiver: new.events };
    Some(Attached { events, target: new.target, waiting: new.waiting, parent: new.parent })
}
