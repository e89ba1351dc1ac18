//! Verbs that the browser does for a page: pictures, PDF, answers to dialogs, and bodies of requests.

use super::frames::{Own, params};
use crate::cdp::Session;
use crate::error::{CommandError, Dialog};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use eye_protocol::answer::Bytes;
use eye_protocol::{Code, Ending, Error, Value};
use serde::Deserialize;
use serde_json::json;
use std::fmt::Write;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// The longest side of a picture where nothing else is said: models scale down what is larger.
const SHOT_SIDE_MAX: f64 = 1568.0;

const JPEG_QUALITY: u8 = 80;

/// The longest body of a request that is shown, in characters.
const BODY_LEN_MAX: usize = 20_000;

/// How often is looked whether an answered dialog is closed, and for how long. Another with the same text may follow at once.
const CLOSED_LOOK: Duration = Duration::from_millis(2);
const CLOSED_MAX: Duration = Duration::from_millis(500);

/// Why a driven page cannot answer, as the agent reads it.
pub fn refusal(error: &CommandError) -> Error {
    match error {
        CommandError::Dialog(dialog) => shows(dialog),
        CommandError::Crashed => Error::new(Code::CONNECTION, "the page crashed; `eye reload` revives it"),
        CommandError::Late { .. } => Error::new(Code::TIMEOUT, error.to_string()),
        CommandError::Refused { .. }
        | CommandError::Detached
        | CommandError::Ended(_)
        | CommandError::Malformed { .. } => Error::new(Code::CONNECTION, error.to_string()),
    }
}

/// A page that waits for an answer to a dialog does nothing else.
pub fn shows(dialog: &Dialog) -> Error {
    let Dialog { kind, message, .. } = dialog;
    let text =
        format!("the page shows {kind}: {message:?}; `eye dialog --accept` or `eye dialog --dismiss` answers it");
    Error::new(Code::CONNECTION, text)
}

/// A place in the document, in CSS pixels.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Rect {
    /// From the left of the viewport.
    pub x: f64,
    /// From its top.
    pub y: f64,
    /// In CSS pixels.
    pub width: f64,
    /// In CSS pixels.
    pub height: f64,
}

