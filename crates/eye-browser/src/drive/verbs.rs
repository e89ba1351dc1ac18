//! Verbs that the browser does for a page: answering dialogs, and fetching bodies of requests.

use super::frames::{Own, params};
use crate::cdp::Session;
use crate::error::{CommandError, Dialog};
use eye_protocol::{Code, Ending, Error, Value};
use serde::Deserialize;
use serde_json::json;
use std::fmt::Write;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// The longest body to show, in characters.
const BODY_LEN_MAX: usize = 20_000;

/// How often and how long to check that an answered dialog has closed. Another dialog with the same text may follow
/// right away.
const CLOSED_LOOK: Duration = Duration::from_millis(2);
const CLOSED_MAX: Duration = Duration::from_millis(500);

/// The error that an agent gets if a driven page cannot answer.
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

/// The error while a dialog is open: the page does nothing else until it is answered.
pub fn shows(dialog: &Dialog) -> Error {
    let Dialog { kind, message, .. } = dialog;
    let text =
        format!("the page shows {kind}: {message:?}; `eye dialog --accept` or `eye dialog --dismiss` answers it");
    Error::new(Code::CONNECTION, text)
}

/// Adds the bodies of a request to its row and headers (`details`).
pub async fn request(session: &Session, mut details: String, wanted: RequestBodies) -> Ending {
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
    let id = json!({ "requestId": wanted.id });
    if wanted.has_body {
        match session.ask("Network.getRequestPostData", &id).await {
            Ok(Posted { post_data }) => add_body(&mut details, "sent", &post_data),
            Err(error) => {
                let _ = write!(details, "\n\nsent: not kept ({error})");
            }
        }
    }
    if wanted.is_answered {
        match session.ask("Network.getResponseBody", &id).await {
            Ok(Body { body, base64_encoded: false }) => add_body(&mut details, "answer", &body),
            Ok(Body { body, .. }) => {
                let _ = write!(details, "\n\nanswer: {} bytes of {}", body.len() / 4 * 3, wanted.media_type);
            }
            Err(error) => {
                let _ = write!(details, "\n\nanswer: not kept ({error})");
            }
        }
    }
    Ok(Value::Text(details))
}

/// The bodies to fetch of a request.
#[derive(Debug)]
pub struct RequestBodies {
    /// The browser's id of the request.
    pub id: String,
    /// Whether the request had a body.
    pub has_body: bool,
    /// Whether the body of the response can be requested.
    pub is_answered: bool,
    /// The media type of the response.
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

/// Answers the dialog that the page shows, or describes it.
pub async fn dialog(session: &Session, own: &Own) -> Ending {
    let Answering { accept, dismiss } = params(own)?;
    let Some(dialog) = session.dialog() else {
        return Err(Error::new(Code::PARAMS, "the page shows no dialog"));
    };
    let text = format!("{}: {}", dialog.kind, dialog.message);
    let accepts = accept.filter(|accept| *accept != serde_json::Value::Bool(false));
    if accepts.is_none() && !dismiss {
        return Ok(Value::Text(text));
    }
    let mut params = json!({ "accept": accepts.is_some() });
    if let Some(serde_json::Value::String(text)) = &accepts {
        params["promptText"] = text.as_str().into();
    }
    session.command("Page.handleJavaScriptDialog", &params).await.map_err(|error| refusal(&error))?;
    // The browser reports the closing after its answer. The next call must not find the dialog open.
    let closed = async {
        while session.dialog().is_some_and(|open| open == dialog) {
            sleep(CLOSED_LOOK).await;
        }
    };
    let _ = timeout(CLOSED_MAX, closed).await;
    let how = if accepts.is_some() { "accepted" } else { "dismissed" };
    Ok(Value::Text(format!("{text} ({how})")))
}
