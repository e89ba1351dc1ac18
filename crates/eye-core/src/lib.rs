//! What sessions do: routing, correlation, endings. A function of time and event, with no socket, lock, await or clock.
//!
//! [`Switchboard::on`] takes what happened and says what follows. It finds the session a call is for and hands it to
//! [`Session::on`]; other modules choose the page and write the bytes.

pub mod agent;
mod agents;
mod asking;
mod budget;
pub mod calls;
mod candidate;
mod candidates;
pub mod document;
pub mod effect;
pub mod elsewhere;
pub mod event;
mod expecting;
mod following;
mod joining;
pub mod kept;
mod known;
mod lanes;
pub mod mailbox;
mod names;
mod naming;
mod newcomer;
pub mod order;
pub mod pace;
mod passing;
mod patience;
pub mod policy;
mod publishing;
pub mod rate;
mod refusal;
mod remembering;
mod row;
pub mod schema;
pub mod select;
pub mod session;
mod session_event;
pub mod snapshots;
mod snapshotting;
pub mod state;
pub mod switchboard;
pub mod tally;
pub mod toolbox;
mod tools_news;
mod topics;
pub mod work;

pub use effect::Effect;
pub use event::{Asker, CallId, Conn, Input, Millis, Mode, News, Reply, ReplyForm, Task, Terms, ToolQuery};
pub use known::Known;
pub use newcomer::Newcomer;
pub use policy::Policy;
pub use session::Session;
pub use snapshots::Snapshotting;
pub use switchboard::Switchboard;
pub use work::{Done, Lane, Work};
