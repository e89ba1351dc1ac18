//! Frames that are too large for the hub's thread: a worker parses them. Meanwhile their connection is not read from,
//! which keeps its order.

use super::peer::{Side, Voice};
use super::state::Hub;
use crate::audit::Noted;
use crate::dialect::{FromAgent, FromPage, eye};
use eye_core::Conn;
use eye_platform::process::give_way;
use eye_protocol::batch::{self, Element};
use eye_protocol::close::Close;
use eye_protocol::limits::{FRAME_BYTES_MAX, LARGE_FRAME_BYTES, LIGHT_BYTES_MAX};
use eye_protocol::rpc::{self, Message};
use eye_protocol::scope::Scope;
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// How to parse the frames of one peer.
#[expect(clippy::struct_excessive_bools, reason = "what is known of the peer, each for itself")]
#[derive(Clone, Debug)]
struct Reading {
    conn: Conn,
    side: Side,
    typed: bool,
    batched: bool,
    rpc_only: bool,
    scope: Scope,
    /// Whether a console shows calls.
    watched: bool,
}

/// A parsed frame.
enum Parsed {
    Agent(Vec<(Option<Noted>, FromAgent)>),
    Page(Vec<Option<FromPage>>),
    /// The frame closes its sender.
    Wrong(Close),
    /// Not parsed here: the hub's thread parses the frame.
    Here,
    /// The hub is ending.
    Late,
}

/// Whether a worker parses this frame. Parsing JSON reads every byte more than once; a line is taken as it is.
pub fn is_large(text: &str) -> bool {
    text.len() > if text.starts_with(['{', '[']) { LIGHT_BYTES_MAX } else { LARGE_FRAME_BYTES }
}

/// Parses the one message of a POST; a worker parses a large one.
pub async fn parse_post(body: String) -> (String, Option<Message<'static>>) {
    if !is_large(&body) {
        let message = rpc::parse_one(&body).map(|message| message.into_owned(|| {}));
        return (body, message);
    }
    let parsed = spawn_blocking(move || {
        let message = rpc::parse_one_paced(&body, give_way).map(|message| message.into_owned(give_way));
        (body, message)
    });
    parsed.await.unwrap_or_default()
}

impl Hub {
    /// Handles one text message of a peer; a worker parses a large one. An error closes the peer. Its connection must
    /// not be read from until this returns.
    pub async fn receive_any<T: AsRef<str> + Send + 'static>(&self, conn: Conn, text: T) -> Result<(), Close> {
        let (parsed, text) = self.parse(conn, text).await?;
        let outcome = self.take(conn, text.as_ref(), parsed);
        if is_large(text.as_ref()) {
            // Freeing megabytes takes milliseconds.
            drop(spawn_blocking(move || drop(text)));
        }
        outcome
    }

    /// Handles one message of a stream's peer; a worker parses a large one. Returns the response if it is available at
    /// once.
    pub async fn receive_and_capture(&self, conn: Conn, text: String) -> Option<String> {
        let (parsed, text) = self.parse(conn, text).await.ok()?;
        self.hold().peers.get_mut(&conn)?.captured = Some(Vec::new());
        let _ = self.take(conn, &text, parsed);
        let captured = self.hold().peers.get_mut(&conn)?.captured.take()?;
        captured.into_iter().next()
    }

    /// Parses a large message on a worker; leaves a small one unparsed.
    async fn parse<T: AsRef<str> + Send + 'static>(&self, conn: Conn, text: T) -> Result<(Parsed, T), Close> {
        let reading = if is_large(text.as_ref()) { self.reading(conn) } else { None };
        let (Some(reading), Some(hub)) = (reading, self.this.upgrade()) else { return Ok((Parsed::Here, text)) };
        let Ok(_place) = self.parsers.acquire().await else { return Ok((Parsed::Late, text)) };
        let parsed = spawn_blocking(move || {
            let parsed = reading.parse(&hub, text.as_ref());
            (parsed, text)
        });
        parsed.await.map_err(|_| Close::unsupported("the frame cannot be read"))
    }

    /// Handles a parsed message.
    fn take(&self, conn: Conn, text: &str, parsed: Parsed) -> Result<(), Close> {
        if matches!(parsed, Parsed::Here) {
            return self.receive(conn, text);
        }
        let mut state = self.hold();
        if state.peers.get(&conn).is_none_or(|peer| peer.deaf) {
            return Ok(());
        }
        match parsed {
            Parsed::Agent(messages) => {
                Self::count_received(&mut state, text.len());
                self.execute_all(&mut state, conn, text, messages);
            }
            Parsed::Page(messages) => {
                Self::count_received(&mut state, text.len());
                for one in messages {
                    self.receive_from_page(&mut state, conn, one);
                }
            }
            Parsed::Wrong(close) => return Err(close),
            Parsed::Here | Parsed::Late => {}
        }
        Ok(())
    }

    /// How to parse a peer's frames; `None`: a worker cannot parse them. These are the originals' dialects, whose
    /// frames are small.
    fn reading(&self, conn: Conn) -> Option<Reading> {
        let state = self.hold();
        let peer = state.peers.get(&conn)?;
        let typed = match (peer.side, peer.voice) {
            (_, Voice::Eye { typed }) => typed,
            (Side::Agent, _) | (Side::Page, Voice::Events(_)) => false,
            (Side::Page, Voice::Original | Voice::Scene) => return None,
        };
        let rpc_only = peer.rpc_only || (peer.side == Side::Page && matches!(peer.voice, Voice::Events(_)));
        let (scope, watched) = (peer.scope.clone(), state.desk.is_watched());
        Some(Reading { conn, side: peer.side, typed, batched: peer.batched, rpc_only, scope, watched })
    }
}

