//! What a tab is given before its first document runs.

use super::script::Names;
use crate::cdp::Session;
use crate::error::CommandError;
use serde_json::json;

/// What is prepared.
#[derive(Clone, Copy, Debug)]
pub struct What {
    /// Its first document may be there already: it is a popup, or was there before the driver.
    pub there: bool,
    /// A frame of another site in a tab.
    pub frame: bool,
}

/// Puts the client into the documents of a tab or a frame and lets it go on.
pub async fn prepare(session: Session, names: Names, what: What) -> Result<(), CommandError> {
    if !names.hands {
        // The extension has the client, and puts it into every document by itself.
        let asked = json!({ "session": names.session, "binding": names.binding, "receive": names.receive });
        return session.command("Eye.join", &asked).await.map(drop);
    }
    // The client must be there before the page's scripts: all is sent before the target is let go.
    let source = json!({ "source": names.source(), "runImmediately": what.there });
    let mut sent = vec![
        session.send("Page.enable", &json!({}))?,
        session.send("Runtime.enable", &json!({}))?,
        session.send("Runtime.addBinding", &json!({ "name": names.binding }))?,
        session.send("Page.addScriptToEvaluateOnNewDocument", &source)?,
    ];
    if !what.frame {
        // Only one window of a desktop has the focus; each page acts as if it were the one.
        sent.push(session.send("Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }))?);
    }
    // Its frames of other sites. The extension lets none of them wait: they are a person's, and the hub may go.
    let filter = json!([{ "type": "iframe", "exclude": false }]);
    let asked = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": filter });
    sent.push(session.send("Target.setAutoAttach", &asked)?);
    sent.push(session.send("Runtime.runIfWaitingForDebugger", &json!({}))?);
    for one in sent {
        one.within(crate::cdp::COMMAND_MS).await?;
    }
    Ok(())
}
