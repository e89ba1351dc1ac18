//! Permissions that pages of a driven browser may ask for. No person is there to answer, so all are denied until an
//! agent grants them.

use crate::cdp::Session;
use crate::error::CommandError;
use eye_protocol::{Code, Error};
use serde_json::{Value, json};

/// The permissions that browsers ask about, by their web names.
const PERMISSIONS: [&str; 9] = [
    "geolocation",
    "notifications",
    "camera",
    "microphone",
    "midi",
    "clipboard-read",
    "idle-detection",
    "window-management",
    "local-fonts",
];

fn setting(name: &str, setting: &str, origin: Option<&str>) -> Value {
    let mut params = json!({ "permission": { "name": name }, "setting": setting });
    if let Some(origin) = origin {
        params["origin"] = origin.into();
    }
    params
}

/// Denies everything to every page, so that no page waits for an answer. A browser does not ask about permissions that
/// it does not know.
pub fn deny(browser: &Session) -> Result<(), CommandError> {
    for name in PERMISSIONS {
        browser.send("Browser.setPermission", &setting(name, "denied", None))?;
    }
    Ok(())
}

/// Grants permissions to pages of an origin. `again`: denies all of them to it first.
pub async fn grant(browser: &Session, origin: &str, names: &[String], again: bool) -> Result<(), Error> {
    if let Some(unknown) = names.iter().find(|name| !PERMISSIONS.contains(&name.as_str())) {
        let text =
            format!("{unknown:?} is not a permission that browsers ask about; there are: {}", PERMISSIONS.join(", "));
        return Err(Error::new(Code::PARAMS, text));
    }
    if again {
        for name in PERMISSIONS {
            let _ = browser.send("Browser.setPermission", &setting(name, "denied", Some(origin)));
        }
    }
    for name in names {
        let params = setting(name, "granted", Some(origin));
        browser.command("Browser.setPermission", &params).await.map_err(|error| super::verbs::refusal(&error))?;
    }
    Ok(())
}
