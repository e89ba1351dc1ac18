//! Checks which crate depends on which. Dependencies point one way, and only one crate uses each heavy library.

#[cfg(test)]
mod tests {
    use crate::place;
    use std::collections::{BTreeMap, BTreeSet};
    use std::process::Command;

    /// The crates of ours that each crate of ours may use, outside tests.
    const EDGES: [(&str, &[&str]); 14] = [
        ("eye-platform", &[]),
        ("eye-protocol", &[]),
        ("eye-core", &["eye-protocol"]),
        ("eye-remote", &["eye-platform", "eye-protocol"]),
        ("eye-browser", &["eye-platform", "eye-protocol"]),
        ("eye-cluster", &["eye-core", "eye-protocol"]),
        ("eye-hub", &["eye-core", "eye-platform", "eye-protocol", "eye-remote"]),
        ("eye-mcp", &["eye-platform", "eye-protocol"]),
        ("eye-geometry", &["eye-platform", "eye-protocol"]),
        (
            "eye",
            &[
                "eye-browser",
                "eye-client",
                "eye-cluster",
                "eye-geometry",
                "eye-hub",
                "eye-mcp",
                "eye-platform",
                "eye-protocol",
                "eye-remote",
            ],
        ),
        ("eye-client", &["eye-platform", "eye-protocol"]),
        // The feature that runs the hub inside a test's process needs `eye-hub`.
        ("eye-testkit", &["eye-client", "eye-core", "eye-hub", "eye-protocol"]),
        ("eye-bench", &["eye-client", "eye-protocol", "eye-testkit"]),
        ("xtask", &["eye-protocol"]),
    ];

    /// The crates that may use a restricted library.
    const ONLY: [(&str, &[&str]); 7] = [
        // The benchmark contains a relay that only copies, with the hub's own libraries.
        ("axum", &["eye-bench", "eye-hub"]),
        ("rmcp", &["eye-mcp"]),
        // The benchmark measures the library alone.
        ("async-nats", &["eye-bench", "eye-cluster"]),
        (
            "tokio",
            &[
                "eye-bench",
                "eye-browser",
                "eye-cluster",
                "eye-geometry",
                "eye-hub",
                "eye-mcp",
                "eye-platform",
                "eye-remote",
            ],
        ),
        // Differences between systems belong in eye-platform; the others use Linux-only features.
        ("rustix", &["eye", "eye-bench", "eye-hub", "eye-mcp", "eye-platform"]),
        ("clap", &["eye"]),
        ("rustyline", &["eye"]),
    ];

    fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        let output = Command::new(cargo)
            .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
            .current_dir(place::root())
            .output()
            .expect("cargo runs");
        let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
        let packages = metadata["packages"].as_array().expect("packages");
        let normal = |package: &serde_json::Value| {
            let list = package["dependencies"].as_array().expect("dependencies");
            list.iter()
                .filter(|dependency| dependency["kind"].is_null())
                .map(|dependency| dependency["name"].as_str().expect("a name").to_owned())
                .collect()
        };
        packages.iter().map(|p| (p["name"].as_str().expect("a name").to_owned(), normal(p))).collect()
    }

    #[test]
    fn crates_depend_one_way() {
        let dependencies = dependencies();
        let known: BTreeSet<&str> = EDGES.iter().map(|(name, _)| *name).collect();
        let found: BTreeSet<&str> = dependencies.keys().map(String::as_str).collect();
        assert_eq!(found, known, "a new crate needs its line in EDGES");
        for (name, allowed) in EDGES {
            let ours = dependencies[name].iter().filter(|dependency| known.contains(dependency.as_str()));
            for dependency in ours {
                assert!(allowed.contains(&dependency.as_str()), "{name} must not depend on {dependency}");
            }
        }
    }

    #[test]
    fn heavy_libraries_are_known_to_one_room() {
        for (name, uses) in dependencies() {
            for (library, rooms) in ONLY {
                assert!(!uses.contains(library) || rooms.contains(&name.as_str()), "{name} must not use {library}");
            }
        }
    }

    /// Files that may test for Windows or Unix: eye-platform, and the code that starts browsers.
    const SYSTEMS: [&str; 2] = ["crates/eye-platform/", "crates/eye-browser/src/launch.rs"];

    /// The sources below a folder of the repository that contain one of these words.
    fn sources_with(folder: &str, words: &[&str]) -> Vec<String> {
        let root = place::root();
        let mut folders = vec![root.join(folder)];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.strip_prefix(&root).expect("below the root").to_string_lossy().into_owned();
                if path.extension().is_some_and(|end| end == "rs") && name.contains("/src/") {
                    let text = std::fs::read_to_string(&path).expect("a file");
                    found.extend(words.iter().any(|word| text.contains(word)).then_some(name));
                }
            }
        }
        found
    }

    #[test]
    fn what_differs_between_systems_has_one_room() {
        let mut asking = sources_with("crates", &["cfg(unix)", "cfg(windows)", "cfg(not(unix))", "cfg(not(windows))"]);
        asking.retain(|name| !SYSTEMS.iter().any(|known| name.starts_with(known)));
        assert_eq!(asking, Vec::<String>::new(), "ask eye-platform instead");
    }

    #[test]
    fn the_protocol_does_no_io() {
        let words = ["std::fs", "std::net", "std::env", "std::process", "std::io::stdin", "std::thread"];
        assert_eq!(sources_with("crates/eye-protocol", &words), Vec::<String>::new());
        assert!(!sources_with("crates/eye-hub", &words).is_empty(), "words are found");
    }

    #[test]
    fn the_catalogue_does_no_io() {
        let words = ["std::fs", "std::net", "std::env", "std::process", "std::thread", "tokio"];
        assert_eq!(sources_with("crates/eye-mcp/src/catalogue", &words), Vec::<String>::new());
        assert!(!sources_with("crates/eye-mcp/src/gateway", &words).is_empty(), "words are found");
    }

    /// Separate programs, for tests and benchmarks.
    const PROGRAMS: [&str; 2] = ["crates/eye-bench/", "crates/eye-testkit/"];

    #[test]
    fn one_file_reads_the_environment() {
        let mut reading = sources_with("crates", &["env::var", "env::home_dir", "env::temp_dir", "env::current_dir"]);
        reading.retain(|name| !PROGRAMS.iter().any(|program| name.starts_with(program)));
        assert_eq!(reading, ["crates/eye/src/env.rs"], "take it as a parameter instead");
    }
}
