//! The settings of the gateway: YAML in layers.

/// One layer, or all of them merged.
#[derive(Clone, Debug, Default)]
pub struct Config {}
