//! Every limit of eye, by name. Units and extremes stand last in a name; a test stands at each edge.

/// One frame: the code of a call, or its answer.
pub const FRAME_BYTES_MAX: usize = 16 << 20;
/// One WebSocket message. A batch of one full frame, escaped as a JSON string, still fits when most of it is text.
pub const MESSAGE_BYTES_MAX: usize = 64 << 20;
/// The body of one POST that holds one JSON-RPC message (`/rpc`, `/message`, `/mcp`): a full frame and its envelope.
pub const POST_BODY_BYTES_MAX: usize = FRAME_BYTES_MAX + (64 << 10);
/// How long a body of a POST may pause between two pieces.
pub const BODY_PAUSE_MS: u64 = 10_000;
/// How long a body of a POST may take as a whole.
pub const BODY_MS: u64 = 60_000;
/// Frames that share one message.
pub const BATCH_FRAMES_MAX: usize = 256;
/// A batch under construction is closed once it holds this much, so that one message never delays its peers for long.
pub const BATCH_BYTES_SOFT_MAX: usize = 1 << 20;

/// An id in a line frame: `[A-Za-z0-9_]`.
pub const CALL_ID_BYTES_MAX: usize = 19;
/// A session id: `[A-Za-z0-9_.-]`.
pub const SESSION_ID_BYTES_MAX: usize = 64;
/// A page's alias, and an agent's name.
pub const NAME_BYTES_MAX: usize = 256;
/// Titles and URLs of pages are cut to this.
pub const PAGE_TEXT_BYTES_MAX: usize = 2048;
/// A JSON-RPC id, as text.
pub const RPC_ID_BYTES_MAX: usize = 256;
/// Requests in one JSON-RPC array.
pub const RPC_ARRAY_LEN_MAX: usize = 1024;

/// Bytes that wait to be written to one peer.
pub const OUTBOX_BYTES_MAX: usize = 64 << 20;
/// A peer that takes nothing for this long, while something waits for it, is closed.
pub const OUTBOX_STALL_MS: u64 = 10_000;

/// A call without a timeout of its own ends after this.
pub const CALL_TIMEOUT_DEFAULT_MS: u64 = 30_000;
/// The longest timeout a call may ask for.
pub const CALL_TIMEOUT_MAX_MS: u64 = 24 * 3_600_000;
/// How much longer than the call itself a hub waits for the answer of another hub.
pub const AWAY_CALL_MARGIN_MS: u64 = 2_500;
/// How long calls wait for a page that is reloading.
pub const GRACE_MS: u64 = 2_000;
/// [`GRACE_MS`] for sessions that a restarted hub knows from before.
pub const GRACE_AFTER_RESTART_MS: u64 = 8_000;
/// How long a call that navigated waits for the page it went to.
pub const NAVIGATION_MS: u64 = 10_000;
/// How long calls wait for the page that the current one is leaving for, before they are sent to the one that is still
/// there: a browser does not report to a page that its navigation became a download or brought nothing. A browser that
/// the hub drives does, and there calls wait until their deadlines.
pub const LEAVING_MS: u64 = 10_000;
/// How long a page that announced where it goes may take to join from there, after it has left.
pub const GRACE_LEAVING_MS: u64 = 8_000;
/// How long after joining a page is expected to offer the tools and the state that it had before, or that it offers
/// while it loads.
pub const OFFER_MS: u64 = 2_000;
/// How long the browser's own dialog may stop a page before its calls end.
pub const DIALOG_MS: u64 = 250;
/// How long the outline of the page at which a call arrives may take, beyond what the page itself waits.
pub const ARRIVAL_LOOK_MS: u64 = 11_000;
/// How long the page at which a call arrives may take to send its title.
pub const TITLE_MS: u64 = 1_000;
/// How long a session without a page is remembered.
pub const SESSION_KEPT_MS: u64 = 3_600_000;
/// Sessions of one hub.
pub const SESSIONS_MAX: usize = 100_000;
/// Calls of one session that are under way or waiting.
pub const SESSION_CALLS_MAX: usize = 65_536;
/// Bytes of code that waits for a page to come back, summed over its session.
pub const SESSION_WAITING_BYTES_MAX: usize = 64 << 20;

