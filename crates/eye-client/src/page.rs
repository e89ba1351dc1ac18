//! The client of a page: a program that offers tools as a web page does.

use crate::address::Address;
use crate::connection::Writer;
use crate::error::Error;
use crate::link::{self, FromHub, Link};
use crate::tool::{Answer, Flag, ToolCall, ToolError};
use crate::workers::Workers;
use eye_protocol::limits::FRAME_BYTES_MAX;
use eye_protocol::messages::{CancelPage, ClientType, Hello, PageInfo};
use eye_protocol::tools::Tool;
use eye_protocol::{Code, rpc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The description of a page that is not connected yet.
#[derive(Default)]
pub struct PageBuilder {
    info: PageInfo,
    session: Option<String>,
    capabilities: Option<Vec<String>>,
    tools: Vec<(serde_json::Value, Box<Answer>)>,
}

impl PageBuilder {
    /// A title for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info.title = Some(title.into());
        self
    }

    /// Its URL, if it has one.
    #[must_use]
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.info.url = Some(url.into());
        self
    }

    /// A short name by which agents address the page.
    #[must_use]
    pub fn alias(mut self, alias: impl Into<String>) -> Self {
        self.info.alias = Some(alias.into());
        self
    }

    /// The requested session, to be the same page across connections. By default the hub makes one.
    #[must_use]
    pub fn session(mut self, session: impl Into<String>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// The page's capabilities; tools that need others are refused.
    #[must_use]
    pub fn capabilities<C: Into<String>>(mut self, capabilities: impl IntoIterator<Item = C>) -> Self {
        self.capabilities = Some(capabilities.into_iter().map(Into::into).collect());
        self
    }

    /// Offers a tool: its definition (`name`, `description`, `inputSchema`, …), and the function that answers its
    /// calls. Calls are answered on other threads, several at once.
    #[must_use]
    pub fn tool<F>(mut self, definition: serde_json::Value, answer: F) -> Self
    where
        F: Fn(&ToolCall) -> Result<serde_json::Value, ToolError> + Send + Sync + 'static,
    {
        self.tools.push((definition, Box::new(answer)));
        self
    }

    /// Connects to a hub. Agents find the tools once this returns.
    pub fn connect(self, address: &Address) -> Result<Page, Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Greeting {
            #[serde(flatten)]
            hello: Hello,
            #[serde(skip_serializing_if = "Option::is_none")]
            session_id: Option<String>,
        }
        let mut query = String::from("clientType=browser");
        if let Some(session) = &self.session {
            let known = eye_protocol::SessionId::parse(session).ok_or_else(|| {
                Error::Answer(eye_protocol::Error::new(Code::PARAMS, format!("`{session}` is no session id")))
            })?;
            query.push_str("&sessionId=");
            query.push_str(known.as_str());
        }
        let desk = Arc::new(Desk::default());
        let receiving = Arc::clone(&desk);
        let link = Link::open(address, &query, move |writer, message| receiving.receive(writer, &message))?;
        let page = PageInfo {
            visible: Some(true),
            eval: Some(false),
            eval_blocked: Some("it is a program".into()),
            ..self.info
        };
        let hello = Hello {
            client_type: Some(ClientType::Browser),
            page: Some(page),
            capabilities: self.capabilities,
            ..link::hello()
        };
        let welcome = link.greet(&Greeting { hello, session_id: self.session })?;
        let session = welcome.session_id.ok_or_else(|| Error::Garbled("a welcome without a session".into()))?;
        let page = Page { session, link, desk };
        page.offer_all(self.tools)?;
        Ok(page)
    }
}

impl fmt::Debug for PageBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageBuilder").field("info", &self.info).field("session", &self.session).finish_non_exhaustive()
    }
}

/// A connected page. Dropping it disconnects it.
pub struct Page {
    session: String,
    link: Arc<Link>,
    desk: Arc<Desk>,
}

impl Page {
    pub fn builder() -> PageBuilder {
        PageBuilder::default()
    }

    /// The session under which agents reach the page.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Offers one more tool, or replaces one.
    pub fn offer<F>(&self, definition: serde_json::Value, answer: F) -> Result<(), Error>
    where
        F: Fn(&ToolCall) -> Result<serde_json::Value, ToolError> + Send + Sync + 'static,
    {
        self.offer_all(vec![(definition, Box::new(answer))])
    }

    /// Stops offering a tool.
    pub fn withdraw(&self, name: &str) -> Result<(), Error> {
        let _: serde_json::Value = self.link.ask("tools/unregister", &json!({ "names": [name] }))?;
        self.desk.tools().remove(name);
        Ok(())
    }

    /// Waits until the connection is gone, and returns the reason.
    pub fn wait_closed(&self) -> Error {
        Error::Disconnected { why: self.link.calls.wait_lost() }
    }

