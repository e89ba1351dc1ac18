//! The original 3D page's dialect: it registers, publishes its state, tells it when asked, and takes commands.
//!
//! Its server had one tool for each command; here the commands themselves are the page's tools.

use super::FromPage;
use super::calendar::wall_ms;
use eye_core::{Conn, Input, Task};
use eye_protocol::messages::PageInfo;
use eye_protocol::rpc::json;
use eye_protocol::state::Whole;
use eye_protocol::{Code, Error, SessionId, Value};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, json};
use std::collections::VecDeque;

/// How long a page may take to push the state that follows a command.
const COMMAND_MS: u64 = 2_000;

/// What whoever begins otherwise is told, in the original's words.
const UNREGISTERED: &str =
    r#"{"type":"error","message":"Session not registered. Please send registerSession message first."}"#;

/// Commands of model and camera, with their numbers; one that ends in `?` may be left out.
const PLAIN: [(&str, &[&str]); 14] = [
    ("rotateModelClockwise", &["degrees?"]),
    ("rotateModelCounterclockwise", &["degrees?"]),
    ("nudgeModelPitchUp", &["degrees?"]),
    ("nudgeModelPitchDown", &["degrees?"]),
    ("nudgeModelRoll", &["degrees?"]),
    ("changeSize", &["size"]),
    ("scaleModel", &["x", "y", "z"]),
    ("setModelRotation", &["x", "y", "z"]),
    ("dollyCamera", &["distance"]),
    ("dollyCameraIn", &["amount?"]),
    ("dollyCameraOut", &["amount?"]),
    ("setCameraFOV", &["fov"]),
    ("increaseCameraFOV", &["amount?"]),
    ("decreaseCameraFOV", &["amount?"]),
];

/// Commands of each light; `@` stands for `Key` and `Fill`.
const OF_A_LIGHT: [(&str, &[&str]); 14] = [
    ("set@LightIntensity", &["intensity"]),
    ("set@LightPositionSpherical", &["azimuth", "elevation"]),
    ("set@LightDistance", &["distance"]),
    ("swing@LightUp", &[]),
    ("swing@LightDown", &[]),
    ("swing@LightLeft", &[]),
    ("swing@LightRight", &[]),
    ("walk@LightIn", &[]),
    ("walk@LightOut", &[]),
    ("rotate@LightClockwise", &["degrees?"]),
    ("rotate@LightCounterclockwise", &["degrees?"]),
    ("nudge@LightElevationUp", &["degrees?"]),
    ("nudge@LightElevationDown", &["degrees?"]),
    ("move@LightTowardDirection", &["direction", "degrees?"]),
];

/// What is known of one such page.
#[derive(Debug, Default)]
pub struct Scene {
    /// It numbers nothing, so its states are counted here.
    revision: u64,
    /// Commands whose state has not come yet, in the order they were sent.
    commands: VecDeque<u32>,
}

/// Any of its messages: which members there are depends on the type.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
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

/// What a first message in this dialect asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum First {
    /// The session of that name; this is what it is told.
    Register(SessionId, String),
    /// It began otherwise, or with no session's name; this is what it is told.
    Refused(String),
}

/// Reads a first message, if it is one of this dialect's.
pub fn first(text: &str) -> Option<First> {
    let Said { r#type, jsonrpc: None, session_id, .. } = serde_json::from_str(text).ok()? else { return None };
    if r#type != "registerSession" {
        return Some(First::Refused(UNREGISTERED.into()));
    }
    Some(if let Some(session) = session_id.as_deref().and_then(SessionId::parse) {
        let told = json!({ "type": "sessionRegistered", "sessionId": session_id });
        First::Register(session, told.to_string())
    } else {
        let told = json!({ "type": "error", "message": "sessionId is 1 to 64 of A-Z a-z 0-9 _ . -" });
        First::Refused(told.to_string())
    })
}

/// What such a page is, as far as it can be known.
pub fn info() -> PageInfo {
    PageInfo {
        title: Some("3D page".into()),
        eval: Some(false),
        eval_blocked: Some("it speaks the original 3D server's messages".into()),
        ..PageInfo::default()
    }
}

/// Its commands as tools. Each ends with the state that follows it.
pub fn tools() -> Vec<Box<RawValue>> {
    let colours = ["changeColor", "changeBackgroundColor", "setKeyLightColor", "setFillLightColor"];
    let coloured = colours.iter().map(|name| tool(name, json!({ "color": { "type": "string" } }), &["color"]));
    let plain = PLAIN.iter().map(|(name, parameters)| numbered(name, parameters));
    let of_lights = OF_A_LIGHT
        .iter()
        .flat_map(|(name, parameters)| ["Key", "Fill"].map(|light| numbered(&name.replace('@', light), parameters)));
    coloured.chain(plain).chain(of_lights).collect()
}

fn numbered(name: &str, parameters: &[&str]) -> Box<RawValue> {
    let names = parameters.iter().map(|parameter| parameter.trim_end_matches('?'));
    let properties: Map<_, _> = names.map(|name| (name.to_owned(), json!({ "type": "number" }))).collect();
    let required: Vec<&str> = parameters.iter().filter(|parameter| !parameter.ends_with('?')).copied().collect();
    tool(name, properties.into(), &required)
}

