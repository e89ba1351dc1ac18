//! The original 3D page's dialect: the page registers, pushes its state, answers state requests and executes commands.
//!
//! The original server's tools are offered unchanged (`table`). Each command is followed by a state request, whose
//! response ends the call: the page handles messages in order, so its response shows the command's effect.

mod table;
mod tools;
mod words;

use super::FromPage;
use super::calendar::{time, wall_ms};
use eye_core::{CallId, Conn, Input, PageEvent, Task};
use eye_protocol::messages::PageInfo;
use eye_protocol::state::WholeState;
use eye_protocol::{Code, Ending, Error, SessionId, Value};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, json};
use std::collections::{BTreeMap, VecDeque};
pub use tools::definitions;
use tools::{Light, Order, Refusal, Tool};

/// Sent to a page whose first message is not a registration; the original's text.
const UNREGISTERED: &str =
    r#"{"type":"error","message":"Session not registered. Please send registerSession message first."}"#;
/// Suffix of a getter's answer from the cache, as in the original.
const MAY_BE_STALE: &str = " (may be stale if user manually interacted)";
/// Why a connected page gave no state.
const SILENT: &str = "State query timeout";
/// Largest state that is kept for the getters. The original's states take less than 1 KiB.
const CACHED_BYTES_MAX: usize = 16 << 10;
/// Commands whose state may still come. If a page never pushes one, the oldest are forgotten.
const COMMANDS_LEN_MAX: usize = 1_024;

#[derive(Debug, Default)]
pub struct Scene {
    /// The URL that opens the page in a browser under its session.
    address: String,
    /// The page numbers nothing, so its states are counted here; a repeated state is not counted again.
    revision: u64,
    last: Option<Box<str>>,
    /// The state that the page last pushed.
    cache: Option<serde_json::Value>,
    /// Commands whose state has not been pushed yet, in the order they were sent; `None`: no call waits for that state.
    commands: VecDeque<Option<CallId>>,
    /// Calls that wait for the page.
    waiting: BTreeMap<CallId, Waiting>,
}

/// What a call waits for.
#[derive(Debug)]
enum Waiting {
    /// A command was sent; `before` is the state before it.
    Order { order: Order, before: Option<serde_json::Value> },
    /// The state was requested.
    Getter { getter: table::Getter, light: Light, refresh: bool },
}

/// The outcome of a task for the page.
#[derive(Debug, Default)]
pub struct Spoken {
    pub messages: Vec<String>,
    /// The call's ending, if it needs no page.
    pub answer: Option<Ending>,
    /// The call must be [expired](expire) if the page does not answer in time.
    pub expires: bool,
}

/// Any message of the page: which members are present depends on the type.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageMessage {
    r#type: String,
    #[serde(default)]
    jsonrpc: Option<Box<RawValue>>,
    #[serde(default)]
    session_id: Option<String>,
    #[serde(default)]
    request_id: Option<String>,
    #[serde(default)]
    state: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<String>,
}

/// The first message of a connection in this dialect.
#[derive(Debug, PartialEq, Eq)]
pub enum First {
    /// Registers this session.
    Register(SessionId),
    /// Not a registration, or an invalid session id; holds the reply.
    Refused(String),
}

/// Reads a first message. `None`: it is not of this dialect.
pub fn first(text: &str) -> Option<First> {
    let PageMessage { r#type, jsonrpc: None, session_id, .. } = serde_json::from_str(text).ok()? else { return None };
    if r#type != "registerSession" {
        return Some(First::Refused(UNREGISTERED.into()));
    }
    Some(if let Some(session) = session_id.as_deref().and_then(SessionId::parse) {
        First::Register(session)
    } else {
        let refusal = json!({ "type": "error", "message": "sessionId is 1 to 64 of A-Z a-z 0-9 _ . -" });
        First::Refused(refusal.to_string())
    })
}

/// The reply to a registration.
pub fn registered(session: &SessionId) -> String {
    json!({ "type": "sessionRegistered", "sessionId": session.as_str() }).to_string()
}

