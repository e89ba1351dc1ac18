//! A call before its page is found.

use crate::task::{Mode, Task};
use eye_protocol::Error;

pub(crate) struct Question {
    pub task: Task,
    pub page: Option<Box<str>>,
    pub timeout_ms: Option<u64>,
    pub mode: Mode,
    /// Why its arguments do not fit, where that is known already.
    pub unfit: Option<Box<Error>>,
}
