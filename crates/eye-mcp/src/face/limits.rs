//! The limits of the faces, by name.

use std::time::Duration;

/// Text of a page that reaches a model in one answer; about 10,000 tokens.
pub const ANSWER_CHARS_MAX: usize = 40_000;
/// Sessions of legacy clients over HTTP. The one that was idle longest gives way.
pub const SESSIONS_MAX: usize = 1_024;
/// How long a session without any request is kept: an agent may think for a night.
pub const SESSION_IDLE: Duration = Duration::from_hours(24);
/// Requests of one connection that are under way.
pub const REQUESTS_MAX: usize = 4_096;
/// What may wait to be written to one connection.
pub const OUTBOX_BYTES_MAX: usize = 64 << 20;
/// Messages on the way to a client that belong to one request.
pub const OUTLET_LEN_MAX: usize = 1_024;
/// Streams of one session that can be resumed.
pub const STREAMS_MAX: usize = 64;
/// Events of one stream that are kept for that.
pub const EVENTS_MAX: usize = 1_024;
/// Their bytes, summed.
pub const EVENTS_BYTES_MAX: usize = 8 << 20;
/// Messages in one batch.
pub const BATCH_LEN_MAX: usize = 256;
/// Tools in one page of a list.
pub const LIST_LEN_MAX: usize = 250;
/// Resources that one client follows.
pub const SUBSCRIPTIONS_MAX: usize = 1_024;
/// Changes that a slow listener has not heard of yet.
pub const CHANGES_LEN_MAX: usize = 64;
/// Changes that come together are told together.
pub const CHANGES_PAUSE: Duration = Duration::from_millis(30);
/// A stream that says nothing is kept alive by a comment.
pub const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How long a person may take to answer what a tool asks.
pub const INPUT: Duration = Duration::from_mins(10);
/// How long what a person was asked may be answered, when the answer comes with another request.
pub const STATE_LIFE: Duration = Duration::from_hours(1);
/// Calls of modern clients that wait for an answer of their users.
pub const PARKED_MAX: usize = 256;
/// Questions of one call that wait to be asked.
pub const QUESTIONS_MAX: usize = 8;
/// How often a tool may ask on.
pub const INPUT_ROUNDS_MAX: usize = 10;
/// How long a client may keep lists of pages and their tools.
pub const TTL_MS: u64 = 0;
/// Large results that are kept to be read on.
pub const PIECES_MAX: usize = 64;
/// Their bytes, summed.
pub const PIECES_BYTES_MAX: usize = 32 << 20;
/// How far apart a progress message and the result of its call are written where nothing tells whether the client has
/// read the first: clients that read both at once forget whom the progress was for.
pub const APART: Duration = Duration::from_millis(10);
/// How often the kernel is asked whether a client has read what was written before a result.
pub const UNREAD_LOOK: Duration = Duration::from_millis(1);
/// How long a result waits for the answer to the ping before it, or for the client to read what came before.
pub const PONG: Duration = Duration::from_secs(2);

/// Tools of pages of which a client's page is remembered.
pub const PAGE_TOOLS_CALLED_MAX: usize = 256;
