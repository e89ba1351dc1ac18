//! The deadline of everything in tests.

use std::time::Duration;

/// How long anything in a test may take before the test fails. Generous, because it is only reached when a test fails.
pub const DEADLINE: Duration = Duration::from_mins(1);
