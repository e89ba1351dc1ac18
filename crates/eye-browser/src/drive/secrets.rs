//! Where a page shows what no one else is to read: filled fields for passwords, one-time codes and card numbers. Asked in a world of
//! the driver's own, in which nothing of the page's code runs, so that a page cannot say otherwise.

use super::rect::Rect;
use crate::cdp::Session;
use crate::error::CommandError;
use serde::Deserialize;
use serde_json::json;

/// The world in which is looked.
const WORLD: &str = "eye";

/// Gives `[[x, y, width, height], …]` in the viewport of the tab. The rule is that of `isSecret` in `web/client/src/core/element.ts`.
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

/// Places of such fields, in CSS pixels of the viewport.
pub async fn places(session: &Session, frame: &str) -> Result<Vec<Rect>, CommandError> {
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
    // The same world each time, until the document is another.
    let asked = json!({ "frameId": frame, "worldName": WORLD });
    let World { execution_context_id } = session.ask("Page.createIsolatedWorld", &asked).await?;
    let asked = json!({ "expression": LOOK, "contextId": execution_context_id, "returnByValue": true });
    let Evaluated { result } = session.ask("Runtime.evaluate", &asked).await?;
    Ok(result.value.into_iter().map(|(x, y, width, height)| Rect { x, y, width, height }).collect())
}
