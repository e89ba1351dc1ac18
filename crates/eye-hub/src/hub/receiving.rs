//! Receives frames of peers and passes them through their dialects into the hub's state.

use super::gateway::GATEWAY;
use super::outbox::Kind;
use super::peer::{Peer, Side, Voice};
use super::speaking::speak;
use super::state::{Hub, State};
use super::version;
use crate::audit::Noted;
use crate::dialect::{AuditedRequest, FromAgent, FromPage, eye, original, scene};
use eye_core::{Conn, Effect, Input, PageEvent, Reply};
use eye_protocol::answer::{write_plain, write_typed};
use eye_protocol::batch::{self, Element};
use eye_protocol::close::Close;
use eye_protocol::id::split_call_id;
use eye_protocol::limits::FRAME_BYTES_MAX;
use eye_protocol::local::LocalEval;
use eye_protocol::messages::{Hello, PROTOCOL_VERSION, Welcome};
use eye_protocol::rpc::{self, RpcId, json};
use eye_protocol::scope::Scope;
use eye_protocol::{Code, Error};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

impl Hub {
    /// Handles one text message of a peer. An error closes the peer.
    pub fn receive(&self, conn: Conn, text: &str) -> Result<(), Close> {
        let mut state = self.hold();
        Self::count_received(&mut state, text.len());
        let Some(peer) = state.peers.get(&conn) else { return Ok(()) };
        if peer.deaf {
            return Ok(());
        }
        let Peer { side, voice, batched, rpc_only, .. } = *peer;
        let joined = peer.joining.is_none();
        if peer.joining.is_some() && matches!(voice, Voice::Eye { .. }) && self.begins_scene(&mut state, conn, text) {
            return Ok(());
        }
        match (side, voice) {
            (Side::Agent, _) if batched => {
                for element in read_batch(text)? {
                    match element {
                        Element::Line(line) => self.receive_from_agent(&mut state, conn, &line),
                        Element::Rpc(json) => self.receive_from_agent(&mut state, conn, json),
                    }
                }
            }
            (Side::Agent, _) => self.receive_from_agent(&mut state, conn, text),
            (Side::Page, Voice::Eye { typed }) if batched => {
                for element in read_batch(text)? {
                    match element {
                        Element::Line(line) => {
                            if !joined || !self.answer_plainly(&mut state, conn, typed, &line) {
                                self.receive_from_page(&mut state, conn, eye::page_line(conn, typed, &line));
                            }
                        }
                        Element::Rpc(json) => {
                            self.receive_from_page(&mut state, conn, eye::page_rpc(conn, json, || {}));
                        }
                    }
                }
            }
            (Side::Page, Voice::Events(_)) => {
                let message = eye::page_rpc(conn, text, || {});
                self.receive_from_page(&mut state, conn, message);
            }
            (Side::Page, Voice::Eye { typed }) => {
                if !joined || rpc_only || !self.answer_plainly(&mut state, conn, typed, text) {
                    let message = eye::from_page(conn, text, typed, rpc_only, || {});
                    self.receive_from_page(&mut state, conn, message);
                }
            }
            (Side::Page, Voice::Scene) => {
                let Some(peer) = state.peers.get_mut(&conn) else { return Ok(()) };
                for message in scene::from_page(conn, &mut peer.scene, text) {
                    self.receive_from_page(&mut state, conn, Some(message));
                }
            }
            (Side::Page, Voice::Original) => {
                if text == "ping" {
                    self.feed(&mut state, Input::page(conn, PageEvent::Alive));
                }
                self.receive_from_page(&mut state, conn, original::from_page(conn, text));
            }
        }
        Ok(())
    }

    /// Handles the `hello` of an agent inside this process.
    pub fn receive_hello(&self, conn: Conn, hello: Hello) {
        self.agent_hello(&mut self.hold(), conn, None, Box::new(hello));
    }

    /// Handles the request `eval` of an agent inside this process, as [`Self::receive`] handles its text.
    pub fn receive_eval(&self, conn: Conn, id: u32, eval: LocalEval<'_>) {
        let mut state = self.hold();
        let LocalEval { params, .. } = eval;
        Self::count_received(&mut state, params.len());
        let Some(peer) = state.peers.get(&conn).filter(|peer| !peer.deaf) else { return };
        if params.len() > FRAME_BYTES_MAX {
            let error = over_limit("the frame", params.len());
            return self.reply(&mut state, conn, &rpc::response(&id.to_string(), Err(&error)));
        }
        let scope = peer.scope.clone();
        let watched = state.desk.is_watched();
        let mut digits = itoa::Buffer::new();
        let id = digits.format(id);
        let one = eye::from_agent_inside(conn, id, eval, &scope);
        let noted = self.note(AuditedRequest { id: Some(id), method: "eval", params }, watched);
        self.execute_unless_paused(&mut state, conn, params, noted, one);
    }

