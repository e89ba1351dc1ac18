//! Finds what agents must not see in pictures of a page: filled fields for passwords, one-time codes and card numbers.
//! Searches in an isolated world, where none of the page's code runs, so that a page cannot falsify the result.

use super::outer::Outer;
use super::rect::Rect;
use super::script::WORLD;
use super::site::site_of;
use crate::cdp::{COMMAND_MS, Session, read};
use crate::error::CommandError;
use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::json;

/// Returns `[[x, y, width, height], …]` in the viewport of the document. The rule is the same as `isSecret` in
/// `web/client/src/core/element.ts`.
const LOOK: &str = r#"(() => {
  const known = /\b(?:one-time-code|cc-number|cc-csc|(?:current|new)-password)$/i;
  const found = [];
  const secret = (field) => {
    const type = (field.getAttribute("type") ?? "").toLowerCase();
    return type === "password" || known.test(field.getAttribute("autocomplete") ?? "") ||
      /passw(?:or)?d/i.test(`${field.getAttribute("name") ?? ""} ${field.getAttribute("id") ?? ""}`);
  };
  const visit = (root, dx, dy) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) visit(one.shadowRoot, dx, dy);
      if (one.localName === "iframe" || one.localName === "frame") {
        let inner = null;
        try { inner = one.contentDocument; } catch {}
        const box = one.getBoundingClientRect();
        if (inner) visit(inner, dx + box.left + one.clientLeft, dy + box.top + one.clientTop);
      } else if ((one.localName === "input" || one.localName === "textarea") && one.value !== "" && secret(one)) {
        const { x, y, width, height } = one.getBoundingClientRect();
        if (width > 0 && height > 0) found.push([x + dx, y + dy, width, height]);
      }
    }
  };
  visit(document, 0, 0);
  return found;
})()"#;

/// How long a frame may take to answer. A frame that does not answer is hidden as a whole.
const FRAME_MS: u64 = 2_000;

/// Rectangles that agents may not see, in CSS pixels of the tab's viewport: secret fields in its documents and frames
/// (unless `unmasked`), and whole frames whose origin or site `denies`. A frame that does not answer is hidden too.
pub async fn places(
    outer: &Outer,
    tab: &str,
    denies: &(dyn Fn(&str, &str) -> bool + Sync),
    unmasked: bool,
) -> Result<Vec<Rect>, CommandError> {
    if !outer.hands {
        return extension_places(outer, unmasked).await;
    }
    let looks = outer.sessions(tab).into_iter().map(|(session, frame, outer)| async move {
        let frames = match frames(&session, &frame).await {
            Ok(frames) => frames,
            // The frame is gone by now, or it is hidden as a whole.
            Err(error) => return instead(&outer, error).await,
        };
        let each = frames.into_iter().map(|one| {
            let outer = if one.id == frame { outer.clone() } else { outer.inside(session.clone(), &one.id, "") };
            let session = session.clone();
            async move { of_frame(&session, &one, &outer, denies, unmasked).await }
        });
        let found: Result<Vec<Vec<Rect>>, CommandError> = join_all(each).await.into_iter().collect();
        found.map(|found| found.concat())
    });
    let found: Result<Vec<Vec<Rect>>, CommandError> = join_all(looks).await.into_iter().collect();
    found.map(|found| found.concat())
}

/// The same without the debugger: secret fields, and every frame of another origin as a whole, because its content is
/// unknown.
async fn extension_places(outer: &Outer, unmasked: bool) -> Result<Vec<Rect>, CommandError> {
    #[derive(Deserialize)]
    struct HiddenPlaces {
        places: Vec<(f64, f64, f64, f64)>,
    }
    let HiddenPlaces { places } = outer.root.ask("Eye.hidden", &json!({ "unmasked": unmasked })).await?;
    Ok(rects(places))
}

fn rects(places: Vec<(f64, f64, f64, f64)>) -> Vec<Rect> {
    places.into_iter().map(|(x, y, width, height)| Rect { x, y, width, height }).collect()
}

