//! Agents inside this process: they send requests as agents on the Unix socket do, without a socket or a task. An
//! answer wakes only the call that waits for it.

use super::letterbox::{Came, Letterbox, Waiting};
use super::outbox::Outbox;
use super::peer::{Peer, Side, Voice};
use super::state::Hub;
use eye_core::Conn;
use eye_protocol::local::{Identity, LocalEval, LocalValue, ProgressSink};
use eye_protocol::messages::{ClientType, Hello};
use eye_protocol::rpc::{self, json};
use eye_protocol::{Code, Error};
use serde_json::value::RawValue;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// Creates links to a hub.
#[derive(Clone)]
pub struct Links {
    hub: Arc<Hub>,
}

impl std::fmt::Debug for Links {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Links")
    }
}

impl Links {
    pub(crate) fn new(hub: Arc<Hub>) -> Self {
        Self { hub }
    }

    /// The hub, for other kinds of links.
    pub(super) fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    /// Connects an agent to the hub. `face` is its kind of connection in the audit log.
    pub(crate) fn open(&self, who: Identity, face: &'static str) -> AgentLink {
        let Identity { name, page, scope } = who;
        let hello = Hello { client_type: Some(ClientType::Agent), agent: name, target: page, ..Hello::default() };
        let letterbox = Arc::new(Letterbox::default());
        let outbox = Outbox::Inside(letterbox.clone());
        let mut peer = Peer::new(Side::Agent, Voice::Eye { typed: false }, outbox, None).scoped(scope);
        peer.face = face;
        let (conn, _) = self.hub.enter(peer);
        self.hub.receive_hello(conn, hello);
        AgentLink { door: Arc::new(Door { hub: self.hub.clone(), conn }), letterbox, last_id: AtomicU32::new(0) }
    }
}

/// An agent's link to the hub. Dropping it disconnects the agent and ends its calls.
#[derive(Debug)]
pub(crate) struct AgentLink {
    door: Arc<Door>,
    letterbox: Arc<Letterbox>,
    last_id: AtomicU32,
}

impl AgentLink {
    /// Sends a request. `params` is JSON text. Dropping the answer before it arrives cancels the call.
    pub fn request(&self, method: &str, params: &str, progress: Option<ProgressSink>) -> Answer {
        let answer = self.expect(false, progress);
        let id = answer.id;
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{},"params":{params}}}"#, json(method));
        let _ = self.door.hub.receive(self.door.conn, &text);
        answer
    }

    /// Sends code to a page. Dropping the value before it arrives cancels the call.
    pub fn eval(&self, eval: LocalEval<'_>, progress: Option<ProgressSink>) -> EvalAnswer {
        let answer = self.expect(true, progress);
        self.door.hub.receive_eval(self.door.conn, answer.id, eval);
        EvalAnswer(answer)
    }

    /// The answer to a request that is about to be sent.
    fn expect(&self, takes_ending: bool, progress: Option<ProgressSink>) -> Answer {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let (sender, receiver) = oneshot::channel();
        self.letterbox.expect(id, Waiting { answer: sender, takes_ending, progress });
        Answer { door: self.door.clone(), letterbox: self.letterbox.clone(), id, receiver, there: false }
    }

    /// Sends a notification.
    pub fn notify(&self, method: &str, params: &str) {
        let text = format!(r#"{{"jsonrpc":"2.0","method":{},"params":{params}}}"#, json(method));
        let _ = self.door.hub.receive(self.door.conn, &text);
    }

    pub(super) fn door(&self) -> Arc<Door> {
        self.door.clone()
    }

    /// The hub, and this agent's connection.
    pub(crate) fn place(&self) -> (&Hub, Conn) {
        (&self.door.hub, self.door.conn)
    }

    /// Resolves with the reason when the hub ends this agent because its token is no longer valid.
    pub fn ended(&self) -> impl Future<Output = Error> + Send + 'static {
        let mut ending = self.letterbox.ending();
        async move {
            match ending.wait_for(Option::is_some).await.map(|why| why.clone()) {
                Ok(Some(why)) => why,
                // The link was dropped; nothing follows.
                Ok(None) | Err(_) => std::future::pending().await,
            }
        }
    }

    /// The next message that is not an answer, as JSON-RPC text. `None`: the hub closed this link.
    pub async fn news(&self) -> Option<String> {
        self.letterbox.next().await
    }
}

/// The hub's side of a link.
pub(super) struct Door {
    hub: Arc<Hub>,
    conn: Conn,
}

impl Door {
    pub(super) fn hub(&self) -> &Hub {
        &self.hub
    }
}

impl std::fmt::Debug for Door {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Door({})", self.conn.0)
    }
}

impl Drop for AgentLink {
    fn drop(&mut self) {
        // Calls that still wait learn that no answer will come.
        self.letterbox.close();
        self.door.hub.leave(self.door.conn);
    }
}

/// A pending answer.
#[derive(Debug)]
pub(crate) struct Answer {
    door: Arc<Door>,
    letterbox: Arc<Letterbox>,
    id: u32,
    receiver: oneshot::Receiver<Came>,
    there: bool,
}

