//! A connection that matches our requests with their answers, on one reading thread. All other messages of the hub go
//! to the function that was given when the link was opened.

use crate::address::Address;
use crate::calls::{Calls, Slot};
use crate::connection::{Connection, Lost, Opening, Reader, Writer};
use crate::error::Error;
use crate::mailbox::Taken;
use crate::progress::Progress;
use eye_protocol::limits::{FRAME_BYTES_MAX, HANDSHAKE_MS};
use eye_protocol::messages::{Hello, Welcome};
use eye_protocol::rpc::{self, Message};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time limit for requests that the hub answers without a page.
pub const OWN_ANSWER: Duration = Duration::from_millis(HANDSHAKE_MS);

/// One connection. It ends when the last handle is dropped.
pub struct Link {
    pub writer: Writer,
    pub calls: Arc<Calls>,
}

/// A message of the hub that is not an answer.
pub enum FromHub<'a> {
    Request {
        /// JSON text.
        id: &'a str,
        method: &'a str,
        params: &'a str,
    },
    Notification {
        method: &'a str,
        params: &'a str,
    },
    /// The connection is gone.
    Lost,
}

impl Link {
    /// Connects, and passes the hub's messages to `receive`, on the reading thread.
    pub fn open(
        address: &Address,
        query: &str,
        mut receive: impl FnMut(&Writer, FromHub<'_>) + Send + 'static,
    ) -> Result<Arc<Self>, Error> {
        let opening = Opening { query, origin: None };
        let (reader, writer) = Connection::open(address, &opening)?.split();
        let link = Arc::new(Self { writer: writer.clone(), calls: Arc::default() });
        let calls = Arc::clone(&link.calls);
        let thread = std::thread::Builder::new().name("eye-client".into());
        thread
            .spawn(move || {
                let why: Arc<str> = read_all(reader, &writer, &calls, &mut receive).into();
                // Cut first: a call that is written after this would wait for an answer that cannot come.
                writer.cut();
                calls.lose(&why);
                receive(&writer, FromHub::Lost);
            })
            .map_err(|source| Error::Unreachable { address: address.to_string(), source: Arc::new(source) })?;
        Ok(link)
    }

    /// Sends `hello`, and waits for the hub's welcome.
    pub fn greet(&self, hello: &impl Serialize) -> Result<Welcome, Error> {
        self.ask("hello", hello)
    }

    /// Sends a request that the hub itself answers, and parses the answer.
    pub fn ask<T: DeserializeOwned>(&self, method: &str, params: &impl Serialize) -> Result<T, Error> {
        read(&self.ask_within(OWN_ANSWER, method, params)?)
    }

    /// Whether the hub answers a ping in time. An error is an answer too.
    pub fn answers(&self, within: Duration) -> bool {
        !matches!(self.ask_within(within, "ping", &json!({})), Err(Error::Silent))
    }

    fn ask_within(&self, within: Duration, method: &str, params: &impl Serialize) -> Result<Arc<str>, Error> {
        let (id, slot) = self.request(method, params)?;
        match slot.take(Some(Instant::now() + within)) {
            Taken::End(outcome) => outcome,
            Taken::Item(_) | Taken::Late => {
                self.calls.forget(id);
                Err(Error::Silent)
            }
        }
    }

    /// Sends a request; its ending arrives in the slot.
    pub fn request(&self, method: &str, params: &impl Serialize) -> Result<(u64, Arc<Slot>), Error> {
        let (id, slot) = self.calls.begin()?;
        let frame = rpc::request(&id.to_string(), method, params);
        if frame.len() > FRAME_BYTES_MAX {
            self.calls.forget(id);
            return Err(Error::TooLong { bytes: frame.len() });
        }
        if let Err(error) = self.writer.send(&[&frame]) {
            // The reading thread ends every call when the connection is gone, and may have been first.
            self.calls.end(id, Err(Error::Disconnected { why: error.to_string().into() }));
        }
        Ok((id, slot))
    }

    /// Sends a notification. If the hub is gone, the open calls report it.
    pub fn notify(&self, method: &str, params: &impl Serialize) {
        let _ = self.writer.send(&[&rpc::notification(method, params)]);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.writer.cut();
    }
}

/// Parses an answer of the hub.
pub fn read<T: DeserializeOwned>(result: &str) -> Result<T, Error> {
    serde_json::from_str(result).map_err(|error| Error::Garbled(error.to_string()))
}

/// The parts of `hello` that are the same for every client of this crate.
pub fn hello() -> Hello {
    Hello { version: Some(eye_protocol::messages::PROTOCOL_VERSION.into()), typed: true, ..Hello::default() }
}

/// Reads until the connection is gone, and returns the reason.
fn read_all(
    mut reader: Reader,
    writer: &Writer,
    calls: &Calls,
    receive: &mut impl FnMut(&Writer, FromHub<'_>),
) -> String {
    let mut last_words = None;
    loop {
        let frame = match reader.read() {
            Ok(frame) => frame,
            Err(Lost::Closed(why) | Lost::Garbled(why)) => return last_words.unwrap_or(why),
            Err(Lost::Silent) => continue,
        };
        match rpc::parse_one(&frame) {
            Some(Message::Response { id, outcome }) => match (id.parse(), outcome) {
                (Ok(id), outcome) => calls.end(id, outcome.map(Into::into).map_err(Error::Answer)),
                // An error under an unknown id is about the connection as a whole.
                (Err(_), Err(error)) => last_words = Some(error.message),
                (Err(_), Ok(_)) => {}
            },
            Some(Message::Invalid { id, reason }) => {
                if let Ok(id) = id.parse() {
                    calls.end(id, Err(Error::Garbled(reason.to_owned())));
                }
            }
            Some(Message::Notification { method, params }) => match &*method {
                "call/progress" => {
                    if let Some((id, progress)) = Progress::parse(&params) {
                        calls.progress(id, progress);
                    }
                }
                "hub/retiring" => last_words = Some("the hub shuts down".into()),
                method => receive(writer, FromHub::Notification { method, params: &params }),
            },
            Some(Message::Request { id, method, params }) => {
                receive(writer, FromHub::Request { id: &id, method: &method, params: &params });
            }
            // Line frames: this client sends no requests in that form.
            None => {}
        }
    }
}
