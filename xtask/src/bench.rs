//! `cargo xtask bench`: builds the release binary and measures it: times first, then what agents pay in characters,
//! tokens and hops.

use crate::run::{TaskError, cargo, command, run as run_command};
use crate::{browser, dist, place, web};
use std::path::Path;

/// Each prints its own tables; `AGENT_BROWSER` names a peer for those that compare with one.
const TABLES: [&str; 5] =
    ["bench/seed-tables.mjs", "bench/tasks.mjs", "bench/look-tokens.mjs", "bench/mcp-tokens.mjs", "bench/panning.mjs"];

/// Builds and measures.
pub fn run(quick: bool) -> Result<(), TaskError> {
    let chromium = browser::find_or_install()?;
    // The release binary carries the desktop, on which the tasks are done.
    web::build()?;
    let eye = dist::build()?;
    cargo(&["build", "--release", "--package", "eye-bench"])?;
    let bench = place::target().join("release/eye-bench");
    let mut measure = command(&bench.to_string_lossy(), &[], &place::root());
    measure.arg(&eye).arg(place::target().join("bench.json")).arg(place::client_asset()).env("EYE_CHROMIUM", &chromium);
    if quick {
        measure.arg("--quick");
    }
    run_command(&mut measure)?;
    gateway()?;
    retrieval()?;
    evolution(quick)?;
    TABLES.iter().try_for_each(|script| print_tables(script, &place::root().join(&eye), chromium.as_ref(), quick))?;
    corpus(&place::root().join(&eye), chromium.as_ref())
}

/// Several hubs over a real nats-server, which the program fetches where it is missing.
pub fn cluster(quick: bool) -> Result<(), TaskError> {
    let eye = place::root().join(dist::build()?);
    cargo(&["build", "--release", "--package", "eye-bench", "--bin", "eye-bench"])?;
    let bench = place::target().join("release/eye-bench");
    let mut measure = command(&bench.to_string_lossy(), &["--cluster"], &place::root());
    measure.arg(&eye).arg(place::target().join("bench-cluster.json"));
    if quick {
        measure.arg("--quick");
    }
    run_command(&mut measure)
}

/// What one round trip costs the release binary. Every word goes to the program that counts.
pub fn counts(words: &[&str]) -> Result<(), TaskError> {
    let eye = place::root().join(dist::build()?);
    // The relay that it is compared with is part of the program, and as optimised as the hub.
    cargo(&["build", "--release", "--package", "eye-bench", "--bin", "eye-counts"])?;
    let mut count = command(&place::target().join("release/eye-counts").to_string_lossy(), &[], &place::root());
    run_command(count.arg(eye).args(words))
}

/// Tasks in real applications, with eye and with the peer that the corpus pins.
fn corpus(eye: &Path, chromium: &Path) -> Result<(), TaskError> {
    let mut node = command("node", &["apps/run.mjs", "--bench"], &place::root().join("web/e2e"));
    run_command(node.env("EYE_BIN", eye).env("EYE_CHROMIUM", chromium))
}

/// Discovery among many tools, and what the gateway adds to a call of a server.
fn gateway() -> Result<(), TaskError> {
    cargo(&["build", "--release", "--package", "eye-mcp", "--example", "bench", "--bin", "eye-mcp-fault-server"])?;
    let release = place::target().join("release");
    let mut measure = command(&release.join("examples/bench").to_string_lossy(), &[], &place::root());
    run_command(measure.arg(release.join("eye-mcp-fault-server")))
}

/// How often discovery finds the right tool among those of real servers, which are installed on demand.
fn retrieval() -> Result<(), TaskError> {
    cargo(&["build", "--release", "--package", "eye-mcp", "--example", "retrieval"])?;
    let target = place::target();
    let mut record = command("node", &["bench/record-tools.mjs"], &place::root().join("web/e2e"));
    run_command(record.arg(&target))?;
    let mut measure = command(&target.join("release/examples/retrieval").to_string_lossy(), &[], &place::root());
    measure.arg(target.join("retrieval/tools.json"));
    run_command(measure.args(["development", "held-back"].map(|half| format!("crates/eye-mcp/bench/{half}.tsv"))))
}

/// Shaders bred per second, the fitness reached against random search, and Hilbert conversions.
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
