//! A page that has broken the client in its own world, in a real Chromium: the driver says for it that it is alive.

use eye_browser::drive::{Browsers, Settings};
use eye_protocol::Error;
use eye_protocol::close::Close;
use eye_protocol::local::{Identity, Later, LocalAgent, LocalHub, LocalPage};
use eye_protocol::messages::ShownIn;
use eye_testkit::{DEADLINE, chromium_or_skip};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

/// Its client hears nothing any more, and can still say that it has come so far.
const BROKEN: &str =
    "data:text/html,<p>there</p><script>JSON.parse = () => { throw 0 }; onload = () => eye.pause('broken')</script>";

/// What a document said, and the way to it.
type Said = (String, mpsc::UnboundedSender<String>);

/// In place of a hub, which asks idle pages only, every 20 s.
#[derive(Debug)]
struct Hub(mpsc::UnboundedSender<Said>);

#[derive(Debug)]
struct Page {
    said: mpsc::UnboundedSender<Said>,
    tell: mpsc::UnboundedSender<String>,
    told: Mutex<mpsc::UnboundedReceiver<String>>,
}

impl LocalHub for Hub {
    fn enter(&self, _: Identity, _: &'static str) -> Arc<dyn LocalAgent> {
        unreachable!("no agent enters");
    }

    fn join(&self, _: &str, _: &str) -> Arc<dyn LocalPage> {
        let (tell, told) = mpsc::unbounded_channel();
        Arc::new(Page { said: self.0.clone(), tell, told: Mutex::new(told) })
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
    fn hear(&self, message: &str) -> Result<(), Close> {
        let _ = self.said.send((message.to_owned(), self.tell.clone()));
        Ok(())
    }

    fn hear_binary(&self, _: &[u8]) -> Result<(), Close> {
        Ok(())
    }

    fn is_barred(&self) -> bool {
        false
    }

    fn is_shown_in(&self, _: ShownIn) {}

    fn next(&self) -> Later<'_, Result<Vec<String>, Close>> {
        Box::pin(async {
            match self.told.lock().await.recv().await {
                Some(message) => Ok(vec![message]),
                None => std::future::pending().await,
            }
        })
    }
}

/// Waits until a document says this.
async fn until(heard: &mut mpsc::UnboundedReceiver<Said>, words: &str) -> Said {
    let said = async {
        loop {
            let said = heard.recv().await.expect("the browser runs");
            if said.0.contains(words) {
                return said;
            }
        }
    };
    timeout(DEADLINE, said).await.unwrap_or_else(|_| panic!("not heard: {words}"))
}

#[tokio::test]
async fn the_driver_answers_a_ping_for_a_page_whose_own_half_is_broken() {
    let Some(program) = chromium_or_skip() else { return };
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
    let (sender, mut heard) = mpsc::unbounded_channel();
    browsers.begin(Arc::new(Hub(sender)));
    let open = json!({ "url": BROKEN, "headless": true, "private": true }).to_string();
    browsers.request("browser/open", &open).await.expect("the page opens");

    let (_, page) = until(&mut heard, r#""paused":"broken""#).await;
    // What looks is beside it, and by its answer nothing of the page loads any more.
    page.send(r#"[{"jsonrpc":"2.0","id":"1","method":"page/look","params":{}}]"#.into()).expect("the tab is there");
    assert!(until(&mut heard, r#"["1"#).await.0.contains("there"));
    page.send(r#"[{"jsonrpc":"2.0","id":"ping","method":"ping"}]"#.into()).expect("the tab is there");
    let (pong, _) = until(&mut heard, r#""id":"ping""#).await;
    assert_eq!(pong, r#"[{"jsonrpc":"2.0","id":"ping","result":{"pong":true}}]"#);
    browsers.shut_down().await;
}
