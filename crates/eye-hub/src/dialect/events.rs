//! BTCP over server-sent events and POST: the messages in which its two existing kinds of servers differ.

use super::call_id::call_id;
use super::tools;
use eye_core::{CallId, Conn, News, Task};
use eye_protocol::messages::{Presence, SessionRow};
use eye_protocol::rpc::{self, json};
use eye_protocol::tools::Progress;
use eye_protocol::{Code, Error, SessionId};
use std::time::{Duration, SystemTime};

/// The id of BTCP's greeting, as JSON text.
pub const WELCOME: &str = "\"welcome\"";
/// The version that the header-posting client declares.
const VERSION_BY_HEADER: &str = "1.0.0";

/// How a stream's peer sends its POSTs; this distinguishes the two kinds of BTCP over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posts {
    /// With the header `X-Session-ID`: answers are expected in the body of the response.
    ByHeader,
    /// With `sessionId` or `clientId` in the query: answers are expected on the stream.
    ByQuery,
}

impl Posts {
    /// Guesses how the peer of a new stream posts. Its first POST decides.
    pub fn guess(version: Option<&str>, names_session: bool) -> Self {
        if version == Some(VERSION_BY_HEADER) || !names_session { Self::ByHeader } else { Self::ByQuery }
    }
}

/// A session in a session list.
#[derive(Debug)]
pub struct Listed {
    pub row: SessionRow,
    /// Time since the session was created.
    pub age_ms: u64,
    /// Agents that joined the session.
    pub agents: usize,
}

impl Listed {
    pub fn has_browser(&self) -> bool {
        self.row.state == Presence::Connected
    }

    /// Creation time as JavaScript writes it.
    pub fn created_at(&self) -> String {
        let made = SystemTime::now().checked_sub(Duration::from_millis(self.age_ms)).unwrap_or(SystemTime::UNIX_EPOCH);
        humantime::format_rfc3339_millis(made).to_string()
    }
}

