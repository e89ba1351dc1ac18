//! What a session knows of its state elsewhere, as data without the session that holds it.

use crate::ids::Millis;

#[expect(clippy::struct_excessive_bools, reason = "what is known, each for itself")]
#[derive(Debug, Default)]
pub(crate) struct Lasts {
    /// The state has changed since it was written.
    pub(super) changed: bool,
    /// When the state was last written.
    pub(super) given_at: Option<Millis>,
    /// When the state was last recalled.
    pub(super) recalled_at: Option<Millis>,
    /// Publication time (Unix, in milliseconds) and revision of the state that the page's states here continue.
    pub(super) before: Option<(u64, u64)>,
    /// Agents that watch the state were not notified yet: its revisions continue those of the hub before, which are on
    /// their way.
    pub(super) untold: bool,
    /// The session is known here only by its state.
    pub(super) from_afar: bool,
    /// The last state of the page was too large to outlive its hub.
    pub(super) too_large: bool,
}
