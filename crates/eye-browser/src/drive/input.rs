//! Real input that the page client requests while an agent acts: checks it, sends it in one go, and waits for it.

use super::files::Giving;
use super::outer::Affine;
use crate::cdp::Session;
use crate::error::CommandError;
use serde::Deserialize;
use serde_json::json;
use serde_json::{Map, Value};

/// The most commands in one request: a double click has five.
const COMMANDS_LEN_MAX: usize = 64;

/// How long the browser may take to run the commands.
const INPUT_MS: u64 = 10_000;

/// An input request of the page client.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// The number of the request, which the answer repeats.
    pub input: u64,
    /// The tab is behind another one, where it gets no frames.
    #[serde(default)]
    front: bool,
    #[serde(default)]
    commands: Vec<Command>,
    /// Files for the page, instead of commands.
    #[serde(flatten)]
    pub giving: Option<Giving>,
}

#[derive(Debug, Deserialize)]
struct Command {
    method: Method,
    params: Map<String, Value>,
}

/// The commands that a page client may use: only input.
#[derive(Clone, Copy, Debug, Deserialize)]
enum Method {
    #[serde(rename = "Input.dispatchMouseEvent")]
    Mouse,
    #[serde(rename = "Input.dispatchKeyEvent")]
    Key,
    #[serde(rename = "Input.insertText")]
    Text,
    #[serde(skip)]
    Touch,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::Mouse => "Input.dispatchMouseEvent",
            Self::Key => "Input.dispatchKeyEvent",
            Self::Text => "Input.insertText",
            Self::Touch => "Input.dispatchTouchEvent",
        }
    }
}

/// Parses a request. `None`: it is not a request, or it asks for more than input.
pub fn read(message: &str) -> Option<Request> {
    serde_json::from_str(message).ok().filter(|request: &Request| request.commands.len() <= COMMANDS_LEN_MAX)
}

impl Request {
    /// Whether the request only releases the mouse: cancelling a drag must not leave the button pressed.
    pub fn lets_go(&self) -> bool {
        let released = |command: &Command| {
            let kind = command.params.get("type").and_then(Value::as_str);
            matches!(command.method, Method::Mouse) && kind == Some("mouseReleased")
        };
        !self.front && self.giving.is_none() && self.commands.iter().all(released)
    }

    /// Moves coordinates from the requesting frame to the tab.
    pub fn placed(mut self, place: Affine) -> Self {
        for command in &mut self.commands {
            let number = |name: &str| command.params.get(name).and_then(Value::as_f64);
            if let (Some(x), Some(y)) = (number("x"), number("y")) {
                let (x, y) = place.apply((x, y));
                command.params.insert("x".into(), x.into());
                command.params.insert("y".into(), y.into());
            }
        }
        self.giving = self.giving.map(|giving| giving.placed(place));
        self
    }
}

/// Sends all commands together and waits for the last. Waiting for each one would cost a frame each. `touch`: taps
/// instead of clicks.
pub async fn perform(session: &Session, request: Request, touch: bool) -> Result<(), CommandError> {
    if request.front {
        session.command("Page.bringToFront", &json!({})).await?;
    }
    let mut sent = Vec::with_capacity(request.commands.len());
    let commands = if touch { by_finger(request.commands) } else { request.commands };
    for command in commands {
        sent.push(session.send(command.method.name(), &command.params)?);
    }
    match sent.pop() {
        // A dialog that the input opened is reported to the caller of the verb.
        Some(last) => match last.within(INPUT_MS).await {
            Ok(_) | Err(CommandError::Dialog(_)) => Ok(()),
            Err(error) => Err(error),
        },
        None => Ok(()),
    }
}

