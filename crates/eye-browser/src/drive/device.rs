//! Emulates another device for a tab, and stops scripts that do not end.

use super::frames::{Own, params};
use super::permissions;
use super::verbs::refusal;
use crate::cdp::Session;
use crate::error::CommandError;
use eye_protocol::{Code, Ending, Error, Value};
use serde::Deserialize;
use serde_json::json;

/// The longest side of an emulated viewport, in CSS pixels.
const VIEWPORT_SIDE_MAX: u32 = 10_000;

/// How long a page without an endless script may take to answer.
const ANSWERS_MS: u64 = 500;

/// The most simultaneous touch points of an emulated touch screen.
const TOUCH_POINTS: u8 = 5;

/// Whether the tab has a touch screen after an emulation; `None`: unchanged.
pub fn touch_after(own: &Own) -> Option<bool> {
    let Emulate { touch, reset, .. } = params(own).ok()?;
    (touch || reset).then_some(touch)
}

/// The params of `page/emulate`. An absent setting is not changed.
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
    /// Permissions to grant to the page's site.
    #[serde(default)]
    grant: Names,
    /// The reported position of the device: `LATITUDE,LONGITUDE`.
    geolocation: Option<String>,
    #[serde(default)]
    reset: bool,
}

/// One permission or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Several(Vec<String>),
}

impl Default for Names {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

/// Parses a position such as `52.52,13.40`.
fn place(text: &str) -> Result<(f64, f64), Error> {
    let degrees = |text: &str, max: f64| text.trim().parse().ok().filter(|at: &f64| at.abs() <= max);
    let read = text.split_once(',').and_then(|(north, east)| Some((degrees(north, 90.0)?, degrees(east, 180.0)?)));
    read.ok_or_else(|| {
        let text = format!("{text:?} is not a place: write LATITUDE,LONGITUDE in degrees, such as 52.52,13.40");
        Error::new(Code::PARAMS, text)
    })
}

/// Parses a size such as `390x844`.
fn viewport(text: &str) -> Result<(u32, u32), Error> {
    let side = |text: &str| text.parse().ok().filter(|side| (1..=VIEWPORT_SIDE_MAX).contains(side));
    text.split_once('x').and_then(|(width, height)| Some((side(width)?, side(height)?))).ok_or_else(|| {
        let text =
            format!("{text:?} is not a viewport: write WIDTHxHEIGHT, each 1 to {VIEWPORT_SIDE_MAX}, such as 390x844");
        Error::new(Code::PARAMS, text)
    })
}

/// Emulates a device and returns the changes as text. `browser`: eye's own; `None` for a person's browser, which asks
/// the person about permissions.
pub async fn emulate(session: &Session, browser: Option<&Session>, origin: &str, own: &Own) -> Ending {
    let Emulate { viewport: size, dark, touch, offline, grant, geolocation, reset } = params(own)?;
    let grant = match grant {
        Names::One(name) => vec![name],
        Names::Several(names) => names,
    };
    let failed = |error: CommandError| refusal(&error);
    let mut commands = Vec::new();
    let mut changes = Vec::new();
    if reset {
        commands.push(("Emulation.clearDeviceMetricsOverride", json!({})));
        commands.push(("Emulation.setEmulatedMedia", json!({ "features": [] })));
        commands.push(touching(false));
        commands.push(("Network.emulateNetworkConditions", network(false)));
        commands.push(("Emulation.clearGeolocationOverride", json!({})));
        changes.push("as the browser is".to_owned());
    }
    if let Some(size) = &size {
        let (width, height) = viewport(size)?;
        // Zero stands for the density of the screen.
        let params = json!({ "width": width, "height": height, "deviceScaleFactor": 0, "mobile": false });
        commands.push(("Emulation.setDeviceMetricsOverride", params));
        changes.push(format!("viewport {width}x{height}"));
    }
    if dark {
        let features = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
        commands.push(("Emulation.setEmulatedMedia", json!({ "features": features })));
        changes.push("dark".to_owned());
    }
    if touch {
        commands.push(touching(true));
        changes.push("touch".to_owned());
    }
    if offline {
        commands.push(("Network.emulateNetworkConditions", network(true)));
        changes.push("offline".to_owned());
    }
    if let Some(text) = &geolocation {
        let (latitude, longitude) = place(text)?;
        let params = json!({ "latitude": latitude, "longitude": longitude, "accuracy": 10 });
        commands.push(("Emulation.setGeolocationOverride", params));
        changes.push(format!("at {latitude},{longitude}"));
    }
    if !grant.is_empty() {
        changes.push(format!("{origin} may use {}", grant.join(", ")));
    }
    if changes.is_empty() {
        let text = "write what to emulate: --viewport, --dark, --touch, --offline, --geolocation, --grant, or --reset";
        return Err(Error::new(Code::PARAMS, text));
    }
    match browser {
        Some(browser) if reset || !grant.is_empty() => permissions::grant(browser, origin, &grant, reset).await?,
        None if !grant.is_empty() => {
            let text = "this browser is a person's: it asks them what a page may use";
            return Err(Error::new(Code::PARAMS, text).hint("browse"));
        }
        Some(_) | None => {}
    }
    for (method, params) in commands {
        session.command(method, &params).await.map_err(failed)?;
    }
    Ok(Value::Text(changes.join(", ")))
}

fn touching(on: bool) -> (&'static str, serde_json::Value) {
    let points = if on { TOUCH_POINTS } else { 1 };
    ("Emulation.setTouchEmulationEnabled", json!({ "enabled": on, "maxTouchPoints": points }))
}

fn network(offline: bool) -> serde_json::Value {
    json!({ "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 })
}

/// Stops a script that does not end by itself.
pub async fn stop_script(session: &Session) -> Ending {
    let failed = |error: CommandError| refusal(&error);
    let reply = session.send("Runtime.evaluate", &json!({ "expression": "0" })).map_err(failed)?;
    match reply.within(ANSWERS_MS).await {
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
    fn a_place_is_two_numbers_of_degrees() {
        assert_eq!(place("52.52,13.40").ok(), Some((52.52, 13.4)));
        assert_eq!(place("-90, 180").ok(), Some((-90.0, 180.0)));
        for text in ["", "52", "91,0", "0,181", "a,b", "NaN,1", "1,2,3"] {
            assert!(place(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_viewport_is_two_sides_within_the_limit() {
        assert_eq!(viewport("390x844").ok(), Some((390, 844)));
        assert_eq!(viewport("1x10000").ok(), Some((1, VIEWPORT_SIDE_MAX)));
        for text in ["", "390", "0x1", "1x10001", "-1x5", "axb", "1x2x3"] {
            assert!(viewport(text).is_err(), "{text}");
        }
    }
}
