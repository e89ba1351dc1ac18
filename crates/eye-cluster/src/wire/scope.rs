//! The scope of a token between hubs. It is required in a message: a missing scope must never mean full access.

use eye_protocol::operations::Class;
use eye_protocol::scope::{Limits, Scope};
use serde::{Deserialize, Serialize};

/// [`Scope`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum WireScope {
    All,
    Limited(WireLimits),
}

/// [`Limits`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WireLimits {
    pub id: Box<str>,
    pub name: Box<str>,
    pub may: Vec<String>,
    pub pages: Vec<Box<str>>,
    pub void: Option<Box<str>>,
}

/// A scope as it is sent.
pub(super) fn scope_out(scope: &Scope) -> WireScope {
    let Some(limits) = scope.limits() else { return WireScope::All };
    WireScope::Limited(WireLimits {
        id: limits.id.clone(),
        name: limits.name.clone(),
        may: limits.may.iter().map(|class| class.word().to_owned()).collect(),
        pages: limits.pages.clone(),
        void: limits.void.clone(),
    })
}

/// A scope as it was received.
pub(super) fn scope_in(scope: WireScope) -> Scope {
    match scope {
        WireScope::All => Scope::ALL,
        WireScope::Limited(WireLimits { id, name, may, pages, void }) => {
            // Ignores classes that this version does not know: they permit nothing.
            let may = may.iter().filter_map(|word| Class::parse(word)).collect();
            Scope::limited(Limits { id, name, may, pages, void })
        }
    }
}
