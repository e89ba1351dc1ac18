//! The client of an agent: sends requests and receives notifications.

use crate::address::Address;
use crate::call::{Call, CallOptions};
use crate::error::Error;
use crate::link::{self, FromHub, Link};
use crate::news::{News, Notification, Notifications};
use base64::Engine;
use eye_protocol::Value;
use eye_protocol::answer::Bytes;
use eye_protocol::messages::{ClientType, Eval, Hello, SessionRow, Sessions};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// An agent's identity, and the defaults of its calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentSetup {
    /// The name that identifies the agent across connections: the hub remembers the page it used last.
    pub name: Option<String>,
    /// The default page: an id, an alias, or part of a title or URL.
    pub page: Option<String>,
    /// The default timeout.
    pub timeout: Option<Duration>,
}

/// Options of an evaluation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvalOptions {
    /// Default: the agent's timeout, else 30 s.
    pub timeout: Option<Duration>,
    /// The page: an id, an alias, or part of a title or URL. Default: the agent's page.
    pub page: Option<String>,
    /// The frame in the page.
    pub frame: Option<String>,
}

/// A connected agent. Clones share the connection, which ends with the last clone and its calls.
#[derive(Clone)]
pub struct Agent {
    link: Arc<Link>,
    news: Arc<News>,
    timeout: Option<Duration>,
}

impl Agent {
    pub fn connect(address: &Address) -> Result<Self, Error> {
        Self::connect_as(address, AgentSetup::default())
    }

    /// Connects under a name, or for a page.
    pub fn connect_as(address: &Address, setup: AgentSetup) -> Result<Self, Error> {
        let news = Arc::new(News::default());
        let listeners = Arc::clone(&news);
        let link = Link::open(address, "clientType=agent", move |_, message| match message {
            FromHub::Notification { method, params } => {
                if let Some(notification) = Notification::parse(method, params) {
                    listeners.tell(&notification);
                }
            }
            FromHub::Lost => listeners.end(),
            // A hub sends agents no requests.
            FromHub::Request { .. } => {}
        })?;
        let AgentSetup { name, page, timeout } = setup;
        let hello = Hello {
            client_type: Some(ClientType::Agent),
            agent: name,
            target: page,
            timeout: timeout.map(milliseconds),
            ..link::hello()
        };
        link.greet(&hello)?;
        Ok(Self { link, news, timeout })
    }

    /// Evaluates code in the agent's page.
    pub fn eval(&self, code: &str) -> Result<Value, Error> {
        self.eval_with(code, EvalOptions::default())
    }

    pub fn eval_with(&self, code: &str, options: EvalOptions) -> Result<Value, Error> {
        let EvalOptions { timeout, page, frame } = options;
        let params = Eval { code: code.to_owned(), page, frame, timeout: timeout.map(milliseconds), ..Eval::default() };
        let sent = self.link.request("eval", &params)?;
        value_of(&Call::new(&self.link, sent, timeout.or(self.timeout)).wait_raw()?)
    }

    /// Calls a tool of the agent's page and waits for its result: `{content, isError, …}`.
    pub fn call(&self, tool: &str, arguments: &serde_json::Value) -> Result<serde_json::Value, Error> {
        self.call_with(tool, arguments, CallOptions::default())
    }

    pub fn call_with(
        &self,
        tool: &str,
        arguments: &serde_json::Value,
        options: CallOptions<'_>,
    ) -> Result<serde_json::Value, Error> {
        self.start(tool, arguments, options)?.wait()
    }

