//! Verbs of the page client, in JSON-RPC: the hub forwards them and does not know their meaning.

use eye_core::{Conn, Input, Mode, ReplyForm, Task, Terms};
use eye_protocol::Error;
use eye_protocol::messages::Verb;
use eye_protocol::rpc::{self, json};
use indexmap::IndexMap;
use serde_json::value::RawValue;

/// Reads an agent's verb. Its params are kept, except for those that the hub itself uses.
pub fn from_agent(agent: Conn, id: &str, method: &str, params: &str) -> Result<Input, Error> {
    let Verb { page, timeout, delta, if_revision, again } = rpc::params(params)?;
    let mut rest: IndexMap<String, Box<RawValue>> = rpc::params(params)?;
    rest.shift_remove("page");
    rest.shift_remove("again");
    rest.shift_remove("ifRevision");
    // Waiting changes nothing, so a wait may always run again in the page that comes back.
    let again = again || method == "page/wait";
    let task =
        Task::Verb { method: method.into(), params: json(&rest).into(), again, terms: Terms { delta, if_revision } };
    let form = Some(ReplyForm::Rpc(id.into()));
    Ok(Input::Ask { agent, form, task, page: page.map(Into::into), timeout_ms: timeout, mode: Mode::Answer })
}

/// The params of a verb for its page, with the page's own revision if the call has one.
pub fn for_page(params: &str, terms: Terms) -> std::borrow::Cow<'_, str> {
    match (terms.if_revision, params.strip_prefix('{')) {
        (Some(revision), Some("}")) => format!(r#"{{"ifRevision":{revision}}}"#).into(),
        (Some(revision), Some(rest)) => format!(r#"{{"ifRevision":{revision},{rest}"#).into(),
        _ => params.into(),
    }
}
