//! eye's own dialect (`docs/wire.md`): line frames and JSON-RPC, plain or typed. Only reads and writes frames.

use super::calendar::wall_ms;
use super::{AuditedRequest, FromAgent, FromPage, topics, verbs};
use eye_core::{CallId, Conn, Input, Mode, News, PageEvent, Reply, ReplyForm, Task, Terms};
use eye_protocol::answer::{Bytes, parse_plain, parse_typed_call, write_plain, write_typed};
use eye_protocol::binary::Binary;
use eye_protocol::compact::Form;
use eye_protocol::id::LineId;
use eye_protocol::line::Line;
use eye_protocol::local::LocalEval;
use eye_protocol::messages::{
    CancelAgent, CancelPage, ClientType, Collect, Eval, EvalInPage, EvalMode, Forget, Hello, Navigating, PageInfo,
    Serve, Stop, Use,
};
use eye_protocol::operations::BROWSER_METHODS;
use eye_protocol::rpc::{self, Message, RpcId, json};
use eye_protocol::scan::{self, Pause};
use eye_protocol::scope::Scope;
use eye_protocol::state::{Change, WholeState};
use eye_protocol::{Code, Ending, Error, Frame, SessionId, Value};
use std::borrow::Cow;

/// Method prefix of verbs.
const VERBS: &str = "page/";
/// Method prefix of consoles.
const CONSOLE: &str = "console/";
const PONG: &str = r#"{"pong":true}"#;

/// How a JSON-RPC message begins if its sender writes the members in their usual order.
const RPC_BEGINNING: &str = r#"{"jsonrpc""#;

/// The error response to a malformed JSON-RPC frame: the text begins like a message, or its sender speaks only
/// JSON-RPC. `None`: the text is not meant as JSON-RPC.
fn malformed(text: &str, rpc_only: bool) -> Option<String> {
    let meant = !text.is_empty() && (rpc_only || text.starts_with(RPC_BEGINNING));
    meant.then(|| {
        let error = Error::new(Code::PARSE, "the frame is not JSON-RPC");
        rpc::response("null", Err(&error.hint("send one JSON-RPC 2.0 message, or an array of them")))
    })
}

