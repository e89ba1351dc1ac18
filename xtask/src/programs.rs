//! Checks that every integration test file is part of its crate's `tests/main.rs`. One program per crate, because one
//! per file would be linked, and the lints run, over a hundred times; but then Cargo no longer finds the files by
//! itself.

use crate::place;
use crate::tutorial::tracked;
use std::collections::HashMap;
use std::fs;

#[test]
fn every_file_of_tests_is_part_of_its_crates_program() {
    let root = place::root();
    let mut files: HashMap<String, Vec<String>> = HashMap::new();
    for file in tracked(&root).unwrap() {
        let path = file.to_string_lossy().into_owned();
        let Some((folder, name)) = path.strip_suffix(".rs").and_then(|path| path.rsplit_once('/')) else { continue };
        if folder.starts_with("crates/") && folder.ends_with("/tests") && name != "main" {
            files.entry(folder.to_owned()).or_default().push(name.to_owned());
        }
    }
    let (mut programs, mut unused) = (0, Vec::new());
    for (folder, names) in &files {
        // A single file is found by Cargo.
        let Ok(program) = fs::read_to_string(root.join(folder).join("main.rs")) else {
            assert_eq!(names.len(), 1, "{folder} has no main.rs");
            continue;
        };
        programs += 1;
        let is_part = |name: &str| program.lines().any(|line| line == format!("mod {name};"));
        unused.extend(names.iter().filter(|name| !is_part(name)).map(|name| format!("{folder}/{name}.rs")));
    }
    assert!(programs > 5, "{files:?}");
    assert!(unused.is_empty(), "in no program: {unused:?}");
}