#[expect(clippy::needless_pass_by_value, reason = "it is made for this call")]
fn tool(name: &str, properties: serde_json::Value, required: &[&str]) -> Box<RawValue> {
    super::tools::raw(&json(&json!({
        "name": name,
        "description": "A command of the original 3D page.",
        "timeout": COMMAND_MS,
        "inputSchema": {
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        },
    })))
}

/// Reads a message of a page that has registered.
pub fn from_page(page: Conn, scene: &mut Scene, text: &str) -> Vec<FromPage> {
    let Ok(Said { r#type, request_id, state, error, .. }) = serde_json::from_str(text) else { return Vec::new() };
    let answered = |ending| {
        let call = request_id.as_deref().and_then(|id| id.parse().ok());
        call.map(|call| FromPage::Input(Input::PageAnswered { page, call, ending })).into_iter().collect()
    };
    match (r#type.as_str(), state) {
        ("stateResponse", Some(state)) => {
            scene.revision += 1;
            answered(Ok(Value::Json(format!(r#"{{"state":{state},"revision":{}}}"#, scene.revision))))
        }
        ("stateResponse", None) => {
            answered(Err(Error::new(Code::INTERNAL, "the page told a malformed state: `state` is missing")))
        }
        ("stateError", _) => answered(Err(Error::new(Code::THREW, error.unwrap_or_default()))),
        ("stateUpdate", Some(state)) => {
            scene.revision += 1;
            let whole = Whole { state, revision: scene.revision };
            let published = FromPage::Input(Input::PageState { page, whole, wall_ms: wall_ms() });
            // A page pushes its state once after each command, in order.
            let ending = Ok(Value::Text("done".into()));
            let done = scene.commands.pop_front();
            let done = done.map(|call| FromPage::Input(Input::PageAnswered { page, call, ending }));
            std::iter::once(published).chain(done).collect()
        }
        _ => Vec::new(),
    }
}

/// Writes what such a page is to do. `None`: it cannot.
pub fn to_page(call: Option<u32>, task: &Task, scene: &mut Scene) -> Option<Vec<String>> {
    match task {
        Task::State => {
            let request_id = call.unwrap_or(0).to_string();
            Some(vec![json!({ "type": "requestState", "requestId": request_id, "forceRefresh": true }).to_string()])
        }
        Task::Tool { name, arguments, .. } => {
            let mut command = Map::from_iter([("type".to_owned(), json!(name))]);
            command.extend(serde_json::from_str::<Map<_, _>>(arguments).unwrap_or_default());
            scene.commands.extend(call);
            let told = json!({ "type": "toolCall", "toolName": name, "timestamp": wall_ms() });
            Some(vec![told.to_string(), json(&command)])
        }
        Task::Eval { .. } | Task::Verb { .. } => None,
    }
}

/// A command ended without its state: what comes later is not its answer.
pub fn abort(call: u32, scene: &mut Scene) {
    scene.commands.retain(|waiting| *waiting != call);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_registration_begins() {
        let told = r#"{"type":"sessionRegistered","sessionId":"a-1"}"#;
        assert_eq!(
            first(r#"{"type":"registerSession","sessionId":"a-1"}"#),
            Some(First::Register(SessionId::parse("a-1").unwrap(), told.into()))
        );
        assert_eq!(first(r#"{"type":"stateUpdate","state":{}}"#), Some(First::Refused(UNREGISTERED.into())));
        assert!(matches!(first(r#"{"type":"registerSession","sessionId":"a b"}"#), Some(First::Refused(_))));
        for text in [r#"{"jsonrpc":"2.0","type":"x"}"#, "{}", "1:x", "[]", "7"] {
            assert_eq!(first(text), None, "{text}");
        }
    }

    #[test]
    fn every_command_is_a_tool_with_a_name_of_its_own() {
        let tools = tools();
        assert_eq!(tools.len(), 4 + 14 + 28);
        let names: std::collections::BTreeSet<String> = tools
            .iter()
            .map(|tool| serde_json::from_str::<serde_json::Value>(tool.get()).unwrap()["name"].to_string())
            .collect();
        assert_eq!(names.len(), tools.len());
        assert!(names.contains("\"moveFillLightTowardDirection\""));
    }

    #[test]
    fn a_state_ends_the_command_before_it_and_only_that() {
        let mut scene = Scene::default();
        let command =
            |name: &str| Task::Tool { name: name.into(), arguments: "{}".into(), confirmed: false, delta: false };
        for call in 1..=3 {
            to_page(Some(call), &command("swingKeyLightUp"), &mut scene);
        }
        abort(1, &mut scene);
        let said = from_page(Conn(9), &mut scene, r#"{"type":"stateUpdate","state":{"a":1},"timestamp":5}"#);
        assert!(matches!(
            said[..],
            [FromPage::Input(Input::PageState { .. }), FromPage::Input(Input::PageAnswered { call: 2, .. })]
        ));
        assert_eq!(scene.commands, [3]);
    }
}
