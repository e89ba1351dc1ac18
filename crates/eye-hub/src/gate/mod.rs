//! All admission: hosts, origins, tokens, and the owner of a connection. It does not depend on HTTP servers or the hub.

mod admission;
pub mod caller;
mod host;
mod keys;
pub mod origins;
pub mod pattern;
mod refusal;
pub mod token;
pub mod tokens;

pub use admission::{
    Admitted, CONSOLE_NAME, Gate, Knock, OWN_NAME, Wants, agent_origin, driven_policy, is_loopback_address, page_policy,
};
pub use caller::{Caller, Owner, Whose};
pub use host::host_name;
pub use keys::Keys;
pub use origins::Origins;
pub use refusal::Refusal;
pub use token::{Auth, Token};
pub use tokens::Valid;
