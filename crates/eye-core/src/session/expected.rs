//! What is expected of a session's page, as data without the session that holds it.

use crate::ids::Millis;
use crate::input::Input;
use crate::task::Task;
use serde_json::{Value, json};

/// What a request needs of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'a> {
    /// A tool of this name.
    Tool(&'a str),
    /// The list of tools.
    Tools,
    /// Its state.
    State,
    /// What else is kept of it: mail and snapshots.
    Kept,
    /// Nothing, but the request stays behind those of the same agent that wait.
    Order,
}

#[expect(clippy::struct_excessive_bools, reason = "what is known of a page, each for itself")]
#[derive(Debug, Default)]
pub(crate) struct Expecting {
    /// A page of this session has offered tools.
    pub(super) had_tools: bool,
    /// A page of this session has published a state.
    pub(super) had_state: bool,
    pub(super) joined_at: Millis,
    /// Until when what another hub kept of the session may arrive.
    pub(super) handover_until: Option<Millis>,
    /// When the page reported that it is leaving for another URL.
    pub(super) leaving_at: Option<Millis>,
    /// The dialog that stops the page.
    pub(super) stopped: Option<Stopped>,
    /// Work is under way, or inputs of the page wait behind it: the page may have offered more than is known.
    pub(super) behind: bool,
    /// Requests that wait for an offer, in their order.
    pub(super) requests: Vec<Input>,
    pub(super) requests_bytes: usize,
    /// The hub is ending: no request waits any more.
    pub(super) over: bool,
}

/// A dialog that stops a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped {
    /// When the page reported the dialog.
    pub(super) at: Millis,
    /// Whether the calls that it stopped have ended.
    pub(super) is_reported: bool,
}

impl Expecting {
    /// For a session that a restarted hub knows from before.
    pub fn recalled(had_tools: bool, had_state: bool) -> Self {
        Self { had_tools, had_state, ..Self::default() }
    }

    /// How many requests wait.
    pub fn waiting(&self) -> usize {
        self.requests.len()
    }
}

/// The look at the page where a verb arrives, for a verb that navigates.
pub(super) fn at_arrival(task: &Task) -> Option<Task> {
    let Task::Verb { method, params, .. } = task else { return None };
    if !matches!(&**method, "page/goto" | "page/back" | "page/forward") {
        return None;
    }
    let given: Value = serde_json::from_str(params).ok()?;
    let params = json!({ "agent": given["agent"], "loaded": true }).to_string().into();
    Some(Task::Verb { method: "page/look".into(), params, again: false, terms: crate::task::Terms::default() })
}
