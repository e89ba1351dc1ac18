//! What the machine cannot execute.

/// Something that WGSL has and the machine has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);
