//! Sizes of the page client as a browser downloads it, and of the binary.

use crate::error::{BenchError, Doing};
use crate::report::Report;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

pub fn measure(report: &mut Report, eye: &Path, client: &Path) -> Result<(), BenchError> {
    let group = "sizes";
    let client = std::fs::read(client).doing("reading eye.js")?;
    report.figure(group, "eye.js, minified", client.len() as f64 / 1024.0, "KiB");
    report.figure(group, "eye.js, minified and gzipped", gzipped(&client)? / 1024.0, "KiB").budget(16.0);
    let binary = std::fs::metadata(eye).doing("looking at the binary")?.len();
    report.figure(group, "binary, release, stripped", binary as f64 / f64::from(1 << 20), "MiB").budget(30.0);
    Ok(())
}

fn gzipped(bytes: &[u8]) -> Result<f64, BenchError> {
    let mut gzip = Command::new("gzip")
        .args(["-9", "-c"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .doing("running gzip")?;
    let mut stdin = gzip.stdin.take().ok_or_else(|| BenchError::Odd("gzip has no stdin".into()))?;
    stdin.write_all(bytes).doing("running gzip")?;
    drop(stdin);
    Ok(gzip.wait_with_output().doing("running gzip")?.stdout.len() as f64)
}
