//! The core by scripts of events: what comes in, what goes out.

mod bounds;
mod choosing;
mod driven;
mod elsewhere;
mod endings;
mod kept;
mod lasting;
mod lasting_mail;
mod many_hubs;
mod moving;
mod navigation;
mod plain;
mod script;
mod seeking;
mod sessions;
mod snapshots;
mod state;
mod tools;
mod topics;
mod verbs;
mod waiting;
mod watching;
mod work;
