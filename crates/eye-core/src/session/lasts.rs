//! What a session knows of its state elsewhere: facts without the session that holds them.

use crate::ids::Millis;

/// What is known of a session's state elsewhere.
#[expect(clippy::struct_excessive_bools, reason = "what is known, each for itself")]
#[derive(Debug, Default)]
pub(crate) struct Lasts {
    /// It has changed since it was given out.
    pub(super) changed: bool,
    /// When it was given out.
    pub(super) given_at: Option<Millis>,
    /// When it was last looked for elsewhere.
    pub(super) recalled_at: Option<Millis>,
    /// When the state was published, and its revision, that what the page publishes here goes on from.
    pub(super) before: Option<(u64, u64)>,
    /// Those who watch it were not told yet: its revisions go on from those of the hub before, which are on their way.
    pub(super) untold: bool,
    /// The session is known here by its state alone.
    pub(super) from_afar: bool,
    /// The last state of the page was too large to outlive its hub.
    pub(super) too_large: bool,
}
