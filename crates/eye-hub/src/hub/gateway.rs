//! What a guest takes over of the hub's own connections: requests `gateway/…`, and streams that announce another
//! protocol.

use eye_protocol::Error;
use eye_protocol::scope::Scope;
use std::fmt::Debug;

/// A boxed future that borrows nothing.
pub type Later<T> = eye_protocol::local::Later<'static, T>;

/// A connection of this user on the Unix socket.
pub type Stream = eye_platform::local::AsyncStream;

/// How the methods begin that the gateway answers.
pub const GATEWAY: &str = "gateway/";

/// A guest that answers requests of agents. The scope of a request was checked before, by the table of operations.
pub trait Answers: Debug + Send + Sync {
    /// A request whose method begins as the guest said. Params and result are JSON text.
    fn request(&self, method: String, params: String) -> Later<Result<String, Error>>;
}

/// The gateway to other servers, as the hub sees it.
pub trait Gateway: Debug + Send + Sync {
    /// A request `gateway/…` of an agent. Params and result are JSON text. Only an agent that is `trusted`, on the Unix
    /// socket, may choose in which folder and environment something runs: no command comes from the network. `scope` is
    /// what its token allows.
    fn request(&self, method: String, params: String, trusted: bool, scope: Scope) -> Later<Result<String, Error>>;

    /// A connection on the Unix socket that announced itself with `announcement` (a JSON object) and has sent `rest`
    /// already.
    fn stream(&self, announcement: String, scope: Scope, rest: Vec<u8>, stream: Stream) -> Later<()>;
}
