//! Holds docs/seeds.md to the tests: every one that it names exists.

use crate::place;
use std::fs;
use std::path::{Path, PathBuf};

/// Files below a folder with this ending, without what is built or installed there.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !["target", "node_modules", "dist", ".test-build"].contains(&name.as_str()) {
            files(&path, ending, found);
        } else if name.ends_with(ending) {
            found.push(path);
        }
    }
}

#[test]
fn every_test_that_the_table_of_seeds_names_exists() {
    let (mut rust, mut web) = (Vec::new(), Vec::new());
    files(&place::root().join("crates"), ".rs", &mut rust);
    files(&place::root().join("web"), ".test.ts", &mut web);
    let rust: String = rust.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let page = fs::read_to_string(place::root().join("docs/seeds.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ") && line.contains('`')).collect();
    assert!(rows.len() >= 40, "{rows:?}");
    for row in rows {
        let shown_by = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        for name in shown_by.split('`').skip(1).step_by(2) {
            match name.split_once(": ") {
                Some((file, title)) => {
                    let path = web.iter().find(|path| path.ends_with(file));
                    let path = path.unwrap_or_else(|| panic!("docs/seeds.md names {file}, which is not there"));
                    let text = fs::read_to_string(path).unwrap();
                    let there = ["\"", "`"].iter().any(|quote| text.contains(&format!("test({quote}{title}")));
                    assert!(there, "docs/seeds.md names the test {title:?} of {file}, which is not there");
                }
                None => assert!(rust.contains(&format!("fn {name}(")), "docs/seeds.md names {name}, which is no test"),
            }
        }
    }
    assert_eq!(rows_without_a_test(&page), 0, "every row names its tests");
}

/// Rows of the tables whose last column names nothing.
fn rows_without_a_test(page: &str) -> usize {
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| promise"));
    rows.filter(|row| !row.trim_end_matches(" |").rsplit(" | ").next().unwrap_or_default().contains('`')).count()
}
