//! Work that is too much for the hub's thread: parsing and patching large documents, compiling schemas, checking
//! arguments. It is data and a function of it; who runs it, and where, is not known here.
//!
//! A lane is what keeps its order meanwhile: everything that a session's page says, and everything that an agent asks,
//! waits behind the work that came before it.

use crate::document::{Document, Meter, Unfit};
use crate::ids::Conn;
use crate::schema::Schema;
use crate::state;
use crate::toolbox::{self, Prepared};
use eye_protocol::limits::{CHECK_STEPS_MAX, PATCH_STEPS_MAX};
use eye_protocol::{Code, Error, SessionId};
use serde_json::value::RawValue;
use std::sync::Arc;

/// Whose order is kept while work is done.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Of a session's page, and of those who read its state.
    Session(SessionId),
    /// Of an agent.
    Agent(Conn),
}

/// Something to compute. Takes no longer than its limits allow, and touches nothing else.
#[derive(Debug)]
pub enum Work {
    /// Parse a document.
    Parse(Box<RawValue>),
    /// Apply a patch.
    Patch(Document, Box<RawValue>),
    /// Read a part of a document as JSON text.
    Read(Document, Option<String>),
    /// Compile tools.
    Compile(Vec<Box<RawValue>>),
    /// Check arguments.
    Check(Vec<Check>),
}

/// What came of it.
#[derive(Debug)]
pub enum Done {
    /// Of [`Work::Parse`], with the text.
    Parsed(Result<Document, Error>, Box<RawValue>),
    /// Of [`Work::Patch`]; the document is unchanged if the patch did not fit.
    Patched(Document, Result<(), Unfit>),
    /// Of [`Work::Read`].
    Read(Document, Result<Box<RawValue>, Error>),
    /// Of [`Work::Compile`].
    Compiled(Prepared),
    /// Of [`Work::Check`], in order.
    Checked(Vec<Result<(), Error>>),
    /// Nothing: it was given up.
    Failed,
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
    /// Does it.
    pub fn run(self) -> Done {
        match self {
            Self::Parse(text) => Done::Parsed(Document::parse(text.get()), text),
            Self::Patch(mut document, patch) => {
                let fits = state::apply(&mut document, &patch, &mut Meter::new(PATCH_STEPS_MAX));
                Done::Patched(document, fits)
            }
            Self::Read(document, path) => {
                let text = state::select(document.value(), path.as_deref());
                Done::Read(document, text)
            }
            Self::Compile(definitions) => Done::Compiled(toolbox::prepare(definitions)),
            Self::Check(checks) => {
                let one = |check: &Check| {
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