/// Reads one frame of an agent. Text that is meant as JSON-RPC is never evaluated as a line.
pub fn from_agent(
    agent: Conn,
    text: &str,
    rpc_only: bool,
    scope: &Scope,
    pause: Pause,
    mut take: impl FnMut(AuditedRequest<'_>, FromAgent),
) {
    let frame = Frame::parse_paced(text, pause);
    if let Some(Frame::Line(_) | Frame::Compact(_)) = frame
        && let Some(answer) = malformed(text, rpc_only)
    {
        return take(AuditedRequest { id: Some("null"), method: "", params: text }, FromAgent::Reply(answer));
    }
    match frame {
        None => {}
        Some(Frame::Line(Line::Fire { code })) => {
            let request = AuditedRequest { id: None, method: "eval", params: code };
            take(request, ask(agent, None, code.to_owned(), scope));
        }
        Some(Frame::Line(Line::Ask { id, code })) => {
            let form = LineId::parse(id).map(ReplyForm::Line);
            let request = AuditedRequest { id: Some(id), method: "eval", params: code };
            take(request, ask(agent, form, code.to_owned(), scope));
        }
        Some(Frame::Compact(compact)) => {
            let id = match &compact.form {
                Form::Object(id) | Form::Pair(id) => id,
                Form::Bare => "",
            };
            let request = AuditedRequest { id: Some(id), method: "eval", params: &compact.code };
            take(request, ask(agent, Some(ReplyForm::Compact(compact.form.clone())), compact.code.clone(), scope));
        }
        Some(Frame::Rpc(messages)) => {
            for message in messages {
                agent_message(agent, message, scope, &mut take);
            }
        }
    }
}

/// Code in a line. If the token does not allow it, it is refused in the form of the request, or dropped if that form
/// has no response.
fn ask(agent: Conn, form: Option<ReplyForm>, code: String, scope: &Scope) -> FromAgent {
    if let Err(error) = scope.check_request("eval", "{}") {
        return match form {
            Some(form) => FromAgent::Refused { form, error },
            None => FromAgent::Dropped(error),
        };
    }
    let task = Task::Eval { code, frame: None, terms: Terms::default() };
    FromAgent::Input(Input::Ask { agent, form, task, page: None, timeout_ms: None, mode: Mode::Answer })
}

fn agent_message(
    agent: Conn,
    message: Message<'_>,
    scope: &Scope,
    take: &mut impl FnMut(AuditedRequest<'_>, FromAgent),
) {
    match message {
        Message::Request { id, method, params } => {
            let allowed = allowed(scope, &method, &params);
            let one = match allowed.and_then(|()| agent_request(agent, &id, &method, &params)) {
                Ok(one) => one,
                Err(error) => FromAgent::Reply(rpc::response(&id, Err(&error))),
            };
            take(AuditedRequest { id: Some(&id), method: &method, params: &params }, one);
        }
        Message::Notification { method, params } => {
            let one = match allowed(scope, &method, &params) {
                Ok(()) => agent_notification(agent, &method, &params),
                Err(error) => Some(FromAgent::Dropped(error)),
            };
            if let Some(one) = one {
                take(AuditedRequest { id: None, method: &method, params: &params }, one);
            }
        }
        // The hub sends agents no requests, so a response from one is ignored.
        Message::Response { .. } => {}
        Message::Invalid { id, reason } => {
            take(AuditedRequest { id: Some(&id), method: "", params: "" }, FromAgent::Reply(invalid(&id, reason)));
        }
    }
}

/// The request `eval` of an agent inside this process: the same as its text would be.
pub fn from_agent_inside(agent: Conn, id: &str, eval: LocalEval<'_>, scope: &Scope) -> FromAgent {
    let LocalEval { code, page, timeout_ms, params } = eval;
    if let Err(error) = allowed(scope, "eval", params) {
        return FromAgent::Reply(rpc::response(id, Err(&error)));
    }
    let task = Task::Eval { code: code.to_owned(), frame: None, terms: Terms::default() };
    let form = Some(ReplyForm::Rpc(id.into()));
    FromAgent::Input(Input::Ask { agent, form, task, page: page.map(Into::into), timeout_ms, mode: Mode::Answer })
}

/// Whether the token allows a request. `hello` needs no scope: it can only lower the scope.
fn allowed(scope: &Scope, method: &str, params: &str) -> Result<(), Error> {
    if method == "hello" { Ok(()) } else { scope.check_request(method, params) }
}

fn agent_request(agent: Conn, id: &str, method: &str, params: &str) -> Result<FromAgent, Error> {
    let reply = || Reply { agent, form: ReplyForm::Rpc(id.into()) };
    Ok(match method {
        "hello" => hello(Some(id.into()), rpc::params(params)?),
        "ping" => FromAgent::Reply(rpc::response(id, Ok(PONG))),
        "eval" => {
            let Eval { code, page, frame, timeout, mode, keep, delta, if_revision } = rpc::params(params)?;
            let mode = match mode {
                EvalMode::Answer => Mode::Answer,
                EvalMode::Fire => Mode::Fire,
                EvalMode::Keep => Mode::Keep(keep.map(Into::into)),
            };
            let task = Task::Eval { code, frame: frame.map(Into::into), terms: Terms { delta, if_revision } };
            let form = Some(ReplyForm::Rpc(id.into()));
            FromAgent::Input(Input::Ask { agent, form, task, page: page.map(Into::into), timeout_ms: timeout, mode })
        }
        "collect" => {
            let Collect { ids, timeout } = rpc::params(params)?;
            let ids = ids.into_iter().map(Into::into).collect();
            FromAgent::Input(Input::Collect { reply: reply(), ids, timeout_ms: timeout })
        }
        "session/list" => FromAgent::Input(Input::List { reply: reply() }),
        "session/use" => {
            let Use { page, name } = rpc::params(params)?;
            FromAgent::Input(Input::Use { reply: reply(), page: page.into(), name: name.map(Into::into) })
        }
        "session/forget" => {
            let Forget { page } = rpc::params(params)?;
            FromAgent::Input(Input::Forget { reply: reply(), page: page.into() })
        }
        "hub/status" => FromAgent::Status(id.into()),
        "hub/serve" => {
            let Serve { path } = rpc::params(params)?;
            FromAgent::Serve { id: id.into(), path: path.into() }
        }
        "hub/stop" => {
            let Stop { drain } = rpc::params(params)?;
            FromAgent::Stop { id: id.into(), drain_ms: drain }
        }
        "session/create" | "tools/register" | "tools/unregister" => FromAgent::Provide,
        verb if verb.starts_with(VERBS) => FromAgent::Input(verbs::from_agent(agent, id, verb, params)?),
        "topic/publish" | "topic/subscribe" | "topic/unsubscribe" => {
            FromAgent::Input(topics::from_peer(agent, Some(id.into()), method, params)?)
        }
        "mailbox/read" => FromAgent::Input(topics::read_mail(reply(), params)?),
        gateway if gateway.starts_with("gateway/") || gateway.starts_with(BROWSER_METHODS) => {
            FromAgent::Gateway { id: id.into(), method: gateway.into(), params: params.into() }
        }
        "audit/read" | "audit/watch" => {
            FromAgent::Audit { id: id.into(), method: method.into(), params: params.into() }
        }
        console if console.starts_with(CONSOLE) => {
            FromAgent::Console { id: id.into(), method: console.into(), params: params.into() }
        }
        _ => return super::tools::from_agent(&reply(), method, params),
    })
}

/// On a transport without a query string, `hello` says whether its sender is a page or an agent.
fn hello(id: Option<RpcId>, hello: Hello) -> FromAgent {
    match hello.client_type {
        Some(ClientType::Browser) => FromAgent::Provide,
        Some(ClientType::Agent) | None => FromAgent::Hello { id, hello: Box::new(hello) },
    }
}

fn agent_notification(agent: Conn, method: &str, params: &str) -> Option<FromAgent> {
    match method {
        "hello" => {
            let wanted: Hello = rpc::params(params).ok()?;
            Some(hello(None, wanted))
        }
        "call/cancel" => {
            let CancelAgent { id } = rpc::params(params).ok()?;
            Some(FromAgent::Input(Input::Cancel { agent, id: id.get().into() }))
        }
        "topic/publish" | "topic/subscribe" | "topic/unsubscribe" => {
            topics::from_peer(agent, None, method, params).ok().map(FromAgent::Input)
        }
        _ => None,
    }
}

/// Writes the ending of an agent's call into `out`. Returns whether the frame is JSON-RPC.
pub fn to_agent(form: &ReplyForm, ending: &Ending, delta: Option<&str>, typed: bool, out: &mut String) -> bool {
    match form {
        ReplyForm::Line(id) if typed => write_typed(id.as_str(), ending, out),
        ReplyForm::Line(id) => write_plain(id.as_str(), ending, out),
        ReplyForm::Compact(form) => form.write(ending, out),
        ReplyForm::Rpc(id) => {
            out.push_str(&rpc::eval_response(id, ending, delta));
            return true;
        }
        ReplyForm::Tool(id) => {
            out.push_str(&match ending {
                Ok(value @ Value::Bytes(bytes)) => {
                    rpc::response(id, Ok(&eye_protocol::tools::result(value, &bytes.origin)))
                }
                Ok(value) => rpc::response(id, Ok(&rpc::with_delta(value.to_json(), delta))),
                Err(error) => rpc::response(id, Err(error)),
            });
            return true;
        }
        ReplyForm::Place(_) => {}
    }
    false
}

/// Writes a binary result for an agent that accepts binary frames: the agent's request id, the media type, the bytes.
pub fn to_agent_binary(form: &ReplyForm, bytes: &Bytes) -> Option<Vec<u8>> {
    let id = match form {
        ReplyForm::Line(id) => id.as_str(),
        ReplyForm::Rpc(id) | ReplyForm::Tool(id) => id,
        ReplyForm::Compact(Form::Object(id) | Form::Pair(id)) => id,
        ReplyForm::Compact(Form::Bare) | ReplyForm::Place(_) => return None,
    };
    let mut out = Vec::with_capacity(bytes.bytes.len() + 64);
    Binary { id, media_type: &bytes.media_type, bytes: &bytes.bytes }.write(&mut out);
    Some(out)
}

/// Reads a page's binary message: the result of a call.
pub fn page_binary(page: Conn, message: &[u8]) -> Option<FromPage> {
    let Binary { id, media_type, bytes } = Binary::parse(message)?;
    let ending = Ok(Value::Bytes(Box::new(Bytes::new(media_type, bytes.to_vec()))));
    Some(FromPage::Input(Input::page(page, PageEvent::Answered { call: id.parse().ok()?, ending })))
}

/// Reads a page's line frame. `None`: it is not an answer.
pub fn page_line(page: Conn, typed: bool, text: &str) -> Option<FromPage> {
    let (call, ending) = if typed {
        parse_typed_call(text)?
    } else {
        let (id, ending) = parse_plain(text)?;
        (id.parse().ok()?, ending)
    };
    Some(FromPage::Input(Input::page(page, PageEvent::Answered { call, ending })))
}

/// Reads one frame of a page, which may be large: a message, or a line unless the page speaks only JSON-RPC.
pub fn from_page(page: Conn, text: &str, typed: bool, rpc_only: bool, pause: Pause) -> Option<FromPage> {
    if !rpc_only && !text.starts_with('{') {
        return page_line(page, typed, text);
    }
    if let Some(message) = rpc::parse_one_paced(text, pause) {
        return page_message(page, message, pause);
    }
    let is_array = text.trim_start().starts_with('[') && rpc::parse(text, pause).is_some();
    if is_array { None } else { malformed(text, rpc_only).map(FromPage::Reply) }
}

/// Reads one JSON-RPC message of a page, which may be large.
pub fn page_rpc(page: Conn, text: &str, pause: Pause) -> Option<FromPage> {
    page_message(page, rpc::parse_one_paced(text, pause)?, pause)
}

fn page_message(page: Conn, message: Message<'_>, pause: Pause) -> Option<FromPage> {
    match message {
        Message::Request { id, method, params } => Some(match &*method {
            "hello" => match rpc::params(&params) {
                Ok(hello) => FromPage::Hello { id: Some(id.into()), hello: Box::new(hello) },
                Err(error) => FromPage::Reply(rpc::response(&id, Err(&error))),
            },
            "ping" => FromPage::Reply(rpc::response(&id, Ok(PONG))),
            "session/create" => FromPage::Session(id.into()),
            "topic/publish" | "topic/subscribe" | "topic/unsubscribe" => {
                match topics::from_peer(page, Some((&*id).into()), &method, &params) {
                    Ok(input) => FromPage::Input(input),
                    Err(error) => FromPage::Reply(rpc::response(&id, Err(&error))),
                }
            }
            other => super::tools::from_page(page, &id, other, &params, pause),
        }),
        Message::Notification { method, params } => page_notification(page, &method, &params, pause),
        Message::Response { id, outcome } => Some(FromPage::Input(page_response(page, &id, outcome, pause)?)),
        Message::Invalid { id, reason } => Some(match id.trim_matches('"').parse() {
            // A malformed answer ends its call at once.
            Ok(call) => {
                let error = Error::new(Code::INTERNAL, format!("the page's answer is malformed: {reason}"));
                FromPage::Input(Input::page(page, PageEvent::Answered { call, ending: Err(error) }))
            }
            Err(_) => FromPage::Reply(invalid(&id, reason)),
        }),
    }
}

fn page_notification(page: Conn, method: &str, params: &str, pause: Pause) -> Option<FromPage> {
    let input = match method {
        "hello" => {
            let hello: Hello = rpc::params(params).ok()?;
            return Some(FromPage::Hello { id: None, hello: Box::new(hello) });
        }
        "call/navigating" => {
            let Navigating { id, url } = rpc::params(params).ok()?;
            Input::page(page, PageEvent::Navigating { call: id.parse().ok()?, url })
        }
        "page/info" => {
            let info: PageInfo = rpc::params(params).ok()?;
            Input::page(page, PageEvent::Changed(Box::new(info)))
        }
        "page/leaving" => Input::page(page, PageEvent::Leaving),
        "call/progress" => super::tools::progress_from_page(page, params)?,
        "state/update" => {
            Input::page(page, PageEvent::State { whole: WholeState::parse(params, pause).ok()?, wall_ms: wall_ms() })
        }
        "topic/publish" | "topic/subscribe" | "topic/unsubscribe" => {
            topics::from_peer(page, None, method, params).ok()?
        }
        "mailbox/put" => topics::put_mail(page, params)?,
        "state/patch" => Input::page(
            page,
            PageEvent::StateChanged { change: Change::parse(params, pause).ok()?, wall_ms: wall_ms() },
        ),
        _ => return None,
    };
    Some(FromPage::Input(input))
}

/// Reads a page's response to a call or to a ping.
pub fn page_response(page: Conn, id: &str, outcome: Result<Cow<'_, str>, Error>, pause: Pause) -> Option<Input> {
    let id = id.trim_matches('"');
    if id == "ping" {
        return Some(Input::page(page, PageEvent::Alive));
    }
    let ending = outcome.map(|result| match serde_json::from_str(&result) {
        Ok(text) => Value::Text(text),
        Err(_) => Value::Json(scan::copy(&result, pause).into()),
    });
    Some(Input::page(page, PageEvent::Answered { call: id.parse().ok()?, ending }))
}

/// Writes a call for a page into `out`. Returns whether the frame is JSON-RPC.
pub fn to_page(call: Option<CallId>, task: &Task, out: &mut String) -> bool {
    match (call, task) {
        (None, Task::Eval { code, frame: None, terms: Terms { if_revision: None, .. } }) => {
            Line::Fire { code }.write(out);
        }
        (Some(call), Task::Eval { code, frame: None, terms: Terms { delta: false, if_revision: None } }) => {
            super::plain::code_to_page(call, code, out);
        }
        (call, Task::Eval { code, frame, terms: Terms { delta, if_revision } }) => {
            let (delta, if_revision, frame) = (*delta, *if_revision, frame.as_deref().map(Into::into));
            let params = EvalInPage { code: code.clone(), frame, delta, if_revision };
            out.push_str(&request(call, "eval", &params));
            return true;
        }
        (call, Task::State) => {
            out.push_str(&request(call, "state/get", &serde_json::json!({})));
            return true;
        }
        (call, Task::Verb { method, params, terms, .. }) => {
            let params = super::verbs::for_page(params, *terms);
            out.push_str(&request(call, method, &super::tools::raw(&params)));
            return true;
        }
        (call, Task::Tool { name, arguments, terms, .. }) => {
            out.push_str(&request(call, "tools/call", &super::tools::call_params(name, arguments, *terms)));
            return true;
        }
    }
    false
}

fn request(call: Option<CallId>, method: &str, params: &impl serde::Serialize) -> String {
    match call {
        Some(call) => rpc::request(&format!("\"{call}\""), method, params),
        None => rpc::notification(method, params),
    }
}

/// Notifies an agent of a change in a session that it joined.
pub fn news(session: &SessionId, news: &News) -> String {
    let session = json(session.as_str());
    let (method, more) = match news {
        News::Tools(tools) => ("tools/updated", format!(r#","tools":{tools}"#)),
        News::PageGone => ("session/pageGone", String::new()),
        News::PageBack => ("session/pageBack", String::new()),
        News::State { revision, patch, json } => {
            let name = if *patch { "patch" } else { "state" };
            ("state/changed", format!(r#","revision":{revision},"{name}":{json}"#))
        }
    };
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"sessionId":{session}{more}}}}}"#)
}

pub fn abort(call: &str) -> String {
    rpc::notification("call/cancel", &CancelPage { id: call.to_owned() })
}

/// Asks a page whether it is alive.
pub fn ping() -> &'static str {
    r#"{"jsonrpc":"2.0","id":"ping","method":"ping"}"#
}

/// Tells a page that another one has taken over its session.
pub fn replaced() -> String {
    let error = Error::new(Code::SESSION, "Another browser client connected to this session");
    rpc::response("\"disconnect\"", Err(&error))
}

fn invalid(id: &str, reason: &str) -> String {
    rpc::response(id, Err(&Error::new(Code::REQUEST, reason)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_in_a_frame_is_json_rpc() {
        let mut out = String::new();
        let task = Task::Eval { code: "x".into(), frame: Some("#f".into()), terms: Terms::default() };
        assert!(to_page(Some(7), &task, &mut out));
        assert_eq!(out, r##"{"jsonrpc":"2.0","id":"7","method":"eval","params":{"code":"x","frame":"#f"}}"##);
    }

    #[test]
    fn a_pages_odd_frames_are_nothing() {
        for text in
            ["", "x", "abc:1", "{}", "[1]", r#"{"jsonrpc":"2.0","method":"nobody/knows"}"#, "99999999999999999999:1"]
        {
            assert!(page_line(Conn(1), true, text).is_none(), "{text}");
            assert!(page_rpc(Conn(1), text, || {}).is_none(), "{text}");
        }
    }
}
