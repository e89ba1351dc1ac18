//! Driven browsers, with a test in the place of the hub.

mod commands;
mod given_up;
mod hub;
mod pings;
mod stage;