    fn offer_all(&self, tools: Vec<(serde_json::Value, Box<Answer>)>) -> Result<(), Error> {
        #[derive(Deserialize)]
        struct Registered {
            #[serde(default)]
            rejected: Vec<Rejected>,
        }
        #[derive(Deserialize)]
        struct Rejected {
            name: String,
            error: String,
        }
        if tools.is_empty() {
            return Ok(());
        }
        let mut definitions = Vec::with_capacity(tools.len());
        for (definition, answer) in tools {
            let name = definition["name"].as_str().unwrap_or_default().to_owned();
            Tool::parse(&definition.to_string())
                .map_err(|error| Error::Tool { name: name.clone(), why: error.message })?;
            definitions.push(definition);
            self.desk.tools().insert(name, answer.into());
        }
        match self.link.ask("tools/register", &json!({ "tools": definitions })) {
            Ok(Registered { rejected }) => match rejected.into_iter().next() {
                Some(Rejected { name, error }) => Err(Error::Tool { name, why: error }),
                None => Ok(()),
            },
            Err(Error::Answer(error)) => {
                let name = definitions[0]["name"].as_str().unwrap_or_default().to_owned();
                Err(Error::Tool { name, why: error.message })
            }
            Err(error) => Err(error),
        }
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page").field("session", &self.session).finish_non_exhaustive()
    }
}

/// Dispatches calls: the tools, and the open calls.
#[derive(Default)]
struct Desk {
    tools: Mutex<HashMap<String, Arc<Answer>>>,
    under_way: Mutex<HashMap<Box<str>, Arc<Flag>>>,
    workers: Arc<Workers>,
}

impl Desk {
    fn receive(self: &Arc<Self>, writer: &Writer, message: &FromHub<'_>) {
        match message {
            FromHub::Request { id, method: "tools/call", params } => self.begin(writer, id, params),
            FromHub::Request { id, method: "ping", .. } => {
                let _ = writer.send(&[&rpc::response(id, Ok(r#"{"pong":true}"#))]);
            }
            FromHub::Request { id, method, .. } => {
                let error = eye_protocol::Error::new(Code::METHOD, format!("a program does not know {method}"));
                let _ = writer.send(&[&rpc::response(id, Err(&error))]);
            }
            FromHub::Notification { method: "call/cancel", params } => {
                if let Ok(CancelPage { id }) = link::read(params)
                    && let Some(cancelled) = self.under_way().get(rpc::json(&id).as_str())
                {
                    cancelled.raise();
                }
            }
            FromHub::Notification { .. } => {}
            FromHub::Lost => {
                self.under_way().values().for_each(|cancelled| cancelled.raise());
                self.workers.end();
            }
        }
    }

    /// Starts a call on a worker. The reading thread must not block: the next frame may cancel the call.
    fn begin(self: &Arc<Self>, writer: &Writer, id: &str, params: &str) {
        #[derive(Deserialize)]
        struct Params {
            name: String,
            #[serde(default)]
            arguments: serde_json::Value,
        }
        let found = rpc::params(params).and_then(|Params { name, arguments }| {
            let answer = self.tools().get(&name).map(Arc::clone);
            let answer = answer.ok_or_else(|| eye_protocol::Error::new(Code::TOOL, format!("no such tool: {name}")))?;
            Ok((name, arguments, answer))
        });
        let (name, arguments, answer) = match found {
            Ok(found) => found,
            Err(error) => {
                let _ = writer.send(&[&rpc::response(id, Err(&error))]);
                return;
            }
        };
        let cancelled = Arc::new(Flag::default());
        self.under_way().insert(id.into(), Arc::clone(&cancelled));
        let call = ToolCall { id: id.into(), name, arguments, cancelled, writer: writer.clone() };
        let desk = Arc::clone(self);
        self.workers.run(move || {
            let ending = if call.is_cancelled() {
                Err(ToolError::new("cancelled before it began").code(Code::CANCELLED))
            } else {
                // A tool that panics has failed, but its page continues.
                catch_unwind(AssertUnwindSafe(|| answer(&call)))
                    .unwrap_or_else(|_| Err(ToolError::new(format!("the tool {} panicked", call.name))))
            };
            desk.under_way().remove(&call.id);
            let _ = call.writer.send(&[&response(&call.id, ending)]);
        });
    }

    fn tools(&self) -> MutexGuard<'_, HashMap<String, Arc<Answer>>> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<Box<str>, Arc<Flag>>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The response to a call. The hub decides how the value is shown to an agent.
fn response(id: &str, ending: Result<serde_json::Value, ToolError>) -> String {
    let frame = match ending {
        Ok(result) => rpc::response(id, Ok(&result.to_string())),
        Err(error) => rpc::response(id, Err(&error.into_error())),
    };
    if frame.len() <= FRAME_BYTES_MAX {
        return frame;
    }
    let message =
        format!("the tool's answer is {} MiB, over the limit of {}", frame.len() >> 20, FRAME_BYTES_MAX >> 20);
    rpc::response(id, Err(&eye_protocol::Error::new(Code::INTERNAL, message).hint("ask for a part")))
}
