//! The gateway against real servers and faulty ones.
#![allow(clippy::unwrap_used, reason = "this is test code, also outside of its tests")]

mod approval;
mod docs;
mod faults;
mod http;
mod late;
mod patience;
mod real;
mod stage;
mod upstreams;
