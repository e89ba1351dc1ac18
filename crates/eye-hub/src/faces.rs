//! What serves agents in another protocol than ours: MCP. The hub admits and hands over; whoever runs it brings the faces.

use crate::agent_link::Links;
use crate::hub::{Hub, State};
use bytes::Bytes;
use eye_core::Conn;
use eye_protocol::rpc::{self, RpcId};
use eye_protocol::{Code, Error};
use std::convert::Infallible;
use std::fmt::Debug;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use tokio::net::UnixStream;

/// Something that is there later.
pub type Later<T> = Pin<Box<dyn Future<Output = T> + Send>>;
/// The body of an answer, whole or as a stream.
pub type Body = Pin<Box<dyn http_body::Body<Data = Bytes, Error = Infallible> + Send>>;
/// A connection of this user, whose further bytes are not ours to read.
pub type Stream = UnixStream;

/// How a connection on the Unix socket announces that it speaks MCP: this, and a JSON object, in one line.
pub const ANNOUNCEMENT: &str = "mcp {";

/// Who serves agents in another protocol. Everything that reaches it has passed the gate.
pub trait Faces: Debug + Send + Sync {
    /// The hub serves from now on; this is the way into it.
    fn begin(&self, links: Links);

    /// A request to `/mcp` or `/api/mcp`.
    fn http(&self, request: http::Request<Bytes>) -> Later<http::Response<Body>>;

    /// A connection that announced itself with `announcement` (a JSON object) and has sent `rest` already.
    fn stream(&self, announcement: String, rest: Vec<u8>, stream: Stream) -> Later<()>;

    /// A request `gateway/…` of an agent on an ordinary socket. Params and result are JSON text. Only who is `trusted`,
    /// on the Unix socket, may say in which folder and environment something runs: no command comes from the network.
    fn request(&self, method: String, params: String, trusted: bool) -> Later<Result<String, Error>>;

    /// More lines for `/metrics`.
    fn metrics(&self) -> String;

    /// The hub is about to end.
    fn shut_down(&self) -> Later<()>;
}

/// The faces of a hub, and the hub itself for answers that come later.
#[derive(Debug)]
pub(crate) struct Seat {
    pub faces: Arc<dyn Faces>,
    hub: Weak<Hub>,
}

impl Hub {
    /// Gives the hub its faces, once.
    pub(crate) fn seat(self: &Arc<Self>, faces: Arc<dyn Faces>) {
        faces.begin(Links::new(self.clone()));
        let _ = self.seat.set(Seat { faces, hub: Arc::downgrade(self) });
    }

    /// Asks the faces for an agent, and answers it when they have.
    pub(crate) fn ask_faces(&self, state: &mut State, conn: Conn, id: RpcId, method: String, params: String) {
        let Some(Seat { faces, hub }) = self.seat.get() else {
            let error = Error::new(Code::METHOD, format!("this hub has no gateway: {method}"));
            return self.reply(state, conn, &rpc::response(&id, Err(&error)));
        };
        let trusted = state.peers.get(&conn).is_some_and(|peer| peer.may_provide);
        let (asked, hub) = (faces.request(method, params, trusted), hub.clone());
        tokio::spawn(async move {
            let outcome = asked.await;
            if let Some(hub) = hub.upgrade() {
                let mut state = hub.hold();
                hub.reply(&mut state, conn, &rpc::response(&id, outcome.as_deref()));
            }
        });
    }
}
