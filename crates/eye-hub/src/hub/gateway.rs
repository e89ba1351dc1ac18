//! Traits of guests that take over parts of the hub's connections: requests `gateway/…`, and streams that announce
//! another protocol.

use eye_protocol::Error;
use eye_protocol::scope::Scope;
use std::fmt::Debug;

/// A boxed future that borrows nothing.
pub type Later<T> = eye_protocol::local::Later<'static, T>;

/// A connection of this user on the Unix socket.
pub type Stream = eye_platform::local::AsyncStream;

/// Method prefix of requests for the gateway.
pub const GATEWAY: &str = "gateway/";

/// A guest that answers agents' requests. The scope was checked before, by the table of operations.
pub trait Answers: Debug + Send + Sync {
    /// Handles a request whose method has the guest's prefix. Params and result are JSON text.
    fn request(&self, method: String, params: String) -> Later<Result<String, Error>>;
}

/// The gateway to other servers.
pub trait Gateway: Debug + Send + Sync {
    /// Handles an agent's request `gateway/…`. Params and result are JSON text. Only a `trusted` agent, on the Unix
    /// socket, may choose the folder and environment of a process: no command comes from the network. `scope` is the
    /// scope of its token.
    fn request(&self, method: String, params: String, trusted: bool, scope: Scope) -> Later<Result<String, Error>>;

    /// Serves a connection on the Unix socket that sent `announcement` (a JSON object) and then `rest`.
    fn stream(&self, announcement: String, scope: Scope, rest: Vec<u8>, stream: Stream) -> Later<()>;
}