impl Answer {
    fn poll_came(&mut self, context: &mut Context<'_>) -> Poll<Result<Came, Error>> {
        Pin::new(&mut self.receiver).poll(context).map(|came| {
            self.there = true;
            came.map_err(|_| self.letterbox.why_ended().unwrap_or_else(shut_down))
        })
    }
}

impl Future for Answer {
    type Output = Result<Box<RawValue>, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.poll_came(context).map(|came| match came? {
            Came::Response(text) => outcome(&text),
            Came::Ending(ending) => outcome(&rpc::eval_response("0", &ending, None)),
        })
    }
}

/// The pending value of code.
#[derive(Debug)]
pub(crate) struct EvalAnswer(Answer);

impl Future for EvalAnswer {
    type Output = Result<LocalValue, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll_came(context).map(|came| match came? {
            Came::Response(text) => outcome(&text).map(LocalValue::Result),
            Came::Ending(ending) => ending.map(LocalValue::Value),
        })
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if !self.there && self.letterbox.forget(self.id) {
            let text = format!(r#"{{"jsonrpc":"2.0","method":"call/cancel","params":{{"id":{}}}}}"#, self.id);
            let _ = self.door.hub.receive(self.door.conn, &text);
        }
    }
}

pub(super) fn shut_down() -> Error {
    Error::new(Code::CONNECTION, "the hub shuts down").hint("ask again")
}

