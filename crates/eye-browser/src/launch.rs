//! Starts a browser of the Chromium family with a pipe instead of a port, and finds out why it ended.

#[cfg(unix)]
mod pipe_of_child;
#[cfg(windows)]
mod port_of_child;

use crate::cdp::{Connection, connect};
use crate::error::{BrowserError, CommandError};
use crate::limits::{CLOSE_MS, START_MS, STDERR_BYTES_MAX};
use crate::pipe::Pipe;
use eye_platform::{files, user};
#[cfg(unix)]
use pipe_of_child as wire;
#[cfg(windows)]
use port_of_child as wire;
use serde::Deserialize;
use serde_json::json;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

/// The programs to look for, in this order.
const PROGRAMS: [&str; 8] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "microsoft-edge-stable",
    "microsoft-edge",
    "brave-browser",
];

/// The exit code of Chromium when another browser has the profile open.
const PROFILE_IN_USE: i32 = 21;

/// How long to wait for the last output of a process that has ended: it may still be in the pipe.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// Usual places of browsers that are not on the search path, on macOS and Windows.
const PLACES: [&str; 7] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
    r"C:\Program Files\BraveSoftware\Brave-Browser\Application\brave.exe",
];

/// The first browser on this search path (`PATH`) or at a usual place.
pub fn find(path: &str) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(path).filter(|folder| !folder.as_os_str().is_empty()).collect();
    let named = PROGRAMS.iter().flat_map(|name| {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        folders.iter().map(move |folder| folder.join(&file))
    });
    named.chain(PLACES.iter().map(PathBuf::from)).find(|file| files::is_program(file))
}

/// How to start a browser.
#[derive(Clone, Debug)]
pub struct Launch {
    pub program: PathBuf,
    /// The folder of the profile. If it is missing, it is created for this user alone.
    pub profile: PathBuf,
    pub headless: bool,
    /// More arguments for the browser.
    pub arguments: Vec<String>,
}

/// A browser that eye started, or one that a person lets eye drive. Dropping it closes the pipe, which ends a browser
/// that eye started.
#[derive(Debug)]
pub struct Launched {
    pub connection: Connection,
    /// The process id at the start, if eye started the browser.
    pub pid: Option<u32>,
    /// The product name and version that the browser reports.
    pub product: String,
    /// The process, if eye started it.
    process: Option<Process>,
}

#[derive(Debug)]
struct Process {
    /// How the process ended; `None` while it runs.
    gone: watch::Receiver<Option<String>>,
    kill: Arc<Notify>,
}

impl Process {
    async fn ended(&self) {
        let mut gone = self.gone.clone();
        // The sender sends the ending before it is dropped.
        let _ = gone.wait_for(Option::is_some).await;
    }
}

impl Launched {
    /// Resolves when the process has ended. Never resolves for a browser that eye did not start.
    pub async fn ended(&self) {
        match &self.process {
            Some(process) => process.ended().await,
            None => std::future::pending().await,
        }
    }

    /// Asks the browser to end and waits at most `CLOSE_MS`; then kills its process. Only disconnects from a browser
    /// that eye did not start.
    pub async fn close(self) {
        let Some(process) = self.process else { return self.connection.browser.leave() };
        let _ = self.connection.browser.send("Browser.close", &json!({}));
        if timeout(Duration::from_millis(CLOSE_MS), process.ended()).await.is_err() {
            process.kill.notify_one();
            process.ended().await;
        }
    }
}

/// The answer to `Browser.getVersion`.
#[derive(Deserialize)]
struct Version {
    product: String,
}

/// Starts a browser and waits for its first answer.
pub async fn launch(how: Launch) -> Result<Launched, BrowserError> {
    make_profile(&how.profile).map_err(|why| BrowserError::Profile { folder: how.profile.clone(), why })?;
    let started = wire::start(&mut command(&how));
    let (mut child, guard) = started.map_err(|why| BrowserError::Start { program: how.program.clone(), why })?;
    let Some(stderr) = child.stderr.take() else { return Err(BrowserError::Died("its pipes are missing".into())) };
    let pid = child.id();
    let words = Arc::new(Mutex::new(Vec::new()));
    let listening = tokio::spawn(listen(stderr, words.clone()));
    let (exit_sender, gone) = watch::channel(None);
    let kill = Arc::new(Notify::new());
    let pipe = wire::open(&mut child, &how.profile).await?;
    tokio::spawn(reap(child, guard, kill.clone(), exit_sender));
    let mut exit = gone.clone();
    let exited = async move {
        let status = exit.wait_for(Option::is_some).await.ok().and_then(|status| status.clone());
        let _ = timeout(LAST_WORDS, listening).await;
        describe(&status.unwrap_or_default(), &words.lock().unwrap_or_else(PoisonError::into_inner))
    };
    let connection = connect(pipe, exited);
    let version = connection.browser.send("Browser.getVersion", &json!({}))?.within(START_MS).await;
    match version.and_then(|result| crate::cdp::read::<Version>("Browser.getVersion", &result)) {
        Ok(Version { product }) => Ok(Launched { connection, pid, product, process: Some(Process { gone, kill }) }),
        Err(CommandError::Ended(why)) if why.contains(&format!("exit status: {PROFILE_IN_USE}")) => {
            let pid = holder(&how.profile);
            Err(BrowserError::InUse { folder: how.profile, pid })
        }
        Err(CommandError::Ended(why)) => Err(BrowserError::Died(why.to_string())),
        Err(error) => Err(error.into()),
    }
}

