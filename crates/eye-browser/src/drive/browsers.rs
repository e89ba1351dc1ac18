//! The running browsers, by profile: starts them on demand, opens pages in them, and ends them.

mod attached;
mod failed;
mod placed;
mod tunnel;

use super::downloads::Downloads;
use super::outer::Outer;
use super::permissions;
use super::script::{Names, random_text};
use super::site::site_of;
use crate::cdp::{News, Session, TargetInfo};
use crate::error::{BrowserError, CommandError};
use crate::launch::{Launch, Launched, attach, launch};
use crate::pipe::socket::SocketPipe;
use eye_protocol::local::LocalHub;
use eye_protocol::messages::ShownIn;
use eye_protocol::rpc::json;
use eye_protocol::{Code, Error};
use failed::{OPEN_MS, late, to_error};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

/// The profile if none is named.
const PROFILE_DEFAULT: &str = "default";

/// A browser without requests for this long is ended, unless it is kept.
const IDLE: Duration = Duration::from_mins(15);

/// The folder in a profile for files that agents give to pages.
const UPLOADS: &str = "eye-uploads";

/// The endpoint that stands for a person's own browser that allows debugging.
const ATTACH_AUTO: &str = "auto";

/// How long the tabs of a running browser may take to join.
const TABS: Duration = Duration::from_secs(5);

/// How long browsers may take to end when the hub ends.
const STOP: Duration = Duration::from_millis(800);

/// Where browsers and profiles are, and how browsers start.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program of the browser, if one is installed.
    pub program: Option<PathBuf>,
    /// The folder of the named profiles.
    pub profiles: PathBuf,
    /// The folder for downloads of pages.
    pub downloads: PathBuf,
    /// The profile folders of a person's own browsers, for `attach: "auto"`.
    pub persons_profiles: Vec<PathBuf>,
    /// Whether there is no display, so that every browser is headless.
    pub headless: bool,
    /// More arguments for the browser.
    pub arguments: Vec<String>,
    /// How long an idle browser runs.
    pub idle: Option<Duration>,
}

/// All browsers of a hub.
#[derive(Clone, Debug)]
pub struct Browsers(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    settings: Settings,
    hub: OnceLock<Arc<dyn LocalHub>>,
    running: Mutex<BTreeMap<String, Arc<Running>>>,
    /// Held while a browser starts: two requests for one profile must not race.
    starting: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct Running {
    /// The name that agents use: its profile, or the name of its pairing.
    name: String,
    browser: Session,
    pid: Option<u32>,
    product: String,
    headless: bool,
    /// A person's browser, reached through its extension.
    tunnel: bool,
    stop: Notify,
    gone: watch::Sender<bool>,
    /// Tabs by target id.
    tabs: Mutex<HashMap<String, Known>>,
    changed: watch::Sender<u64>,
    places: Places,
    /// Windows with granted tabs, in the order in which they appeared. Agents know a window by its position here.
    windows: Mutex<Vec<i64>>,
    /// Tabs and frames by session id, for the frames inside them.
    outers: Mutex<HashMap<String, (Session, Outer, Names)>>,
    /// The folder for files that are given to pages. Removed with the browser.
    uploads: PathBuf,
    downloads: Arc<Downloads>,
}

/// A tab: its session in the hub, whether a document of it has joined, and its CDP session.
type Known = (String, watch::Receiver<bool>, Session);

/// The browser and window of each tab, by target id, sent to the tab.
type Places = Mutex<HashMap<String, watch::Sender<Option<ShownIn>>>>;

/// The answer to `Target.createTarget`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    target_id: String,
}

/// The answer to `Page.navigate`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Navigated {
    error_text: Option<String>,
}

