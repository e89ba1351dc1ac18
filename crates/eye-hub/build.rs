//! The demo apps are carried as they were built last: a hub is made anew when they are.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks to Cargo")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../web/apps/dist");
}