    /// Handles one binary message: the result of a page's call, or JSON-RPC of a peer that speaks only JSON-RPC. An
    /// error closes the peer.
    pub fn receive_binary(&self, conn: Conn, message: &[u8]) -> Result<(), Close> {
        let rpc_only = self.hold().peers.get(&conn).is_some_and(|peer| peer.rpc_only);
        if rpc_only
            && message.first().is_some_and(|first| b"{[ \t\r\n".contains(first))
            && let Ok(text) = std::str::from_utf8(message)
        {
            return self.receive(conn, text);
        }
        let mut state = self.hold();
        Self::count_received(&mut state, message.len());
        let page = state.peers.get(&conn).is_some_and(|peer| peer.side == Side::Page && !peer.deaf);
        let result = eye::page_binary(conn, message).filter(|_| page);
        if result.is_none() {
            return Err(Close::unsupported(
                "a binary message is the result of a page's call: `ID TYPE`, a newline, bytes",
            ));
        }
        self.receive_from_page(&mut state, conn, result);
        Ok(())
    }

    /// Sets the page that an agent named in the query.
    pub fn target(&self, conn: Conn, target: String) {
        let mut state = self.hold();
        let hello = Box::new(Hello { target: Some(target), ..Hello::default() });
        self.feed(&mut state, Input::AgentHello { agent: conn, hello });
    }

    /// Writes a notification into a peer's outbox.
    pub fn message(&self, conn: Conn, json: &str) {
        Self::greeting(&mut self.hold(), conn, json);
    }

    pub(super) fn greeting(state: &mut State, conn: Conn, json: &str) {
        if let Some(peer) = state.peers.get_mut(&conn) {
            peer.rpc(Kind::Message, json);
            peer.signals.wake.notify_one();
        }
    }

    /// Writes a notification into a peer's outbox; closes a peer whose outbox is too full.
    pub(crate) fn message_to(&self, state: &mut State, conn: Conn, json: &str) {
        Self::greeting(state, conn, json);
        self.written(state, conn);
    }

    fn receive_from_agent(&self, state: &mut State, conn: Conn, text: &str) {
        if text.len() > FRAME_BYTES_MAX {
            let typed = state.peers.get(&conn).is_some_and(|peer| peer.voice == Voice::Eye { typed: true });
            return self.reply(state, conn, &too_long(text, typed));
        }
        if self.ask_plainly(state, conn, text) {
            return;
        }
        let Some(Peer { scope, rpc_only, .. }) = state.peers.get(&conn) else { return };
        let (scope, rpc_only) = (scope.clone(), *rpc_only);
        let watched = state.desk.is_watched();
        let mut goes_on = true;
        eye::from_agent(
            conn,
            text,
            rpc_only,
            &scope,
            || {},
            |request, one| {
                goes_on = goes_on && self.execute_unless_paused(state, conn, text, self.note(request, watched), one);
            },
        );
    }

    /// Executes the parsed messages of an agent's frame.
    pub(super) fn execute_all(
        &self,
        state: &mut State,
        conn: Conn,
        text: &str,
        messages: Vec<(Option<Noted>, FromAgent)>,
    ) {
        for (noted, one) in messages {
            if !self.execute_unless_paused(state, conn, text, noted, one) {
                return;
            }
        }
    }

    /// Executes one message of an agent. `false`: the agent became a page, and the rest of the frame is not for the
    /// agent's side.
    fn execute_unless_paused(
        &self,
        state: &mut State,
        conn: Conn,
        text: &str,
        noted: Option<Noted>,
        one: FromAgent,
    ) -> bool {
        if !state.desk.pauses.any() {
            return self.execute_one(state, conn, text, noted, one);
        }
        let Some((noted, one)) = self.unless_paused(state, conn, noted, one) else { return true };
        self.execute_one(state, conn, text, noted, one)
    }