/// Turns mouse commands into touches. A finger cannot hover, and its second click is a second tap.
fn by_finger(commands: Vec<Command>) -> Vec<Command> {
    let mut down = false;
    let touch = |kind: &str, command: &Command| {
        let points = match kind {
            "touchEnd" => json!([]),
            _ => json!([{ "x": command.params.get("x"), "y": command.params.get("y") }]),
        };
        let mut params = Map::new();
        params.insert("type".into(), kind.into());
        params.insert("touchPoints".into(), points);
        Some(Command { method: Method::Touch, params })
    };
    let by_finger = |command: Command| {
        let other = command.params.get("button").is_some_and(|button| button != "left" && button != "none");
        if !matches!(command.method, Method::Mouse) || other {
            return Some(command);
        }
        match command.params.get("type").and_then(Value::as_str) {
            Some("mousePressed") => {
                down = true;
                touch("touchStart", &command)
            }
            Some("mouseReleased") => {
                down = false;
                touch("touchEnd", &command)
            }
            Some("mouseMoved") if down => touch("touchMove", &command),
            Some("mouseMoved") => None,
            _ => Some(command),
        }
    };
    commands.into_iter().filter_map(by_finger).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_input_is_taken() {
        let one = r#"{"method":"Input.insertText","params":{"text":"a"}}"#;
        let accepts = |commands: &str| read(&format!(r#"{{"input":1,"commands":[{commands}]}}"#)).is_some();
        assert!(accepts(one));
        assert!(!accepts(r#"{"method":"Page.navigate","params":{"url":"file:///etc/passwd"}}"#));
        assert!(accepts(&vec![one; COMMANDS_LEN_MAX].join(",")));
        assert!(!accepts(&vec![one; COMMANDS_LEN_MAX + 1].join(",")));
    }

    #[test]
    fn what_only_lets_go_presses_and_moves_nothing() {
        let lets_go = |kinds: &[&str], more: &str| {
            let mouse =
                |kind: &&str| format!(r#"{{"method":"Input.dispatchMouseEvent","params":{{"type":"{kind}"}}}}"#);
            let commands = kinds.iter().map(mouse).collect::<Vec<_>>().join(",");
            read(&format!(r#"{{"input":1,{more}"commands":[{commands}]}}"#)).unwrap().lets_go()
        };
        assert!(lets_go(&["mouseReleased"], ""));
        assert!(!lets_go(&["mouseReleased"], r#""front":true,"#));
        assert!(!lets_go(&["mouseReleased"], r#""files":[],"to":{"by":"field"},"#));
        for kind in ["mouseMoved", "mousePressed", "mouseWheel"] {
            assert!(!lets_go(&["mouseReleased", kind], ""), "{kind}");
        }
    }

    #[test]
    fn a_finger_taps_and_does_not_hover() {
        let mouse = |kind: &str| {
            format!(
                r#"{{"method":"Input.dispatchMouseEvent","params":{{"type":"{kind}","x":1,"y":2,"button":"left"}}}}"#
            )
        };
        let all = ["mouseMoved", "mousePressed", "mouseMoved", "mouseReleased", "mouseWheel"].map(mouse).join(",");
        let request = read(&format!(r#"{{"input":1,"commands":[{all}]}}"#)).unwrap();
        let kinds: Vec<String> =
            by_finger(request.commands).iter().map(|one| one.params["type"].as_str().unwrap().to_owned()).collect();
        assert_eq!(kinds, ["touchStart", "touchMove", "touchEnd", "mouseWheel"]);
    }

    #[test]
    fn files_are_named_with_their_content_and_never_by_a_path() {
        let giving_of = |giving: &str| read(&format!(r#"{{"input":1,{giving}}}"#)).and_then(|request| request.giving);
        assert!(giving_of(r#""commands":[]"#).is_none());
        assert!(giving_of(r#""files":[{"name":"a","base64":"YQ=="}],"to":{"by":"field"}"#).is_some());
        assert!(giving_of(r#""files":[{"name":"a","base64":"YQ=="}],"to":{"by":"drop","x":1,"y":2.5}"#).is_some());
        assert!(giving_of(r#""files":[{"path":"/etc/passwd"}],"to":{"by":"field"}"#).is_none());
    }
}
