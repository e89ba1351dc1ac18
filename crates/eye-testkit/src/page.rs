//! A scripted page: joins the hub like a browser, and answers code and tool calls with closures.

use crate::deadline::DEADLINE;
use crate::home::Home;
use eye_client::connection::{Connection, Opening, Reader, Writer};
use eye_client::{Address, Trust};
use eye_protocol::answer;
use eye_protocol::batch::{self, Element};
use eye_protocol::line::Line;
use eye_protocol::messages::{CancelPage, ClientType, EvalInPage, Hello, PROTOCOL_VERSION, PageInfo, Welcome};
use eye_protocol::rpc::{self, Message as Rpc};
use eye_protocol::{Code, Ending, Error, Value};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

/// How a page introduces itself to the hub.
#[derive(Clone, Debug)]
pub struct PageSetup {
    /// The session to claim. If absent, the hub chooses one.
    pub session: Option<String>,
    pub title: String,
    pub url: String,
    pub alias: Option<String>,
    /// The `Origin` header. `None`: a program that is not a browser.
    pub origin: Option<String>,
    /// The capabilities in its hello. `None`: the hello has none.
    pub capabilities: Option<Vec<String>>,
}

impl PageSetup {
    /// A page with this title on the hub's own origin.
    pub fn new(home: &Home, title: &str) -> Self {
        let origin = format!("http://localhost:{}", home.port());
        let name = title.to_lowercase().replace(' ', "-");
        let url = format!("{origin}/{name}");
        Self { session: None, title: title.into(), url, alias: None, origin: Some(origin), capabilities: None }
    }

    /// Sets the alias.
    #[must_use]
    pub fn alias(mut self, alias: &str) -> Self {
        self.alias = Some(alias.into());
        self
    }

    /// Sets the session to claim.
    #[must_use]
    pub fn session(mut self, session: &str) -> Self {
        self.session = Some(session.into());
        self
    }
}

/// How a page answers code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Answers at once.
    Now(Ending),
    /// Does not answer until the test calls [`ScriptedPage::answer`].
    Hold,
}

impl Reply {
    /// A string.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Now(Ok(Value::Text(text.into())))
    }

    /// Any other JSON value, as JSON text.
    pub fn json(json: impl Into<String>) -> Self {
        Self::Now(Ok(Value::Json(json.into())))
    }

    /// The text of a value that JSON cannot hold.
    pub fn rendering(text: impl Into<String>) -> Self {
        Self::Now(Ok(Value::Rendering(text.into())))
    }

    /// The code threw.
    pub fn threw(message: impl Into<String>) -> Self {
        Self::Now(Err(Error::new(Code::THREW, message)))
    }
}

/// A call that the page has not answered yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The hub's id of the call; empty for fire and forget.
    pub id: String,
    /// The code to evaluate.
    pub code: String,
}

/// How a page answers a tool call.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolReply {
    Result(Json),
    Error(Error),
    /// Does not answer until the test calls [`ScriptedPage::answer_tool`].
    Hold,
}

/// A tool call that the page has not answered yet.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldTool {
    /// The hub's id of the call.
    pub id: String,
    pub name: String,
    pub arguments: Json,
}

/// A connected page.
pub struct ScriptedPage {
    session: String,
    writer: Writer,
    held: Receiver<Held>,
    held_tools: Receiver<HeldTool>,
    cancelled: Receiver<String>,
    frames: Frames,
    thread: Option<JoinHandle<()>>,
}

/// All messages to the page, in order.
type Frames = Arc<(Mutex<Vec<String>>, Condvar)>;

impl ScriptedPage {
    /// Joins the hub of this home. Returns after the hub's welcome.
    pub fn join(home: &Home, setup: &PageSetup, script: impl FnMut(&str) -> Reply + Send + 'static) -> Self {
        Self::join_port(home.port(), setup, script)
    }

    /// Joins the hub at this port.
    pub fn join_port(port: u16, setup: &PageSetup, script: impl FnMut(&str) -> Reply + Send + 'static) -> Self {
        let nothing = |name: &str, _: &Json| ToolReply::Error(Error::new(Code::TOOL, format!("no such tool: {name}")));
        Self::play(port, setup, script, &[], nothing)
    }

    /// Joins and offers tools. Returns when the hub has accepted them. Answers code with the code itself.
    pub fn offering(
        home: &Home,
        setup: &PageSetup,
        tools: &[Json],
        script: impl FnMut(&str, &Json) -> ToolReply + Send + 'static,
    ) -> Self {
        Self::play(home.port(), setup, |code| Reply::text(code), tools, script)
    }

    /// Joins with a script for code and one for the offered tools. Returns when the hub has accepted the tools.
    pub fn acting(
        home: &Home,
        setup: &PageSetup,
        script: impl FnMut(&str) -> Reply + Send + 'static,
        tools: &[Json],
        tool_script: impl FnMut(&str, &Json) -> ToolReply + Send + 'static,
    ) -> Self {
        Self::play(home.port(), setup, script, tools, tool_script)
    }