async fn of_frame(
    session: &Session,
    frame: &Frame,
    outer: &Outer,
    denies: &(dyn Fn(&str, &str) -> bool + Sync),
    unmasked: bool,
) -> Result<Vec<Rect>, CommandError> {
    let site = site_of(&frame.url).unwrap_or_default();
    if outer.is_frame() && denies(&frame.security_origin, &site) {
        return frame_area(outer).await;
    }
    if unmasked {
        return Ok(Vec::new());
    }
    let found = fields(session, &frame.id, if outer.is_frame() { FRAME_MS } else { COMMAND_MS }).await;
    match (found, outer.is_frame()) {
        (Ok(rects), false) => Ok(rects),
        (Ok(rects), true) if rects.is_empty() => Ok(rects),
        (Ok(rects), true) => match outer.place().await {
            Ok(place) => Ok(rects.into_iter().map(|rect| place.cover(rect)).collect()),
            Err(error) => unseen(error),
        },
        (Err(error), _) => instead(outer, error).await,
    }
}

/// What to hide of a document that does not answer. Without an answer of the tab itself no picture is taken.
async fn instead(outer: &Outer, error: CommandError) -> Result<Vec<Rect>, CommandError> {
    match error {
        CommandError::Detached if outer.is_frame() => Ok(Vec::new()),
        _ if outer.is_frame() => frame_area(outer).await,
        error => Err(error),
    }
}

/// The whole area of a frame.
async fn frame_area(outer: &Outer) -> Result<Vec<Rect>, CommandError> {
    match outer.stands().await {
        Ok((place, size)) => {
            let (width, height) = size.unwrap_or_default();
            Ok(vec![place.cover(Rect { x: 0.0, y: 0.0, width, height })])
        }
        Err(error) => unseen(error),
    }
}

/// A frame whose element is gone or has no box is not in the picture.
fn unseen(error: CommandError) -> Result<Vec<Rect>, CommandError> {
    match error {
        CommandError::Refused { .. } | CommandError::Detached => Ok(Vec::new()),
        other => Err(other),
    }
}

/// A document of a session.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame {
    id: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    security_origin: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tree {
    frame: Frame,
    #[serde(default)]
    child_frames: Vec<Tree>,
}

/// The session's own document, and those that the document around them cannot look into.
async fn frames(session: &Session, own: &str) -> Result<Vec<Frame>, CommandError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Answered {
        frame_tree: Tree,
    }
    let sent = session.send("Page.getFrameTree", &json!({}))?;
    let result = sent.within(FRAME_MS).await?;
    let Answered { frame_tree } = read("Page.getFrameTree", &result)?;
    let mut found = Vec::new();
    let mut open = vec![(frame_tree, None)];
    while let Some((Tree { frame, child_frames }, around)) = open.pop() {
        let origin = frame.security_origin.clone();
        let apart = frame.id == own || around.as_ref() != Some(&origin) || !origin.starts_with("http");
        open.extend(child_frames.into_iter().map(|child| (child, Some(origin.clone()))));
        if apart {
            found.push(frame);
        }
    }
    Ok(found)
}

/// The secret fields in one document and in its frames of the same origin, in CSS pixels of its viewport.
async fn fields(session: &Session, frame: &str, ms: u64) -> Result<Vec<Rect>, CommandError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct World {
        execution_context_id: i64,
    }
    #[derive(Deserialize)]
    struct Evaluated {
        result: Remote,
    }
    #[derive(Deserialize)]
    struct Remote {
        #[serde(default)]
        value: Vec<(f64, f64, f64, f64)>,
    }
    // Returns the same world each time, until the document changes.
    let params = json!({ "frameId": frame, "worldName": WORLD });
    let made = session.send("Page.createIsolatedWorld", &params)?.within(ms).await?;
    let World { execution_context_id } = read("Page.createIsolatedWorld", &made)?;
    let params = json!({ "expression": LOOK, "contextId": execution_context_id, "returnByValue": true });
    let evaluated = session.send("Runtime.evaluate", &params)?.within(ms).await?;
    let Evaluated { result } = read("Runtime.evaluate", &evaluated)?;
    Ok(rects(result.value))
}