/// Parses a response that the hub itself wrote.
fn outcome(text: &str) -> Result<Box<RawValue>, Error> {
    #[derive(serde::Deserialize)]
    struct Response {
        result: Option<Box<RawValue>>,
        error: Option<Box<RawValue>>,
    }
    match serde_json::from_str(text) {
        Ok(Response { error: Some(error), .. }) => Err(Error::from_raw(error.get())),
        Ok(Response { result: Some(result), .. }) => Ok(result),
        Ok(Response { .. }) => Ok(RawValue::NULL.to_owned()),
        Err(error) => Err(Error::new(Code::INTERNAL, format!("the hub's own answer is malformed: {error}"))),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::audit::Audit;
    use crate::gate::origins::Origins;
    use crate::hub::facts::Facts;
    use eye_core::calls::FirstCalls;
    use std::sync::mpsc;
    use std::task::Waker;

    /// A hub without sockets.
    pub fn hub() -> Arc<Hub> {
        let facts = Facts {
            listen: String::new(),
            socket: String::new(),
            auth: "none",
            own_agents: 0,
            wide_folders: Vec::new(),
            rate: crate::RATE_DEFAULT,
            first_calls: FirstCalls::default(),
            keys: crate::gate::Keys::new(crate::gate::Auth::None, std::path::Path::new("none")),
            origins: Origins::new("none".into()),
            audit: Audit::off(),
        };
        Hub::new(facts, Vec::new())
    }

    fn link(hub: &Arc<Hub>) -> AgentLink {
        Links::new(hub.clone()).open(Identity { name: Some("a".into()), ..Identity::default() }, "inside")
    }

    fn poll(answer: &mut Answer) -> Poll<Result<Box<RawValue>, Error>> {
        Pin::new(answer).poll(&mut Context::from_waker(Waker::noop()))
    }

    /// A page whose frames a test reads directly.
    pub fn page(hub: &Arc<Hub>) -> Conn {
        let mut peer = Peer::new(Side::Agent, Voice::Eye { typed: false }, Outbox::messages(), None);
        peer.may_provide = true;
        let (conn, _) = hub.enter(peer);
        let hello = r#"{"jsonrpc":"2.0","method":"hello","params":{"clientType":"browser","typed":true}}"#;
        hub.receive(conn, hello).unwrap();
        conn
    }

    /// What waits for a peer.
    pub fn frames(hub: &Hub, conn: Conn) -> String {
        let parcel = hub.hold().peers.get_mut(&conn).unwrap().outbox.take();
        String::from_utf8(parcel.bytes).unwrap()
    }

    #[test]
    fn an_answer_comes_back_to_who_asked() {
        let hub = hub();
        let page = page(&hub);
        let link = link(&hub);
        let mut one = link.request("eval", r#"{"code":"1"}"#, None);
        let mut two = link.request("eval", r#"{"code":"2"}"#, None);
        let sent = frames(&hub, page);
        assert!(poll(&mut one).is_pending(), "{sent}");
        let ids: Vec<&str> = sent.split(':').collect();
        let (first, second) = (ids[0], &ids[1][1..]);
        hub.receive(page, &format!("{second}:two")).unwrap();
        hub.receive(page, &format!("{first}=1")).unwrap();
        let text = |answer: &mut Answer| match poll(answer) {
            Poll::Ready(Ok(value)) => value.get().to_owned(),
            other => panic!("{other:?}"),
        };
        assert_eq!((text(&mut one), text(&mut two)), (r#"{"value":1}"#.into(), r#"{"value":"two"}"#.into()));
    }

    fn eval(link: &AgentLink, code: &str) -> EvalAnswer {
        link.eval(
            LocalEval { code, page: None, timeout_ms: None, params: &format!(r#"{{"code":{}}}"#, json(code)) },
            None,
        )
    }

    #[test]
    fn code_ends_as_the_request_of_its_text_does() {
        let hub = hub();
        let page = page(&hub);
        let link = link(&hub);
        for (answer, value) in
            [(":two", "{\"value\":\"two\"}"), ("=[1, 2]", "{\"value\":[1, 2]}"), ("~<b>", "{\"rendering\":\"<b>\"}")]
        {
            let mut typed = eval(&link, "1");
            let mut text = link.request("eval", r#"{"code":"1"}"#, None);
            let sent = frames(&hub, page);
            // Two lines in one buffer: `ID:1ID:1`.
            let ids: Vec<&str> = sent.split(':').collect();
            for id in [ids[0], &ids[1][1..]] {
                hub.receive(page, &format!("{id}{answer}")).unwrap();
            }
            let context = &mut Context::from_waker(Waker::noop());
            let Poll::Ready(Ok(LocalValue::Value(typed))) = Pin::new(&mut typed).poll(context) else {
                panic!("{answer}")
            };
            let Poll::Ready(Ok(text)) = poll(&mut text) else { panic!("{answer}") };
            assert_eq!((rpc::eval_result(&typed).as_str(), text.get()), (value, value));
        }
    }

    #[test]
    fn code_that_is_dropped_or_refused_ends() {
        let hub = hub();
        let context = &mut Context::from_waker(Waker::noop());
        let without_page = link(&hub);
        let mut refused = eval(&without_page, "1");
        let Poll::Ready(Err(error)) = Pin::new(&mut refused).poll(context) else { panic!() };
        assert_eq!(error.code, Code::SESSION);
        let scope = eye_protocol::scope::Scope::nothing("it may nothing");
        let denied = Links::new(hub.clone()).open(Identity { scope, ..Identity::default() }, "inside");
        let Poll::Ready(Err(error)) = Pin::new(&mut eval(&denied, "1")).poll(context) else { panic!() };
        assert_eq!(error.code, Code::DENIED);
        let page = page(&hub);
        let asking = link(&hub);
        let answer = eval(&asking, "1");
        let id = frames(&hub, page).split(':').next().unwrap().to_owned();
        drop(answer);
        assert!(frames(&hub, page).contains(&format!(r#""call/cancel","params":{{"id":"{id}"}}"#)));
        let left = link(&hub);
        let mut answer = eval(&left, "1");
        drop(left);
        assert!(matches!(Pin::new(&mut answer).poll(context), Poll::Ready(Err(Error { code: Code::CONNECTION, .. }))));
    }

    #[test]
    fn an_answer_that_is_dropped_is_cancelled_in_the_page() {
        let hub = hub();
        let page = page(&hub);
        let link = link(&hub);
        let answer = link.request("eval", r#"{"code":"1"}"#, None);
        let sent = frames(&hub, page);
        let id = sent.split(':').next().unwrap();
        drop(answer);
        assert!(frames(&hub, page).contains(&format!(r#""call/cancel","params":{{"id":"{id}"}}"#)));
    }

    #[test]
    fn errors_keep_code_and_hint() {
        let hub = hub();
        let link = link(&hub);
        let Poll::Ready(Err(error)) = poll(&mut link.request("eval", r#"{"code":"1"}"#, None)) else { panic!() };
        assert_eq!(error.code, Code::SESSION);
        assert!(error.hint.is_some());
    }

    #[test]
    fn a_link_that_is_dropped_leaves_and_ends_what_waits() {
        let hub = hub();
        let _page = page(&hub);
        let link = link(&hub);
        let mut answer = link.request("eval", r#"{"code":"1"}"#, None);
        drop(link);
        assert!(matches!(poll(&mut answer), Poll::Ready(Err(Error { code: Code::CONNECTION, .. }))));
        assert_eq!(hub.status().agents, 0);
    }

    #[test]
    fn progress_goes_to_the_call_it_is_of() {
        let hub = hub();
        let page = page(&hub);
        let register = r#"{"jsonrpc":"2.0","id":"r","method":"tools/register","params":{"tools":[{"name":"t"}]}}"#;
        hub.receive(page, register).unwrap();
        let link = link(&hub);
        let (sender, received) = mpsc::channel();
        let sink = ProgressSink::new(move |params| sender.send(params.to_owned()).unwrap());
        frames(&hub, page);
        let _answer = link.request("tools/call", r#"{"name":"t"}"#, Some(sink));
        let sent = frames(&hub, page);
        let id = sent.split(r#""id":""#).nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let params = format!(r#"{{"id":"{id}","progress":1,"total":2}}"#);
        hub.receive(page, &format!(r#"{{"jsonrpc":"2.0","method":"call/progress","params":{params}}}"#)).unwrap();
        assert_eq!(received.try_recv().unwrap(), r#"{"id":1,"progress":1,"total":2}"#);
    }
}
