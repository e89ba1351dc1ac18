//! An isolated home for an `eye`, a page in a browser, and the README's console lines against it. Touches nothing of
//! the user's.

use crate::readme;
use crate::run::TaskError;
use crate::{browser, place};
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PORT: u16 = 8765;
const JOIN_MAX: Duration = Duration::from_mins(1);
const LOOK_EVERY: Duration = Duration::from_millis(50);
const HEADLESS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-popup-blocking",
    // The browser's own pages in each window, which cost more than the window.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
];

/// An isolated `eye`.
pub struct Stage {
    pub home: PathBuf,
    /// The folder of `eye`, first in the `PATH`.
    pub bin: PathBuf,
    pub port: u16,
}

/// A browser that ends when this value is dropped, unless [`Headless::leave`] is called. `None`: the user's own
/// browser.
pub struct Headless(Option<Child>);

impl Stage {
    /// Creates the stage in an empty home. Stops a hub that an aborted run may have left there.
    pub fn set(home: PathBuf, bin: PathBuf) -> Result<Self, TaskError> {
        let stage = Self { home, bin, port: free_port()? };
        let _ = stage.eye(&["down"]);
        let _ = fs::remove_dir_all(&stage.home);
        for folder in ["run", "work"] {
            fs::create_dir_all(stage.home.join(folder)).map_err(TaskError::io("making a home"))?;
        }
        private(&stage.home.join("run"))?;
        Ok(stage)
    }

    pub fn url(&self) -> String {
        format!("http://localhost:{}/", self.port)
    }

    /// Runs a command in this home, without access to Cargo's folders, the checkout or the user's home.
    fn at_home(&self, command: &mut Command) {
        command
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", self.bin.display()))
            .env("HOME", &self.home)
            .env("XDG_RUNTIME_DIR", self.home.join("run"))
            .env("EYE_PORT", self.port.to_string())
            .current_dir(self.home.join("work"))
            .stdin(Stdio::null());
    }

    /// Runs `eye` and returns what it printed, whatever its exit code.
    pub fn eye(&self, args: &[&str]) -> Result<String, TaskError> {
        let mut command = Command::new(self.bin.join("eye"));
        self.at_home(command.args(args));
        output_of(&mut command)
    }

    /// Runs a line in a shell.
    pub fn shell(&self, line: &str) -> Result<String, TaskError> {
        let mut command = Command::new("sh");
        self.at_home(command.args(["-c", line]));
        output_of(&mut command)
    }

    /// Starts the hub, opens its start page and waits until it has joined.
    pub fn open_start_page(&self, screen: bool) -> Result<Headless, TaskError> {
        let stdout = self.eye(&["up"])?;
        let url = self.url();
        let browser = if screen && opened_on_screen(&url) { Headless(None) } else { self.headless(&[&url])? };
        self.wait_for("start").map_err(|error| TaskError::Wrong(format!("{error}; eye up said: {stdout}")))?;
        // The page shows its connection a moment later; that change must not be in the report of the first click.
        self.eye(&["--page", "start", "wait", "document.getElementById('state').textContent === 'connected'"])?;
        Ok(browser)
    }

    /// Opens another page beside the start page.
    pub fn open(&self, browser: &Headless, url: &str) -> Result<(), TaskError> {
        if browser.0.is_some() {
            // The headless browser allows windows without a user's click.
            self.eye(&["--page", "start", &format!("void window.open({url:?})")])?;
        } else {
            opened_on_screen(url);
        }
        Ok(())
    }

    /// Starts a headless Chromium with these pages.
    fn headless(&self, urls: &[&str]) -> Result<Headless, TaskError> {
        let chromium = browser::find_or_install()?;
        let mut command = Command::new(chromium);
        command
            .args(HEADLESS)
            .arg(format!("--user-data-dir={}", self.home.join("chromium").display()))
            .arg("--remote-debugging-port=0")
            .args(urls)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Ok(Headless(Some(command.spawn().map_err(TaskError::io("starting Chromium"))?)))
    }

    /// Waits until `eye pages` shows a page with this word.
    pub fn wait_for(&self, word: &str) -> Result<(), TaskError> {
        let deadline = Instant::now() + JOIN_MAX;
        while Instant::now() < deadline {
            if self.eye(&["pages"])?.contains(word) {
                return Ok(());
            }
            std::thread::sleep(LOOK_EVERY);
        }
        Err(TaskError::Wrong(format!("no page `{word}` joined within {} s", JOIN_MAX.as_secs())))
    }

    /// Runs the README's console lines and compares their output.
    pub fn readme(&self) -> Result<(), TaskError> {
        let mut wrong = 0;
        for shown in readme::console()? {
            let started = Instant::now();
            let output = self.shell(&shown.command)?;
            println!("$ {}\n{output}  ({:.1} ms)\n", shown.command, started.elapsed().as_secs_f64() * 1000.0);
            if output != shown.output {
                println!("the README says: {}", shown.output);
                wrong += 1;
            }
        }
        if wrong > 0 {
            return Err(TaskError::Wrong(format!("commands of the README that show something else: {wrong}")));
        }
        Ok(())
    }
}

impl Headless {
    /// Keeps it running, and returns its process id.
    pub fn leave(mut self) -> Option<u32> {
        self.0.take().map(|child| child.id())
    }
}

impl Drop for Headless {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Opens the URL in the user's own browser, if there is a screen.
fn opened_on_screen(url: &str) -> bool {
    let screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let opener = match std::env::consts::OS {
        "macos" => "open",
        _ if screen => "xdg-open",
        _ => return false,
    };
    let quiet = Command::new(opener).arg(url).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

fn output_of(command: &mut Command) -> Result<String, TaskError> {
    let output = command.output().map_err(TaskError::io("running eye"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
}

/// The usual port if it is free, else any.
fn free_port() -> Result<u16, TaskError> {
    let listener = TcpListener::bind(("127.0.0.1", PORT)).or_else(|_| TcpListener::bind(("127.0.0.1", 0)));
    let address = listener.and_then(|listener| listener.local_addr());
    Ok(address.map_err(TaskError::io("looking for a free port"))?.port())
}

/// Restricts a folder to this user, as the hub's socket requires.
fn private(folder: &Path) -> Result<(), TaskError> {
    mode(folder, 0o700)
}

/// Does something that may build another `debug/eye`, and puts the one that was there back.
pub fn keeping_eye(work: impl FnOnce() -> Result<(), TaskError>) -> Result<(), TaskError> {
    let (eye, kept) = (place::target().join("debug/eye"), place::target().join("debug/eye-kept"));
    let is_there = eye.is_file();
    if is_there {
        fs::copy(&eye, &kept).map_err(TaskError::io("keeping a copy of the program"))?;
    }
    let done = work();
    if is_there {
        fs::rename(&kept, &eye).map_err(TaskError::io("putting the program back"))?;
    }
    done
}

/// Makes a file executable.
pub fn executable(file: &Path) -> Result<(), TaskError> {
    mode(file, 0o755)
}

#[cfg(unix)]
fn mode(path: &Path, mode: u32) -> Result<(), TaskError> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(TaskError::io("setting a file's mode"))
}

#[cfg(not(unix))]
fn mode(_: &Path, _: u32) -> Result<(), TaskError> {
    Ok(())
}

/// A folder for homes, below Cargo's target folder.
pub fn folder(name: &str) -> PathBuf {
    let target = place::target();
    if target.is_absolute() { target.join(name) } else { place::root().join(target).join(name) }
}
