//! The property tests with many more cases than in a usual run. They are the programs that "lint and build" has made,
//! because a build of three packages alone would compile their libraries once more, with other features.

use crate::place;
use crate::run::{TaskError, command, linting_cargo};
use crate::step::Step;
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;

/// The packages whose properties run with many cases.
const PACKAGES: [&str; 3] = ["eye-core", "eye-geometry", "eye-protocol"];
/// The usual run has 256 cases for each property, unless the test sets another number.
const CASES: &str = "5000";

/// A step for each test program. Most of them end with one long property, so they run beside each other.
pub fn steps() -> Result<Vec<Step>, TaskError> {
    let mut list = linting_cargo(&["test", "--workspace", "--all-targets", "--no-run", "--message-format", "json"]);
    let listed = list.stderr(Stdio::inherit()).output().map_err(TaskError::io("asking cargo for the test programs"))?;
    if !listed.status.success() {
        return Err(TaskError::Failed("cargo test --no-run".into()));
    }
    let programs: Vec<Program> = String::from_utf8_lossy(&listed.stdout).lines().filter_map(Program::read).collect();
    let packages = || programs.iter().map(|program| program.package.as_str());
    if let Some(missing) = PACKAGES.iter().find(|wanted| !packages().any(|package| package == **wanted)) {
        return Err(TaskError::Wrong(format!("cargo names no test program of {missing}")));
    }
    Ok(programs.iter().map(Program::step).collect())
}

#[derive(Debug, PartialEq, Eq)]
struct Program {
    package: String,
    /// The name of the library, or of the file of tests.
    target: String,
    executable: String,
}

impl Program {
    /// Reads one of cargo's messages. `None` if it is not about a test program of these packages.
    fn read(line: &str) -> Option<Self> {
        let message: Value = serde_json::from_str(line).ok()?;
        let kind = message["target"]["kind"][0].as_str()?;
        if message["profile"]["test"] != true || !matches!(kind, "lib" | "test") {
            return None;
        }
        let manifest = Path::new(message["manifest_path"].as_str()?);
        let package = manifest.parent()?.file_name()?.to_str()?;
        PACKAGES.contains(&package).then_some(())?;
        let target = message["target"]["name"].as_str()?.to_owned();
        Some(Self { package: package.to_owned(), target, executable: message["executable"].as_str()?.to_owned() })
    }

    fn step(&self) -> Step {
        let mut tests = command(&self.executable, &[], &place::root().join("crates").join(&self.package));
        tests.env("PROPTEST_CASES", CASES);
        let name = format!("properties {} {}", self.package, self.target);
        Step::new(name, "property tests with many cases", tests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_test_programs_of_these_packages_are_run() {
        let line = |kind: &str, package: &str, test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/x/crates/{package}/Cargo.toml",
                "target":{{"kind":["{kind}"],"name":"all"}},"profile":{{"test":{test}}},"executable":"/t/all-1"}}"#
            )
        };
        let read = Program::read(&line("test", "eye-core", true)).map(|program| (program.package, program.executable));
        assert_eq!(read, Some(("eye-core".into(), "/t/all-1".into())));
        for other in [line("test", "eye-hub", true), line("test", "eye-core", false), line("bench", "eye-core", true)] {
            assert_eq!(Program::read(&other), None);
        }
        assert_eq!(Program::read("Compiling"), None);
    }
}
