//! Answers that a session sends to pages and agents.

use crate::effect::Effect;
use crate::ids::Conn;
use crate::session_event::Outcome;
use eye_protocol::messages::PageInfo;
use eye_protocol::rpc::RpcId;
use eye_protocol::{Code, Error, Value};

/// The result of a call that navigated: title and URL of the page where it arrived.
pub(super) fn arrival(info: &PageInfo) -> Value {
    let title = info.title.as_deref().unwrap_or("");
    let url = info.url.as_deref().unwrap_or("");
    Value::Rendering(format!("{title} {url}").trim().to_owned())
}

/// The refusal when the hub is ending.
pub(crate) fn shut_down() -> Error {
    Error::new(Code::CONNECTION, "the hub shut down before the page answered").hint("ask again; a hub starts by itself")
}

/// Answers a request of a page, if the page wants an answer.
pub(crate) fn answer_page(page: Conn, id: Option<RpcId>, result: Result<String, Error>, out: &mut Vec<Outcome>) {
    out.extend(id.map(|id| Outcome::Effect(Effect::PageResult { page, id, result })));
}
