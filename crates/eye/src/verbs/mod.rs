//! The verbs, one file each. A verb asks and hands what it got to `ui`.

pub mod allow;
pub mod r#async;
pub mod batch;
pub mod call;
pub mod collect;
pub mod completions;
pub mod discover;
pub mod down;
pub mod eval;
pub mod fire;
pub mod pages;
pub mod repl;
pub mod rpc;
pub mod servers;
pub mod state;
pub mod status;
pub mod token;
pub mod tools;
pub mod up;
pub mod r#use;
pub mod version;
pub mod watch;
