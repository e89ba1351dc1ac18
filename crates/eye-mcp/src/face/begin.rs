//! How an agent begins without a page: the addresses of the hub's own apps, and opening a page in eye's own browser.

use super::ask_hub::AskHub;
use super::content;
use super::fresh::fresh_id;
use super::outcome::Outcome;
use eye_protocol::rpc::json;
use eye_protocol::tools::ADDRESS_TOOLS;
use eye_protocol::{Code, Error};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The apps that the hub serves.
const APPS: [&str; 3] = ["desktop", "scene", "geometry"];

#[derive(Deserialize)]
struct Status {
    listen: String,
}

#[derive(Deserialize)]
struct Open {
    app: String,
}

#[derive(Deserialize)]
struct Opened {
    id: String,
}

/// The answer of a tool that no page offers yet, if eye can give it without a page.
pub async fn without_page(call: &impl AskHub, name: &str) -> Option<Outcome> {
    if !ADDRESS_TOOLS.contains(&name) {
        return None;
    }
    Some(match address(call, "scene").await {
        Ok(url) => {
            let url = format!("{url}?sessionId={}", fresh_id());
            let text = format!(
                "To connect your browser to the 3D visualization app, open this URL:\n\n{url}\n\nCopy and paste this URL into \
                 your web browser to begin interacting with the 3D scene."
            );
            Outcome::text(&text, false)
        }
        Err(error) => content::of_error(&error),
    })
}

/// `open`: an app of the page; without a page, an app of the hub, or any URL, in eye's own browser. If the browser
/// cannot start, the answer asks the agent to have the person open the URL.
pub async fn open(call: &impl AskHub, arguments: &str) -> Result<Box<RawValue>, Error> {
    let Open { app } =
        serde_json::from_str(arguments).map_err(|error| Error::new(Code::PARAMS, format!("open: {error}")))?;
    if !app.contains("://") {
        match call.ask_hub("page/open", arguments).await {
            Err(error) if error.code == Code::SESSION && APPS.contains(&app.as_str()) => {}
            answered => return answered,
        }
    }
    let url = if app.contains("://") { app } else { address(call, &app).await? };
    let text = match call.ask_hub("browser/open", &format!(r#"{{"url":{}}}"#, json(&url))).await {
        Ok(opened) => match serde_json::from_str::<Opened>(opened.get()) {
            Ok(Opened { id }) => format!("opened {url}; its page is {id}"),
            Err(_) => format!("opened {url}"),
        },
        Err(error) => format!("eye could not open it ({}). Ask the person to open {url}", error.one_line()),
    };
    let value = format!(r#"{{"value":{}}}"#, json(&text));
    RawValue::from_string(value).map_err(|error| Error::new(Code::INTERNAL, error.to_string()))
}

/// The URL of an app of the hub.
async fn address(call: &impl AskHub, app: &str) -> Result<String, Error> {
    let status = call.ask_hub("hub/status", "{}").await?;
    let Status { listen } = serde_json::from_str(status.get())
        .map_err(|error| Error::new(Code::INTERNAL, format!("the hub does not say where it listens: {error}")))?;
    let (scheme, port) = (listen.split("://").next().unwrap_or("http"), listen.rsplit(':').next().unwrap_or_default());
    Ok(format!("{scheme}://localhost:{port}/apps/{app}/"))
}
