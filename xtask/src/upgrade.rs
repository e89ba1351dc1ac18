//! Tests a real upgrade: a hub of this version runs with a page; a command of a newer version takes over; the page and
//! its session stay.

use crate::place;
use crate::run::{TaskError, cargo_command, run};
use crate::stage::{self, Stage};
use std::fs;
use std::path::{Path, PathBuf};

/// The version of the newer build.
const NEWER: &str = "9.9.9";
/// Cargo passes the version to the compiler in a variable; the wrapper changes it. The sources are the same.
const WRAPPER: &str = "#!/bin/sh\nCARGO_PKG_VERSION=9.9.9 exec \"$@\"\n";

/// Builds the newer program and upgrades. `eye` is the program of this version.
pub fn check(eye: &Path) -> Result<(), TaskError> {
    let folder = stage::folder("upgrade");
    let (old, new) = (folder.join("old"), folder.join("new"));
    copy(eye, &old)?;
    let wrapper = folder.join("rustc-newer");
    fs::write(&wrapper, WRAPPER).map_err(TaskError::io("writing the compiler's wrapper"))?;
    stage::executable(&wrapper)?;
    let build = ["build", "--package", "eye", "--bin", "eye"];
    stage::keeping_eye(|| {
        run(cargo_command(&build).env("RUSTC_WORKSPACE_WRAPPER", &wrapper))?;
        copy(&place::target().join("debug/eye"), &new)
    })?;
    upgrade(old, new)
}

fn upgrade(old: PathBuf, new: PathBuf) -> Result<(), TaskError> {
    let mut stage = Stage::set(stage::folder("upgrade/home"), old)?;
    let browser = stage.open_start_page(false)?;
    let before = sessions(&stage)?;
    expect(&stage, &["call", "count", "by=5"], "5\n")?;
    stage.bin = new;
    expect(&stage, &["version"], &format!("eye {NEWER}\n"))?;
    let done = taken_over(&stage, &before);
    let _ = stage.eye(&["down"]);
    drop(browser);
    done
}

/// The first command of the new program: the old hub retires, and the page comes back with its session and state.
fn taken_over(stage: &Stage, before: &str) -> Result<(), TaskError> {
    expect(stage, &["document.title"], "eye\n")?;
    expect(stage, &["call", "count", "by=1"], "6\n")?;
    let after = sessions(stage)?;
    if after != before {
        return Err(TaskError::Wrong(format!("the sessions were {before}, and are {after} after the upgrade")));
    }
    let status = stage.eye(&["status", "--json"])?;
    if !status.contains(NEWER) {
        return Err(TaskError::Wrong(format!("the hub is not the new one: {status}")));
    }
    println!("upgrade: a hub of {NEWER} took over; the session {after} stayed");
    Ok(())
}

fn sessions(stage: &Stage) -> Result<String, TaskError> {
    let text = stage.eye(&["pages", "--json"])?;
    let wrong = || TaskError::Wrong(format!("eye pages --json says {text}"));
    let pages: serde_json::Value = serde_json::from_str(&text).map_err(|_| wrong())?;
    let ids = pages.as_array().ok_or_else(wrong)?.iter().filter_map(|page| page["id"].as_str());
    let ids: Vec<&str> = ids.collect();
    if ids.is_empty() { Err(wrong()) } else { Ok(ids.join(" ")) }
}

fn expect(stage: &Stage, args: &[&str], want: &str) -> Result<(), TaskError> {
    let output = stage.eye(args)?;
    if output == want {
        return Ok(());
    }
    Err(TaskError::Wrong(format!("`eye {}` printed {output:?}, not {want:?}", args.join(" "))))
}

fn copy(eye: &Path, folder: &Path) -> Result<(), TaskError> {
    fs::create_dir_all(folder).map_err(TaskError::io("making a folder for a version"))?;
    fs::copy(eye, folder.join("eye")).map_err(TaskError::io("copying a version")).map(drop)
}