impl Reading {
    fn parse(&self, hub: &Arc<Hub>, text: &str) -> Parsed {
        let elements = match self.batched.then(|| batch::parse_paced(text, give_way)).transpose() {
            Ok(elements) => elements,
            Err(error) => return Parsed::Wrong(Close::unsupported(&error.to_string())),
        };
        match (self.side, elements) {
            (Side::Agent, Some(_)) => Parsed::Here,
            (Side::Agent, None) if text.len() > FRAME_BYTES_MAX => Parsed::Here,
            (Side::Agent, None) => {
                let mut messages = Vec::new();
                eye::from_agent(self.conn, text, self.rpc_only, &self.scope, give_way, |request, one| {
                    messages.push((hub.note(request, self.watched), one));
                });
                Parsed::Agent(messages)
            }
            (Side::Page, Some(elements)) => {
                Parsed::Page(elements.iter().map(|element| self.page_element(element)).collect())
            }
            (Side::Page, None) => {
                Parsed::Page(vec![eye::from_page(self.conn, text, self.typed, self.rpc_only, give_way)])
            }
        }
    }

    fn page_element(&self, element: &Element<'_>) -> Option<FromPage> {
        match element {
            Element::Line(line) => eye::page_line(self.conn, self.typed, line),
            Element::Rpc(json) => eye::page_rpc(self.conn, json, give_way),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::events::Posts;
    use crate::hub::links::tests::{hub, page};
    use crate::hub::outbox::Outbox;
    use crate::hub::peer::Peer;
    use crate::hub::state::Job;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    #[test]
    fn a_post_waits_for_work_on_what_came_before() {
        let hub = hub();
        let mut jobs = hub.take_jobs().unwrap();
        let page = page(&hub);
        let state = "x".repeat(LIGHT_BYTES_MAX + 1);
        let params = format!(r#"{{"state":"{state}","revision":1}}"#);
        hub.receive(page, &format!(r#"{{"jsonrpc":"2.0","method":"state/update","params":{params}}}"#)).unwrap();
        let mut next = pin!(hub.ready_to_receive(page));
        let mut context = Context::from_waker(Waker::noop());
        assert!(next.as_mut().poll(&mut context).is_pending());
        let Ok(Job::Do(lane, work)) = jobs.try_recv() else { panic!("a large state is parsed by a worker") };
        hub.worked(lane, work.run(|| {}));
        assert!(next.as_mut().poll(&mut context).is_ready());
    }

    #[tokio::test]
    async fn a_large_post_is_parsed_by_a_worker_and_answered_in_its_body() {
        let hub = hub();
        let (conn, _) = hub.enter(Peer::new(Side::Agent, Voice::Events(Posts::ByHeader), Outbox::events(), None));
        let post =
            |bytes| format!(r#"{{"jsonrpc":"2.0","id":7,"method":"none","params":{{"x":"{}"}}}}"#, "x".repeat(bytes));
        for (bytes, by_worker) in [(1, false), (LIGHT_BYTES_MAX, true)] {
            let mut answer = pin!(hub.receive_and_capture(conn, post(bytes)));
            let first = answer.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert_eq!(first.is_pending(), by_worker, "{bytes} bytes");
            let answer = match first {
                Poll::Ready(answer) => answer,
                Poll::Pending => answer.await,
            };
            assert!(answer.is_some_and(|answer| answer.contains(r#""id":7,"error""#)));
        }
    }

    #[test]
    fn frames_above_the_limit_are_large_and_json_above_a_lower_one() {
        for (beginning, limit) in [("1=", LARGE_FRAME_BYTES), ("{", LIGHT_BYTES_MAX), ("[", LIGHT_BYTES_MAX)] {
            let text = |bytes: usize| beginning.to_owned() + &"x".repeat(bytes - beginning.len());
            assert!(!is_large(&text(limit)) && is_large(&text(limit + 1)), "{beginning}");
        }
    }
}
