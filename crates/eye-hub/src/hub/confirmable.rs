//! The tool call that is being asked while a console is open, as it would be asked again once a person allows it.

use eye_core::{Input, Reply};

/// Such a call.
#[derive(Debug)]
pub struct Confirmable {
    /// Where its answer goes, by which its refusal is known.
    pub reply: Reply,
    /// The page that it means, its session.
    pub page: Box<str>,
    /// The tool.
    pub tool: Box<str>,
    /// Its arguments, as JSON text.
    pub arguments: Box<str>,
    /// The same call, confirmed, and bound to that page.
    pub again: Input,
}
