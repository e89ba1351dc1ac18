//! Checks that every test named in docs/seeds.md and docs/compare.md exists.

use crate::place;
use std::fs;
use std::path::{Path, PathBuf};

/// Files below a folder with this ending, except in build and install folders.
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

/// Counts the rows of a document's tables that name tests in their last column, and checks that each test exists.
fn rows_with_tests(document: &str) -> usize {
    let (mut rust, mut web) = (Vec::new(), Vec::new());
    files(&place::root().join("crates"), ".rs", &mut rust);
    files(&place::root().join("web"), ".test.ts", &mut web);
    let rust: String = rust.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let page = fs::read_to_string(place::root().join(document)).unwrap();
    let mut rows = 0;
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let shown_by = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let names: Vec<&str> = shown_by.split('`').skip(1).step_by(2).collect();
        rows += usize::from(!names.is_empty());
        for name in names {
            match name.split_once(": ") {
                Some((file, title)) => {
                    let path = web.iter().find(|path| path.ends_with(file));
                    let path = path.unwrap_or_else(|| panic!("{document} names {file}, which is not there"));
                    let text = fs::read_to_string(path).unwrap();
                    let there = ["\"", "`"].iter().any(|quote| text.contains(&format!("test({quote}{title}")));
                    assert!(there, "{document} names the test {title:?} of {file}, which is not there");
                }
                None => assert!(rust.contains(&format!("fn {name}(")), "{document} names {name}, which is no test"),
            }
        }
    }
    rows
}

#[test]
fn every_test_that_the_table_of_seeds_names_exists() {
    assert!(rows_with_tests("docs/seeds.md") >= 40);
    let page = fs::read_to_string(place::root().join("docs/seeds.md")).unwrap();
    assert_eq!(rows_without_a_test(&page), 0, "every row names its tests");
}

#[test]
fn everything_that_the_comparison_says_eye_has_names_a_test() {
    let page = fs::read_to_string(place::root().join("docs/compare.md")).unwrap();
    let has = page.lines().filter(|line| line.contains(" | has | ")).count();
    assert!(has >= 20 && rows_with_tests("docs/compare.md") == has, "{has}");
}

/// Counts the rows of the tables whose last column names no test.
fn rows_without_a_test(page: &str) -> usize {
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| promise"));
    rows.filter(|row| !row.trim_end_matches(" |").rsplit(" | ").next().unwrap_or_default().contains('`')).count()
}
