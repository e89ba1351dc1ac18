//! Why a tool's schema is not taken.

use eye_protocol::limits::{SCHEMA_DEPTH_MAX, SCHEMA_NODES_MAX, SCHEMA_PATTERNS_MAX};

/// Ends a sentence that begins with the tool's name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("it has {0} patterns, over the limit of {SCHEMA_PATTERNS_MAX}")]
    Patterns(usize),
    /// Counted with references written out.
    #[error("with its references written out it has {0} subschemas, over the limit of {SCHEMA_NODES_MAX}")]
    Subschemas(u64),
    #[error("with its references written out it is nested more than {SCHEMA_DEPTH_MAX} deep")]
    Deep,
    #[error("it refers to itself without looking at a part of the value")]
    Circle,
    /// A reference to something that is not part of the schema.
    #[error("`{0}` leads out of the schema")]
    Outside(Box<str>),
    /// The limit.
    #[error("it holds more than {0} schemas with an $id")]
    Resources(usize),
}