/// What is known about such a page.
pub fn info() -> PageInfo {
    PageInfo {
        title: Some("3D page".into()),
        eval: Some(false),
        eval_blocked: Some("it speaks the original 3D server's messages".into()),
        ..PageInfo::default()
    }
}

impl Scene {
    /// A registered page of that origin.
    pub fn new(origin: &str, session: &SessionId) -> Self {
        Self { address: format!("{origin}?sessionId={session}"), ..Self::default() }
    }

    /// The page has its session again. Its earlier calls have ended without it.
    pub fn resume(&mut self) {
        self.waiting.clear();
        self.commands.iter_mut().for_each(|command| *command = None);
    }

    /// The revision of a state from the page.
    fn revision_of(&mut self, state: &RawValue) -> u64 {
        if self.last.as_deref() != Some(state.get()) {
            self.revision += 1;
            self.last = (state.get().len() <= CACHED_BYTES_MAX).then(|| state.get().into());
        }
        self.revision
    }

    /// Removes the command of this call and all before it: they are done.
    fn done_up_to(&mut self, call: CallId) {
        if let Some(at) = self.commands.iter().position(|command| *command == Some(call)) {
            self.commands.drain(..=at);
        }
    }
}

/// Parses a state for the getters, if it is small enough.
fn parsed(state: &RawValue) -> Option<serde_json::Value> {
    (state.get().len() <= CACHED_BYTES_MAX).then(|| serde_json::from_str(state.get()).ok()).flatten()
}

