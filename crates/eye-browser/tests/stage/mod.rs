//! A real browser with its own profile, and pages in it.

use eye_browser::cdp::{Events, Session};
use eye_browser::launch::{Launch, Launched, launch};
use eye_browser::{BrowserError, CommandError};
use eye_testkit::{chromium, chromium_or_skip};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub async fn launch_in(profile: &Path) -> Result<Launched, BrowserError> {
    let program = chromium().ok_or(BrowserError::NotFound)?;
    let arguments = ["--disable-gpu", "--disable-quic"].map(str::to_owned).to_vec();
    launch(Launch { program, profile: profile.to_owned(), headless: true, arguments }).await
}

pub struct Page {
    pub session: Session,
    pub events: Events,
    pub target: String,
    pub opener: Option<String>,
}

pub struct Stage {
    launched: Launched,
    home: TempDir,
}

impl Stage {
    /// `None`, with a message, if no browser is installed.
    pub async fn begin() -> Option<Self> {
        chromium_or_skip()?;
        let home = tempfile::tempdir().expect("a temporary folder");
        let launched = launch_in(&home.path().join("profile")).await.expect("the browser starts");
        let auto = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
        launched.connection.browser.command("Target.setAutoAttach", &auto).await.expect("sessions are flat");
        Some(Self { launched, home })
    }

    pub fn profile(&self) -> PathBuf {
        self.home.path().join("profile")
    }

    /// Writes a page beside the profile and returns its URL.
    pub fn file(&self, name: &str, html: &str) -> String {
        let path = self.home.path().join(name);
        std::fs::write(&path, html).expect("the folder is ours");
        format!("file://{}", path.display())
    }

    pub fn browser(&self) -> &Session {
        &self.launched.connection.browser
    }

    pub fn launched(&self) -> &Launched {
        &self.launched
    }

    /// Opens a page, which is ready on return.
    pub async fn page(&mut self, url: &str) -> Page {
        let new = json!({ "url": url, "newWindow": true });
        self.browser().command("Target.createTarget", &new).await.expect("a page opens");
        let mut page = self.next_page().await;
        let loaded = json!({});
        page.session.command("Runtime.runIfWaitingForDebugger", &loaded).await.expect("it goes on");
        while let Some(event) = page.events.next().await {
            if &*event.method == "Page.loadEventFired" {
                break;
            }
        }
        page
    }

    /// The next page that appears. It still waits for the debugger.
    pub async fn next_page(&mut self) -> Page {
        loop {
            let attached = self.launched.connection.attached().await.expect("the browser lives");
            if attached.target.kind != "page" {
                continue;
            }
            let session = attached.events.session.clone();
            session.command("Page.enable", &json!({})).await.expect("Page is enabled");
            let (target, opener) = (attached.target.target_id, attached.target.opener_id);
            return Page { session, events: attached.events, target, opener };
        }
    }

    /// Closes the pipe and returns the home folder.
    pub fn leave(self) -> TempDir {
        self.home
    }

    pub async fn end(self) {
        self.launched.close().await;
    }
}

pub async fn evaluate(session: &Session, expression: &str) -> Result<Value, CommandError> {
    let asked = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
    let mut result: Value = session.ask("Runtime.evaluate", &asked).await?;
    Ok(result["result"]["value"].take())
}
