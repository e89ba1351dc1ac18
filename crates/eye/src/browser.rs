//! Connects driven browsers with the hub: neither crate depends on the other.

use crate::env::Var;
use crate::failure::Failure;
use crate::places;
use eye_browser::drive::{Browsers, Settings};
use eye_browser::launch;
use eye_browser::pipe::tunnel::TunnelPipe;
use eye_hub::guests::ExtensionDoor;
use eye_hub::guests::extension::{CODE_DEFAULT, Codes, Incoming, Outgoing, Tabs};
use eye_hub::{Answers, Guest, Later, Links};
use eye_protocol::operations::BROWSER_METHODS;
use eye_protocol::rpc;
use eye_protocol::{Code, Error};
use serde::Deserialize;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The browser program that would be started: `EYE_BROWSER`, else one found in `PATH`.
pub fn program() -> Option<PathBuf> {
    Var::EyeBrowser.text().map(PathBuf::from).or_else(|| launch::find(&Var::Path.text().unwrap_or_default()))
}

/// Browsers as guests of the hub: those that it starts, and the endpoint of the extension.
pub fn guests() -> Result<[Arc<dyn Guest>; 2], Failure> {
    let display = Var::Display.text().is_some() || Var::WaylandDisplay.text().is_some();
    let settings = Settings {
        program: program(),
        profiles: places::profiles_folder()?,
        downloads: places::downloads_folder()?,
        persons_profiles: places::persons_profiles(),
        headless: cfg!(target_os = "linux") && !display,
        arguments: Var::EyeBrowserArgs.text().unwrap_or_default().split_whitespace().map(str::to_owned).collect(),
        idle: None,
    };
    let driven = Driven { browsers: Browsers::new(settings), codes: Arc::default() };
    let door = ExtensionDoor::new(Arc::new(driven.clone()), driven.codes.clone());
    Ok([Arc::new(driven), Arc::new(door)])
}

#[derive(Clone, Debug)]
struct Driven {
    browsers: Browsers,
    codes: Arc<Codes>,
}

impl Driven {
    /// Makes a pairing code for the extension of one browser.
    fn pair(&self, params: &str) -> Result<String, Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Pair {
            expires_ms: Option<u64>,
        }
        let Pair { expires_ms } = rpc::params(params)?;
        let lasts = expires_ms.map_or(CODE_DEFAULT, Duration::from_millis);
        let made = self.codes.make(Instant::now(), lasts);
        let code = made.map_err(|error| Error::new(Code::INTERNAL, error.to_string()))?;
        Ok(rpc::json(&json!({ "code": code })))
    }
}

impl Tabs for Driven {
    fn talk(&self, name: String, incoming: Incoming, outgoing: Outgoing) -> Later<()> {
        let browsers = self.browsers.clone();
        Box::pin(async move { browsers.tunnel(name, TunnelPipe { outgoing, incoming }).await })
    }
}

impl Guest for Driven {
    fn begin(&self, links: Links) {
        self.browsers.begin(Arc::new(links));
    }

    fn answers(&self) -> Option<(&'static str, Arc<dyn Answers>)> {
        Some((BROWSER_METHODS, Arc::new(self.clone())))
    }

    fn shut_down(&self) -> Later<()> {
        let browsers = self.browsers.clone();
        Box::pin(async move { browsers.shut_down().await })
    }
}

impl Answers for Driven {
    fn request(&self, method: String, params: String) -> Later<Result<String, Error>> {
        if method == "browser/pair" {
            return Box::pin(std::future::ready(self.pair(&params)));
        }
        let browsers = self.browsers.clone();
        Box::pin(async move { browsers.request(&method, &params).await })
    }
}
