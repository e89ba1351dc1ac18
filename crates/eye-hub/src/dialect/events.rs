//! BTCP over server-sent events and POST: what its two kinds of servers said in words of their own.

use crate::outbox::Parcel;
use eye_core::News;
use eye_protocol::SessionId;
use eye_protocol::messages::SessionRow;
use eye_protocol::rpc::{self, json};

/// The first bytes of a stream.
pub const CONNECTED: &str = ": connected\n\n";
/// What keeps a stream alive.
pub const ALIVE: &str = ": ping\n\n";

/// Messages that are batches, each on one line between `before` and `after`.
///
/// A newline in JSON stands between its tokens, never in a string, so a space in its place says the same.
pub fn batches(before: &str, after: &str, parcel: &Parcel) -> Vec<u8> {
    let mut out = Vec::with_capacity(parcel.bytes.len() + parcel.ends.len() * (before.len() + after.len()));
    let mut start = 0;
    for &end in &parcel.ends {
        out.extend_from_slice(before.as_bytes());
        out.extend(parcel.bytes[start..end].iter().map(|&b| if matches!(b, b'\n' | b'\r') { b' ' } else { b }));
        out.extend_from_slice(after.as_bytes());
        start = end;
    }
    out
}

/// What an agent hears of its session, in the words of the server with named events.
pub fn news_1(news: &News) -> String {
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
pub fn news_2(session: &SessionId, news: &News) -> String {
    let session = json(session.as_str());
    match news {
        News::Tools(_) | News::State { .. } => news_1(news),
        News::PageGone => {
            format!(r#"{{"jsonrpc":"2.0","method":"browser/disconnected","params":{{"sessionId":{session}}}}}"#)
        }
        News::PageBack => {
            format!(r#"{{"jsonrpc":"2.0","method":"browser/connected","params":{{"sessionId":{session}}}}}"#)
        }
    }
}

/// How the server with unnamed events greets an agent: first with the sessions there are.
pub fn sessions_2(rows: &[SessionRow]) -> String {
    let one = |row: &SessionRow| {
        format!(r#"{{"id":{},"toolCount":{},"createdAt":{}}}"#, json(&row.id), row.tools, row.idle_ms)
    };
    let rows: Vec<String> = rows.iter().map(one).collect();
    rpc::response("\"sessions\"", Ok(&format!(r#"{{"sessions":[{}]}}"#, rows.join(","))))
}

/// How it greets everybody.
pub fn connected_2(client: &str, session: &str, kind: &str) -> String {
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
    fn a_batch_is_one_line_whatever_white_space_a_page_put_into_it() {
        let (first, second) = (r#"["a:1\n2"]"#, "[{\n\r\n\"x\":1}]");
        let bytes = format!("{first}{second}").into_bytes();
        let parcel = Parcel { ends: vec![first.len(), bytes.len()], bytes, binary: Vec::new() };
        let text = String::from_utf8(batches("data: ", "\n\n", &parcel)).unwrap();
        assert_eq!(text, format!("data: {first}\n\ndata: [{{   \"x\":1}}]\n\n"));
    }

    #[test]
    fn a_list_is_bared_and_anything_else_is_left_alone() {
        let listed = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}"#;
        assert_eq!(bare_list(listed).unwrap(), r#"{"jsonrpc":"2.0","id":1,"result":[{"name":"a"}]}"#);
        assert_eq!(bare_list(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#), None);
    }
}
