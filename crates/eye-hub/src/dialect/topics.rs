//! Topics and mailboxes in JSON-RPC: the same for pages and agents.

use super::calendar::wall_ms;
use eye_core::{Conn, Input, PageEvent, Reply};
use eye_protocol::Error;
use eye_protocol::rpc::{self, RpcId};
use eye_protocol::topics::{Put, ReadMail, Subscribe};

/// Reads a peer's publish, subscribe or unsubscribe.
pub fn from_peer(conn: Conn, id: Option<RpcId>, method: &str, params: &str) -> Result<Input, Error> {
    if method == "topic/publish" {
        return Ok(Input::Publish { conn, id, message: rpc::params(params)?, wall_ms: wall_ms() });
    }
    let Subscribe { topic } = rpc::params(params)?;
    Ok(Input::Subscribe { conn, id, topic, wanted: method == "topic/subscribe" })
}

/// Reads a page's mail for an agent that may not be connected.
pub fn put_mail(page: Conn, params: &str) -> Option<Input> {
    let Put { message } = rpc::params(params).ok()?;
    Some(Input::page(page, PageEvent::Puts { message: message.get().into(), wall_ms: wall_ms() }))
}

/// Reads an agent's request for a page's mail.
pub fn read_mail(reply: Reply, params: &str) -> Result<Input, Error> {
    let ReadMail { page, timeout } = rpc::params(params)?;
    Ok(Input::ReadMail { reply, page: page.map(Into::into), timeout_ms: timeout })
}

/// Writes a published message for one subscriber.
pub fn message(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"topic/message","params":{params}}}"#)
}
