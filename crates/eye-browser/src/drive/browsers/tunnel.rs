//! A person's browser whose extension is connected. Its granted tabs are pages while the connection lasts.

use super::{Browsers, Running, auto_attach, hold};
use crate::drive::downloads::Downloads;
use crate::drive::script::random_text;
use crate::launch::attach;
use crate::pipe::tunnel::TunnelPipe;
use std::sync::Arc;

impl Browsers {
    /// Serves one extension until its connection ends. `name` identifies the extension. Runs as a task, so that it ends
    /// cleanly even if the caller stops waiting.
    pub async fn tunnel(&self, name: String, pipe: TunnelPipe) {
        let _ = tokio::spawn(self.clone().through(name, pipe)).await;
    }

    async fn through(self, name: String, pipe: TunnelPipe) {
        let Ok(launched) = attach(pipe).await else { return };
        // One browser has one connection. A restarted worker may connect before the end of its old connection is
        // noticed.
        self.end(|other, _| other == name).await;
        let uploads = self.0.settings.profiles.join(random_text(8));
        let files = (uploads, Arc::new(Downloads::new(None)));
        let running = Arc::new(Running::new(&name, &launched, (false, true), files));
        hold(&self.0.running).insert(name.clone(), running.clone());
        let reply = running.browser.send("Target.setAutoAttach", &auto_attach());
        drop(reply);
        self.serve(name, running, launched, None, None).await;
    }
}