    fn execute_one(&self, state: &mut State, conn: Conn, text: &str, noted: Option<Noted>, one: FromAgent) -> bool {
        if let Some(noted) = noted {
            self.begin_now(state, conn, noted, &one);
        }
        if matches!(one, FromAgent::Provide) {
            self.dispatched(state);
            self.provide(state, conn, text);
            return false;
        }
        self.execute(state, conn, one);
        self.dispatched(state);
        true
    }

    /// Executes an agent's message, except for becoming a page.
    pub(super) fn execute(&self, state: &mut State, conn: Conn, one: FromAgent) {
        match one {
            FromAgent::Input(input) => self.feed_request(state, input),
            FromAgent::Reply(json) => self.reply(state, conn, &json),
            FromAgent::Refused { form, error } => {
                let Some(peer) = state.peers.get_mut(&conn) else { return };
                let reply = Reply { agent: conn, form };
                speak(peer, &Effect::Ended { reply, ending: Err(error), delta: None }, &mut String::new());
                self.written(state, conn);
            }
            FromAgent::Status(id) => {
                let status = self.status_of(state);
                self.reply(state, conn, &rpc::response(&id, Ok(&json(&status))));
            }
            FromAgent::Serve { id, path } => {
                let result = self.serve(state, conn, &path);
                self.ended(state, conn, &id, &result, String::len);
                self.reply(state, conn, &rpc::response(&id, result.as_deref()));
            }
            FromAgent::Stop { id, drain_ms } => {
                self.reply(state, conn, &rpc::response(&id, Ok(r#"{"stopping":true}"#)));
                self.drain_ms.store(drain_ms.unwrap_or(0), Relaxed);
                self.stop.notify_one();
            }
            FromAgent::Gateway { id, method, params } => self.ask_gateway(state, conn, id, method, params),
            FromAgent::Hello { id, hello } => self.agent_hello(state, conn, id.as_deref(), hello),
            FromAgent::Audit { id, method, params } => self.audit_request(state, conn, id, &method, &params),
            FromAgent::Console { id, method, params } => self.console_request(state, conn, &id, &method, &params),
            FromAgent::Dropped(_) | FromAgent::Provide => {}
        }
    }

    /// Passes a request to the gateway or a guest, and sends its answer later.
    fn ask_gateway(&self, state: &mut State, conn: Conn, id: RpcId, method: String, params: String) {
        let guest = self.answers.get().and_then(|all| all.iter().find(|(prefix, _)| method.starts_with(prefix)));
        let peer = state.peers.get(&conn);
        let trusted = peer.is_some_and(|peer| peer.may_provide);
        let scope = peer.map(|peer| peer.scope.clone()).unwrap_or_default();
        let answer = match (guest, self.gateway.get()) {
            (Some((_, guest)), _) => guest.request(method, params),
            (None, Some(gateway)) if method.starts_with(GATEWAY) => gateway.request(method, params, trusted, scope),
            (None, _) => {
                let error = Error::new(Code::METHOD, format!("this hub was built without what does {method}"));
                self.ended::<()>(state, conn, &id, &Err(error.clone()), |()| 0);
                return self.reply(state, conn, &rpc::response(&id, Err(&error)));
            }
        };
        let hub = self.this.clone();
        tokio::spawn(async move {
            let outcome = answer.await;
            if let Some(hub) = hub.upgrade() {
                let mut state = hub.hold();
                hub.ended(&mut state, conn, &id, &outcome, String::len);
                hub.reply(&mut state, conn, &rpc::response(&id, outcome.as_deref()));
            }
        });
    }

    /// Files are served only for this machine's user, which only the Unix socket proves.
    fn serve(&self, state: &mut State, conn: Conn, path: &Path) -> Result<String, Error> {
        if !state.peers.get(&conn).is_some_and(|peer| peer.may_provide) {
            return Err(Error::new(Code::DENIED, "files are served for agents on the Unix socket only"));
        }
        let path = state.opened.add(path)?;
        Ok(format!(r#"{{"url":{}}}"#, json(&format!("{}{path}", self.address_url()))))
    }

    fn agent_hello(&self, state: &mut State, conn: Conn, id: Option<&str>, mut hello: Box<Hello>) {
        self.lower(state, conn, &mut hello);
        let idle = state.board.pending() == 0 && self.agents_of(state) <= 1;
        let Some(peer) = state.peers.get_mut(&conn) else { return };
        if idle && hello.build.as_deref().is_some_and(version::is_newer) {
            peer.retire();
            self.stop.notify_one();
            return;
        }
        if let Voice::Eye { typed } = &mut peer.voice {
            *typed = hello.typed;
        }
        // Batches and streams cannot carry binary results.
        peer.binary = hello.binary && !hello.batch && peer.outbox.takes_binary();
        if hello.batch {
            peer.batched = true;
            peer.outbox.begin_batches();
        }
        self.feed(state, Input::AgentHello { agent: conn, hello });
        if let Some(id) = id {
            self.reply(state, conn, &rpc::response(id, Ok(&welcome(None, None))));
        }
    }

    /// A token in `hello` lowers the scope of an agent with full access; a scope is never raised.
    fn lower(&self, state: &mut State, conn: Conn, hello: &mut Hello) {
        let Some(peer) = state.peers.get_mut(&conn) else { return };
        if let Some(token) = hello.token.take().filter(|_| peer.scope.limits().is_none()) {
            let scope = self.lowered(&token).in_page_of(peer.scope.origin());
            if scope.limits().is_some() {
                // Serving files and becoming a page need full access.
                peer.may_provide = false;
            }
            peer.scope = scope.clone();
            peer.bearer = scope.bearer();
            self.borne.notify_one();
            self.feed(state, Input::AgentScoped { agent: conn, scope });
        }
    }

    /// The scope of the token in an MCP announcement; full access without a token.
    pub fn announced_scope(&self, announcement: &str) -> Scope {
        #[derive(serde::Deserialize)]
        struct Announced {
            token: Option<String>,
        }
        match serde_json::from_str(announcement) {
            Ok(Announced { token: Some(token) }) => self.lowered(&token),
            Ok(Announced { token: None }) | Err(_) => Scope::ALL,
        }
    }

    pub(crate) fn receive_from_page(&self, state: &mut State, conn: Conn, message: Option<FromPage>) {
        match message {
            None => {}
            Some(FromPage::Input(Input::Page {
                conn: page,
                event: PageEvent::Answered { call, ending: Ok(value) },
            })) if value.as_text().len() > FRAME_BYTES_MAX => {
                // Our own client reports this itself; this check is for pages with another client.
                let ending = Err(over_limit("the page's answer", value.as_text().len()));
                self.feed(state, Input::page(page, PageEvent::Answered { call, ending }));
            }
            Some(FromPage::Reply(frame)) => self.reply(state, conn, &frame),
            Some(FromPage::Input(Input::Page { conn: page, event: PageEvent::Answered { call, ending } })) => {
                self.plain_page_joins(state, conn);
                self.feed_answer(state, page, call, ending);
            }
            Some(FromPage::Input(input)) => {
                self.plain_page_joins(state, conn);
                self.feed(state, input);
            }
            Some(FromPage::Session(id)) => {
                self.plain_page_joins(state, conn);
                let session = state.board.session_of(conn).map_or_else(|| "null".into(), |id| json(id.as_str()));
                let result = format!(r#"{{"sessionId":{session},"expiresAt":null}}"#);
                self.reply(state, conn, &rpc::response(&id, Ok(&result)));
            }
            Some(FromPage::Hello { id, hello }) => self.page_hello(state, conn, id.as_deref(), *hello),
        }
    }
}

fn over_limit(what: &str, bytes: usize) -> Error {
    let limit = FRAME_BYTES_MAX >> 20;
    let message = format!("{what} is {} MiB, over the frame limit of {limit} MiB", bytes >> 20);
    Error::new(Code::INTERNAL, message).hint("ask for a part")
}

/// Answers a frame over the limit without parsing it, under its id if it is a line with one.
fn too_long(text: &str, typed: bool) -> String {
    let error = over_limit("the frame", text.len());
    let mut frame = String::new();
    match split_call_id(text, b":") {
        Some((id, _, _)) if typed => write_typed(id, &Err(error), &mut frame),
        Some((id, _, _)) => write_plain(id, &Err(error), &mut frame),
        None => frame = rpc::response("null", Err(&error)),
    }
    frame
}

pub(super) fn welcome(session_id: Option<String>, last_ref: Option<u32>) -> String {
    json(&Welcome { session_id, version: PROTOCOL_VERSION.into(), hub: version::HUB.into(), last_ref })
}

fn read_batch(text: &str) -> Result<impl Iterator<Item = Element<'_>>, Close> {
    batch::elements(text).map_err(|error| Close::unsupported(&error.to_string()))
}
