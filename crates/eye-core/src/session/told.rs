//! What a page and an agent are told of what they did.

use crate::effect::Effect;
use crate::ids::Conn;
use crate::session_event::Outcome;
use eye_protocol::messages::PageInfo;
use eye_protocol::rpc::RpcId;
use eye_protocol::{Code, Error, Value};

/// Where a call that navigated has arrived.
pub(super) fn arrival(info: &PageInfo) -> Value {
    let title = info.title.as_deref().unwrap_or("");
    let url = info.url.as_deref().unwrap_or("");
    Value::Rendering(format!("{title} {url}").trim().to_owned())
}

/// Why nothing is asked of a page any more.
pub(crate) fn shut_down() -> Error {
    Error::new(Code::CONNECTION, "the hub shut down before the page answered").hint("ask again; a hub starts by itself")
}

/// Tells a page what came of its request, when it wants to be told.
pub(crate) fn answer_page(page: Conn, id: Option<RpcId>, result: Result<String, Error>, out: &mut Vec<Outcome>) {
    out.extend(id.map(|id| Outcome::Effect(Effect::PageResult { page, id, result })));
}
