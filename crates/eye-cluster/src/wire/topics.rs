//! Topic subscriptions and messages, on the wire between hubs.

use super::scope::{WireScope, scope_in, scope_out};
use eye_core::elsewhere::{Audience, HeardBy, Interest, TopicMessage};
use serde::{Deserialize, Serialize};

/// [`Interest`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireInterest {
    pub pattern: Box<str>,
    pub listener: WireHeardBy,
}

/// [`HeardBy`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WireHeardBy {
    Agent,
    AgentOf(Box<str>),
    Page(Box<str>),
    Sharing(Box<str>),
}

/// [`TopicMessage`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WireMessage {
    pub topic: Box<str>,
    pub params: Box<str>,
    pub origin: Option<Box<str>>,
    pub scope: WireScope,
    pub audience: WireAudience,
    pub wait_ms: u64,
}

/// [`Audience`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WireAudience {
    Agents,
    Origin(Box<str>),
    Everyone,
}

impl From<Interest> for WireInterest {
    fn from(Interest { pattern, listener }: Interest) -> Self {
        let listener = match listener {
            HeardBy::Agent => WireHeardBy::Agent,
            HeardBy::AgentOf(origin) => WireHeardBy::AgentOf(origin),
            HeardBy::Page(origin) => WireHeardBy::Page(origin),
            HeardBy::Sharing(origin) => WireHeardBy::Sharing(origin),
        };
        Self { pattern, listener }
    }
}

impl From<WireInterest> for Interest {
    fn from(WireInterest { pattern, listener }: WireInterest) -> Self {
        let listener = match listener {
            WireHeardBy::Agent => HeardBy::Agent,
            WireHeardBy::AgentOf(origin) => HeardBy::AgentOf(origin),
            WireHeardBy::Page(origin) => HeardBy::Page(origin),
            WireHeardBy::Sharing(origin) => HeardBy::Sharing(origin),
        };
        Self { pattern, listener }
    }
}

impl From<TopicMessage> for WireMessage {
    fn from(message: TopicMessage) -> Self {
        let TopicMessage { topic, params, origin, scope, audience, wait_ms } = message;
        let audience = match audience {
            Audience::Agents => WireAudience::Agents,
            Audience::Origin(origin) => WireAudience::Origin(origin),
            Audience::Everyone => WireAudience::Everyone,
        };
        Self { topic, params: (&*params).into(), origin, scope: scope_out(&scope), audience, wait_ms }
    }
}

impl From<WireMessage> for TopicMessage {
    fn from(message: WireMessage) -> Self {
        let WireMessage { topic, params, origin, scope, audience, wait_ms } = message;
        let audience = match audience {
            WireAudience::Agents => Audience::Agents,
            WireAudience::Origin(origin) => Audience::Origin(origin),
            WireAudience::Everyone => Audience::Everyone,
        };
        Self { topic, params: params.into(), origin, scope: scope_in(scope), audience, wait_ms }
    }
}
