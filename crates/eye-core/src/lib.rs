//! What sessions do: routing, correlation, endings. A function of time and event, with no socket, lock, await or clock.
//!
//! [`Switchboard::on`] takes what happened and says what follows. It finds the session a call is for and hands it to
//! [`Session::on`]; who is asked and how bytes look is somebody else's business.

pub mod agent;
pub mod calls;
pub mod event;
pub mod kept;
pub mod order;
pub mod select;
pub mod session;
pub mod switchboard;

pub use event::{Asker, Conn, Effect, Input, Millis, Mode, Reply, ReplyForm, Source};
pub use session::{Newcomer, Session};
pub use switchboard::{Known, Switchboard};
