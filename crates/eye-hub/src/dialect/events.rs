//! BTCP over server-sent events and POST: what its two kinds of servers said in words of their own.

use eye_core::News;
use eye_protocol::SessionId;
use eye_protocol::messages::SessionRow;
use eye_protocol::rpc::{self, json};

/// What an agent hears of its session, in the words of the server with named events.
pub fn news_named(news: &News) -> String {
    match news {
        News::Tools(tools) => format!(r#"{{"jsonrpc":"2.0","method":"tools/updated","params":{{"tools":{tools}}}}}"#),
        News::PageGone => r#"{"jsonrpc":"2.0","method":"session/browserDisconnected","params":{}}"#.to_owned(),
        News::PageBack => r#"{"jsonrpc":"2.0","method":"session/browserConnected","params":{}}"#.to_owned(),
        News::State { revision, patch, json } => {
            let name = if *patch { "patch" } else { "state" };
            format!(
                r#"{{"jsonrpc":"2.0","method":"state/changed","params":{{"revision":{revision},"{name}":{json}}}}}"#
            )
        }
    }
}

/// The same, in the words of the server with unnamed events.
pub fn news_plain(session: &SessionId, news: &News) -> String {
    let session = json(session.as_str());
    match news {
        News::Tools(_) | News::State { .. } => news_named(news),
        News::PageGone => {
            format!(r#"{{"jsonrpc":"2.0","method":"browser/disconnected","params":{{"sessionId":{session}}}}}"#)
        }
        News::PageBack => {
            format!(r#"{{"jsonrpc":"2.0","method":"browser/connected","params":{{"sessionId":{session}}}}}"#)
        }
    }
}

/// How the server with unnamed events greets an agent: first with the sessions there are.
pub fn sessions_plain(rows: &[SessionRow]) -> String {
    let one = |row: &SessionRow| {
        format!(r#"{{"id":{},"toolCount":{},"createdAt":{}}}"#, json(&row.id), row.tools, row.idle_ms)
    };
    let rows: Vec<String> = rows.iter().map(one).collect();
    rpc::response("\"sessions\"", Ok(&format!(r#"{{"sessions":[{}]}}"#, rows.join(","))))
}

/// How it greets everybody.
pub fn connected_plain(client: &str, session: &str, kind: &str) -> String {
    let params = serde_json::json!({ "clientId": client, "sessionId": session, "clientType": kind });
    rpc::notification("connected", &params)
}

/// `POST /rpc` answers `tools/list` with a bare array.
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
