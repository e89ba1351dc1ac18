//! The limits of the faces, by name.

use std::time::Duration;

/// Characters of a page's text in one answer to a model; about 10,000 tokens.
pub const ANSWER_CHARS_MAX: usize = 40_000;
/// Sessions of legacy clients over HTTP. Above the limit, the one that was idle longest is dropped.
pub const SESSIONS_MAX: usize = 1_024;
/// How long a session without requests is kept: an agent may pause for a night.
pub const SESSION_IDLE: Duration = Duration::from_hours(24);
/// Requests in progress of one connection.
pub const REQUESTS_MAX: usize = 4_096;
/// Bytes that may be queued for writing to one connection.
pub const OUTBOX_BYTES_MAX: usize = 64 << 20;
/// Queued messages to a client that belong to one request.
pub const OUTLET_LEN_MAX: usize = 1_024;
/// Streams of one session that can be resumed.
pub const STREAMS_MAX: usize = 64;
/// Events of one stream that are kept for resuming.
pub const EVENTS_MAX: usize = 1_024;
/// Bytes of these events together.
pub const EVENTS_BYTES_MAX: usize = 8 << 20;
/// Messages in one batch.
pub const BATCH_LEN_MAX: usize = 256;
/// Tools in one page of a list.
pub const LIST_LEN_MAX: usize = 250;
/// Resources that one client may subscribe to.
pub const SUBSCRIPTIONS_MAX: usize = 1_024;
/// Changes queued for a slow listener.
pub const CHANGES_LEN_MAX: usize = 64;
/// Changes within this time are sent together.
pub const CHANGES_PAUSE: Duration = Duration::from_millis(30);
/// After this time without an event, a stream is kept alive by a comment.
pub const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How long a person may take to answer a tool's question.
pub const INPUT: Duration = Duration::from_mins(10);
/// How long a sealed state is valid, which a modern client sends back with its answer.
pub const STATE_LIFE: Duration = Duration::from_hours(1);
/// Parked calls of modern clients.
pub const PARKED_MAX: usize = 256;
/// Queued questions of one call.
pub const QUESTIONS_MAX: usize = 8;
/// How often one call may ask for input.
pub const INPUT_ROUNDS_MAX: usize = 10;
/// How long a client may cache lists of pages and their tools.
pub const TTL_MS: u64 = 0;
/// Large results that are kept for reading on.
pub const PIECES_MAX: usize = 64;
/// Bytes of these results together.
pub const PIECES_BYTES_MAX: usize = 32 << 20;
/// The pause between a progress message and the result of its call where the kernel cannot tell whether the client has
/// read the first: clients that read both at once lose the progress handler.
pub const APART: Duration = Duration::from_millis(10);
/// How often the kernel is asked whether a client has read the messages before a result.
pub const UNREAD_LOOK: Duration = Duration::from_millis(1);
/// How long a result waits for the answer to its ping, or for the client to read the messages before it.
pub const PONG: Duration = Duration::from_secs(2);

/// Page tools of one client whose last page is remembered.
pub const PAGE_TOOLS_CALLED_MAX: usize = 256;
