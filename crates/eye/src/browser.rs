//! Puts driven browsers and the hub together: neither knows the other.

use crate::env::Var;
use crate::failure::Failure;
use crate::places;
use eye_browser::drive::{self, Browsers, Settings};
use eye_browser::launch;
use eye_hub::{Answers, Guest, Later, Links};
use eye_protocol::Error;
use eye_protocol::close::Close;
use eye_protocol::operations::BROWSER_METHODS;
use std::path::PathBuf;
use std::sync::Arc;

/// The browser that would be started.
pub fn program() -> Option<PathBuf> {
    Var::EyeBrowser.text().map(PathBuf::from).or_else(|| launch::find(&Var::Path.text().unwrap_or_default()))
}

/// Browsers as a guest of the hub.
pub fn guest() -> Result<Arc<dyn Guest>, Failure> {
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
    Ok(Arc::new(Driven(Browsers::new(settings))))
}

#[derive(Debug)]
struct Driven(Browsers);

impl Guest for Driven {
    fn begin(&self, links: Links) {
        self.0.begin(Arc::new(OfHub(links)));
    }

    fn answers(&self) -> Option<(&'static str, Arc<dyn Answers>)> {
        Some((BROWSER_METHODS, Arc::new(Self(self.0.clone()))))
    }

    fn shut_down(&self) -> Later<()> {
        let browsers = self.0.clone();
        Box::pin(async move {
            browsers.stop(None).await;
        })
    }
}

impl Answers for Driven {
    fn request(&self, method: String, params: String) -> Later<Result<String, Error>> {
        let browsers = self.0.clone();
        Box::pin(async move { browsers.request(&method, &params).await })
    }
}

#[derive(Debug)]
struct OfHub(Links);

impl drive::Hub for OfHub {
    fn join(&self, session: &str, origin: &str) -> Arc<dyn drive::PageLink> {
        Arc::new(OfPage(self.0.join(session, origin)))
    }

    fn denies(&self, origin: &str) -> Option<Error> {
        self.0.denies(origin)
    }
}

#[derive(Debug)]
struct OfPage(eye_hub::PageLink);

fn parts(close: Close) -> (u16, String) {
    (close.code, close.reason)
}

impl drive::PageLink for OfPage {
    fn hear(&self, message: &str) -> Result<(), (u16, String)> {
        self.0.hear(message).map_err(parts)
    }

    fn hear_binary(&self, message: &[u8]) -> Result<(), (u16, String)> {
        self.0.hear_binary(message).map_err(parts)
    }

    fn is_barred(&self) -> bool {
        self.0.is_barred()
    }

    fn next(&self) -> drive::Later<'_, Result<Vec<String>, (u16, String)>> {
        Box::pin(async { self.0.next().await.map_err(parts) })
    }
}
