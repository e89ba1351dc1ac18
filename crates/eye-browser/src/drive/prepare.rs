//! Sets up a tab or frame before its first document runs.

use super::script::Names;
use crate::cdp::Session;
use crate::error::CommandError;
use serde_json::json;

/// The kind of target that is set up.
#[derive(Clone, Copy, Debug)]
pub struct What {
    /// The first document may exist already: the target is a popup, or is older than the driver.
    pub there: bool,
    /// The target is a frame of another site in a tab.
    pub frame: bool,
}

/// Puts the client into the documents of a tab or a frame, and lets the target run.
pub async fn prepare(session: Session, names: Names, what: What) -> Result<(), CommandError> {
    if !names.hands {
        // The extension has the client and puts it into every document itself.
        let params = json!({ "session": names.session, "binding": names.binding, "receive": names.receive });
        return session.command("Eye.join", &params).await.map(drop);
    }
    // The client must be there before the page's scripts, so all commands are sent before the target may run.
    let source = json!({ "source": names.source(), "runImmediately": what.there });
    let mut sent = vec![
        session.send("Page.enable", &json!({}))?,
        session.send("Runtime.enable", &json!({}))?,
        session.send("Runtime.addBinding", &json!({ "name": names.binding }))?,
        session.send("Page.addScriptToEvaluateOnNewDocument", &source)?,
    ];
    if !what.frame {
        // Only one window of a desktop has the focus. With this every page acts as if it had the focus.
        sent.push(session.send("Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }))?);
    }
    // Attaches frames of other sites. The extension lets none of them wait, because they are a person's and the hub may
    // disconnect.
    let filter = json!([{ "type": "iframe", "exclude": false }]);
    let params = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": filter });
    sent.push(session.send("Target.setAutoAttach", &params)?);
    sent.push(session.send("Runtime.runIfWaitingForDebugger", &json!({}))?);
    for one in sent {
        one.within(crate::cdp::COMMAND_MS).await?;
    }
    Ok(())
}
