//! One open call: waits for its ending, reports its progress, cancels it.

use crate::calls::Slot;
use crate::error::Error;
use crate::link::{self, Link, OWN_ANSWER};
use crate::mailbox::Taken;
use crate::progress::Progress;
use eye_protocol::limits::RELAY_WAIT_MS;
use serde_json::json;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time beyond a call's own timeout after which the hub counts as hung.
const HUNG_AFTER: Duration = Duration::from_secs(15);
/// Silence after which a call without a timeout checks whether the hub still answers. A relay that waits for its link
/// is silent for up to `RELAY_WAIT_MS`.
const QUIET: Duration = Duration::from_millis(RELAY_WAIT_MS + 300);

/// Options of a tool call.
#[derive(Default)]
pub struct CallOptions<'a> {
    /// Default: the tool's own timeout, else 30 s.
    pub timeout: Option<Duration>,
    /// The page: an id, an alias, or part of a title or URL. Default: the agent's page.
    pub page: Option<String>,
    /// States a person's consent, for tools with irreversible effects.
    pub confirm: bool,
    /// Receives progress reports, on the thread that waits for the call.
    pub on_progress: Option<Box<dyn FnMut(Progress) + Send + 'a>>,
}

impl fmt::Debug for CallOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOptions")
            .field("timeout", &self.timeout)
            .field("page", &self.page)
            .field("confirm", &self.confirm)
            .field("on_progress", &self.on_progress.is_some())
            .finish()
    }
}

/// An open call. If it is dropped before its ending, it is cancelled in the page.
pub struct Call<'a> {
    id: u64,
    slot: Arc<Slot>,
    link: Arc<Link>,
    timeout: Option<Duration>,
    on_progress: Option<Box<dyn FnMut(Progress) + Send + 'a>>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(link: &Arc<Link>, (id, slot): (u64, Arc<Slot>), timeout: Option<Duration>) -> Self {
        Self { id, slot, link: Arc::clone(link), timeout, on_progress: None }
    }

    pub(crate) fn on_progress(mut self, report: Option<Box<dyn FnMut(Progress) + Send + 'a>>) -> Self {
        self.on_progress = report;
        self
    }

    /// Waits for the ending. Reports progress in the meantime.
    pub fn wait(self) -> Result<serde_json::Value, Error> {
        link::read(&self.wait_raw()?)
    }

    /// With a timeout, the hub counts as hung when it has not ended the call some time after that. Without one the call
    /// may take as long as its tool does: then the hub counts as hung when it does not answer a ping.
    pub(crate) fn wait_raw(self) -> Result<Arc<str>, Error> {
        self.wait_checking(QUIET, OWN_ANSWER)
    }

    fn wait_checking(mut self, quiet: Duration, answer: Duration) -> Result<Arc<str>, Error> {
        let patience = self.timeout.and_then(|timeout| timeout.checked_add(HUNG_AFTER));
        let until = patience.and_then(|patience| Instant::now().checked_add(patience));
        let mut is_hung = false;
        loop {
            let now = Instant::now();
            match self.slot.take(Some(until.unwrap_or(if is_hung { now } else { now + quiet }))) {
                Taken::Item(progress) => {
                    is_hung = false;
                    if let Some(report) = &mut self.on_progress {
                        report(progress);
                    }
                }
                Taken::End(ending) => return ending,
                Taken::Late if until.is_some() || is_hung => return Err(Error::Silent),
                // What came meanwhile is read before the call is given up.
                Taken::Late => is_hung = !self.link.answers(answer),
            }
        }
    }

    /// A handle that cancels the call while another thread is in [`Call::wait`].
    pub fn canceller(&self) -> Canceller {
        Canceller { id: self.id, link: Arc::clone(&self.link) }
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if self.link.calls.forget(self.id) {
            self.link.notify("call/cancel", &json!({ "id": self.id }));
        }
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("id", &self.id).finish_non_exhaustive()
    }
}

#[derive(Clone)]
pub struct Canceller {
    id: u64,
    link: Arc<Link>,
}

impl Canceller {
    /// Asks the hub to cancel the call. It then ends with [`Code::CANCELLED`](crate::Code::CANCELLED), unless it ends
    /// first.
    pub fn cancel(&self) {
        self.link.notify("call/cancel", &json!({ "id": self.id }));
    }
}

impl fmt::Debug for Canceller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Canceller").field("id", &self.id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use eye_protocol::messages::SUBPROTOCOL;
    use eye_protocol::rpc::{self, Message};
    use serde_json::Value;
    use std::net::TcpListener;
    use tungstenite::handshake::server::{Request, Response};
    use tungstenite::http::HeaderValue;

    /// The frames that a hub sends after a request, given how many pings have come.
    type Manners = fn(pings: usize, id: &str, method: &str) -> Vec<String>;

    /// A call without a timeout of a hub with these manners.
    fn call(manners: Manners) -> Call<'static> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address::server(format!("ws://{}", listener.local_addr().unwrap()), "token");
        std::thread::spawn(move || {
            let stream = listener.accept().unwrap().0;
            #[expect(clippy::result_large_err, reason = "tungstenite wants it so")]
            let speaks = |_: &Request, mut response: Response| {
                response.headers_mut().insert("Sec-WebSocket-Protocol", HeaderValue::from_static(SUBPROTOCOL));
                Ok(response)
            };
            let mut socket = tungstenite::accept_hdr(stream, speaks).unwrap();
            let mut pings = 0;
            // Ends with the connection.
            while let Ok(frame) = socket.read() {
                let Ok(text) = frame.to_text() else { continue };
                let Some(Message::Request { id, method, .. }) = rpc::parse_one(text) else { continue };
                pings += usize::from(method == "ping");
                for answer in manners(pings, &id, &method) {
                    socket.send(answer.into()).unwrap();
                }
            }
        });
        let link = Link::open(&address, "", |_, _| {}).unwrap();
        let sent = link.request("eval", &json!({})).unwrap();
        Call::new(&link, sent, None)
    }

    #[test]
    fn a_call_without_a_timeout_ends_when_the_hub_hangs() {
        let silent = call(|_, _, _| Vec::new());
        let short = Duration::from_millis(20);
        assert!(matches!(silent.wait_checking(short, short), Err(Error::Silent)));
    }

    #[test]
    fn a_call_without_a_timeout_goes_on_while_the_hub_answers_pings() {
        let slow = call(|pings, id, method| {
            let pong = (method == "ping").then(|| rpc::response(id, Ok(r#"{"pong":true}"#)));
            let done = (pings == 3).then(|| rpc::response("1", Ok("5")));
            pong.into_iter().chain(done).collect()
        });
        let outcome = slow.wait_checking(Duration::from_millis(20), OWN_ANSWER);
        assert_eq!(serde_json::from_str::<Value>(&outcome.unwrap()).unwrap(), json!(5));
    }
}
