//! The software bill of materials: the libraries in the binary, as `CycloneDX` 1.6, from Cargo's own resolution.

use crate::place;
use crate::run::TaskError;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Component {
    pub name: String,
    pub version: String,
    /// An SPDX expression.
    pub licence: String,
    /// Its dependencies, as package URLs.
    pub needs: Vec<String>,
}

impl Component {
    fn purl(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }
}

/// All dependencies of `eye` on a target, without those only for builds or tests.
pub fn components(triple: &str) -> Result<Vec<Component>, TaskError> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut metadata = Command::new(cargo);
    metadata.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", triple]);
    let output = metadata.current_dir(place::root()).output().map_err(TaskError::io("running cargo metadata"))?;
    if !output.status.success() {
        return Err(TaskError::Wrong(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let wrong = |error| TaskError::Wrong(format!("cargo metadata: {error}"));
    Ok(reached(&serde_json::from_slice(&output.stdout).map_err(wrong)?))
}

fn reached(metadata: &Value) -> Vec<Component> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages = list(&metadata["packages"]);
    let packages: BTreeMap<String, &Value> = packages.iter().map(|package| (text(&package["id"]), package)).collect();
    let nodes = list(&metadata["resolve"]["nodes"]);
    let needs: BTreeMap<String, Vec<String>> = nodes
        .iter()
        .map(|node| {
            // A dependency of kind `null` is a normal one; the others are for builds or tests.
            let normal = |dep: &Value| list(&dep["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
            let ids = list(&node["deps"]).iter().filter(|dep| normal(dep)).map(|dep| text(&dep["pkg"])).collect();
            (text(&node["id"]), ids)
        })
        .collect();
    let Some(root) = packages.iter().find(|(_, package)| package["name"] == "eye").map(|(id, _)| id.clone()) else {
        return Vec::new();
    };
    let mut seen = BTreeSet::from([root.clone()]);
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        let new = needs.get(&id).into_iter().flatten().filter(|need| seen.insert((*need).clone()));
        open.extend(new.cloned().collect::<Vec<_>>());
    }
    let purl =
        |id: &String| packages.get(id).map(|p| format!("pkg:cargo/{}@{}", text(&p["name"]), text(&p["version"])));
    let mut components: Vec<Component> = seen
        .iter()
        .filter_map(|id| packages.get(id).map(|package| (id, package)))
        .map(|(id, package)| Component {
            name: text(&package["name"]),
            version: text(&package["version"]),
            licence: spdx(package["license"].as_str().unwrap_or("LicenseRef-unknown")),
            needs: needs.get(id).into_iter().flatten().filter_map(purl).collect(),
        })
        .collect();
    components.sort();
    components
}

/// Older crates write `MIT/Apache-2.0` for the SPDX expression `MIT OR Apache-2.0`.
fn spdx(licence: &str) -> String {
    licence.split('/').map(str::trim).collect::<Vec<_>>().join(" OR ")
}

/// The document as JSON.
pub fn cyclonedx(components: &[Component], version: &str, epoch_s: u64) -> String {
    let time = rfc3339(epoch_s);
    let library = |component: &Component| {
        json!({
            "type": "library",
            "bom-ref": component.purl(),
            "name": component.name,
            "version": component.version,
            "purl": component.purl(),
            "licenses": [{ "expression": component.licence }],
        })
    };
    let needs = |component: &Component| json!({ "ref": component.purl(), "dependsOn": component.needs });
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": time,
            "component": { "type": "application", "bom-ref": "eye", "name": "eye", "version": version },
        },
        "components": components.iter().map(library).collect::<Vec<_>>(),
        "dependencies": components.iter().map(needs).collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}

fn rfc3339(epoch_s: u64) -> String {
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(epoch_s);
    humantime::format_rfc3339_seconds(time).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_builds_or_tests_need_is_not_in_the_bill() {
        let dep = |pkg: &str, kind: Value| json!({ "pkg": pkg, "dep_kinds": [{ "kind": kind }] });
        let package = |id: &str, name: &str| json!({ "id": id, "name": name, "version": "1.0.0", "license": "MIT" });
        let metadata = json!({
            "packages": [package("e", "eye"), package("a", "a"), package("b", "b"), package("c", "c")],
            "resolve": { "nodes": [
                { "id": "e", "deps": [dep("a", Value::Null), dep("b", json!("build"))] },
                { "id": "a", "deps": [dep("c", Value::Null)] },
                { "id": "b", "deps": [] }, { "id": "c", "deps": [] },
            ] },
        });
        let names: Vec<String> = reached(&metadata).into_iter().map(|component| component.name).collect();
        assert_eq!(names, ["a", "c", "eye"]);
    }

    #[test]
    fn the_bill_names_what_the_binary_really_has() {
        let components = components("x86_64-unknown-linux-gnu").unwrap();
        let has = |name: &str| components.iter().any(|component| component.name == name);
        assert!(has("tokio") && has("eye-hub") && has("rustls"));
        assert!(!has("insta") && !has("proptest") && !has("windows-sys"));
        assert!(components.iter().all(|component| !component.licence.contains('/')));
        assert!(components.iter().all(|component| component.licence != "LicenseRef-unknown"));
    }
}
