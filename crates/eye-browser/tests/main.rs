//! Driven browsers, with the test in place of the hub.

mod commands;
mod given_up;
mod hub;
mod pings;
mod stage;
