//! A test in place of the hub, and eye's own browser with a page that joins it.

use eye_browser::drive::{Browsers, Settings};
use eye_protocol::Error;
use eye_protocol::close::Close;
use eye_protocol::local::{Identity, Later, LocalAgent, LocalHub, LocalPage};
use eye_protocol::messages::ShownIn;
use eye_testkit::{DEADLINE, chromium_or_skip};
use serde_json::json;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

/// A message of a document, and the channel to the document.
pub type PageMessage = (String, mpsc::UnboundedSender<String>);

#[derive(Debug)]
struct Hub(mpsc::UnboundedSender<PageMessage>);

#[derive(Debug)]
struct Page {
    messages: mpsc::UnboundedSender<PageMessage>,
    sender: mpsc::UnboundedSender<String>,
    queue: Mutex<mpsc::UnboundedReceiver<String>>,
}

impl LocalHub for Hub {
    fn enter(&self, _: Identity, _: &'static str) -> Arc<dyn LocalAgent> {
        unreachable!("no agent enters");
    }

    fn join(&self, _: &str, _: &str) -> Arc<dyn LocalPage> {
        let (sender, queue) = mpsc::unbounded_channel();
        Arc::new(Page { messages: self.0.clone(), sender, queue: Mutex::new(queue) })
    }

    fn denies(&self, _: &str) -> Option<Error> {
        None
    }

    fn revision(&self) -> u64 {
        0
    }

    fn changed(&self, _: u64) -> Later<'static, u64> {
        Box::pin(std::future::pending())
    }
}

impl LocalPage for Page {
    fn receive(&self, message: &str) -> Result<(), Close> {
        let _ = self.messages.send((message.to_owned(), self.sender.clone()));
        Ok(())
    }

    fn receive_binary(&self, _: &[u8]) -> Result<(), Close> {
        Ok(())
    }

    fn is_barred(&self) -> bool {
        false
    }

    fn is_shown_in(&self, _: ShownIn) {}

    fn next(&self) -> Later<'_, Result<Vec<String>, Close>> {
        Box::pin(async {
            match self.queue.lock().await.recv().await {
                Some(message) => Ok(vec![message]),
                None => std::future::pending().await,
            }
        })
    }
}

pub struct Stage {
    browsers: Browsers,
    messages: mpsc::UnboundedReceiver<PageMessage>,
    home: TempDir,
}

impl Stage {
    /// A browser that shows this page. `None`, with a message, if no browser is installed.
    pub async fn begin(url: &str) -> Option<Self> {
        let program = chromium_or_skip()?;
        let home = tempfile::tempdir().expect("a temporary folder");
        let browsers = Browsers::new(Settings {
            program: Some(program),
            profiles: home.path().join("profiles"),
            downloads: home.path().join("downloads"),
            persons_profiles: Vec::new(),
            headless: true,
            arguments: vec!["--disable-gpu".to_owned()],
            idle: None,
        });
        let (sender, messages) = mpsc::unbounded_channel();
        browsers.begin(Arc::new(Hub(sender)));
        let open = json!({ "url": url, "headless": true, "private": true }).to_string();
        browsers.request("browser/open", &open).await.expect("the page opens");
        Some(Self { browsers, messages, home })
    }

    /// Waits for a message of a document that contains this text.
    pub async fn until(&mut self, words: &str) -> PageMessage {
        let message = async {
            loop {
                let message = self.messages.recv().await.expect("the browser runs");
                if message.0.contains(words) {
                    return message;
                }
            }
        };
        timeout(DEADLINE, message).await.unwrap_or_else(|_| panic!("not heard: {words}"))
    }

    pub async fn end(self) {
        self.browsers.shut_down().await;
        drop(self.home);
    }
}
