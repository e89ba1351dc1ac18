//! Checks that every test named in SECURITY.md exists.

use crate::place;
use std::fs;
use std::path::Path;

fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            text.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn every_test_that_security_md_names_exists() {
    let mut code = String::new();
    sources(&place::root().join("crates"), &mut code);
    let page = fs::read_to_string(place::root().join("SECURITY.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ") && line.contains('`')).collect();
    assert!(rows.len() >= 10, "{rows:?}");
    for row in rows {
        let shown_by = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        for name in shown_by.split('`').skip(1).step_by(2) {
            // Browser tests are named by the path of their file.
            let exists = if name.contains('/') {
                place::root().join(name).is_file()
            } else {
                code.contains(&format!("fn {name}("))
            };
            assert!(exists, "SECURITY.md names {name}, which is no test");
        }
    }
}