    fn play(
        port: u16,
        setup: &PageSetup,
        script: impl FnMut(&str) -> Reply + Send + 'static,
        tools: &[Json],
        tool_script: impl FnMut(&str, &Json) -> ToolReply + Send + 'static,
    ) -> Self {
        let session = setup.session.as_ref().map(|id| format!("&sessionId={id}")).unwrap_or_default();
        let query = format!("clientType=browser{session}");
        let opening = Opening { query: &query, origin: setup.origin.as_deref() };
        let address = Address::Server { url: format!("ws://127.0.0.1:{port}"), token: None, trust: Trust::default() };
        let connection = Connection::open(&address, &opening).expect("the hub lets the page in");
        let (mut reader, writer) = connection.split();
        send(&writer, &hello(setup));
        let welcome: Welcome = answer_to(&mut reader, "\"hello\"");
        if !tools.is_empty() {
            let tools = serde_json::json!({ "tools": tools });
            send(&writer, &format!("[{}]", rpc::request("\"tools\"", "tools/register", &tools)));
            let _: Json = answer_to(&mut reader, "\"tools\"");
        }
        let (held_out, held) = channel();
        let (held_tools_out, held_tools) = channel();
        let (cancelled_out, cancelled) = channel();
        let script = Script {
            answer: Box::new(script),
            answer_tool: Box::new(tool_script),
            writer: writer.clone(),
            held: held_out,
            held_tools: held_tools_out,
            cancelled: cancelled_out,
            frames: Frames::default(),
        };
        let frames = Arc::clone(&script.frames);
        let thread = std::thread::spawn(move || script.follow(&mut reader));
        let session = welcome.session_id.unwrap_or_default();
        Self { session, writer, held, held_tools, cancelled, frames, thread: Some(thread) }
    }

    /// A page that answers code with the code itself.
    pub fn echo(home: &Home, title: &str) -> Self {
        Self::join(home, &PageSetup::new(home, title), |code| Reply::text(code))
    }

    pub fn session(&self) -> &str {
        &self.session
    }

    /// Waits for the next call that the page does not answer at once.
    pub fn held(&self) -> Held {
        self.held.recv_timeout(DEADLINE).expect("a call reaches the page")
    }

    /// Answers such a call.
    pub fn answer(&self, held: &Held, ending: &Ending) {
        let mut frame = String::new();
        answer::write_typed(&held.id, ending, &mut frame);
        send(&self.writer, &rpc::json(&[frame]));
    }

    /// Waits for the next tool call that the page does not answer at once.
    pub fn held_tool(&self) -> HeldTool {
        self.held_tools.recv_timeout(DEADLINE).expect("a call of a tool reaches the page")
    }

    /// Answers such a tool call.
    pub fn answer_tool(&self, held: &HeldTool, outcome: Result<&Json, &Error>) {
        let result = outcome.map(ToString::to_string);
        self.send(&rpc::response(&rpc::json(&held.id), result.as_deref().map_err(|error| *error)));
    }

    /// Reports the progress of a held tool call: `progress`, `total`, `message`.
    pub fn progress(&self, held: &HeldTool, mut params: Json) {
        params["id"] = held.id.clone().into();
        self.send(&rpc::notification("call/progress", &params));
    }

    /// Waits until the hub cancels a call. Returns its id.
    pub fn cancelled(&self) -> String {
        self.cancelled.recv_timeout(DEADLINE).expect("the hub cancels a call")
    }

    /// Waits for a message that contains this text. Returns all messages since the welcome.
    pub fn sent(&self, text: &str) -> Vec<String> {
        let (frames, news) = &*self.frames;
        let frames = frames.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = |frames: &mut Vec<String>| !frames.iter().any(|frame| frame.contains(text));
        let (frames, over) = news.wait_timeout_while(frames, DEADLINE, missing).unwrap_or_else(PoisonError::into_inner);
        assert!(!over.timed_out(), "the page is sent {text}, and not only {frames:?}");
        frames.clone()
    }

    /// Sends one JSON-RPC message to the hub.
    pub fn send(&self, json: &str) {
        send(&self.writer, &format!("[{json}]"));
    }

    /// Announces that its document goes away, and disconnects.
    pub fn leave(self) {
        self.send(&rpc::notification("page/leaving", &serde_json::json!({})));
    }

    /// Disconnects without an announcement.
    pub fn crash(self) {
        drop(self);
    }

    /// Waits until the hub has closed the connection.
    pub fn wait_closed(mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the page's script does not panic");
        }
    }
}

impl Drop for ScriptedPage {
    fn drop(&mut self) {
        self.writer.cut();
        if let Some(thread) = self.thread.take() {
            // A script that panicked has printed its message. A second panic would hide it.
            let _ = thread.join();
        }
    }
}

/// Sends one frame. If the connection is gone, its reader notices.
fn send(writer: &Writer, frame: &str) {
    let _ = writer.send(&[frame]);
}