/// Results of `async` calls kept for one agent.
pub const KEPT_RESULTS_MAX: usize = 10_000;
/// Bytes of the values of one agent's kept results.
pub const KEPT_BYTES_MAX: usize = 64 << 20;
/// How long a kept result waits to be collected.
pub const KEPT_MS: u64 = 600_000;
/// Agents (by name) whose last page and kept results are remembered.
pub const AGENT_NAMES_MAX: usize = 4_096;

/// A page is pinged when nothing came from it for this long.
pub const PING_INTERVAL_MS: u64 = 20_000;
/// A page that answers no ping for this long is closed. Frozen tabs are not: they report it before they freeze.
pub const PING_TIMEOUT_MS: u64 = 60_000;
/// How long a connection may take for its HTTP head or its TLS handshake.
pub const HANDSHAKE_MS: u64 = 10_000;
/// Connections of one hub.
pub const CONNECTIONS_MAX: usize = 50_000;
/// How long a graceful shutdown waits for outboxes to empty.
pub const SHUTDOWN_MS: u64 = 1_000;
/// How long a shutdown waits for the hub's guests to end, which may have something to write.
pub const GUESTS_END_MS: u64 = 3_000;

/// A tool's name.
pub const TOOL_NAME_BYTES_MAX: usize = 128;
/// Tools of one session.
pub const TOOLS_MAX: usize = 10_000;
/// Bytes of the definitions of one session's tools.
pub const TOOLS_BYTES_MAX: usize = 16 << 20;
/// Subschemas of one tool, with references written out.
pub const SCHEMA_NODES_MAX: u64 = 100_000;
/// Depth of one tool's subschemas, with references written out.
pub const SCHEMA_DEPTH_MAX: usize = 128;
/// Patterns in the schema of one tool.
pub const SCHEMA_PATTERNS_MAX: usize = 128;
/// Patterns in the schemas of one session's tools.
pub const TOOLS_PATTERNS_MAX: usize = 1_024;
/// Subschemas of one session's tools, with references written out.
pub const TOOLS_NODES_MAX: u64 = 1_000_000;
/// Bytes of one compiled pattern of a schema.
pub const PATTERN_BYTES_MAX: usize = 1 << 20;
/// Steps (a subschema applied to a value) that checking the arguments of one call may take.
pub const CHECK_STEPS_MAX: u64 = 5_000_000;
/// Changes of tools within this time are reported together to the agents that joined their session.
pub const TOOLS_NEWS_MS: u64 = 100;
/// Calls in one `tools/callBatch`.
pub const CALL_BATCH_LEN_MAX: usize = 1_024;
/// Calls of one agent that are under way: well above the benchmark's 10,000.
pub const AGENT_CALLS_MAX: usize = 32_768;
/// Calls of one agent in a second, after a burst of [`AGENT_CALLS_MAX`].
pub const AGENT_CALLS_PER_S_MAX: u64 = 1_000_000;
/// Calls in a second of one client that speaks BTCP over TCP, when the config names no other limit.
pub const BTCP_CALLS_PER_S_DEFAULT: u64 = 1_000;
/// Burst of such calls.
pub const BTCP_CALLS_BURST_DEFAULT: usize = 10_000;
/// Calls of one page in a second, after a burst of [`SESSION_CALLS_MAX`].
pub const PAGE_CALLS_PER_S_MAX: u64 = 2_000_000;

/// Notifications that an agent inside the hub's process has not read yet; older ones are dropped.
pub const LINK_NEWS_LEN_MAX: usize = 4_096;

