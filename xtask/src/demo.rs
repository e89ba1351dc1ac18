//! `cargo xtask demo`: a hub, a page in a browser, and the README's own commands, live.

use crate::run::{TaskError, cargo};
use crate::{browser, place, readme, web};
use std::io::IsTerminal;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PORT: u16 = 8765;
const HEADLESS: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// Builds everything, opens the start page, and runs the README's commands against it.
pub fn run() -> Result<(), TaskError> {
    web::build()?;
    cargo(&["build", "--package", "eye"])?;
    let stage = Stage::set()?;
    println!("$ eye up");
    stage.eye(&["up"])?;
    let url = format!("http://localhost:{}/", stage.port);
    let _browser = stage.open(&url)?;
    stage.wait_for_page()?;
    println!("the page {url} has joined\n");
    let mut wrong = 0;
    for shown in readme::console()? {
        let started = Instant::now();
        let output = stage.shell(&shown.command)?;
        println!("$ {}\n{output}  ({:.1} ms)\n", shown.command, started.elapsed().as_secs_f64() * 1000.0);
        if output != shown.output {
            println!("the README says: {}", shown.output);
            wrong += 1;
        }
    }
    if wrong > 0 {
        return Err(TaskError::Wrong(format!("{wrong} commands of the README show something else")));
    }
    if std::io::stdin().is_terminal() {
        println!("The hub goes on. Try it: {} 'document.body.style.background = \"gold\"'", stage.eye_path());
        println!("Press Enter to end the demo.");
        let _ = std::io::stdin().read_line(&mut String::new());
    }
    Ok(())
}

/// A home of the demo's own, so that it touches nothing of the person's.
struct Stage {
    home: PathBuf,
    eye: PathBuf,
    port: u16,
}

impl Stage {
    fn set() -> Result<Self, TaskError> {
        let target = place::target();
        let stage = Self { home: target.join("demo"), eye: target.join("debug/eye"), port: free_port()? };
        // A demo that was cut off may have left a hub, and every demo its pages, which will not come back.
        let _ = stage.eye(&["down"]);
        let _ = std::fs::remove_dir_all(&stage.home);
        std::fs::create_dir_all(stage.home.join("run")).map_err(TaskError::io("making the demo's home"))?;
        Ok(stage)
    }

    fn eye_path(&self) -> String {
        let run = self.home.join("run");
        format!("XDG_RUNTIME_DIR={} {}", run.display(), self.eye.display())
    }

    fn at_home(&self, command: &mut Command) {
        let path = std::env::var("PATH").unwrap_or_default();
        let folder = self.eye.parent().unwrap_or(Path::new(".")).display().to_string();
        command
            .env("PATH", format!("{folder}:{path}"))
            .env("XDG_RUNTIME_DIR", self.home.join("run"))
            .env("XDG_CONFIG_HOME", self.home.join("config"))
            .env("XDG_STATE_HOME", self.home.join("state"))
            .env("EYE_PORT", self.port.to_string())
            .env_remove("EYE_SOCKET")
            .env_remove("EYE_SERVER")
            .env_remove("EYE_PAGE")
            .env_remove("EYE_TOKEN")
            .current_dir(place::root());
    }

    fn eye(&self, args: &[&str]) -> Result<String, TaskError> {
        let mut command = Command::new(&self.eye);
        self.at_home(command.args(args).stdin(Stdio::null()));
        output_of(&mut command)
    }

    fn shell(&self, line: &str) -> Result<String, TaskError> {
        let mut command = Command::new("sh");
        self.at_home(command.args(["-c", line]).stdin(Stdio::null()));
        output_of(&mut command)
    }

    /// The person's browser where there is a screen, else a headless Chromium that ends with the demo.
    fn open(&self, url: &str) -> Result<Option<Headless>, TaskError> {
        let screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
        let opener = match std::env::consts::OS {
            "macos" => Some("open"),
            _ if screen => Some("xdg-open"),
            _ => None,
        };
        if let Some(opener) = opener
            && Command::new(opener)
                .arg(url)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|s| s.success())
        {
            return Ok(None);
        }
        let chromium = browser::find_or_install()?;
        let child = Command::new(chromium)
            .args(HEADLESS)
            .arg(format!("--user-data-dir={}", self.home.join("chromium").display()))
            .arg("--remote-debugging-port=0")
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(TaskError::io("starting Chromium"))?;
        Ok(Some(Headless(child)))
    }

    fn wait_for_page(&self) -> Result<(), TaskError> {
        let deadline = Instant::now() + Duration::from_mins(1);
        while Instant::now() < deadline {
            if self.eye(&["pages"])?.contains("start") {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err(TaskError::Wrong("the page did not join within 60 s".into()))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = self.eye(&["down"]);
    }
}

struct Headless(Child);

impl Drop for Headless {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn output_of(command: &mut Command) -> Result<String, TaskError> {
    let output = command.output().map_err(TaskError::io("running eye"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Ok(text)
}

/// The usual port when it is free, else any.
fn free_port() -> Result<u16, TaskError> {
    let listener = TcpListener::bind(("127.0.0.1", PORT)).or_else(|_| TcpListener::bind(("127.0.0.1", 0)));
    let address = listener.and_then(|listener| listener.local_addr());
    Ok(address.map_err(TaskError::io("looking for a free port"))?.port())
}