/// Reads a message of a registered page.
pub fn from_page(page: Conn, scene: &mut Scene, text: &str) -> Vec<FromPage> {
    let Ok(PageMessage { r#type, request_id, state, error, .. }) = serde_json::from_str(text) else {
        return Vec::new();
    };
    let request_id = request_id.unwrap_or_default();
    match (r#type.as_str(), state) {
        ("stateResponse", state) => {
            let missing = || Error::new(Code::INTERNAL, "the page told a malformed state: `state` is missing");
            state_response(page, scene, &request_id, state.ok_or_else(missing))
        }
        ("stateError", _) => {
            let error = Error::new(Code::THREW, error.unwrap_or_default());
            state_response(page, scene, &request_id, Err(error))
        }
        ("stateUpdate", Some(state)) => {
            scene.cache = parsed(&state);
            let done = scene.commands.pop_front().flatten();
            let ending = done.and_then(|call| Some((call, ended(scene, call, scene.cache.clone().as_ref())?)));
            let published = publish(page, scene, state);
            std::iter::once(published).chain(ending.map(|(call, ending)| answered(page, call, ending))).collect()
        }
        _ => Vec::new(),
    }
}

fn publish(page: Conn, scene: &mut Scene, state: Box<RawValue>) -> FromPage {
    let whole = WholeState { revision: scene.revision_of(&state), state: state.into() };
    FromPage::Input(Input::page(page, PageEvent::State { whole, wall_ms: wall_ms() }))
}

fn answered(page: Conn, call: CallId, ending: Ending) -> FromPage {
    FromPage::Input(Input::page(page, PageEvent::Answered { call, ending }))
}

/// Ends a command's call with its confirmation, if it still waits.
fn ended(scene: &mut Scene, call: CallId, after: Option<&serde_json::Value>) -> Option<Ending> {
    match scene.waiting.remove(&call)? {
        Waiting::Order { order, before } => Some(Ok(Value::Text(order.confirmation(before.as_ref(), after)))),
        waiting @ Waiting::Getter { .. } => {
            scene.waiting.insert(call, waiting);
            None
        }
    }
}

/// Handles the page's response to a state request.
fn state_response(
    page: Conn,
    scene: &mut Scene,
    request_id: &str,
    state: Result<Box<RawValue>, Error>,
) -> Vec<FromPage> {
    if let Some(call) = request_id.strip_suffix(BEFORE).and_then(|call| call.parse().ok()) {
        if let Some(Waiting::Order { before, .. }) = scene.waiting.get_mut(&call) {
            *before = state.ok().as_deref().and_then(parsed);
        }
        return Vec::new();
    }
    let Ok(call) = request_id.parse::<CallId>() else { return Vec::new() };
    match (scene.waiting.get(&call), state) {
        (Some(Waiting::Order { .. }), state) => {
            scene.done_up_to(call);
            let state = state.ok();
            let ending = ended(scene, call, state.as_deref().and_then(parsed).as_ref());
            let published = state.map(|state| publish(page, scene, state));
            published.into_iter().chain(ending.map(|ending| answered(page, call, ending))).collect()
        }
        (Some(Waiting::Getter { .. }), Ok(state)) => {
            let ending = read(scene, call, parsed(&state).as_ref().ok_or("the page told a state that cannot be read"));
            let published = publish(page, scene, state);
            std::iter::once(published).chain(ending.map(|ending| answered(page, call, ending))).collect()
        }
        (Some(Waiting::Getter { .. }), Err(error)) => {
            read(scene, call, Err(&error.message)).map(|ending| answered(page, call, ending)).into_iter().collect()
        }
        (None, Ok(state)) => {
            let revision = scene.revision_of(&state);
            let ending = Ok(Value::Json(format!(r#"{{"state":{state},"revision":{revision}}}"#)));
            vec![answered(page, call, ending)]
        }
        (None, Err(error)) => vec![answered(page, call, Err(error))],
    }
}

/// A getter's answer: from the page's state, else from its last pushed state, else the reason why there is none.
fn read(scene: &mut Scene, call: CallId, state: Result<&serde_json::Value, &str>) -> Option<Ending> {
    let Waiting::Getter { getter, light, refresh } = scene.waiting.remove(&call)? else { return None };
    Some(Ok(match (state, &scene.cache) {
        (Ok(state), _) => reading(&getter, light, state, "fresh"),
        (Err(_), Some(cache)) => reading(&getter, light, cache, &format!("cache{MAY_BE_STALE}")),
        (Err(why), None) => {
            let thing = tools::thing(&getter, light);
            failed(&if refresh {
                format!("Error retrieving {thing}: {why}")
            } else {
                format!("Error retrieving {thing}: Unable to retrieve state: {why}. Browser may be disconnected.")
            })
        }
    }))
}

fn reading(getter: &table::Getter, light: Light, state: &serde_json::Value, source: &str) -> Value {
    let (label, text) = tools::reading(getter, light, state);
    Value::Text(format!("{label}: {text} (queried at {}, source: {source})", time(wall_ms())))
}

/// A tool result that reports failure, in the original's form.
fn failed(text: &str) -> Value {
    Value::Json(json!({ "content": [{ "type": "text", "text": text }], "isError": true }).to_string())
}

/// Suffix of the request id of a state request that precedes a command.
const BEFORE: &str = "-before";

fn request_state(request_id: &str, refresh: bool) -> String {
    json!({ "type": "requestState", "requestId": request_id, "forceRefresh": refresh }).to_string()
}

pub fn to_page(call: Option<CallId>, task: &Task, scene: &mut Scene) -> Spoken {
    match task {
        Task::State => {
            Spoken { messages: vec![request_state(&call.unwrap_or(0).to_string(), true)], ..Spoken::default() }
        }
        Task::Tool { name, arguments, .. } => {
            let arguments = serde_json::from_str(arguments).unwrap_or_default();
            call_tool(call, name, &arguments, scene)
        }
        // The hub has answered these calls itself.
        Task::Eval { .. } | Task::Verb { .. } => Spoken::default(),
    }
}

fn call_tool(
    call: Option<CallId>,
    name: &str,
    arguments: &Map<String, serde_json::Value>,
    scene: &mut Scene,
) -> Spoken {
    let announced = json!({ "type": "toolCall", "toolName": name, "timestamp": wall_ms() }).to_string();
    let at_once = |answer| Spoken { messages: vec![announced.clone()], answer: Some(Ok(answer)), expires: false };
    match tools::find(name) {
        Some(Tool::Command(command, light)) => match tools::order(&command, light, arguments) {
            Ok(order) => ordered(call, announced, order, scene),
            Err(Refusal(refusal)) => Spoken { answer: Some(Ok(failed(&refusal))), ..Spoken::default() },
        },
        Some(Tool::Getter(getter, light)) => {
            let refresh = arguments.get("forceRefresh") == Some(&true.into());
            match (&scene.cache, call) {
                (Some(cache), _) if !refresh => {
                    at_once(reading(&getter, light, cache, &format!("cache{MAY_BE_STALE}")))
                }
                (_, Some(call)) => {
                    scene.waiting.insert(call, Waiting::Getter { getter, light, refresh });
                    let request = request_state(&call.to_string(), refresh);
                    Spoken { messages: vec![announced, request], answer: None, expires: true }
                }
                (_, None) => Spoken::default(),
            }
        }
        Some(Tool::Address(_)) => at_once(Value::Text(format!(
            "To connect your browser to the 3D visualization app, open this URL:\n\n{}\n\nCopy and paste \
             this URL into your web browser to begin interacting with the 3D scene.",
            scene.address
        ))),
        None => {
            Spoken { answer: Some(Err(Error::new(Code::TOOL, format!("Tool not found: {name}")))), ..Spoken::default() }
        }
    }
}

fn ordered(call: Option<CallId>, announced: String, order: Order, scene: &mut Scene) -> Spoken {
    let mut messages = vec![announced];
    if let Some(call) = call.filter(|_| order.looks_back()) {
        messages.push(request_state(&format!("{call}{BEFORE}"), true));
    }
    messages.push(serde_json::Value::Object(order.message.clone()).to_string());
    if scene.commands.len() >= COMMANDS_LEN_MAX {
        scene.commands.pop_front();
    }
    scene.commands.push_back(call);
    if let Some(call) = call {
        messages.push(request_state(&call.to_string(), true));
        scene.waiting.insert(call, Waiting::Order { order, before: None });
    }
    Spoken { messages, ..Spoken::default() }
}

/// Ends a call that the page has not answered in time, if it still waits.
pub fn expire(call: CallId, scene: &mut Scene) -> Option<Ending> {
    matches!(scene.waiting.get(&call), Some(Waiting::Getter { .. })).then(|| read(scene, call, Err(SILENT)))?
}

/// A call ended without the page. The state that its command will push must not end another call.
pub fn abort(call: CallId, scene: &mut Scene) {
    scene.waiting.remove(&call);
    if let Some(command) = scene.commands.iter_mut().find(|command| **command == Some(call)) {
        *command = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: &str = r##"{"model":{"color":"#cc0000","rotation":{"x":0,"y":12.5,"z":0}}}"##;

    fn scene() -> Scene {
        Scene::new("http://localhost:5173", &SessionId::parse("a-1").unwrap())
    }

    fn call(scene: &mut Scene, id: CallId, name: &str, arguments: &str) -> Spoken {
        let task = Task::Tool {
            name: name.into(),
            arguments: arguments.into(),
            confirmed: false,
            terms: eye_core::Terms::default(),
        };
        to_page(Some(id), &task, scene)
    }

    fn update(scene: &mut Scene) -> Vec<FromPage> {
        from_page(Conn(9), scene, &format!(r#"{{"type":"stateUpdate","state":{STATE},"timestamp":5}}"#))
    }

    fn response(scene: &mut Scene, id: &str) -> Vec<FromPage> {
        from_page(Conn(9), scene, &format!(r#"{{"type":"stateResponse","requestId":"{id}","state":{STATE}}}"#))
    }

    fn answers(messages: &[FromPage]) -> Vec<(CallId, String)> {
        let one = |message: &FromPage| match message {
            FromPage::Input(Input::Page { event: PageEvent::Answered { call, ending }, .. }) => {
                Some((*call, ending.as_ref().map_or_else(|error| error.message.clone(), Value::to_json)))
            }
            _ => None,
        };
        messages.iter().filter_map(one).collect()
    }

    #[test]
    fn only_a_registration_begins() {
        let a = SessionId::parse("a-1").unwrap();
        assert_eq!(registered(&a), r#"{"type":"sessionRegistered","sessionId":"a-1"}"#);
        assert_eq!(first(r#"{"type":"registerSession","sessionId":"a-1"}"#), Some(First::Register(a)));
        assert_eq!(first(r#"{"type":"stateUpdate","state":{}}"#), Some(First::Refused(UNREGISTERED.into())));
        assert!(matches!(first(r#"{"type":"registerSession","sessionId":"a b"}"#), Some(First::Refused(_))));
        for text in [r#"{"jsonrpc":"2.0","type":"x"}"#, "{}", "1:x", "[]", "7"] {
            assert_eq!(first(text), None, "{text}");
        }
    }

    #[test]
    fn a_late_state_ends_no_other_command() {
        let mut scene = scene();
        for id in 1..=3 {
            call(&mut scene, id, "swing_key_light_up", "{}");
        }
        abort(1, &mut scene);
        assert_eq!(answers(&update(&mut scene)), [], "the state of the command that was given up");
        assert_eq!(answers(&update(&mut scene)), [(2, r#""Key light swung up""#.into())]);
        assert_eq!(scene.commands, [Some(3)]);
    }

    #[test]
    fn a_command_whose_predecessor_pushed_nothing_ends_with_its_own_answer() {
        let mut scene = scene();
        call(&mut scene, 1, "swing_key_light_up", "{}");
        abort(1, &mut scene);
        call(&mut scene, 2, "walk_key_light_in", "{}");
        assert_eq!(answers(&update(&mut scene)), []);
        assert_eq!(answers(&response(&mut scene, "2")), [(2, r#""Key light walked in""#.into())]);
        call(&mut scene, 3, "walk_key_light_out", "{}");
        assert_eq!(answers(&response(&mut scene, "3")), [(3, r#""Key light walked out""#.into())]);
        assert!(scene.commands.is_empty() && scene.waiting.is_empty());
    }

    #[test]
    fn a_relative_command_reports_the_state_it_began_with() {
        let mut scene = scene();
        let spoken = call(&mut scene, 4, "rotate_model_clockwise", "{}");
        let types: Vec<String> = spoken
            .messages
            .iter()
            .map(|one| serde_json::from_str::<serde_json::Value>(one).unwrap()["type"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(types, ["toolCall", "requestState", "rotateModelClockwise", "requestState"]);
        assert_eq!(answers(&response(&mut scene, "4-before")), []);
        let text = r#""Model rotated 10° clockwise (from current rotation: Y=12.5°)""#;
        assert_eq!(answers(&update(&mut scene)), [(4, text.into())]);
    }

    #[test]
    fn the_same_state_sent_again_is_the_same_revision() {
        let mut scene = scene();
        update(&mut scene);
        for (id, revision) in [("7", 1), ("8", 1)] {
            assert!(answers(&response(&mut scene, id))[0].1.ends_with(&format!(r#""revision":{revision}}}"#)));
        }
        let response = r#"{"type":"stateResponse","requestId":"9","state":{}}"#;
        assert!(answers(&from_page(Conn(9), &mut scene, response))[0].1.ends_with(r#""revision":2}"#));
    }

    #[test]
    fn a_page_that_pushes_nothing_does_not_fill_the_list() {
        let mut scene = scene();
        for id in 0..=CallId::try_from(COMMANDS_LEN_MAX).unwrap() {
            call(&mut scene, id, "swing_key_light_up", "{}");
            abort(id, &mut scene);
        }
        assert_eq!((scene.commands.len(), scene.waiting.len()), (COMMANDS_LEN_MAX, 0));
    }

    #[test]
    fn a_state_over_the_limit_is_published_and_not_kept() {
        let mut scene = scene();
        for (bytes, kept) in [(CACHED_BYTES_MAX, true), (CACHED_BYTES_MAX + 1, false)] {
            let state = format!(r#""{}""#, "x".repeat(bytes - 2));
            let messages = from_page(Conn(9), &mut scene, &format!(r#"{{"type":"stateUpdate","state":{state}}}"#));
            assert!(matches!(messages[..], [FromPage::Input(Input::Page { event: PageEvent::State { .. }, .. })]));
            assert_eq!(scene.cache.is_some(), kept);
        }
    }
}
