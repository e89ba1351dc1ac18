//! What one call costs each of two hubs when its page is at the other, beside a call within one hub. Heartbeats and
//! what else the hubs do by the clock while they are asked are part of it.

use crate::cost::Cost;
use crate::subject::{Kind, Load};
use std::fs;
use std::path::Path;

/// Counts and prints it. What callgrind wrote stays in folders of this one.
pub fn print(eye: &Path, load: Load, folder: &Path) {
    let kinds = [
        ("within one hub", Kind::Hub(eye)),
        ("the agent's hub", Kind::Asking(eye)),
        ("the page's hub", Kind::Asked(eye)),
    ];
    println!("| one call | instructions | system calls | of these |\n|---|--:|--:|---|");
    for (at, (name, kind)) in kinds.iter().enumerate() {
        let folder = folder.join(["within", "asking", "asked"][at]);
        fs::create_dir_all(&folder).expect("a folder");
        let Cost { instructions, system_calls } = Cost::kept(kind, load, &folder);
        let all: f64 = system_calls.values().sum();
        let each: Vec<String> = system_calls.iter().map(|(call, count)| format!("{call} {count:.2}")).collect();
        println!("| {name} | {instructions:.0} | {all:.1} | {} |", each.join(", "));
    }
}
