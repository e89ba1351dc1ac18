//! Area agents: what watches, runs, breeds and measures in a region of a page's map. A function of time and event: no
//! socket, lock, await or clock; the shell in `wire` does what follows.

mod agent;
mod event;
mod plan;
mod record;
mod roster;
#[cfg(test)]
mod script;
mod told;
mod work;

pub use event::{Effect, Event, Presence, Task};
pub use plan::{Executing, Plan, Region};
pub use roster::Roster;
pub use work::{AgentId, Failed, Millis, Sight, Socket, Status, Work};
