//! Finds modules of a crate that import each other in a circle. Every path in code counts: `use`, re-exports,
//! `super::`, calls, types, and paths inside macros. Test code does not count, and neither does a bare `mod name;`.

#[cfg(test)]
mod graph;

#[cfg(test)]
mod tests {
    use super::graph::Graph;
    use crate::place;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// Names and folders of all our crates.
    fn crates() -> Vec<(String, PathBuf)> {
        let root = place::root();
        let mut found = vec![("xtask".to_owned(), root.join("xtask"))];
        for room in ["crates", "guests"] {
            let Ok(entries) = fs::read_dir(root.join(room)) else { continue };
            for entry in entries {
                let path = entry.expect("an entry").path();
                if path.join("Cargo.toml").exists() {
                    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                    found.push((name, path));
                }
            }
        }
        found.sort();
        found
    }

    fn roots(folder: &Path) -> Vec<PathBuf> {
        ["src/lib.rs", "src/main.rs"].iter().map(|file| folder.join(file)).filter(|file| file.exists()).collect()
    }

    #[test]
    fn no_modules_import_each_other_in_a_circle() {
        for (name, folder) in crates() {
            for root in roots(&folder) {
                let circles = Graph::read(&root).circles();
                assert!(circles.is_empty(), "{name}: {circles:#?}");
            }
        }
    }

    #[test]
    fn the_rooms_of_the_hub_point_one_way() {
        let root = place::root().join("crates/eye-hub/src/lib.rs");
        let circles = Graph::read(&root).rooms().circles();
        assert!(circles.is_empty(), "{circles:#?}");
    }

    #[test]
    fn the_hub_names_no_guest() {
        let rooms = Graph::read(&place::root().join("crates/eye-hub/src/lib.rs")).rooms();
        assert_eq!(rooms.that_name("guests"), Vec::<String>::new());
        assert!(!rooms.that_name("hub").is_empty(), "names are found");
    }

    #[test]
    fn a_circle_is_found_however_it_is_written() {
        for (a, b, circle) in [
            ("use crate::b::B; pub struct A;", "pub struct B;", false),
            ("use crate::b::B; pub struct A;", "use super::a::A; pub struct B;", true),
            ("pub struct A(crate::b::B);", "pub struct B(Option<Box<crate::a::A>>);", true),
            ("pub use crate::b::B;", "fn f() -> crate::a::B { todo() }", true),
            ("fn f() { format!(\"{}\", crate::b::f()); }", "fn f() { super::a::f() }", true),
            ("use crate::{b, c};", "use crate::a;", true),
            ("use crate::b::*;", "use super::*;", false),
            ("use crate::b::B;", "#[cfg(test)] mod tests { use crate::a::A; }", false),
            ("use crate::b::B;", "#[cfg(test)] use crate::a::A;", false),
            ("use std::b::B;", "use crate::a::A;", false),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            fs::write(folder.path().join("lib.rs"), "mod a; mod b;").expect("a file");
            fs::write(folder.path().join("a.rs"), a).expect("a file");
            fs::write(folder.path().join("b.rs"), b).expect("a file");
            let circles = Graph::read(&folder.path().join("lib.rs")).circles();
            assert_eq!(!circles.is_empty(), circle, "{a} / {b}: {circles:?}");
        }
    }

    #[test]
    fn a_module_and_its_child_can_be_a_circle_too() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("room")).expect("a folder");
        fs::write(folder.path().join("lib.rs"), "mod room;").expect("a file");
        fs::write(folder.path().join("room/mod.rs"), "mod a; pub use a::A; pub struct B;").expect("a file");
        let write = |text| fs::write(folder.path().join("room/a.rs"), text).expect("a file");
        write("pub struct A;");
        assert!(Graph::read(&folder.path().join("lib.rs")).circles().is_empty());
        write("pub struct A(super::B);");
        assert_eq!(Graph::read(&folder.path().join("lib.rs")).circles(), [["room", "room::a"]]);
    }
}
