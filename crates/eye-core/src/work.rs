//! Work that is too much for the hub's thread: parsing and patching large documents, compiling schemas, checking
//! arguments. It is data and a function of it; which thread runs it is not known here.
//!
//! A lane keeps its order meanwhile: everything that a session's page sends, and everything that an agent requests,
//! waits behind the work that came before it.

use crate::document::{Document, Meter, Unfit};
use crate::ids::Conn;
use crate::schema::Schema;
use crate::state;
use crate::toolbox::{self, Prepared};
use eye_protocol::limits::{CHECK_STEPS_MAX, PATCH_STEPS_MAX};
use eye_protocol::scan::Pause;
use eye_protocol::state::WholeState;
use eye_protocol::{Code, Error, SessionId};
use serde_json::value::RawValue;
use std::sync::Arc;

/// Inputs that keep their order while work is done.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// The inputs of a session's page, and requests that read its state.
    Session(SessionId),
    /// The inputs of an agent.
    Agent(Conn),
}

/// A computation. Takes no longer than its limits allow, and touches nothing else.
#[derive(Debug)]
pub enum Work {
    /// Parse a document. What another hub sends need not be JSON.
    Parse(Box<str>),
    /// Parse a page's answer to a request for its state.
    StateAnswer(String),
    /// Apply a patch.
    Patch(Document, Box<str>),
    /// Read a part of a document as JSON text.
    Read(Document, Option<String>),
    /// Compile tools.
    Compile(Vec<Box<str>>),
    /// Check arguments.
    Check(Vec<Check>),
}

/// The result of work.
#[derive(Debug)]
pub enum Done {
    /// Of [`Work::Parse`], with the text.
    Parsed(Result<Document, Error>, Box<str>),
    /// Of [`Work::Told`].
    StateAnswer(Result<StateAnswer, Error>),
    /// Of [`Work::Patch`], with the patch; the document is unchanged if it did not fit.
    Patched(Document, Result<(), Unfit>, Box<str>),
    /// Of [`Work::Read`].
    Read(Document, Result<Box<RawValue>, Error>),
    /// Of [`Work::Compile`].
    Compiled(Prepared),
    /// Of [`Work::Check`], in order.
    Checked(Vec<Result<(), Error>>),
    /// No result: the work was given up.
    Failed,
}

/// A state that a page sent when it was asked.
#[derive(Debug)]
pub struct StateAnswer {
    /// The document, or why it is refused.
    pub document: Result<Document, Error>,
    pub text: Box<str>,
    /// The page's own revision.
    pub revision: u64,
}

impl StateAnswer {
    /// Reads a page's answer, which may be large.
    pub fn parse(answer: &str, pause: Pause) -> Result<Self, Error> {
        let WholeState { state: text, revision } = WholeState::parse(answer, pause).map_err(|error| {
            Error::new(Code::INTERNAL, format!("the page told a malformed state: {}", error.message))
        })?;
        Ok(Self { document: Document::parse(&text, pause), text, revision })
    }
}

/// Arguments to check.
#[derive(Debug)]
pub struct Check {
    /// The tool's name.
    pub tool: Box<str>,
    /// Its schema; without one, arguments only have to be JSON.
    pub schema: Option<Arc<Schema>>,
    /// JSON text.
    pub arguments: Box<str>,
}

impl Check {
    /// Checks within a budget of steps.
    pub fn run(&self, steps_max: u64) -> Result<Result<(), Error>, Unfit> {
        let no_json = |error| Error::new(Code::PARAMS, format!("the arguments are no JSON: {error}"));
        let Some(schema) = &self.schema else {
            return Ok(serde_json::from_str::<&RawValue>(&self.arguments).map(|_| ()).map_err(no_json));
        };
        match serde_json::from_str(&self.arguments) {
            Ok(value) => schema.check(&self.tool, &value, steps_max),
            Err(error) => Ok(Err(no_json(error))),
        }
    }
}

impl Work {
    /// Does the work. Calls `pause` about every tenth of a millisecond, except while a library compiles a schema,
    /// checks arguments or writes text.
    pub fn run(self, pause: Pause) -> Done {
        match self {
            Self::Parse(text) => Done::Parsed(Document::parse(&text, pause), text),
            Self::StateAnswer(text) => Done::StateAnswer(StateAnswer::parse(&text, pause)),
            Self::Patch(mut document, patch) => {
                let fits = document.patch(&patch, &mut Meter::pausing(PATCH_STEPS_MAX, pause));
                Done::Patched(document, fits, patch)
            }
            Self::Read(document, path) => {
                let text = state::select(document.value(), path.as_deref());
                Done::Read(document, text)
            }
            Self::Compile(definitions) => Done::Compiled(toolbox::prepare(definitions, pause)),
            Self::Check(checks) => {
                let one = |check: &Check| {
                    pause();
                    check.run(CHECK_STEPS_MAX).unwrap_or_else(|_| {
                        let message = format!("checking the arguments of {} would take too long", check.tool);
                        Err(Error::new(Code::SCHEMA, message).hint("send less, or let the page simplify its schema"))
                    })
                };
                Done::Checked(checks.iter().map(one).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn pauses(work: Work) -> usize {
        thread_local!(static PAUSES: Cell<usize> = const { Cell::new(0) });
        PAUSES.set(0);
        work.run(|| PAUSES.set(PAUSES.get() + 1));
        PAUSES.get()
    }

    #[test]
    fn work_that_takes_long_pauses_and_other_work_does_not() {
        let numbers = |count: usize| format!("[{}0]", "0,".repeat(count));
        assert_eq!(pauses(Work::Parse(numbers(500).into())), 0);
        assert!(pauses(Work::Parse(numbers(100_000).into())) >= 50);
        let patch = |changes: usize| {
            let document = Document::parse(&numbers(10_000), || {}).unwrap();
            let change = r#"{"op":"add","path":"/0","value":1}"#;
            Work::Patch(document, format!("[{}]", vec![change; changes].join(",")).into())
        };
        assert_eq!(pauses(patch(1)), 4, "ten thousand numbers are moved, in three pieces");
        assert!(pauses(patch(50)) >= 50);
        let document = Document::parse(&numbers(100_000), || {}).unwrap();
        let replace = r#"[{"op":"replace","path":"","value":1}]"#;
        assert!(pauses(Work::Patch(document, replace.into())) >= 19 + 25, "what is replaced is measured, then freed");
        let tools = |count: usize| (0..count).map(|n| format!(r#"{{"name":"tool{n}"}}"#).into()).collect();
        assert_eq!(pauses(Work::Compile(tools(100))), 100);
    }
}