/// A state's document, as text.
pub const STATE_BYTES_MAX: usize = 4 << 20;
/// Bytes of a state's parsed document, by estimate: short values take some 70 bytes each.
pub const STATE_PARSED_BYTES_MAX: usize = 64 << 20;
/// How deep arrays and objects of a state's document may be nested. The JSON parser reads no deeper, and functions that
/// walk a document recurse.
pub const STATE_DEPTH_MAX: usize = 127;
/// Steps (values looked at, array items moved) that one patch may take.
pub const PATCH_STEPS_MAX: u64 = 10_000_000;

/// States of one session that agents keep under names; the oldest is dropped.
pub const SNAPSHOTS_MAX: usize = 16;

/// Streams that were closed because another page has their session, remembered so that they do not come back.
pub const SUPERSEDED_STREAMS_MAX: usize = 4_096;
/// Streams of one session that wait behind the one in use. A browser has six connections to a host: with these and the
/// one in use, two are left for the page's posts.
pub const STREAMS_IN_LINE_MAX: usize = 3;
/// How long after a stream was superseded a new one of the same session counts as its client connecting again.
pub const SUPERSEDED_RETURN_MS: u64 = 3_000;

/// Everything that is kept for peers (documents, their histories, mailboxes, kept results, tools), by estimate of the
/// parsed size. Beyond it the oldest is dropped.
pub const MEMORY_BYTES_MAX: usize = 256 << 20;
/// Steps (values looked at) that one `JSONPath` query of an agent may take.
pub const QUERY_STEPS_MAX: u64 = 20_000_000;
/// The length of a `JSONPath`.
pub const QUERY_BYTES_MAX: usize = 4 << 10;
/// Nesting of brackets in a `JSONPath`.
pub const QUERY_DEPTH_MAX: usize = 32;
/// Frames above this are parsed by a worker, not on the hub's thread; JSON frames already above [`LIGHT_BYTES_MAX`].
pub const LARGE_FRAME_BYTES: usize = 64 << 10;
/// Work below this is done on the hub's thread, which it holds for about a tenth of a millisecond; the rest goes to a
/// worker.
pub const LIGHT_STEPS_MAX: u64 = 10_000;
/// Text below this is parsed on the hub's thread.
pub const LIGHT_BYTES_MAX: usize = 16 << 10;
/// [`LIGHT_STEPS_MAX`] for the tools that a page offers, which it does once: a call that comes right behind them finds
/// them.
pub const LIGHT_TOOLS_STEPS_MAX: u64 = 50_000;
/// [`LIGHT_BYTES_MAX`] for the tools that a page offers.
pub const LIGHT_TOOLS_BYTES_MAX: usize = 64 << 10;
/// Bytes of inputs that wait behind the work of one session or agent.
pub const BACKLOG_BYTES_MAX: usize = 64 << 20;
/// Inputs that wait behind the work of one session or agent.
pub const BACKLOG_LEN_MAX: usize = 65_536;
/// Changes of a state that are remembered for `since`.
pub const STATE_HISTORY_LEN_MAX: usize = 256;
/// Bytes of the patches of these changes.
pub const STATE_HISTORY_BYTES_MAX: usize = 1 << 20;
/// How long a page may take to send its state.
pub const STATE_ASK_MS: u64 = 2_000;

