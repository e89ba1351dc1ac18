//! Sessions, tools and state in JSON-RPC: requests of agents, and messages of pages.

use super::call_id::read_call_id;
use super::{FromAgent, FromPage};
use eye_core::state::StateQuery;
use eye_core::{Conn, Input, Mode, PageEvent, Reply, ReplyForm, Snapshotting, Task, Terms, ToolQuery};
use eye_protocol::limits::CALL_BATCH_LEN_MAX;
use eye_protocol::rpc;
use eye_protocol::scan::Pause;
use eye_protocol::state::{GetState, Restore, Save, Watch};
use eye_protocol::tools::{self, CallBatch, CallTool, GetTool, ListTools, NameSession, Progress, Unregister};
use eye_protocol::{Code, Error};
use serde::Serialize;
use serde_json::value::RawValue;

const KNOWN: &str = "known: hello, ping, eval, collect, call/cancel, session/create, session/join, session/leave, session/list, \
                     session/info, session/use, tools/register, tools/unregister, tools/list, tools/get, tools/call, \
                     tools/callBatch, state/get, state/watch, state/unwatch, topic/publish, topic/subscribe, topic/unsubscribe, \
                     mailbox/read, audit/read, audit/watch, hub/status, hub/stop, and page/VERB";

/// Reads an agent's request about sessions, tools or state.
pub fn from_agent(reply: &Reply, method: &str, params: &str) -> Result<FromAgent, Error> {
    let reply = reply.clone();
    let id = match &reply.form {
        ReplyForm::Rpc(id) => id.clone(),
        ReplyForm::Line(_) | ReplyForm::Compact(_) | ReplyForm::Tool(_) | ReplyForm::Place(_) => "null".into(),
    };
    let input = match method {
        "session/join" => {
            let NameSession { session_id } = rpc::params(params)?;
            let session = session_id.ok_or_else(|| Error::new(Code::PARAMS, "`sessionId` is missing"))?;
            Input::Join { agent: reply.agent, form: Some(reply.form), session: session.into(), renewed: false }
        }
        "session/leave" => Input::Leave { reply },
        "session/info" => {
            let NameSession { session_id } = rpc::params(params)?;
            Input::Info { reply, session: session_id.map(Into::into) }
        }
        "tools/list" => {
            let ListTools { page, filter } = rpc::params(params)?;
            Input::Tools { reply, page: page.map(Into::into), query: ToolQuery::List(filter) }
        }
        "tools/get" => {
            let GetTool { name, page } = rpc::params(params)?;
            Input::Tools { reply, page: page.map(Into::into), query: ToolQuery::Get(name) }
        }
        "tools/call" => {
            let call: CallTool = rpc::params(params)?;
            let (timeout_ms, page) = (call.timeout, call.page.clone().map(Into::into));
            let (agent, form) = (reply.agent, Some(ReplyForm::Tool(id)));
            Input::Ask { agent, form, task: task(call), page, timeout_ms, mode: Mode::Answer }
        }
        "tools/callBatch" => {
            let CallBatch { calls, timeout, page } = rpc::params(params)?;
            if calls.len() > CALL_BATCH_LEN_MAX {
                return Err(Error::new(Code::PARAMS, format!("a batch holds at most {CALL_BATCH_LEN_MAX} calls")));
            }
            let tasks = calls.into_iter().map(|call| (call.timeout.or(timeout), call));
            let tasks = tasks.map(|(timeout_ms, call)| (task(call), timeout_ms)).collect();
            Input::AskBatch { reply, tasks, page: page.map(Into::into) }
        }
        "state/get" => {
            let GetState { page, path, fresh, since } = rpc::params(params)?;
            Input::GetState { reply, page: page.map(Into::into), fresh, query: StateQuery { path, since, keep: None } }
        }
        "state/save" => {
            let Save { page, name } = rpc::params(params)?;
            let (page, wanted) = (page.map(Into::into), Snapshotting::Save(name.into()));
            Input::Snapshot { reply, page, wanted }
        }
        "state/saved" => {
            let Watch { page } = rpc::params(params)?;
            Input::Snapshot { reply, page: page.map(Into::into), wanted: Snapshotting::List }
        }
        "state/restore" => {
            let Restore { page, name, if_revision } = rpc::params(params)?;
            let wanted = Snapshotting::Restore { name: name.into(), if_revision };
            Input::Snapshot { reply, page: page.map(Into::into), wanted }
        }
        "state/watch" | "state/unwatch" => {
            let Watch { page } = rpc::params(params)?;
            Input::Watch { reply, page: page.map(Into::into), wanted: method == "state/watch", renewed: false }
        }
        unknown => return Err(Error::new(Code::METHOD, format!("no such method: {unknown}")).hint(KNOWN)),
    };
    Ok(FromAgent::Input(input))
}

fn task(call: CallTool) -> Task {
    let arguments = call.arguments.map_or_else(|| "{}".into(), |raw| raw.get().into());
    Task::Tool {
        name: call.name.into(),
        arguments,
        confirmed: call.confirm,
        terms: Terms { delta: call.delta, if_revision: call.if_revision },
    }
}

pub fn from_page(page: Conn, id: &str, method: &str, params: &str, pause: Pause) -> FromPage {
    let input = match method {
        "tools/register" => tools::registered(params, pause)
            .map(|tools| Input::page(page, PageEvent::Offers { id: Some(id.into()), tools })),
        "tools/unregister" => rpc::params(params)
            .map(|Unregister { names }| Input::page(page, PageEvent::Withdraws { id: Some(id.into()), names })),
        unknown => Err(Error::new(Code::METHOD, format!("Method not found: {unknown}"))),
    };
    match input {
        Ok(input) => FromPage::Input(input),
        Err(error) => FromPage::Reply(rpc::response(id, Err(&error))),
    }
}

/// Reads a page's progress notification.
pub fn progress_from_page(page: Conn, params: &str) -> Option<Input> {
    let Progress { id } = rpc::params(params).ok()?;
    let id = id.get();
    // Streams of one origin may post alike, so the id also names the stream.
    let call = read_call_id(id).map_or_else(|| id.trim_matches('"').parse().ok(), |(_, call)| Some(call))?;
    Some(Input::page(page, PageEvent::Progressed { call, progress: params.into() }))
}

/// Forwards a page's progress to the agent, under the agent's own request id.
pub fn progress_to_agent(form: &ReplyForm, progress: &str) -> Option<String> {
    let id = match form {
        ReplyForm::Rpc(id) | ReplyForm::Tool(id) => RawValue::from_string(id.to_string()).ok()?,
        ReplyForm::Line(_) | ReplyForm::Compact(_) | ReplyForm::Place(_) => return None,
    };
    let mut params: indexmap::IndexMap<String, Box<RawValue>> = serde_json::from_str(progress).ok()?;
    params.insert("id".into(), id);
    Some(rpc::notification("call/progress", &params))
}

/// The params of a call for a page. The arguments pass unchanged.
pub fn call_params<'a>(name: &'a str, arguments: &str, terms: Terms) -> impl Serialize + 'a {
    #[derive(Serialize)]
    struct Params<'a> {
        name: &'a str,
        arguments: Box<RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        delta: Option<bool>,
        #[serde(rename = "ifRevision", skip_serializing_if = "Option::is_none")]
        if_revision: Option<u64>,
    }
    let delta = terms.delta.then_some(true);
    Params { name, arguments: raw(arguments), delta, if_revision: terms.if_revision }
}

/// JSON text as it is. Callers pass only text that was checked to be JSON.
pub fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