/// Connects to a running browser: over its own endpoint, or through its extension.
pub async fn attach(pipe: impl Pipe) -> Result<Launched, BrowserError> {
    let connection = connect(pipe, std::future::pending());
    let version = connection.browser.send("Browser.getVersion", &json!({}))?.within(START_MS).await?;
    let Version { product } = crate::cdp::read("Browser.getVersion", &version)?;
    Ok(Launched { connection, pid: None, product, process: None })
}

fn command(how: &Launch) -> Command {
    let mut command = wire::command(&how.program, &how.profile);
    command.arg(format!("--user-data-dir={}", how.profile.display()));
    command.args([
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-default-apps",
        // Pages that are behind others run at full speed in a browser of eye.
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        // Otherwise the browser asks after a kill whether to restore its pages.
        "--hide-crash-restore-bubble",
        // A turn of the wheel is complete when the browser answers.
        "--disable-smooth-scrolling",
        "--no-startup-window",
        // For the address bar of each window the browser would load two pages of its own, also when headless: most of
        // the CPU time of a window. Without them it draws the bar in another way.
        "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
    ]);
    if how.headless {
        command.arg("--headless=new");
    }
    if user::is_root() {
        // Chromium refuses to run as root with its sandbox.
        command.arg("--no-sandbox");
    }
    command.args(&how.arguments);
    command.stderr(Stdio::piped());
    command
}

fn make_profile(folder: &Path) -> io::Result<()> {
    files::make_folder(folder)?;
    // An existing folder may be open to other users, and it holds logins.
    files::close_folder(folder)
}

/// The process that has a profile open. Chromium's lock is a symbolic link to `HOST-PID`.
fn holder(profile: &Path) -> Option<u32> {
    let link = fs::read_link(profile.join("SingletonLock")).ok()?;
    link.to_str()?.rsplit('-').next()?.parse().ok()
}

async fn reap(mut child: Child, _guard: wire::Guard, kill: Arc<Notify>, exit_sender: watch::Sender<Option<String>>) {
    let status = tokio::select! {
        status = child.wait() => status,
        () = kill.notified() => {
            let _ = child.start_kill();
            child.wait().await
        }
    };
    let _ = exit_sender.send(Some(match status {
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    }));
}

async fn listen(mut stderr: ChildStderr, words: Arc<Mutex<Vec<u8>>>) {
    let mut piece = [0; 1024];
    while let Ok(bytes @ 1..) = stderr.read(&mut piece).await {
        let mut kept = words.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&piece[..bytes]);
        let over = kept.len().saturating_sub(STDERR_BYTES_MAX);
        kept.drain(..over);
    }
}

/// How the process ended, with its last line of error output.
fn describe(exit: &str, words: &[u8]) -> String {
    let text = String::from_utf8_lossy(words);
    let line = text.lines().rev().find(|line| line.contains("ERROR") || line.contains("FATAL"));
    match line {
        Some(line) => format!("{exit}: {}", line.trim()),
        None => exit.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_last_complaint_is_told() {
        let words = b"[1:1] ERROR:a\n[1:2] ERROR:b, in use\nnoise\n";
        assert_eq!(describe("exit status: 21", words), "exit status: 21: [1:2] ERROR:b, in use");
        assert_eq!(describe("signal: 9", b""), "signal: 9");
    }

    #[test]
    fn a_browser_is_found_by_its_usual_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = format!("/nowhere:{}", folder.path().display());
        assert_eq!(find(&path), None);
        let file = folder.path().join("google-chrome");
        fs::write(&file, "").unwrap();
        assert_eq!(find(&path), None, "it cannot be run");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find(&path), Some(file));
    }

    #[test]
    fn the_holder_of_a_profile_is_named_by_its_lock() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(holder(folder.path()), None);
        std::os::unix::fs::symlink("a-host-4711", folder.path().join("SingletonLock")).unwrap();
        assert_eq!(holder(folder.path()), Some(4711));
    }
}