/// The params of `browser/open`.
#[derive(Debug, Deserialize)]
struct Open {
    url: Option<String>,
    /// The endpoint of a running browser, or `auto`.
    attach: Option<String>,
    profile: Option<String>,
    #[serde(default)]
    private: bool,
    #[serde(default)]
    headless: bool,
    #[serde(default)]
    keep: bool,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    profile: &'a str,
    product: &'a str,
    pid: Option<u32>,
    headless: bool,
    pages: usize,
    /// The sessions of its tabs in the hub.
    tabs: Vec<String>,
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Browsers {
    pub fn new(settings: Settings) -> Self {
        let running = Mutex::default();
        Self(Arc::new(Inner { settings, hub: OnceLock::new(), running, starting: tokio::sync::Mutex::default() }))
    }

    /// The hub is ready to serve pages.
    pub fn begin(&self, hub: Arc<dyn LocalHub>) {
        let _ = self.0.hub.set(hub);
    }

    /// Handles a `browser/…` request. Params and result are JSON text.
    pub async fn request(&self, method: &str, params: &str) -> Result<String, Error> {
        match method {
            "browser/open" => self.open(eye_protocol::rpc::params(params)?).await,
            "browser/list" => Ok(self.list()),
            "browser/stop" => {
                #[derive(Deserialize)]
                struct Stop {
                    profile: Option<String>,
                }
                let Stop { profile } = eye_protocol::rpc::params(params)?;
                let count = self.stop(profile.as_deref()).await;
                Ok(format!(r#"{{"stopped":{count}}}"#))
            }
            _ => Err(Error::new(Code::METHOD, format!("no method {method}"))),
        }
    }

    /// Ends the browser of one profile, or all. Does not disconnect extensions, which only their person ends. Returns
    /// the count.
    pub async fn stop(&self, profile: Option<&str>) -> usize {
        self.end(|name, one| !one.tunnel && profile.is_none_or(|wanted| wanted == name)).await
    }

    /// Ends all browsers and disconnects all extensions.
    pub async fn shut_down(&self) {
        self.end(|_, _| true).await;
    }

    async fn end(&self, is_wanted: impl Fn(&str, &Running) -> bool) -> usize {
        let ending: Vec<Arc<Running>> = {
            let running = hold(&self.0.running);
            running.iter().filter(|(name, one)| is_wanted(name, one)).map(|(_, one)| one.clone()).collect()
        };
        for one in &ending {
            one.stop.notify_one();
        }
        for one in &ending {
            let mut gone = one.gone.subscribe();
            let _ = timeout(STOP, gone.wait_for(|gone| *gone)).await;
        }
        ending.len()
    }

    fn list(&self) -> String {
        let running = hold(&self.0.running);
        let rows: Vec<Row<'_>> = running
            .iter()
            .map(|(profile, one)| {
                // Bound first, because the lock would otherwise be held until the row is built.
                let tabs: Vec<String> = hold(&one.tabs).values().map(|(session, ..)| session.clone()).collect();
                let (product, pid, headless) = (one.product.as_str(), one.pid, one.headless);
                Row { profile, product, pid, headless, pages: tabs.len(), tabs }
            })
            .collect();
        json(&json!({ "browsers": rows }))
    }

    async fn open(&self, open: Open) -> Result<String, Error> {
        let url = match (&open.url, &open.attach) {
            (Some(url), _) if !url.contains(':') => {
                let error = Error::new(Code::PARAMS, format!("{url:?} is not a URL"));
                return Err(error.hint("write it with its scheme, such as https://example.com"));
            }
            (Some(url), _) => Some(url.clone()),
            (None, Some(_)) => None,
            (None, None) => return Err(Error::new(Code::PARAMS, "url is missing: which page?")),
        };
        if let (Some(url), Some(hub)) = (&url, self.0.hub.get())
            && let Some(error) = site_of(url).and_then(|site| hub.denies(&site))
        {
            return Err(error);
        }
        let running = self.running(&open).await.map_err(|error| to_error(&error))?;
        let Some(url) = url else {
            return Ok(json(&json!({ "pages": running.pages().await })));
        };
        let command = |error: CommandError| to_error(&BrowserError::Command(error));
        // One window per page: a tab behind another gets neither frames nor input.
        let new = json!({ "url": "about:blank", "newWindow": true });
        let Created { target_id } = running.browser.ask("Target.createTarget", &new).await.map_err(command)?;
        let (session, mut joined, page) = running.tab(&target_id).await.ok_or_else(|| late(&url))?;
        let why = match page.ask("Page.navigate", &json!({ "url": url })).await {
            Ok(Navigated { error_text }) => error_text,
            Err(error) => Some(error.to_string()),
        };
        if let Some(why) = why {
            let _ = running.browser.send("Target.closeTarget", &json!({ "targetId": target_id }));
            let error = Error::new(Code::PARAMS, format!("{url} cannot be loaded: {why}"));
            return Err(error.hint("check the address, or the network of the hub's machine"));
        }
        match timeout(Duration::from_millis(OPEN_MS), joined.wait_for(|joined| *joined)).await {
            Ok(Ok(_)) => Ok(json(&json!({ "id": session }))),
            Ok(Err(_)) | Err(_) => Err(late(&url)),
        }
    }

    /// The browser of a profile. Starts it if it does not run.
    async fn running(&self, open: &Open) -> Result<Arc<Running>, BrowserError> {
        let _one = self.0.starting.lock().await;
        let profile = match (&open.attach, open.private) {
            (Some(endpoint), _) => endpoint.clone(),
            (None, true) => format!("private-{}", random_text(8)),
            (None, false) => {
                let name = open.profile.as_deref().unwrap_or(PROFILE_DEFAULT);
                if !is_name(name) {
                    let why = std::io::Error::other("a name is 1 to 40 of a-z A-Z 0-9 _ -");
                    return Err(BrowserError::Profile { folder: name.into(), why });
                }
                name.to_owned()
            }
        };
        if let Some(running) = hold(&self.0.running).get(&profile) {
            return Ok(running.clone());
        }
        let settings = &self.0.settings;
        let (folder, headless) = (settings.profiles.join(&profile), open.headless || settings.headless);
        let launched = match &open.attach {
            Some(endpoint) => attach(self.endpoint(endpoint).await?).await?,
            None => self.launch(folder.clone(), headless).await?,
        };
        let attached = open.attach.is_some();
        let downloads = Arc::new(Downloads::new((!attached).then(|| settings.downloads.clone())));
        let browser = &launched.connection.browser;
        browser.command("Browser.setDownloadBehavior", &keeping(&downloads)).await?;
        // A person's own browser shows its permission prompts to the person.
        if !attached {
            permissions::deny(browser)?;
        }
        browser.command("Target.setAutoAttach", &auto_attach()).await?;
        let uploads = if attached { settings.profiles.join(random_text(8)) } else { folder.clone() }.join(UPLOADS);
        let running = Arc::new(Running::new(&profile, &launched, (headless && !attached, false), (uploads, downloads)));
        hold(&self.0.running).insert(profile.clone(), running.clone());
        let idle = (!open.keep).then(|| settings.idle.unwrap_or(IDLE));
        let remove = open.private.then_some(folder);
        tokio::spawn(self.clone().serve(profile, running.clone(), launched, idle, remove));
        Ok(running)
    }

    async fn launch(&self, profile: PathBuf, headless: bool) -> Result<Launched, BrowserError> {
        let settings = &self.0.settings;
        let program = settings.program.clone().ok_or(BrowserError::NotFound)?;
        let mut arguments = settings.arguments.clone();
        if headless {
            arguments.push("--window-size=1280,800".into());
        }
        launch(Launch { program, profile, headless, arguments }).await
    }

    /// The pipe to a running browser: an endpoint, or the first of the person's browsers that allows debugging.
    async fn endpoint(&self, endpoint: &str) -> Result<SocketPipe, BrowserError> {
        if endpoint != ATTACH_AUTO {
            return SocketPipe::connect(endpoint).await;
        }
        let folders = self.0.settings.persons_profiles.iter().filter(|folder| folder.is_dir());
        let mut last = None;
        for folder in folders {
            match SocketPipe::of_profile(folder).await {
                Ok(pipe) => return Ok(pipe),
                Err(error) => last = Some(error),
            }
        }
        let why = || "no browser of this user lets itself be driven".to_owned();
        Err(last.unwrap_or_else(|| BrowserError::Unreachable { url: ATTACH_AUTO.to_owned(), why: why() }))
    }

    /// Serves the tabs of a browser until it ends.
    async fn serve(
        self,
        profile: String,
        running: Arc<Running>,
        mut launched: Launched,
        idle: Option<Duration>,
        remove: Option<PathBuf>,
    ) {
        let used = watch::Sender::new(0_u64);
        let mut last_use = used.subscribe();
        loop {
            let pause = async {
                match idle {
                    Some(idle) => while timeout(idle, last_use.changed()).await.is_ok_and(|used| used.is_ok()) {},
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                news = launched.connection.next() => match news {
                    Some(News::Attached(attached)) => self.attach(&running, *attached, used.clone()),
                    Some(News::Event(event)) => {
                        running.moved(&event);
                        running.downloads.take(&event);
                    }
                    None => break,
                },
                () = running.stop.notified() => break,
                () = pause => break,
            }
        }
        forget(&self.0.running, &profile, &running);
        hold(&running.tabs).clear();
        launched.close().await;
        let uploads = running.uploads.clone();
        let _ = tokio::task::spawn_blocking(move || remove_folder(&uploads)).await;
        if let Some(folder) = remove {
            let _ = tokio::task::spawn_blocking(move || remove_folder(&folder)).await;
        }
        running.gone.send_replace(true);
    }
}

impl Running {
    fn new(
        name: &str,
        launched: &Launched,
        (headless, tunnel): (bool, bool),
        (uploads, downloads): (PathBuf, Arc<Downloads>),
    ) -> Self {
        Self {
            name: name.to_owned(),
            browser: launched.connection.browser.clone(),
            pid: launched.pid,
            product: launched.product.clone(),
            headless,
            tunnel,
            stop: Notify::new(),
            gone: watch::Sender::new(false),
            tabs: Mutex::default(),
            changed: watch::Sender::new(0),
            places: Mutex::default(),
            windows: Mutex::default(),
            outers: Mutex::default(),
            uploads,
            downloads,
        }
    }

    /// The sessions of the existing tabs, once each has joined or its time is over.
    async fn pages(&self) -> Vec<String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Targets {
            target_infos: Vec<TargetInfo>,
        }
        let Ok(Targets { target_infos }) = self.browser.ask("Target.getTargets", &json!({})).await else {
            return Vec::new();
        };
        let mut pages = Vec::new();
        let all = async {
            let is_page = |info: &&TargetInfo| info.kind == "page" && info.url.starts_with("http");
            for info in target_infos.iter().filter(is_page) {
                let Some((session, mut joined, _)) = self.tab(&info.target_id).await else { continue };
                if joined.wait_for(|joined| *joined).await.is_ok() {
                    pages.push(session);
                }
            }
        };
        let _ = timeout(TABS, all).await;
        pages
    }

    /// The tab of a target, once it is ready.
    async fn tab(&self, target: &str) -> Option<Known> {
        let mut changed = self.changed.subscribe();
        let ready = async {
            loop {
                if let Some(tab) = hold(&self.tabs).get(target) {
                    return Some(tab.clone());
                }
                changed.changed().await.ok()?;
            }
        };
        timeout(Duration::from_millis(OPEN_MS), ready).await.ok().flatten()
    }
}

/// The download settings of a browser. If eye did not start it, downloads go where its person wants them.
fn keeping(downloads: &Downloads) -> serde_json::Value {
    match downloads.folder() {
        Some(folder) => json!({ "behavior": "allow", "downloadPath": folder, "eventsEnabled": true }),
        None => json!({ "behavior": "default", "eventsEnabled": true }),
    }
}

/// Removes a browser from the running ones, unless another one has taken its name.
fn forget(all: &Mutex<BTreeMap<String, Arc<Running>>>, name: &str, one: &Arc<Running>) {
    let mut all = hold(all);
    if all.get(name).is_some_and(|other| Arc::ptr_eq(other, one)) {
        all.remove(name);
    }
}

/// Gives every tab a session before its scripts run.
fn auto_attach() -> serde_json::Value {
    json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true })
}

fn remove_folder(folder: &Path) {
    // Processes of the browser may still write. What they leave are only caches.
    let _ = std::fs::remove_dir_all(folder);
}

fn is_name(name: &str) -> bool {
    (1..=40).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_has_a_plain_name() {
        for name in ["default", "work", "a-b_C9", &"x".repeat(40)] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", ".", "..", "a/b", "a b", "ä", &"x".repeat(41)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
