//! `cargo xtask demo`: from a checkout to a running hub with pages; runs the README's commands and prints what to try
//! next.

use crate::run::{TaskError, cargo_command};
use crate::stage::{self, Headless, Stage};
use crate::step::{Step, Times};
use crate::{place, web};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The apps that the hub contains.
const APPS: [&str; 3] = ["scene", "desktop", "geometry"];
const HOME: &str = "demo-home";
/// Cargo's profile of the same name: quick to build, and optimised where the time is spent.
const PROFILE: &str = "demo";

/// Builds everything, unless a binary is given, opens pages, runs the README's commands, and leaves the hub running.
pub fn run(binary: Option<&Path>) -> Result<(), TaskError> {
    let started = Instant::now();
    let mut times = Times::default();
    let bin = match binary {
        Some(binary) => absolute_folder(binary)?,
        None => build(&mut times)?,
    };
    stop();
    let stage = Stage::set(stage::folder(HOME), bin)?;
    println!("\n$ eye up");
    let browser = stage.open_start_page(true)?;
    println!("the page {} has joined after {} s\n", stage.url(), started.elapsed().as_secs());
    stage.readme()?;
    for app in APPS {
        let url = format!("{}apps/{app}/", stage.url());
        stage.open(&browser, &url)?;
        // By the URL, because apps choose their titles themselves.
        stage.wait_for(&format!("/apps/{app}/"))?;
    }
    println!("$ eye pages\n{}", stage.eye(&["pages"])?);
    times.print(started.elapsed());
    leave(&stage, browser)
}

/// Builds everything and returns the folder that contains `eye`.
fn build(times: &mut Times) -> Result<PathBuf, TaskError> {
    times.own("npm packages", "`npm ci`, if package-lock.json changed", web::install)?;
    let build = ["build", "--profile", PROFILE, "--package", "eye", "--bin", "eye"];
    times.together(vec![
        Step::new("web", "the page client's and the apps' build", web::npm_command(&["run", "build"])),
        Step::new("eye", "`cargo build` of the hub and the command line", cargo_command(&build)),
    ])?;
    Ok(stage::folder(PROFILE))
}

/// The folder of an existing program.
fn absolute_folder(binary: &Path) -> Result<PathBuf, TaskError> {
    let path = fs::canonicalize(binary).map_err(TaskError::io(format!("finding {}", binary.display())))?;
    Ok(path.parent().map_or_else(place::root, Path::to_owned))
}

/// Ends the hub of an earlier demo, and its browser if the demo started one.
pub fn stop() {
    let home = stage::folder(HOME);
    let script = home.join("eye");
    if script.is_file() {
        let _ = Command::new(&script).arg("down").stdin(Stdio::null()).output();
    }
    if let Ok(id) = fs::read_to_string(home.join("browser.pid")) {
        // Only if the process is the browser of this home: process ids are reused.
        let command = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&command).contains(&*home.to_string_lossy()) {
            let _ = Command::new("kill").arg(&id).status();
        }
    }
}

/// Runs the README's commands with an existing `eye`, for the tests. Leaves nothing running.
pub fn check(eye: &Path) -> Result<(), TaskError> {
    let bin = eye.parent().map_or_else(place::root, Path::to_owned);
    let stage = Stage::set(stage::folder("readme-home"), bin)?;
    let tried = stage.open_start_page(false).and_then(|_browser| stage.readme());
    let _ = stage.eye(&["down"]);
    tried
}

fn leave(stage: &Stage, browser: Headless) -> Result<(), TaskError> {
    let io = || TaskError::io("leaving the demo");
    let script = stage.home.join("eye");
    let text = format!(
        "#!/bin/sh\n# The demo's eye, with the demo's own home.\n\
         HOME='{home}' XDG_RUNTIME_DIR='{home}/run' EYE_PORT={port} exec '{bin}/eye' \"$@\"\n",
        home = stage.home.display(),
        port = stage.port,
        bin = stage.bin.display(),
    );
    fs::write(&script, text).map_err(io())?;
    stage::executable(&script)?;
    if let Some(id) = browser.leave() {
        fs::write(stage.home.join("browser.pid"), id.to_string()).map_err(io())?;
        println!("There is no screen here, so the pages are in a headless browser.");
    }
    let eye = script.strip_prefix(place::root()).unwrap_or(&script).display().to_string();
    println!(
        "The hub goes on at {url}. Try this next:\n\n  \
         {eye} --page desktop look                               # what a person sees, one line each\n  \
         {eye} --page scene tools                                # what a page offers\n  \
         {eye} --page scene call change_model_color color=teal --delta\n  \
         {eye} --page scene state model.color                    # kept by the hub, no page traffic\n  \
         {eye} skill                                             # all that a coding agent needs\n\n\
         End it with `cargo xtask demo --stop`.",
        url = stage.url(),
    );
    Ok(())
}