fn hello(setup: &PageSetup) -> String {
    let page = PageInfo {
        title: Some(setup.title.clone()),
        url: Some(setup.url.clone()),
        alias: setup.alias.clone(),
        visible: Some(true),
        eval: Some(true),
        ..PageInfo::default()
    };
    let hello = Hello {
        client_type: Some(ClientType::Browser),
        version: Some(PROTOCOL_VERSION.into()),
        typed: true,
        batch: true,
        page: Some(page),
        capabilities: setup.capabilities.clone(),
        ..Hello::default()
    };
    rpc::request("\"hello\"", "hello", &hello)
}

/// Waits for the hub's answer to a request. Skips other messages.
fn answer_to<T: DeserializeOwned>(reader: &mut Reader, request: &str) -> T {
    loop {
        let text = reader.read().expect("the hub answers");
        for element in batch::parse(&text).expect("the answer is a batch") {
            let Element::Rpc(json) = element else { continue };
            if let Some(Rpc::Response { id, outcome }) = rpc::parse_one(json)
                && &*id == request
            {
                let result = outcome.expect("the hub takes what the page says");
                return serde_json::from_str(&result).expect("the answer has its fields");
            }
        }
    }
}

type ToolScript = Box<dyn FnMut(&str, &Json) -> ToolReply + Send>;

struct Script {
    answer: Box<dyn FnMut(&str) -> Reply + Send>,
    answer_tool: ToolScript,
    writer: Writer,
    held: Sender<Held>,
    held_tools: Sender<HeldTool>,
    cancelled: Sender<String>,
    frames: Frames,
}

impl Script {
    fn follow(mut self, reader: &mut Reader) {
        while let Ok(text) = reader.read() {
            self.frames.0.lock().unwrap_or_else(PoisonError::into_inner).push(text.clone());
            self.frames.1.notify_all();
            let mut answers = Vec::new();
            for element in batch::parse(&text).expect("the hub sends batches") {
                match element {
                    Element::Line(line) => match Line::parse(&line) {
                        Line::Ask { id, code } => self.evaluate(id, code, &mut answers),
                        Line::Fire { code } => self.evaluate("", code, &mut answers),
                    },
                    Element::Rpc(json) => self.receive(json, &mut answers),
                }
            }
            if !answers.is_empty() {
                send(&self.writer, &format!("[{}]", answers.join(",")));
            }
        }
    }

    fn evaluate(&mut self, id: &str, code: &str, answers: &mut Vec<String>) {
        match (self.answer)(code) {
            Reply::Hold => {
                // Fails if the test has ended.
                let _ = self.held.send(Held { id: id.to_owned(), code: code.to_owned() });
            }
            Reply::Now(_) if id.is_empty() => {}
            Reply::Now(ending) => {
                let mut frame = String::new();
                answer::write_typed(id, &ending, &mut frame);
                answers.push(rpc::json(&frame));
            }
        }
    }

    /// Answers a tool call or a verb with the tool script. A verb's method is passed as the name.
    fn use_tool(&mut self, id: &str, name: &str, arguments: &Json, answers: &mut Vec<String>) {
        match (self.answer_tool)(name, arguments) {
            ToolReply::Result(result) => answers.push(rpc::response(id, Ok(&result.to_string()))),
            ToolReply::Error(error) => answers.push(rpc::response(id, Err(&error))),
            ToolReply::Hold => {
                let id = id.trim_matches('"').to_owned();
                let _ = self.held_tools.send(HeldTool { id, name: name.to_owned(), arguments: arguments.clone() });
            }
        }
    }

    fn receive(&mut self, json: &str, answers: &mut Vec<String>) {
        match rpc::parse_one(json) {
            Some(Rpc::Request { id, method, .. }) if method == "ping" => {
                answers.push(rpc::response(&id, Ok(r#"{"pong":true}"#)));
            }
            Some(Rpc::Request { id, method, params }) if method == "eval" => {
                let eval: EvalInPage = serde_json::from_str(&params).expect("eval has code and frame");
                let id = id.trim_matches('"').to_owned();
                self.evaluate(&id, &format!("{}@{}", eval.code, eval.frame.unwrap_or_default()), answers);
            }
            Some(Rpc::Request { id, method, params }) if method == "tools/call" => {
                let params: Json = serde_json::from_str(&params).expect("params are JSON");
                let name = params["name"].as_str().expect("a call names its tool");
                self.use_tool(&id, name, &params["arguments"], answers);
            }
            Some(Rpc::Request { id, method, params }) if method.starts_with("page/") => {
                let params: Json = serde_json::from_str(&params).expect("params are JSON");
                self.use_tool(&id, &method, &params, answers);
            }
            Some(Rpc::Request { id, method, .. }) => {
                let error = eye_protocol::Error::new(eye_protocol::Code::METHOD, format!("no method {method}"));
                answers.push(rpc::response(&id, Err(&error)));
            }
            Some(Rpc::Notification { method, params }) if method == "call/cancel" => {
                let cancel: CancelPage = serde_json::from_str(&params).expect("a cancel names its call");
                let _ = self.cancelled.send(cancel.id);
            }
            _ => {}
        }
    }
}