/// The page enforces a verb's timeout, because its answer says more; the hub waits this much longer, so that a page on
/// a busy machine still answers itself.
pub const VERB_MARGIN_MS: u64 = 3_000;
/// The name of a topic.
pub const TOPIC_BYTES_MAX: usize = 256;
/// Topics that one connection listens to.
pub const SUBSCRIPTIONS_MAX: usize = 1_024;
/// How long a message waits for its first subscriber, when it names no time.
pub const TOPIC_WAIT_DEFAULT_MS: u64 = 5_000;
/// The longest time that a message may ask to wait for its first subscriber.
pub const TOPIC_WAIT_MAX_MS: u64 = 600_000;
/// Messages that wait for a subscriber.
pub const TOPIC_QUEUE_LEN_MAX: usize = 10_000;
/// Bytes of messages that wait for a subscriber.
pub const TOPIC_QUEUE_BYTES_MAX: usize = 64 << 20;
/// Messages that wait in one session's mailbox.
pub const MAILBOX_LEN_MAX: usize = 1_000;
/// Bytes of messages that wait in one session's mailbox.
pub const MAILBOX_BYTES_MAX: usize = 16 << 20;

/// How long requests wait for what the hub that held the session before has kept of it. That hub sends it at once, or
/// reports that there is nothing; if that hub is gone, this is known sooner.
pub const HANDOVER_MS: u64 = 10_000;
/// Bytes that go to another hub with a session: its state, and the newest of its letters and snapshots.
pub const HANDOVER_BYTES_MAX: usize = 32 << 20;

/// A state that outlives its hub, as text. A larger one ends with its hub.
pub const LASTING_STATE_BYTES_MAX: usize = 64 << 10;
/// How often at most the state of a session is written where it outlives its hub.
pub const LASTING_STATE_MS: u64 = 1_000;
/// All states and letters that outlive their hubs, in one cluster. The oldest are dropped.
pub const LASTING_BYTES_MAX: usize = 256 << 20;
/// Letters of one session that outlive its hub. The oldest are dropped.
pub const LASTING_LETTERS_MAX: usize = 256;
/// A letter that outlives its hub, as text. A larger one ends with its hub, and is counted as dropped.
pub const LASTING_LETTER_BYTES_MAX: usize = 64 << 10;
/// How long a request waits for a state that outlived its hub, or for its page to be looked up.
pub const RECALL_MS: u64 = 2_000;
/// Sessions whose states are recalled at once; words that are looked up at once, and that are remembered as looked up.
pub const RECALLS_LEN_MAX: usize = 1_000;
/// Pages of other hubs that are no longer listed but remembered, so that their last state is found by their names.
pub const GONE_PAGES_MAX: usize = 10_000;

/// Pages of other hubs that a hub lists, unless it is configured otherwise. Others are looked up when they are named.
pub const PAGES_ELSEWHERE_MAX: usize = 100_000;
/// Pages of other hubs that were looked up and are listed beyond [`PAGES_ELSEWHERE_MAX`]. The oldest is dropped.
pub const PAGES_LOOKED_UP_MAX: usize = 1_000;
/// How long a word that was looked up is not looked up again.
pub const LOOKED_UP_MS: u64 = 1_000;
/// Bytes of requests that wait for their pages to be looked up.
pub const LOOK_UPS_BYTES_MAX: usize = 16 << 20;

/// Folders that are served to a browser at once.
pub const SERVED_FOLDERS_MAX: usize = 64;
/// One file of such a folder.
pub const SERVED_FILE_BYTES_MAX: u64 = 64 << 20;
/// Letters that pages put into mailboxes are also published under this topic.
pub const MAILBOX_TOPIC: &str = "_mailbox";
/// An agent that writes to a page also publishes the message under this topic, for the mailbox as files.
pub const MAILBOX_OUT_TOPIC: &str = "_mailbox_out";
/// Topics that begin with this are for agents only: no page receives them, whatever it subscribes to.
pub const OWN_TOPIC_PREFIX: char = '_';
/// Each file of a mailbox.
pub const MAILBOX_FILE_BYTES_MAX: u64 = 16 << 20;

