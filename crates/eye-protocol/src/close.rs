//! Close codes of a WebSocket, and the reasons that the peer is shown.

/// A close code with the reason that goes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Close {
    pub code: u16,
    /// At most 123 bytes on the wire.
    pub reason: String,
}

impl Close {
    /// What admitted the connection is no longer valid.
    pub const REVOKED: u16 = 4007;

    /// The hub shuts down.
    pub fn shutdown() -> Self {
        Self { code: 1001, reason: "the hub shuts down".into() }
    }

    /// The peer sent something that this endpoint does not accept.
    pub fn unsupported(reason: &str) -> Self {
        Self { code: 1003, reason: reason.into() }
    }

    /// A message over the limit.
    pub fn too_big(limit_bytes: usize) -> Self {
        Self { code: 1009, reason: format!("message over the limit of {} MiB", limit_bytes >> 20) }
    }

    /// The query of the WebSocket's URL does not fit.
    pub fn bad_query(reason: impl Into<String>) -> Self {
        Self { code: 4000, reason: reason.into() }
    }

    /// An agent named a session that does not exist.
    pub fn unknown_session() -> Self {
        Self { code: 4001, reason: "Session not found".into() }
    }

    /// Another page of the same origin has the session now.
    pub fn taken_over() -> Self {
        Self { code: 4003, reason: "another page took over this session".into() }
    }

    /// The session belongs to a page of another origin.
    pub fn foreign_session() -> Self {
        Self { code: 4004, reason: "this session belongs to another origin".into() }
    }

    /// The peer does not keep up with its messages.
    pub fn too_slow(reason: &str) -> Self {
        Self { code: 4005, reason: reason.into() }
    }

    /// The extension's code or key is not valid: it has to be paired.
    pub fn not_paired(reason: &str) -> Self {
        Self { code: 4008, reason: reason.into() }
    }

    /// What let the peer in, its token or its origin, is no longer valid.
    pub fn revoked(reason: &str) -> Self {
        Self { code: Self::REVOKED, reason: reason.into() }
    }

    /// The page's own code answers no ping.
    pub fn lifeless() -> Self {
        Self { code: 4006, reason: "the page answered no ping".into() }
    }
}
