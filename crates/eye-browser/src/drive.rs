//! Makes pages of a driven browser pages of the hub: turns the hub's frames into commands of the browser.

mod browsers;
mod client;
mod device;
mod downloads;
mod events;
mod files;
mod frames;
mod history;
mod input;
mod net;
mod outer;
mod owed;
mod permissions;
mod prepare;
mod recording;
mod rect;
mod script;
mod secrets;
mod shot;
mod sign;
mod site;
mod stored;
mod tab;
mod verbs;

pub use browsers::{Browsers, Settings};
pub use script::file as client_file;
