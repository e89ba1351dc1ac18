//! One headless Chromium with one page.

use crate::error::{BenchError, Doing};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
const FLAGS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
];

/// A browser that ends with this value.
pub struct Browser(Child);

impl Browser {
    /// Opens a page.
    pub fn open(home: &Path, url: &str) -> Result<Self, BenchError> {
        let own = std::env::var("EYE_CHROMIUM").ok();
        for name in own.iter().map(String::as_str).chain(NAMES) {
            let child = Command::new(name)
                .args(FLAGS)
                .arg(format!("--user-data-dir={}", home.join("chromium").display()))
                .arg(url)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            match child {
                Ok(child) => return Ok(Self(child)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(error).doing("starting Chromium"),
            }
        }
        Err(BenchError::Odd("no Chromium found; install it, or name it in EYE_CHROMIUM".into()))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