/// The params of `page/shot`.
#[derive(Debug, Deserialize)]
pub struct Shot {
    /// Only this element.
    pub target: Option<serde_json::Value>,
    #[serde(default)]
    full: bool,
    max: Option<f64>,
    format: Option<Format>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    Png,
    Jpeg,
    Webp,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Webp => "webp",
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metrics {
    css_visual_viewport: Viewport,
    css_content_size: Rect,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Viewport {
    page_x: f64,
    page_y: f64,
    client_width: f64,
    client_height: f64,
}

#[derive(Deserialize)]
struct Data {
    data: String,
}

/// Takes a picture. `of` is where the target is in the viewport.
pub async fn shot(session: &Session, shot: &Shot, of: Option<Rect>) -> Ending {
    let failed = |error: CommandError| refusal(&error);
    let metrics: Metrics = session.ask("Page.getLayoutMetrics", &json!({})).await.map_err(failed)?;
    let view = metrics.css_visual_viewport;
    let place = match (of, shot.full) {
        (Some(rect), _) => Rect { x: rect.x + view.page_x, y: rect.y + view.page_y, ..rect },
        (None, true) => metrics.css_content_size,
        (None, false) => Rect { x: view.page_x, y: view.page_y, width: view.client_width, height: view.client_height },
    };
    if place.width < 1.0 || place.height < 1.0 {
        return Err(Error::new(Code::PARAMS, "there is nothing to see: it has no size"));
    }
    let longest = place.width.max(place.height);
    let scale = (shot.max.unwrap_or(SHOT_SIDE_MAX).max(1.0) / longest).min(1.0);
    let format = shot.format.unwrap_or(Format::Png);
    let mut asked = json!({
        "format": format.name(),
        "optimizeForSpeed": true,
        "captureBeyondViewport": of.is_some() || shot.full,
        "clip": { "x": place.x, "y": place.y, "width": place.width, "height": place.height, "scale": scale },
    });
    if !matches!(format, Format::Png) {
        asked["quality"] = JPEG_QUALITY.into();
    }
    let Data { data } = session.ask("Page.captureScreenshot", &asked).await.map_err(failed)?;
    bytes(&format!("image/{}", format.name()), &data)
}

fn bytes(media_type: &str, base64: &str) -> Ending {
    match STANDARD.decode(base64) {
        Ok(bytes) => Ok(Value::Bytes(Box::new(Bytes::new(media_type, bytes)))),
        Err(error) => Err(Error::new(Code::INTERNAL, format!("the browser's bytes are malformed: {error}"))),
    }
}

/// Prints the page.
pub async fn pdf(session: &Session) -> Ending {
    let asked = json!({ "printBackground": true, "preferCSSPageSize": true });
    let Data { data } = session.ask("Page.printToPDF", &asked).await.map_err(|error| refusal(&error))?;
    bytes("application/pdf", &data)
}

/// A request of the page with its bodies. `details` are its row and headers.
pub async fn request(session: &Session, mut details: String, asked: Asked) -> Ending {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Posted {
        post_data: String,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Body {
        body: String,
        base64_encoded: bool,
    }
    let id = json!({ "requestId": asked.id });
    if asked.has_body {
        match session.ask("Network.getRequestPostData", &id).await {
            Ok(Posted { post_data }) => add_body(&mut details, "sent", &post_data),
            Err(error) => {
                let _ = write!(details, "\n\nsent: not kept ({error})");
            }
        }
    }
    if asked.is_answered {
        match session.ask("Network.getResponseBody", &id).await {
            Ok(Body { body, base64_encoded: false }) => add_body(&mut details, "answer", &body),
            Ok(Body { body, .. }) => {
                let _ = write!(details, "\n\nanswer: {} bytes of {}", body.len() / 4 * 3, asked.media_type);
            }
            Err(error) => {
                let _ = write!(details, "\n\nanswer: not kept ({error})");
            }
        }
    }
    Ok(Value::Text(details))
}

/// Which bodies a request has.
#[derive(Debug)]
pub struct Asked {
    /// What the browser calls it.
    pub id: String,
    /// Whether it sent one.
    pub has_body: bool,
    /// Whether it got one.
    pub is_answered: bool,
    /// Of the answer.
    pub media_type: String,
}

fn add_body(details: &mut String, name: &str, body: &str) {
    let len = body.chars().count();
    let shown: String = body.chars().take(BODY_LEN_MAX).collect();
    let _ = write!(details, "\n\n{name}:\n{shown}");
    if len > BODY_LEN_MAX {
        let _ = write!(details, "\n… {len} characters in all");
    }
}

/// The params of `page/dialog`.
#[derive(Debug, Deserialize)]
struct Answering {
    /// `true`, or the text for a prompt.
    accept: Option<serde_json::Value>,
    #[serde(default)]
    dismiss: bool,
}

/// Answers the dialog that the page shows, or says which it is.
pub async fn dialog(session: &Session, own: &Own) -> Ending {
    let Answering { accept, dismiss } = params(own)?;
    let Some(dialog) = session.dialog() else {
        return Err(Error::new(Code::PARAMS, "the page shows no dialog"));
    };
    let said = format!("{}: {}", dialog.kind, dialog.message);
    let accepts = accept.filter(|accept| *accept != serde_json::Value::Bool(false));
    if accepts.is_none() && !dismiss {
        return Ok(Value::Text(said));
    }
    let mut asked = json!({ "accept": accepts.is_some() });
    if let Some(serde_json::Value::String(text)) = &accepts {
        asked["promptText"] = text.as_str().into();
    }
    session.command("Page.handleJavaScriptDialog", &asked).await.map_err(|error| refusal(&error))?;
    // The browser says that it is closed after it has answered; the next call must not find it open.
    let closed = async {
        while session.dialog().is_some_and(|open| open == dialog) {
            sleep(CLOSED_LOOK).await;
        }
    };
    let _ = timeout(CLOSED_MAX, closed).await;
    let how = if accepts.is_some() { "accepted" } else { "dismissed" };
    Ok(Value::Text(format!("{said} ({how})")))
}
