//! Every limit of the gateway, by name. Units and extremes stand last in a name; a test stands at each edge that an
//! upstream can reach.

use std::time::Duration;

/// One message of an upstream. A longer one ends its call and is passed over, unread.
pub const MESSAGE_BYTES_MAX: usize = 64 << 20;
/// A message over this is parsed on a worker thread, so that other calls go on.
pub const PARSE_INLINE_BYTES_MAX: usize = 256 << 10;
/// What may wait to be written to one upstream.
pub const OUTBOX_BYTES_MAX: usize = 64 << 20;
/// The end of what a child said on stderr, kept for errors.
pub const STDERR_BYTES_MAX: usize = 8 << 10;
/// Lines in a row that are no JSON-RPC before a child is taken for something else.
pub const GARBAGE_LINES_MAX: usize = 1_000;

/// Tools of one upstream; what is beyond them is left out, and said.
pub const TOOLS_MAX: usize = 20_000;
/// Their definitions, summed.
pub const TOOLS_BYTES_MAX: usize = 32 << 20;
/// Pages of a list that are asked for.
pub const LIST_PAGES_MAX: usize = 1_000;
/// A tool's name.
pub const TOOL_NAME_BYTES_MAX: usize = 256;
/// The instructions of an upstream.
pub const INSTRUCTIONS_BYTES_MAX: usize = 16 << 10;
/// A prefixed name: what MCP clients take.
pub const PREFIXED_NAME_CHARS_MAX: usize = 64;

/// Roots of one client that are passed on.
pub const ROOTS_MAX: usize = 64;
/// The address of a root.
pub const ROOT_URI_BYTES_MAX: usize = 4 << 10;

/// How long an upstream may take to start: `npx` fetches its package first.
pub const START: Duration = Duration::from_mins(1);
/// How long a call may take when neither it nor the config says.
pub const CALL: Duration = Duration::from_mins(2);
/// How long a list may take.
pub const LIST: Duration = Duration::from_mins(1);
/// How long an ending child gets after its input closed, and again after a polite signal.
pub const FAREWELL: Duration = Duration::from_secs(2);
/// The first pause after a crash; it doubles with each further one.
pub const BACK_OFF_MIN: Duration = Duration::from_millis(250);
/// The longest pause.
pub const BACK_OFF_MAX: Duration = Duration::from_mins(1);
/// The longest pause before a use tries a server again that is down.
pub const USE_PAUSE_MAX: Duration = Duration::from_secs(5);
/// How long after its last use a server that is down is still tried again.
pub const WANTED: Duration = Duration::from_mins(30);
/// An upstream that lived this long is not taken for one that crashes at once.
pub const STEADY: Duration = Duration::from_secs(30);
/// How often config files are looked at.
pub const CONFIG_LOOK: Duration = Duration::from_secs(1);
/// How long an upstream without holders is kept.
pub const LINGER: Duration = Duration::from_mins(30);
/// How long a call of an unknown name waits for upstreams that have never been asked, and a program that embeds the
/// gateway for all of them.
pub const LEARN: Duration = Duration::from_secs(20);
/// How long a discovery waits for them: an answer comes at once, and says what is still starting.
pub const DISCOVERY: Duration = Duration::from_millis(150);
/// How long a list of everything waits for them; what comes later is told with `list_changed`.
pub const FULL_LIST: Duration = Duration::from_secs(2);
/// Servers that are named in an answer because they are starting or down.
pub const NOTES_MAX: usize = 8;

/// The name of an upstream.
pub const SERVER_NAME_BYTES_MAX: usize = 64;
/// Upstreams of one config.
pub const SERVERS_MAX: usize = 256;
/// Projects that are remembered without callers.
pub const SCOPES_KEPT_MAX: usize = 32;
/// Running upstreams of one gateway.
pub const INSTANCES_MAX: usize = 256;
/// Calls of one upstream that are under way.
pub const CALLS_MAX: usize = 4_096;
/// A config file.
pub const CONFIG_BYTES_MAX: usize = 1 << 20;
/// The file of consents.
pub const CONSENT_BYTES_MAX: usize = 1 << 20;
/// Entries of projects that are agreed to; the oldest make room.
pub const CONSENTS_MAX: usize = 1_000;
/// A kept tool list. It is read while all clients wait; a server with more tools is asked for them.
pub const KEPT_LIST_BYTES_MAX: usize = 2 << 20;
/// A list of more tools is worked through on a worker thread.
pub const LIST_INLINE_LEN_MAX: usize = 200;

/// Results kept for one upstream.
pub const RESULTS_MAX: usize = 256;
/// Their size, summed.
pub const RESULTS_BYTES_MAX: usize = 16 << 20;

/// Tools of one upstream that are counted one by one; the others are counted together.
pub const COUNTED_TOOLS_MAX: usize = 1_000;
/// Text that waits to have its tokens counted.
pub const COUNTING_BYTES_MAX: usize = 8 << 20;
/// Changes that wait for a slow listener.
pub const CHANGES_MAX: usize = 256;

/// Answers to plain words.
pub const ANSWERS_MAX: usize = 10;
/// A query.
pub const QUERY_BYTES_MAX: usize = 16 << 10;

/// An identity's instructions.
pub const ONBOARDING_BYTES_MAX: usize = 256 << 10;
/// What an identity had before.
pub const ONBOARDING_HISTORY_LEN_MAX: usize = 32;
