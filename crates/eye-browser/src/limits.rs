//! Limits of what a browser may send and how long it may take.

/// The size of one CDP message: a picture or a PDF of a long page, in base64.
pub const MESSAGE_BYTES_MAX: usize = 256 << 20;

/// Events of one session that may wait to be read. A session with more is detached, because its reader does not keep
/// up.
pub const EVENTS_LEN_MAX: usize = 65_536;

/// Bytes of a browser's stderr that are kept.
pub const STDERR_BYTES_MAX: usize = 4_096;

/// How long a browser may take from its start to its first answer, in ms. A cold start on a busy machine takes seconds.
pub const START_MS: u64 = 30_000;

/// How long a browser may take to end after `Browser.close`, in ms; then it is killed.
pub const CLOSE_MS: u64 = 3_000;

/// How long an endpoint that a person named may take to answer, in ms. The browser may show a consent dialog first.
pub const ATTACH_MS: u64 = 60_000;

/// Bytes of the HTTP answer that names the WebSocket of an endpoint.
pub const DISCOVERY_BYTES_MAX: usize = 64 << 10;

/// Pending commands whose results are reported as events. A page that never settles its promises cannot have more.
pub const NOTED_LEN_MAX: usize = 4_096;