    /// Calls a tool without waiting for it.
    pub fn start<'a>(
        &self,
        tool: &str,
        arguments: &serde_json::Value,
        options: CallOptions<'a>,
    ) -> Result<Call<'a>, Error> {
        #[derive(Serialize)]
        struct Params<'p> {
            name: &'p str,
            arguments: &'p serde_json::Value,
            #[serde(skip_serializing_if = "Option::is_none")]
            timeout: Option<u64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            page: Option<String>,
            #[serde(skip_serializing_if = "std::ops::Not::not")]
            confirm: bool,
        }
        let CallOptions { timeout, page, confirm, on_progress } = options;
        let params = Params { name: tool, arguments, timeout: timeout.map(milliseconds), page, confirm };
        let sent = self.link.request("tools/call", &params)?;
        Ok(Call::new(&self.link, sent, timeout.or(self.timeout)).on_progress(on_progress))
    }

    /// All sessions: connected first, then by last use.
    pub fn sessions(&self) -> Result<Vec<SessionRow>, Error> {
        let Sessions { sessions, .. } = self.link.ask("session/list", &json!({}))?;
        Ok(sessions)
    }

    /// Joins a session: later calls go there, and [`Agent::notifications`] reports its changes. Returns its tools.
    pub fn join(&self, session: &str) -> Result<Vec<serde_json::Value>, Error> {
        let Tools { tools } = self.link.ask("session/join", &json!({ "sessionId": session }))?;
        Ok(tools)
    }

    /// Leaves the joined session.
    pub fn leave(&self) -> Result<(), Error> {
        let _: serde_json::Value = self.link.ask("session/leave", &json!({}))?;
        Ok(())
    }

    /// The tools of the agent's page, with their whole definitions.
    pub fn tools(&self) -> Result<Vec<serde_json::Value>, Error> {
        let Tools { tools } = self.link.ask("tools/list", &json!({}))?;
        Ok(tools)
    }

    /// Notifications about the joined session from now on. Every listener gets all of them.
    pub fn notifications(&self) -> Notifications {
        self.news.listen(&self.link)
    }

    /// Calls any other method of the hub; `docs/wire.md` lists them.
    pub fn request(&self, method: &str, params: &serde_json::Value) -> Result<serde_json::Value, Error> {
        let sent = self.link.request(method, params)?;
        Call::new(&self.link, sent, None).wait()
    }

    /// Waits until the connection is gone, and returns the reason.
    pub fn wait_closed(&self) -> Error {
        Error::Disconnected { why: self.link.calls.wait_lost() }
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent").finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct Tools {
    tools: Vec<serde_json::Value>,
}

/// Parses the result of `eval`: `{value}`, `{rendering}`, or `{base64, mediaType}`.
fn value_of(result: &str) -> Result<Value, Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Evaluated {
        #[serde(default)]
        value: Option<Box<RawValue>>,
        #[serde(default)]
        rendering: Option<String>,
        #[serde(default)]
        base64: Option<String>,
        #[serde(default)]
        media_type: String,
    }
    let evaluated: Evaluated = link::read(result)?;
    if let Some(text) = evaluated.rendering {
        return Ok(Value::Rendering(text));
    }
    if let Some(text) = evaluated.base64 {
        let bytes = base64::engine::general_purpose::STANDARD.decode(text);
        let bytes = bytes.map_err(|error| Error::Garbled(error.to_string()))?;
        return Ok(Value::Bytes(Box::new(Bytes::new(&evaluated.media_type, bytes))));
    }
    let json = evaluated.value.map_or_else(|| "null".to_owned(), |raw| raw.get().to_owned());
    Ok(serde_json::from_str(&json).map_or_else(|_| Value::Json(json), Value::Text))
}

fn milliseconds(time: Duration) -> u64 {
    // At least 1, because 0 would mean no timeout; too long a duration becomes the longest.
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_value_is_read() {
        for (result, want) in [
            (r#"{"value":"5"}"#, Value::Text("5".into())),
            (r#"{"value":[5]}"#, Value::Json("[5]".into())),
            (r#"{"value":null}"#, Value::Json("null".into())),
            (r#"{"rendering":"undefined"}"#, Value::Rendering("undefined".into())),
            (
                r#"{"base64":"aGk=","mediaType":"image/png"}"#,
                Value::Bytes(Box::new(Bytes::new("image/png", b"hi".to_vec()))),
            ),
        ] {
            assert_eq!(value_of(result).unwrap(), want, "{result}");
        }
        assert!(matches!(value_of(r#"{"base64":"?"}"#), Err(Error::Garbled(_))));
        assert!(matches!(value_of("7"), Err(Error::Garbled(_))));
    }
}
