//! `cargo xtask bench`: builds the release binary and measures it: first times, then the cost for agents in characters,
//! tokens and hops.

use crate::run::{TaskError, cargo, command, run as run_command};
use crate::{browser, dist, history, place, web};
use std::path::Path;

/// Scripts that print their own tables; `AGENT_BROWSER` names a peer for those that compare with one.
const TABLES: [&str; 5] =
    ["bench/seed-tables.mjs", "bench/tasks.mjs", "bench/look-tokens.mjs", "bench/mcp-tokens.mjs", "bench/panning.mjs"];

pub fn run(words: &[&str]) -> Result<(), TaskError> {
    let (mut quick, mut kept, mut against, mut only) = (false, false, None, None);
    let mut rest = words;
    loop {
        rest = match rest {
            [] => break,
            ["--quick", after @ ..] => {
                quick = true;
                after
            }
            ["--keep", after @ ..] => {
                kept = true;
                after
            }
            ["--against", file, after @ ..] => {
                against = Some(*file);
                after
            }
            ["--only", part, after @ ..] => {
                only = Some(*part);
                after
            }
            _ => return Err(TaskError::Usage("bench takes --quick, --keep, --only PART and --against FILE")),
        };
    }
    let chromium = browser::find_or_install()?;
    // The release binary contains the desktop app, on which the tasks are done.
    web::build()?;
    let eye = dist::build()?;
    cargo(&["build", "--release", "--package", "eye-bench"])?;
    let bench = place::target().join("release/eye-bench");
    let mut measure = command(&bench.to_string_lossy(), &[], &place::root());
    let run = place::target().join("bench.json");
    measure.arg(&eye).arg(&run).arg(place::client_asset()).args(["--commit", &commit()]);
    measure.env("EYE_CHROMIUM", &chromium);
    if quick {
        measure.arg("--quick");
    }
    if let Some(file) = against {
        measure.args(["--against", file]);
    }
    if let Some(part) = only {
        return run_command(measure.args(["--only", part]));
    }
    run_command(&mut measure)?;
    if kept {
        println!("kept as {}", history::keep(&run)?.display());
    }
    gateway()?;
    retrieval()?;
    evolution(quick)?;
    TABLES.iter().try_for_each(|script| print_tables(script, &place::root().join(&eye), chromium.as_ref(), quick))?;
    corpus(&place::root().join(&eye), chromium.as_ref())
}

/// Measures several hubs over a real nats-server, which the program downloads if it is missing.
pub fn cluster(words: &[&str]) -> Result<(), TaskError> {
    let eye = place::root().join(dist::build()?);
    cargo(&["build", "--release", "--package", "eye-bench", "--bin", "eye-bench"])?;
    let bench = place::target().join("release/eye-bench");
    let mut measure = command(&bench.to_string_lossy(), &["--cluster"], &place::root());
    run_command(measure.arg(&eye).arg(place::target().join("bench-cluster.json")).args(words))
}

fn commit() -> String {
    let output = command("git", &["describe", "--always", "--dirty"], &place::root()).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

/// Measures the cost of one round trip with the release binary. All words go to the counting program.
pub fn counts(words: &[&str]) -> Result<(), TaskError> {
    let eye = place::root().join(dist::build()?);
    // That program contains the relay for comparison, and must be as optimised as the hub.
    cargo(&["build", "--release", "--package", "eye-bench", "--bin", "eye-counts"])?;
    let mut count = command(&place::target().join("release/eye-counts").to_string_lossy(), &[], &place::root());
    run_command(count.arg(eye).args(["--watched".as_ref(), watched()?.as_os_str()]).args(words))
}

/// A hub with the system's allocator, whose allocations valgrind sees. The number of allocations does not depend on the
/// optimisation.
fn watched() -> Result<std::path::PathBuf, TaskError> {
    let folder = place::target().join("watched");
    let folder_text = folder.to_string_lossy();
    let mut words = vec!["build", "--profile", "watched", "--package", "eye", "--no-default-features"];
    words.extend(["--features", "browser,cluster,guests", "--target-dir", &folder_text]);
    cargo(&words)?;
    Ok(folder.join("watched/eye"))
}

/// Tasks in real applications, with eye and with the peer that the corpus pins.
fn corpus(eye: &Path, chromium: &Path) -> Result<(), TaskError> {
    let mut node = command("node", &["apps/run.mjs", "--bench"], &place::root().join("web/e2e"));
    run_command(node.env("EYE_BIN", eye).env("EYE_CHROMIUM", chromium))
}

/// Measures discovery among many tools, and the gateway's overhead on a call to a server.
fn gateway() -> Result<(), TaskError> {
    cargo(&["build", "--release", "--package", "eye-mcp", "--example", "bench", "--bin", "eye-mcp-fault-server"])?;
    let release = place::target().join("release");
    let mut measure = command(&release.join("examples/bench").to_string_lossy(), &[], &place::root());
    run_command(measure.arg(release.join("eye-mcp-fault-server")))
}

/// Measures how often discovery finds the right tool among those of real servers, which are installed on demand.
fn retrieval() -> Result<(), TaskError> {
    cargo(&["build", "--release", "--package", "eye-mcp", "--example", "retrieval"])?;
    let target = place::target();
    let mut record = command("node", &["bench/record-tools.mjs"], &place::root().join("web/e2e"));
    run_command(record.arg(&target))?;
    let mut measure = command(&target.join("release/examples/retrieval").to_string_lossy(), &[], &place::root());
    measure.arg(target.join("retrieval/tools.json"));
    run_command(measure.args(["development", "held-back"].map(|half| format!("crates/eye-mcp/bench/{half}.tsv"))))
}

/// Measures shaders bred per second, the fitness reached compared with random search, and Hilbert conversions.
fn evolution(quick: bool) -> Result<(), TaskError> {
    cargo(&["build", "--release", "--package", "eye-geometry", "--example", "evolution-bench"])?;
    let example = place::target().join("release/examples/evolution-bench");
    let mut measure = command(&example.to_string_lossy(), &[], &place::root());
    if quick {
        measure.arg("--quick");
    }
    run_command(&mut measure)
}

fn print_tables(script: &str, eye: &Path, chromium: &Path, quick: bool) -> Result<(), TaskError> {
    let mut node = command("node", &[script], &place::root().join("web/e2e"));
    node.env("EYE_BIN", eye).env("EYE_CHROMIUM", chromium);
    if quick {
        node.arg("--quick");
    }
    run_command(&mut node)
}
