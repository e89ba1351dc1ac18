//! Embeds the last build of the demo apps: the hub is rebuilt when they change.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks to Cargo")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../web/apps/dist");
}
