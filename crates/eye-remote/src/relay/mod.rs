//! A relay takes the place of a local hub and passes agents' frames to a remote one. It holds no sessions of its own.

mod events;
mod link;
mod local;
mod news;
mod pool;
mod post;
mod run;
mod screen;
mod shared;
mod status;
mod ws;

pub use link::Transport;
pub use news::RelayNews;
pub use run::{RelayConfig, RelayError, Taken, run};
pub use status::RelayStatus;
