//! The error for WGSL that the machine cannot execute.

/// A feature of WGSL that the machine does not support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);
