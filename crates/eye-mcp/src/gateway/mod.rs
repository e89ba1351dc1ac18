//! The gateway: which upstreams each caller has, and how to reach them. The wire protocol is in `upstream`.

mod contact;
mod handle;
mod instances;
mod library;
mod requests;
mod scope;
mod shared;
mod waiting;

pub use crate::context::{CallContext, Change, ChangeKind, NoticeSink, Project, Question};
pub use crate::status::{ServerState, ServerStatus};
pub use crate::upstream::{Unapproved, short_reason};
pub use handle::Gateway;
pub use requests::{LoginOptions, Servers, Trial, approve, login, logout, review, try_server};
pub(crate) use scope::search;
pub use scope::{Changes, More, Scope};
pub use shared::Settings;
pub use waiting::Waiting;
