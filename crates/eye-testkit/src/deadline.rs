//! How long a test waits.

use std::time::Duration;

/// How long anything in a test may take before the test fails. Generous: it is never waited out when all is well.
pub const DEADLINE: Duration = Duration::from_mins(1);
