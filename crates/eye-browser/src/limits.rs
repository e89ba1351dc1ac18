//! Limits of what a browser may send and how long it may take.

/// Bytes of one CDP message: a picture or a PDF of a long page, in base64.
pub const MESSAGE_BYTES_MAX: usize = 256 << 20;

/// Events of one session that wait to be read. A session that has more is detached: its reader does not keep up.
pub const EVENTS_LEN_MAX: usize = 65_536;

/// Bytes that are kept of what a browser writes to stderr.
pub const STDERR_BYTES_MAX: usize = 4_096;

/// How long a browser may take from its start to its first answer, in ms. A cold start on a busy machine takes seconds.
pub const START_MS: u64 = 30_000;

/// How long a browser may take to end after it was asked to, in ms; then it is killed.
pub const CLOSE_MS: u64 = 3_000;

/// How long an endpoint that a person named may take to answer, in ms. A consent dialog of the browser counts.
pub const ATTACH_MS: u64 = 60_000;

/// Bytes of an HTTP answer that says where an endpoint's WebSocket is.
pub const DISCOVERY_BYTES_MAX: usize = 64 << 10;

/// Commands whose results are events, that have none yet: a page that keeps its promises open has no more of them.
pub const NOTED_LEN_MAX: usize = 4_096;
