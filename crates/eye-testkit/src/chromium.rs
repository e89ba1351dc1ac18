//! A real Chromium: the one for tests, and one that runs as if a person had opened it.

use crate::deadline::DEADLINE;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;

/// Its names in `PATH`.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
    // Disables pages that the browser loads in each window, which cost more than the window.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
];

/// The browser for tests: the one that `EYE_CHROMIUM` names, else the first in `PATH`.
pub fn chromium() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("EYE_CHROMIUM") {
        return Some(in_path(&named.to_string_lossy()).unwrap_or_else(|| named.into()));
    }
    NAMES.iter().find_map(|name| in_path(name))
}

/// The same for a test that is skipped, with a message, if there is no browser.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn chromium_or_skip() -> Option<PathBuf> {
    let found = chromium();
    if found.is_none() {
        eprintln!("skipped: no Chromium is installed; name one in EYE_CHROMIUM");
    }
    found
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// A headless browser with one page and a debugging port of its choice. It ends when dropped.
#[derive(Debug)]
pub struct Chromium(Child);

impl Chromium {
    /// Opens a page in a profile. Returns when the browser accepts debugging connections.
    pub fn open(profile: &Path, url: &str) -> Self {
        let program = chromium().expect("no Chromium found; install it, or name it in EYE_CHROMIUM");
        std::fs::create_dir_all(profile).expect("a folder");
        let mut child = Command::new(program)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let lines = BufReader::new(child.stderr.take().expect("stderr is a pipe")).lines().map_while(Result::ok);
        let (ready, is_ready) = channel();
        // Keeps reading after that, so that the browser never blocks on its output.
        std::thread::spawn(move || {
            for _ in lines.filter(|line| line.starts_with("DevTools listening")) {
                let _ = ready.send(());
            }
        });
        is_ready.recv_timeout(DEADLINE).expect("the browser opens a port");
        Self(child)
    }

    pub fn runs(&mut self) -> bool {
        self.0.try_wait().expect("a child").is_none()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
