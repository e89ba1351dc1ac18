//! The original's tools: their definitions for agents, and the command or state request that a call sends to the page.

use super::table::{COMMANDS, Command, GETTERS, Getter, Kind, LIGHT_COMMANDS, LIGHT_GETTERS, Parameter};
use super::words::{self, Read};
use eye_protocol::rpc::json;
use eye_protocol::tools::ADDRESS_TOOLS;
use serde_json::{Map, Value, json};

/// How long the page may take to answer a command.
const COMMAND_MS: u64 = 2_000;
/// A result that differs from the requested value by more than this part of it was limited by the page.
const LIMITED_PART: f64 = 0.001;

/// The light that replaces `@` in a table row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Light {
    /// The row has no light.
    None,
    Key,
    Fill,
}

impl Light {
    /// For tool names, state paths and text within sentences.
    fn lower(self, text: &str) -> String {
        text.replace('@', if self == Self::Key { "key" } else { "fill" })
    }

    /// For command names and the beginning of sentences.
    fn upper(self, text: &str) -> String {
        text.replace('@', if self == Self::Key { "Key" } else { "Fill" })
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Tool {
    Command(Command, Light),
    Getter(Getter, Light),
    /// Returns the URL of the page.
    Address(&'static str),
}

impl Tool {
    fn name(&self) -> String {
        match self {
            Self::Command(command, light) => light.lower(command.tool),
            Self::Getter(getter, light) => light.lower(getter.tool),
            Self::Address(name) => (*name).to_owned(),
        }
    }
}

fn all() -> impl Iterator<Item = Tool> {
    let lights = [Light::Key, Light::Fill];
    let commands = COMMANDS.into_iter().map(|command| Tool::Command(command, Light::None));
    let of_lights = LIGHT_COMMANDS.into_iter().flat_map(move |row| lights.map(|light| Tool::Command(row, light)));
    let getters = GETTERS.into_iter().map(|getter| Tool::Getter(getter, Light::None));
    let of_lights_too = LIGHT_GETTERS.into_iter().flat_map(move |row| lights.map(|light| Tool::Getter(row, light)));
    let addresses = ADDRESS_TOOLS.into_iter().map(Tool::Address);
    commands.chain(of_lights).chain(getters).chain(of_lights_too).chain(addresses)
}

pub fn find(name: &str) -> Option<Tool> {
    all().find(|tool| tool.name() == name)
}

pub fn definitions() -> Vec<Box<str>> {
    all().map(|tool| json(&definition(&tool)).into()).collect()
}

fn definition(tool: &Tool) -> Value {
    let name = tool.name();
    let (description, schemas, timeout) = match tool {
        Tool::Command(command, light) => {
            let schemas = command.parameters.iter().map(|one| (one.name, schema(one), one.default.is_none()));
            (light.lower(command.description), schemas.collect(), Some(COMMAND_MS))
        }
        Tool::Getter(getter, light) => {
            let help = "Force refresh from browser (defaults to false, uses cache)";
            let refresh = json!({ "type": "boolean", "description": help });
            (light.lower(getter.description), vec![("forceRefresh", refresh, false)], None)
        }
        Tool::Address(_) => {
            ("Get the URL that opens the 3D app in a browser, under this session".to_owned(), Vec::new(), None)
        }
    };
    let required: Vec<&str> = schemas.iter().filter(|(_, _, required)| *required).map(|(name, _, _)| *name).collect();
    let properties: Map<String, Value> =
        schemas.iter().map(|(name, schema, _)| ((*name).to_owned(), schema.clone())).collect();
    let reads = !matches!(tool, Tool::Command(..));
    let mut definition = json!({
        "name": name,
        "title": titled(&name),
        "description": description,
        "inputSchema": {
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        },
        "annotations": { "readOnlyHint": reads },
    });
    if let Some(timeout) = timeout {
        definition["timeout"] = timeout.into();
    }
    definition
}

fn schema(parameter: &Parameter) -> Value {
    let help = parameter.help;
    match parameter.kind {
        // Any text passes the schema, so that the refusal can list the names.
        Kind::Colour => json!({ "type": "string", "description": format!(
            "{help}: a hex color code (e.g., \"#ff0000\") or an Apple crayon color name (e.g., \"teal\")") }),
        Kind::Azimuth => json!({
            "anyOf": [{ "type": "number", "minimum": 0, "maximum": 360 }, { "type": "string" }],
            "description": format!("{help}: 0 to 360 degrees or a direction name (e.g., \"north\", \"NW\"), seen from \
                the camera: 0 is ahead, 90 right, 180 behind the camera, 270 left"),
        }),
        Kind::Number => json!({ "type": "number", "description": help }),
        Kind::Positive => json!({ "type": "number", "exclusiveMinimum": 0, "description": help }),
        Kind::NotNegative => json!({ "type": "number", "minimum": 0, "description": help }),
        Kind::Elevation => json!({ "type": "number", "minimum": 0, "maximum": 90, "description": help }),
    }
}

/// `set_camera_fov` becomes "Set Camera FOV".
fn titled(name: &str) -> String {
    let word = |word: &str| match word {
        "fov" | "url" | "3d" => word.to_uppercase(),
        _ => word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect(),
    };
    name.split('_').map(word).collect::<Vec<String>>().join(" ")
}

/// A command for the page, and its confirmation for the agent.
#[derive(Debug)]
pub struct Order {
    pub message: Map<String, Value>,
    /// The confirmation, without the parts that depend on the state.
    text: String,
    /// For the part about the state before: its words, and the value's path.
    from: Option<(&'static str, String)>,
    /// The requested number, and the path of the resulting value in the state.
    kept: Option<(f64, String)>,
}

impl Order {
    /// Whether the confirmation needs the state before the command.
    pub fn looks_back(&self) -> bool {
        self.from.is_some()
    }

    pub fn confirmation(&self, before: Option<&Value>, after: Option<&Value>) -> String {
        let mut text = self.text.clone();
        if let Some(((words, place), before)) = self.from.as_ref().zip(before) {
            let value = before.pointer(place).map_or_else(|| "0".to_owned(), shown);
            text += &[" (from current ", words, &value, "°)"].concat();
        }
        let kept = self.kept.as_ref().and_then(|(wanted, place)| Some((wanted, after?.pointer(place)?.as_f64()?)));
        if let Some((wanted, kept)) = kept.filter(|(wanted, kept)| (*wanted - kept).abs() > LIMITED_PART * wanted.abs())
        {
            let (kept, wanted) = (words::plain(kept), words::plain(*wanted));
            text += &[" (the page limits it: ", &kept, "; asked for ", &wanted, ")"].concat();
        }
        text
    }
}

/// Why a command's arguments are refused, in the original's words.
#[derive(Debug)]
pub struct Refusal(pub String);

pub fn order(command: &Command, light: Light, arguments: &Map<String, Value>) -> Result<Order, Refusal> {
    let mut message = Map::from_iter([("type".to_owned(), json!(light.upper(command.message_type)))]);
    let mut shown_as: Vec<(&str, String)> = Vec::new();
    let mut short = false;
    for parameter in command.parameters {
        let given = arguments.get(parameter.name).filter(|value| !value.is_null());
        let read = match (given, parameter.default) {
            (Some(value), _) => read(parameter.kind, value).map_err(|Refusal(why)| refused(command, light, &why))?,
            (None, Some(default)) => {
                short = true;
                shown_as.push((parameter.name, words::plain(default)));
                continue;
            }
            (None, None) => return Err(refused(command, light, &format!("{} is missing", parameter.name))),
        };
        let named = parameter.kind == Kind::Azimuth && parameter.name == "azimuth" && !read.shown.ends_with('°');
        let text = if named { format!("{} ({}°)", read.shown, shown(&read.sent)) } else { read.shown };
        shown_as.push((parameter.name, text));
        message.insert(parameter.name.to_owned(), read.sent);
    }
    let template = command.short_text.filter(|_| short).unwrap_or(command.text);
    let text = filled(&light.upper(template), |name| {
        shown_as.iter().find(|(known, _)| *known == name).map(|(_, text)| text.clone()).unwrap_or_default()
    });
    let wanted = command.parameters.first().and_then(|one| message.get(one.name)?.as_f64());
    let kept = wanted.zip(command.kept_at).map(|(wanted, place)| (wanted, light.lower(place)));
    Ok(Order { message, text, from: command.from.map(|(words, place)| (words, light.lower(place))), kept })
}

fn refused(command: &Command, light: Light, why: &str) -> Refusal {
    let tool = light.lower(command.tool);
    Refusal(format!("MCP error -32602: Input validation error: Invalid arguments for tool {tool}: {why}"))
}

fn read(kind: Kind, value: &Value) -> Result<Read, Refusal> {
    let number = || match value.as_f64() {
        Some(number) => Ok(Read { sent: value.clone(), shown: words::plain(number) }),
        None => Err(Refusal("Expected number".to_owned())),
    };
    match kind {
        Kind::Colour => words::colour(value).ok_or_else(|| Refusal(words::colour_refusal())),
        Kind::Azimuth => words::azimuth(value).ok_or_else(|| Refusal(words::AZIMUTH_REFUSAL.to_owned())),
        // Their ranges are in the schema, against which the arguments were checked before.
        Kind::Number | Kind::Positive | Kind::NotNegative | Kind::Elevation => number(),
    }
}

/// The label and the value of a getter's answer.
pub fn reading(getter: &Getter, light: Light, state: &Value) -> (String, String) {
    let text = filled(&light.lower(getter.text), |place| {
        let (place, default) = place.split_once('|').unwrap_or((place, ""));
        state.pointer(place).filter(|value| !value.is_null()).map_or_else(|| default.to_owned(), shown)
    });
    (light.upper(getter.label), text)
}

/// The name of a getter's value in an error.
pub fn thing(getter: &Getter, light: Light) -> String {
    let label = light.upper(getter.label);
    label.chars().take(1).flat_map(char::to_lowercase).chain(label.chars().skip(1)).collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), words::plain),
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// Replaces names in braces by their values.
fn filled(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, (name, after))) = rest.split_once('{').and_then(|(a, b)| Some((a, b.split_once('}')?))) {
        text.push_str(before);
        text.push_str(&value(name));
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn ordered(name: &str, arguments: &Value) -> Result<Order, Refusal> {
        let Some(Tool::Command(command, light)) = find(name) else { panic!("no command: {name}") };
        order(&command, light, arguments.as_object().unwrap())
    }

    #[test]
    fn there_are_the_67_tools_of_the_original() {
        let names: BTreeSet<String> = all().map(|tool| tool.name()).collect();
        assert_eq!((all().count(), names.len()), (67, 67));
        for name in ["swing_fill_light_left", "get_key_light_size", "hello_3d_app", "set_camera_fov"] {
            assert!(names.contains(name), "{name}");
        }
        assert!(all().all(|tool| !json(&definition(&tool)).contains('@')));
        assert_eq!(definition(&find("set_camera_fov").unwrap())["title"], "Set Camera FOV");
    }

    #[test]
    fn commands_and_confirmations_are_the_originals() {
        for (tool, arguments, message, text) in [
            (
                "change_model_color",
                json!({ "color": "Teal" }),
                json!({ "type": "changeColor", "color": "#008688" }),
                "Model color changed to teal (#008688)",
            ),
            (
                "change_background_color",
                json!({ "color": "#CC0000" }),
                json!({ "type": "changeBackgroundColor", "color": "#cc0000" }),
                "Background color changed to #cc0000",
            ),
            (
                "scale_model",
                json!({ "x": 1, "y": 2.5, "z": 3 }),
                json!({ "type": "scaleModel", "x": 1, "y": 2.5, "z": 3 }),
                "Model scaled to (1, 2.5, 3)",
            ),
            (
                "set_model_rotation",
                json!({ "x": -10, "y": 0, "z": 5 }),
                json!({ "type": "setModelRotation", "x": -10, "y": 0, "z": 5 }),
                "Model rotation set to X: -10°, Y: 0°, Z: 5°",
            ),
            (
                "set_key_light_intensity",
                json!({ "intensity": 0 }),
                json!({ "type": "setKeyLightIntensity", "intensity": 0 }),
                "Key light intensity set to 0",
            ),
            (
                "set_key_light_position_spherical",
                json!({ "azimuth": "NW", "elevation": 30 }),
                json!({ "type": "setKeyLightPositionSpherical", "azimuth": 315.0, "elevation": 30 }),
                "Key light positioned at azimuth NW (315°), elevation 30° (distance preserved)",
            ),
            (
                "set_fill_light_position_spherical",
                json!({ "azimuth": 90, "elevation": 0 }),
                json!({ "type": "setFillLightPositionSpherical", "azimuth": 90, "elevation": 0 }),
                "Fill light positioned at azimuth 90°, elevation 0° (distance preserved)",
            ),
            (
                "set_fill_light_distance",
                json!({ "distance": 4 }),
                json!({ "type": "setFillLightDistance", "distance": 4 }),
                "Fill light distance set to 4 units",
            ),
            ("swing_key_light_up", json!({}), json!({ "type": "swingKeyLightUp" }), "Key light swung up"),
            ("walk_fill_light_in", json!({}), json!({ "type": "walkFillLightIn" }), "Fill light walked in"),
            ("dolly_camera_in", json!({}), json!({ "type": "dollyCameraIn" }), "Camera moved closer"),
            (
                "dolly_camera_in",
                json!({ "amount": 2 }),
                json!({ "type": "dollyCameraIn", "amount": 2 }),
                "Camera moved 2 units closer",
            ),
            (
                "increase_camera_fov",
                json!({}),
                json!({ "type": "increaseCameraFOV" }),
                "Camera FOV increased (wider angle)",
            ),
            (
                "rotate_model_clockwise",
                json!({}),
                json!({ "type": "rotateModelClockwise" }),
                "Model rotated 10° clockwise",
            ),
        ] {
            let order = ordered(tool, &arguments).unwrap();
            assert_eq!(Value::Object(order.message.clone()), message, "{tool}");
            assert_eq!(order.confirmation(None, None), text, "{tool}");
        }
    }

    #[test]
    fn a_confirmation_reports_where_it_began_and_what_the_page_limited() {
        let before = json!({ "keyLight": { "position": { "azimuth": 135.5 } }, "model": { "rotation": { "y": 40 } } });
        let moved = ordered("move_key_light_toward_direction", &json!({ "direction": "west", "degrees": 7 })).unwrap();
        assert_eq!(
            moved.confirmation(Some(&before), None),
            "Key light moved 7° toward west (from current azimuth: 135.5°)"
        );
        assert_eq!(moved.message["direction"], 270.0);
        let turned = ordered("rotate_model_clockwise", &json!({ "degrees": 20 })).unwrap();
        assert_eq!(
            turned.confirmation(Some(&before), None),
            "Model rotated 20° clockwise (from current rotation: Y=40°)"
        );
        let far = ordered("dolly_camera", &json!({ "distance": 500 })).unwrap();
        let after = |distance: f64| json!({ "camera": { "distance": distance } });
        let limited = "Camera distance set to 500 (the page limits it: 64; asked for 500)";
        assert_eq!(far.confirmation(None, Some(&after(64.0))), limited);
        assert_eq!(far.confirmation(None, Some(&after(500.1))), "Camera distance set to 500");
        assert_eq!(far.confirmation(None, Some(&json!({}))), "Camera distance set to 500");
    }

    #[test]
    fn what_is_no_colour_is_refused_in_the_originals_words() {
        let Refusal(refusal) = ordered("change_model_color", &json!({ "color": "red" })).unwrap_err();
        assert!(refusal.starts_with(
            "MCP error -32602: Input validation error: Invalid arguments for tool change_model_color: Must be a hex \
             color code (e.g., \"#ff0000\") or an Apple crayon color name. Available colors: licorice, lead, "
        ));
        assert!(refusal.ends_with(", bubblegum, carnation"));
        let Refusal(refusal) = ordered("move_fill_light_toward_direction", &json!({ "direction": "up" })).unwrap_err();
        assert!(refusal.contains("tool move_fill_light_toward_direction: Must be a number from 0 to 360"));
    }

    #[test]
    fn readings_have_the_originals_labels_and_defaults() {
        let state = json!({ "fillLight": { "position": { "azimuth": 225, "elevation": 9.5 }, "size": null } });
        for (tool, label, text) in [
            ("get_fill_light_position_spherical", "Fill light position", "azimuth 225°, elevation 9.5°, distance 0"),
            ("get_fill_light_size", "Fill light size", "width 1, height 1"),
            ("get_model_color", "Model color", "#808080"),
            ("get_model_rotation", "Model rotation", "X (pitch): 0°, Y (yaw): 0°, Z (roll): 0°"),
            ("get_background_color", "Background color", "#000000"),
            ("get_key_light_color", "Key light color", "#ffffff"),
        ] {
            let Some(Tool::Getter(getter, light)) = find(tool) else { panic!("no getter: {tool}") };
            assert_eq!(reading(&getter, light, &state), (label.to_owned(), text.to_owned()));
        }
        let Some(Tool::Getter(fov, light)) = find("get_camera_fov") else { panic!("no getter") };
        assert_eq!(thing(&fov, light), "camera FOV");
    }
}
