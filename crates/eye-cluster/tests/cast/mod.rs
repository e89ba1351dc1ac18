//! Events that the tests and fuzzing (`fuzz/targets/hubs.rs`) send to hubs of a cluster.

#[allow(dead_code, reason = "the simulation has rows of its own hubs")]
pub mod row;

use eye_cluster::core::Event;
use eye_cluster::eye_core::elsewhere::Caller;
use eye_cluster::eye_core::passed::Passed;
use eye_cluster::eye_core::{Asker, Conn, Input, Mode, Reply, ReplyForm, Task, Terms};
use eye_protocol::SessionId;
use eye_protocol::scope::Scope;

/// An agent of the hub that sends calls to other hubs.
pub const AGENT: Conn = Conn(7);
/// The deadline of a usual call.
pub const LIFETIME_MS: u64 = 5_000;

pub fn id(word: &str) -> SessionId {
    SessionId::parse(word).expect("an id")
}

/// [`AGENT`] evaluates something in a session that another hub holds, under the id `call`.
pub fn ask(session: SessionId, call: &str, lifetime_ms: u64) -> Event {
    let task = Task::Eval { code: "1".into(), frame: None, terms: Terms::default() };
    let input = Input::Ask { agent: AGENT, form: None, task, page: None, timeout_ms: None, mode: Mode::Answer };
    let caller = Caller { agent: AGENT, name: "a".into(), scope: Scope::ALL, frame: None };
    let asker = Asker::Agent(Reply { agent: AGENT, form: ReplyForm::Rpc(call.into()) });
    Event::PassOn(Box::new(Passed { session, caller, asker, is_call: true, lifetime_ms, input }))
}
