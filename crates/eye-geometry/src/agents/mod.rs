//! Area agents, which monitor, run programs, breed and analyze in a region of a page's map. A function of time and
//! event: no socket, lock, await or clock. The shell in `wire` carries out the effects.

mod agent;
mod event;
mod messages;
mod plan;
mod record;
mod roster;
#[cfg(test)]
mod script;
mod work;

pub use event::{Effect, Event, Presence, Task};
pub use plan::{Executing, Plan, Region};
pub use roster::Roster;
pub use work::{AgentId, Failed, Millis, Sight, Socket, Status, Work};
