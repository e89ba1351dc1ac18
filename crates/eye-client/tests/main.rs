//! The client against a hub.

mod agent;
mod example;
mod page;
mod stage;
