//! Another device for a tab, and the end of a script that does not end by itself.

use super::frames::{Own, params};
use super::verbs::refusal;
use crate::cdp::Session;
use crate::error::CommandError;
use eye_protocol::{Code, Ending, Error, Value};
use serde::Deserialize;
use serde_json::json;

/// The longest side of an emulated viewport, in CSS pixels.
const VIEWPORT_SIDE_MAX: u32 = 10_000;

/// How long a page that runs no endless script may take to answer, in ms.
const ANSWERS_MS: u64 = 500;

/// Points that an emulated touch screen feels at once.
const TOUCH_POINTS: u8 = 5;

/// Whether the tab has a touch screen after an emulation; `None`: as before.
pub fn touch_after(own: &Own) -> Option<bool> {
    let Emulate { touch, reset, .. } = params(own).ok()?;
    (touch || reset).then_some(touch)
}

/// The params of `page/emulate`. What is not given stays as it is.
#[expect(clippy::struct_excessive_bools, reason = "flags, each for itself")]
#[derive(Debug, Deserialize)]
struct Emulate {
    viewport: Option<String>,
    #[serde(default)]
    dark: bool,
    #[serde(default)]
    touch: bool,
    #[serde(default)]
    offline: bool,
    #[serde(default)]
    reset: bool,
}

/// Width and height of `390x844`.
fn viewport(text: &str) -> Result<(u32, u32), Error> {
    let side = |text: &str| text.parse().ok().filter(|side| (1..=VIEWPORT_SIDE_MAX).contains(side));
    text.split_once('x').and_then(|(width, height)| Some((side(width)?, side(height)?))).ok_or_else(|| {
        let text =
            format!("{text:?} is not a viewport: write WIDTHxHEIGHT, each 1 to {VIEWPORT_SIDE_MAX}, such as 390x844");
        Error::new(Code::PARAMS, text)
    })
}

/// Shows the page another device. Says what was changed.
pub async fn emulate(session: &Session, own: &Own) -> Ending {
    let Emulate { viewport: size, dark, touch, offline, reset } = params(own)?;
    let failed = |error: CommandError| refusal(&error);
    let mut commands = Vec::new();
    let mut said = Vec::new();
    if reset {
        commands.push(("Emulation.clearDeviceMetricsOverride", json!({})));
        commands.push(("Emulation.setEmulatedMedia", json!({ "features": [] })));
        commands.push(touching(false));
        commands.push(("Network.emulateNetworkConditions", network(false)));
        said.push("as the browser is".to_owned());
    }
    if let Some(size) = &size {
        let (width, height) = viewport(size)?;
        // Zero: the screen's own.
        let asked = json!({ "width": width, "height": height, "deviceScaleFactor": 0, "mobile": false });
        commands.push(("Emulation.setDeviceMetricsOverride", asked));
        said.push(format!("viewport {width}x{height}"));
    }
    if dark {
        let features = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
        commands.push(("Emulation.setEmulatedMedia", json!({ "features": features })));
        said.push("dark".to_owned());
    }
    if touch {
        commands.push(touching(true));
        said.push("touch".to_owned());
    }
    if offline {
        commands.push(("Network.emulateNetworkConditions", network(true)));
        said.push("offline".to_owned());
    }
    if said.is_empty() {
        return Err(Error::new(
            Code::PARAMS,
            "write what to emulate: --viewport, --dark, --touch, --offline, or --reset",
        ));
    }
    for (method, asked) in commands {
        session.command(method, &asked).await.map_err(failed)?;
    }
    Ok(Value::Text(said.join(", ")))
}

fn touching(on: bool) -> (&'static str, serde_json::Value) {
    let points = if on { TOUCH_POINTS } else { 1 };
    ("Emulation.setTouchEmulationEnabled", json!({ "enabled": on, "maxTouchPoints": points }))
}

fn network(offline: bool) -> serde_json::Value {
    json!({ "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 })
}

/// Ends a script that does not end by itself.
pub async fn stop_script(session: &Session) -> Ending {
    let failed = |error: CommandError| refusal(&error);
    let asked = session.send("Runtime.evaluate", &json!({ "expression": "0" })).map_err(failed)?;
    match asked.within(ANSWERS_MS).await {
        Ok(_) => Ok(Value::Text("no script is running".to_owned())),
        Err(CommandError::Late { .. }) => {
            session.command("Runtime.terminateExecution", &json!({})).await.map_err(failed)?;
            session.command("Runtime.evaluate", &json!({ "expression": "0" })).await.map_err(failed)?;
            Ok(Value::Text("stopped the script that ran".to_owned()))
        }
        Err(error) => Err(failed(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewport_is_two_sides_within_the_limit() {
        assert_eq!(viewport("390x844").ok(), Some((390, 844)));
        assert_eq!(viewport("1x10000").ok(), Some((1, VIEWPORT_SIDE_MAX)));
        for text in ["", "390", "0x1", "1x10001", "-1x5", "axb", "1x2x3"] {
            assert!(viewport(text).is_err(), "{text}");
        }
    }
}
