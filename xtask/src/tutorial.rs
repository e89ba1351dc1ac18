//! Follows `docs/adding-a-verb.md`: wholly, in a copy of the tree (`cargo xtask tutorial`), and partly in its own test.

use crate::run::{self, TaskError};
use crate::{place, stage};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const DOC: &str = "docs/adding-a-verb.md";

/// A snippet of the tutorial and where it goes.
struct Step {
    path: String,
    anchor: String,
    code: String,
}

/// Copies the tree, applies the tutorial's steps, generates, and runs the parity tests and one call of the new verb.
pub fn run() -> Result<(), TaskError> {
    stage::keeping_eye(followed)
}

fn followed() -> Result<(), TaskError> {
    let root = place::root();
    let tree = root.join("target/tutorial/tree");
    if tree.exists() {
        fs::remove_dir_all(&tree).map_err(TaskError::io("removing the last copy"))?;
    }
    for path in tracked(&root)? {
        let to = tree.join(&path);
        let folder = to.parent().unwrap_or(&tree);
        fs::create_dir_all(folder).map_err(TaskError::io(format!("making {}", folder.display())))?;
        fs::copy(root.join(&path), &to).map_err(TaskError::io(format!("copying {}", path.display())))?;
    }
    let modules = root.join("web/node_modules");
    std::os::unix::fs::symlink(modules, tree.join("web/node_modules"))
        .map_err(TaskError::io("linking node_modules"))?;
    for step in steps(&read(&root.join(DOC))?)? {
        let path = tree.join(&step.path);
        let text = applied(&step, &read(&path)?)?;
        fs::write(&path, text).map_err(TaskError::io(format!("writing {}", step.path)))?;
    }
    // Cargo keeps apart what different wrappers compile: only what comes from the registry is used again here, and no
    // crate of the copy is ever taken for one of the tree.
    let wrapper = root.join("target/tutorial/rustc");
    fs::write(&wrapper, "#!/bin/sh\nexec \"$@\"\n").map_err(TaskError::io("writing the compiler's wrapper"))?;
    stage::executable(&wrapper)?;
    let cargo = |args: &[&str]| {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        let mut command = run::command(&cargo, args, &tree);
        run::run(command.env("CARGO_TARGET_DIR", place::target()).env("RUSTC_WORKSPACE_WRAPPER", &wrapper))
    };
    cargo(&["xtask", "gen"])?;
    cargo(&["test", "-p", "eye-protocol", "--lib", "operations"])?;
    cargo(&["test", "-p", "eye-mcp", "--lib", "face::verbs"])?;
    cargo(&["test", "-p", "eye", "--bin", "eye", "parity"])?;
    cargo(&["test", "-p", "eye", "--test", "all", "every_verb_says_to_the_page_what_the_command_line_says"])
}

pub fn tracked(root: &Path) -> Result<Vec<PathBuf>, TaskError> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output();
    let listed = listed.map_err(TaskError::io("listing the tracked files"))?;
    let names = String::from_utf8_lossy(&listed.stdout).into_owned();
    Ok(names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect())
}

fn read(path: &Path) -> Result<String, TaskError> {
    fs::read_to_string(path).map_err(TaskError::io(format!("reading {}", path.display())))
}

/// Each "In `PATH`, before the line that begins with `ANCHOR`:" with the code block below it.
fn steps(text: &str) -> Result<Vec<Step>, TaskError> {
    let wrong = || TaskError::Wrong(format!("a step of {DOC} has no place or no block"));
    let step = |part: &str| {
        let (path, rest) = part.split_once("`, before the line that begins with `")?;
        let (anchor, rest) = rest.split_once("`:\n\n```")?;
        let (code, _) = rest.split_once('\n')?.1.split_once("```")?;
        Some(Step { path: path.into(), anchor: anchor.into(), code: code.into() })
    };
    text.split("In `").skip(1).map(|part| step(part).ok_or_else(wrong)).collect()
}

fn applied(step: &Step, text: &str) -> Result<String, TaskError> {
    let line = text.lines().find(|line| line.trim_start().starts_with(&step.anchor));
    let wrong = || TaskError::Wrong(format!("{} has no line that begins with {}", step.path, step.anchor));
    let line = line.ok_or_else(wrong)?;
    Ok(text.replacen(line, &format!("{}{line}", step.code), 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use eye_protocol::operations;

    /// Uses the table with the new entry as each front end does.
    const FACES: &str = r#"#![allow(dead_code, unused_imports)]
mod operations;
fn main() {
    let count = operations::command_named("count").expect("the command line has it");
    assert!(count.in_page() && operations::class_of("page/count") == operations::Class::Read);
    println!("{}", operations::mcp_tool(count));
    println!("{}", operations::typescript());
    println!("{}", operations::with_tables("<!-- operations: verbs -->\n<!-- end -->\n"));
}
"#;

    fn compiled(folder: &Path, args: &[&str]) -> String {
        let program = folder.join("program");
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition", "2024", "main.rs", "-o", "program"]).args(args).current_dir(folder);
        let ran = rustc.output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let ran = Command::new(program).output().unwrap();
        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success(), "{text}{}", String::from_utf8_lossy(&ran.stderr));
        text
    }

    #[test]
    fn the_tutorial_can_be_followed() {
        let root = place::root();
        let steps = steps(&read(&root.join(DOC)).unwrap()).unwrap();
        assert_eq!(steps.len(), 3, "one entry, one function, one test");
        let copy = tempfile::tempdir().unwrap();
        let folder = copy.path().join("operations");
        fs::create_dir(&folder).unwrap();
        let table = "crates/eye-protocol/src/operations/";
        for file in fs::read_dir(root.join(table)).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), folder.join(file.file_name())).unwrap();
        }
        for step in &steps {
            let text = applied(step, &read(&root.join(&step.path)).unwrap()).unwrap();
            if let Some(name) = step.path.strip_prefix(table) {
                fs::write(folder.join(name), text).unwrap();
            }
        }
        fs::write(copy.path().join("main.rs"), FACES).unwrap();
        compiled(copy.path(), &["--test"]);
        let shown = compiled(copy.path(), &[]);
        for part in [
            r#"{"name":"count","description":"Count the elements that match a target.","inputSchema":{"type":"object","#,
            "count(target: Target, options?: Within): Promise<number>;",
            "  count: [\"target\"],",
            "| `page/count {target}` | read | Count the elements that match a target: a number |",
        ] {
            assert!(shown.contains(part), "{part} is missing in\n{shown}");
        }
    }

    #[test]
    fn the_generated_files_are_those_of_the_table() {
        let generated = read(&place::root().join("web/client/src/generated/operations.ts")).unwrap();
        assert!(generated == operations::typescript(), "run `cargo xtask gen`");
        let wire = read(&place::root().join("docs/wire.md")).unwrap();
        assert!(wire == operations::with_tables(&wire), "run `cargo xtask gen`");
        assert_eq!(wire.matches("<!-- operations: ").count(), 3);
    }
}