/// Writes the notification about an agent's session.
pub fn news(posts: Posts, session: &SessionId, news: &News) -> String {
    let id = json(session.as_str());
    let (method, params) = match (news, posts) {
        (News::Tools(tools), _) => ("tools/updated", format!(r#"{{"tools":{tools}}}"#)),
        (News::PageGone, Posts::ByHeader) => ("session/browserDisconnected", "{}".into()),
        (News::PageGone, Posts::ByQuery) => ("browser/disconnected", format!(r#"{{"sessionId":{id}}}"#)),
        (News::PageBack, Posts::ByHeader) => ("session/browserConnected", "{}".into()),
        (News::PageBack, Posts::ByQuery) => ("browser/connected", format!(r#"{{"sessionId":{id}}}"#)),
        (News::State { revision, patch, json }, _) => {
            let name = if *patch { "patch" } else { "state" };
            ("state/changed", format!(r#"{{"revision":{revision},"{name}":{json}}}"#))
        }
    };
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
}

/// The first greeting of an agent: lists the sessions that have a page now.
pub fn sessions(listed: &[Listed]) -> String {
    let one = |listed: &Listed| {
        let (id, tools, created) = (json(&listed.row.id), listed.row.tools, json(&listed.created_at()));
        format!(r#"{{"id":{id},"toolCount":{tools},"createdAt":{created}}}"#)
    };
    let rows: Vec<String> = listed.iter().filter(|listed| listed.has_browser()).map(one).collect();
    rpc::response("\"sessions\"", Ok(&format!(r#"{{"sessions":[{}]}}"#, rows.join(","))))
}

/// The greeting that gives a stream its client id.
pub fn connected(client: &str, session: &str, kind: &str) -> String {
    let params = serde_json::json!({ "clientId": client, "sessionId": session, "clientType": kind });
    rpc::notification("connected", &params)
}

pub fn welcome_page(session: &str) -> String {
    let result = serde_json::json!({ "sessionId": session, "message": "Connected to BTCP server" });
    rpc::response(WELCOME, Ok(&result.to_string()))
}

pub fn welcome_agent(listed: &[Listed]) -> String {
    let there: Vec<&str> = listed.iter().filter(|one| one.has_browser()).map(|one| one.row.id.as_str()).collect();
    let result = serde_json::json!({ "message": "Connected to BTCP server (agent)", "availableSessions": there });
    rpc::response(WELCOME, Ok(&result.to_string()))
}

pub fn pong(posts: Posts, id: &str, wall_ms: u64) -> String {
    match posts {
        Posts::ByHeader => rpc::response(id, Ok(r#"{"pong":true}"#)),
        Posts::ByQuery => rpc::response(id, Ok(&format!(r#"{{"pong":true,"timestamp":{wall_ms}}}"#))),
    }
}

/// The call id in a page's `call/progress`, as JSON text.
pub fn progress_id(params: &str) -> Option<Box<str>> {
    let Progress { id } = rpc::params(params).ok()?;
    Some(id.get().into())
}

/// Writes a tool call for a page. `None`: the task is not a tool call.
pub fn to_page(page: Conn, call: Option<CallId>, task: &Task) -> Option<String> {
    let Task::Tool { name, arguments, terms, .. } = task else { return None };
    let params = tools::call_params(name, arguments, *terms);
    Some(match call {
        Some(call) => rpc::request(&json(&call_id(page, call)), "tools/call", &params),
        None => rpc::notification("tools/call", &params),
    })
}

/// Writes the failure of a tool call as the server for this kind of client did. One of them reports an unknown tool as
/// the page would, in a result.
pub fn failed_call(posts: Posts, id: &str, error: &Error) -> String {
    let response = |code: Code, message: &str| {
        let error = Error { code, message: message.into(), hint: Some(error.one_line()), ..error.clone() };
        rpc::response(id, Err(&error))
    };
    match (posts, error.code) {
        (Posts::ByHeader, Code::SESSION) => response(Code::REQUEST, "Browser client not connected"),
        (Posts::ByQuery, Code::SESSION) => response(Code::SESSION, "No browser client connected to this session"),
        (Posts::ByQuery, Code::TIMEOUT) => response(Code::TIMEOUT, "Tool execution timeout"),
        (Posts::ByQuery, Code::TOOL) => {
            let content = [serde_json::json!({ "type": "text", "text": error.one_line() })];
            rpc::response(id, Ok(&serde_json::json!({ "content": content, "isError": true }).to_string()))
        }
        _ => rpc::response(id, Err(error)),
    }
}

/// Writes the failure of any other request.
pub fn failed(posts: Posts, id: &str, error: &Error) -> String {
    let code = if posts == Posts::ByHeader && error.code == Code::SESSION { Code::PARAMS } else { error.code };
    rpc::response(id, Err(&Error { code, ..error.clone() }))
}

/// Answers a request for the tools of a session that does not exist.
pub fn no_tools(posts: Posts, id: &str) -> String {
    match posts {
        Posts::ByQuery => rpc::response(id, Ok(r#"{"tools":[]}"#)),
        Posts::ByHeader => {
            rpc::response(id, Err(&Error::new(Code::REQUEST, "Session not found. Join a session first.")))
        }
    }
}

/// Converts the response of `tools/list` to a bare array, as `POST /rpc` returns it.
pub fn bare_list(response: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(response).ok()?;
    let tools = value.get("result")?.get("tools")?;
    Some(rpc::response(&value.get("id")?.to_string(), Ok(&tools.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_bared_and_anything_else_is_left_alone() {
        let listed = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}"#;
        assert_eq!(bare_list(listed).unwrap(), r#"{"jsonrpc":"2.0","id":1,"result":[{"name":"a"}]}"#);
        assert_eq!(bare_list(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#), None);
    }
}
