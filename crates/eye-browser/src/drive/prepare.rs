//! What a tab is given before its first document runs.

use super::script::Names;
use crate::cdp::Session;
use crate::error::CommandError;
use serde_json::json;

/// Puts the client into a tab's documents and lets it go on. `popup`: its first document may be there already.
pub async fn prepare(session: Session, names: Names, popup: bool) -> Result<(), CommandError> {
    // The client must be there before the page's scripts: all is sent before the target is let go.
    let source = json!({ "source": names.source(), "runImmediately": popup });
    let sent = [
        session.send("Page.enable", &json!({}))?,
        session.send("Runtime.enable", &json!({}))?,
        session.send("Runtime.addBinding", &json!({ "name": names.binding }))?,
        session.send("Page.addScriptToEvaluateOnNewDocument", &source)?,
        // Only one window of a desktop has the focus; each page acts as if it were the one.
        session.send("Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }))?,
        session.send("Runtime.runIfWaitingForDebugger", &json!({}))?,
    ];
    for one in sent {
        one.within(crate::cdp::COMMAND_MS).await?;
    }
    Ok(())
}