/// Links to a remote hub that a relay keeps ready, so that a command waits for no handshake.
pub const RELAY_WARM_LINKS: usize = 2;
/// How long a command waits for a link to the remote hub.
pub const RELAY_WAIT_MS: u64 = 2_000;
/// How long opening one link may take: name, TCP, TLS, and what the transport needs.
pub const RELAY_OPEN_MS: u64 = 10_000;
/// How long the upgrade to a `WebSocket`, or the first event of a stream, may take once there is a connection. An
/// intermediary that holds it back longer holds back everything, and another transport is tried.
pub const RELAY_FIRST_ANSWER_MS: u64 = 3_000;
/// A command that waits for a link tries for itself this often.
pub const RELAY_RETRY_MS: u64 = 100;
/// The first pause after a link could not be opened; it doubles.
pub const RELAY_PAUSE_MIN_MS: u64 = 100;
/// The longest such pause.
pub const RELAY_PAUSE_MAX_MS: u64 = 5_000;
/// How often an open link is probed for a sign of life.
pub const RELAY_PROBE_MS: u64 = 20_000;
/// A link from which nothing came for this long is lost. A stream of events sends something every 30 s.
pub const RELAY_SILENCE_MS: u64 = 75_000;
/// A kept HTTP connection is used again only within this: well before the hub closes it (`HANDSHAKE_MS`).
pub const RELAY_IDLE_MS: u64 = 5_000;
/// Bytes of a refusal's body that are read.
pub const REFUSAL_BYTES_MAX: usize = 64 << 10;

/// One message to or from a backend: a shader and what goes with it.
pub const BACKEND_MESSAGE_BYTES_MAX: usize = 1 << 20;
/// Messages that a backend has not taken yet; meanwhile its peer is not read.
pub const BACKEND_INCOMING_LEN_MAX: usize = 16;
/// Messages of a backend that its peer has not taken yet; a peer that lets more wait is closed.
pub const BACKEND_OUTGOING_LEN_MAX: usize = 256;
/// Extensions that are connected at once: one for each profile of each browser.
pub const EXTENSIONS_MAX: usize = 32;
/// Messages of an extension that were not taken yet; meanwhile it is not read.
pub const EXTENSION_QUEUE_LEN_MAX: usize = 256;
/// Connections to the backends at once.
pub const BACKEND_SOCKETS_MAX: usize = 64;

/// A request to the LLM server.
pub const LLM_REQUEST_BYTES_MAX: usize = 4 << 20;
/// An answer of the LLM server that is no stream.
pub const LLM_ANSWER_BYTES_MAX: usize = 16 << 20;
/// How much of an LLM server's error is shown.
pub const LLM_ERROR_SHOWN_BYTES_MAX: usize = 512;
/// How long the LLM server may take until its answer begins, and then until each next piece of it.
pub const LLM_SILENCE_MS: u64 = 30_000;
/// Requests to the LLM server that are under way at once.
pub const LLM_CALLS_MAX: usize = 4;
/// Requests to the LLM server in a minute, after a burst of as many.
pub const LLM_CALLS_PER_MINUTE_MAX: u32 = 60;

/// Bytes of a call's arguments that are hashed for the audit log, and kept with `--audit full`.
pub const AUDIT_ARGUMENTS_BYTES_MAX: usize = 64 << 10;
/// Calls that wait for the audit thread.
pub const AUDIT_QUEUE_LEN_MAX: usize = 16 << 10;
/// Bytes of the arguments of calls that wait for the audit thread.
pub const AUDIT_QUEUE_BYTES_MAX: usize = 8 << 20;
/// A file of the audit log is rotated at this size.
pub const AUDIT_FILE_BYTES_MAX: u64 = 4 << 20;
/// Files of the audit log that are kept, the current one among them.
pub const AUDIT_FILES_MAX: usize = 8;
/// Rows in one answer of `audit/read`.
pub const AUDIT_ANSWER_ROWS_MAX: usize = 10_000;
/// A file of the hub's own log is rotated at this size.
pub const LOG_FILE_BYTES_MAX: u64 = 1 << 20;
/// Files of that log that are kept, the current one among them.
pub const LOG_FILES_MAX: usize = 4;
