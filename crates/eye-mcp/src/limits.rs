//! Every limit of the gateway, by name. Unit and extreme come last in a name. Each limit that an upstream can reach has
//! a test at its edge.

use std::time::Duration;

/// One message of an upstream. A longer one is skipped unread, and fails its call.
pub const MESSAGE_BYTES_MAX: usize = 64 << 20;
/// A larger message is parsed on a blocking thread, so that other calls go on.
pub const PARSE_INLINE_BYTES_MAX: usize = 256 << 10;
/// Bytes queued for writing to one upstream.
pub const OUTBOX_BYTES_MAX: usize = 64 << 20;
/// The end of a child's stderr that is kept for errors.
pub const STDERR_BYTES_MAX: usize = 8 << 10;
/// Consecutive lines that are not JSON-RPC before the connection to a child is closed.
pub const GARBAGE_LINES_MAX: usize = 1_000;

/// Tools of one upstream; further ones are left out.
pub const TOOLS_MAX: usize = 20_000;
/// Bytes of their definitions together.
pub const TOOLS_BYTES_MAX: usize = 32 << 20;
/// Pages of a list that are requested, at most.
pub const LIST_PAGES_MAX: usize = 1_000;
pub const TOOL_NAME_BYTES_MAX: usize = 256;
pub const INSTRUCTIONS_BYTES_MAX: usize = 16 << 10;
/// A prefixed name: the length that MCP clients accept.
pub const PREFIXED_NAME_CHARS_MAX: usize = 64;

/// Roots of one client that are passed on.
pub const ROOTS_MAX: usize = 64;
/// The URI of a root.
pub const ROOT_URI_BYTES_MAX: usize = 4 << 10;

/// The limit for starting an upstream: `npx` downloads its package first.
pub const START: Duration = Duration::from_mins(1);
/// The default limit for a call, if neither the call nor the config sets one.
pub const CALL: Duration = Duration::from_mins(2);
/// The limit for a list.
pub const LIST: Duration = Duration::from_mins(1);
/// How long a child gets to exit after its input closed, and again after the signal to terminate.
pub const FAREWELL: Duration = Duration::from_secs(2);
/// The pause after the first crash; it doubles with each further one.
pub const BACK_OFF_MIN: Duration = Duration::from_millis(250);
/// The longest pause between starts.
pub const BACK_OFF_MAX: Duration = Duration::from_mins(1);
/// The longest pause before a use starts a server again that is down.
pub const USE_PAUSE_MAX: Duration = Duration::from_secs(5);
/// How long after its last use a server that is down is still restarted.
pub const WANTED: Duration = Duration::from_mins(30);
/// An upstream that ran this long is not counted as crashing at once: its failures start over.
pub const STEADY: Duration = Duration::from_secs(30);
/// How often config files are checked for changes.
pub const CONFIG_LOOK: Duration = Duration::from_secs(1);
/// How long an unused upstream is kept.
pub const LINGER: Duration = Duration::from_mins(30);
/// How long a call of an unknown name waits for upstreams that were never listed, and how long an embedding program
/// waits for all of them.
pub const LEARN: Duration = Duration::from_secs(20);
/// How long a discovery waits for them: it answers quickly, and names the servers that are still starting.
pub const DISCOVERY: Duration = Duration::from_millis(150);
/// How long a full list waits for them; later tools follow with `list_changed`.
pub const FULL_LIST: Duration = Duration::from_secs(2);
/// Servers that an answer names because they are starting or down.
pub const NOTES_MAX: usize = 8;

pub const SERVER_NAME_BYTES_MAX: usize = 64;
/// Upstreams of one config.
pub const SERVERS_MAX: usize = 256;
/// Recently used scopes that are kept without callers.
pub const SCOPES_KEPT_MAX: usize = 32;
/// Running upstreams of one gateway.
pub const INSTANCES_MAX: usize = 256;
/// Calls of one upstream in progress.
pub const CALLS_MAX: usize = 4_096;
pub const CONFIG_BYTES_MAX: usize = 1 << 20;
pub const CONSENT_BYTES_MAX: usize = 1 << 20;
/// Recorded consents; above the limit the oldest are dropped.
pub const CONSENTS_MAX: usize = 1_000;
/// A stored tool list. Reading it blocks all clients, so a larger one is not stored: its server is asked again.
pub const KEPT_LIST_BYTES_MAX: usize = 2 << 20;
/// A longer list is processed on a blocking thread.
pub const LIST_INLINE_LEN_MAX: usize = 200;

/// Results cached for one upstream.
pub const RESULTS_MAX: usize = 256;
/// Bytes of these together.
pub const RESULTS_BYTES_MAX: usize = 16 << 20;

/// Tools of one upstream with counters of their own; further ones share one.
pub const COUNTED_TOOLS_MAX: usize = 1_000;
/// Bytes of text that wait for token counting.
pub const COUNTING_BYTES_MAX: usize = 8 << 20;
/// Changes queued for a slow listener.
pub const CHANGES_MAX: usize = 256;

/// Results of a search by words.
pub const ANSWERS_MAX: usize = 10;
pub const QUERY_BYTES_MAX: usize = 16 << 10;

pub const ONBOARDING_BYTES_MAX: usize = 256 << 10;
/// Earlier instructions of an identity that are kept.
pub const ONBOARDING_HISTORY_LEN_MAX: usize = 32;
