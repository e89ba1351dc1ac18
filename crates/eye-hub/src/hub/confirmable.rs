//! The tool call that is being dispatched while a console is open, in the form that runs it once a person allows it.

use eye_core::{Input, Reply};

#[derive(Debug)]
pub struct Confirmable {
    /// Identifies the call's refusal.
    pub reply: Reply,
    /// Session of the target page.
    pub page: Box<str>,
    pub tool: Box<str>,
    /// JSON text.
    pub arguments: Box<str>,
    /// The same call, confirmed, and bound to that page.
    pub again: Input,
}
