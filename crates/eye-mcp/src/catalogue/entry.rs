//! One tool of one provider, and what finding it needs.

use super::line;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::{Arc, OnceLock};

/// The name of eye's own verbs among the providers.
pub const OWN: &str = "eye";
/// What of the reason for a provider being down is shown in a line.
const WHY_SHOWN_CHARS_MAX: usize = 120;

/// Whether a tool can be called now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its provider is there.
    Ready,
    /// Its provider has not started yet; a call starts it.
    Known,
    /// Its provider is down.
    Down(Arc<str>),
}

/// A tool as its author wrote it.
#[derive(Debug)]
struct Definition {
    raw: Box<RawValue>,
    parsed: OnceLock<Value>,
}

/// One tool. Its provider is an upstream's name, `page:ALIAS`, or `eye`.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Whose.
    pub server: Box<str>,
    /// Its own name there.
    pub name: Box<str>,
    /// Whether it can be called now.
    pub standing: Standing,
    definition: Arc<Definition>,
}

impl Entry {
    /// A tool of a provider.
    pub fn new(
        server: impl Into<Box<str>>,
        name: impl Into<Box<str>>,
        tool: Box<RawValue>,
        standing: Standing,
    ) -> Self {
        let definition = Arc::new(Definition { raw: tool, parsed: OnceLock::new() });
        Self { server: server.into(), name: name.into(), standing, definition }
    }

    /// The same tool, whose provider is otherwise now.
    #[must_use]
    pub fn standing(&self, standing: Standing) -> Self {
        Self { standing, ..self.clone() }
    }

    /// Its definition, untouched.
    pub fn tool(&self) -> &RawValue {
        &self.definition.raw
    }

    /// Its definition as a value, parsed once.
    pub fn definition(&self) -> &Value {
        self.definition.parsed.get_or_init(|| serde_json::from_str(self.tool().get()).unwrap_or_default())
    }

    /// Whether it says that it only reads.
    pub fn only_reads(&self) -> bool {
        self.definition()["annotations"]["readOnlyHint"] == true
    }

    /// `add(a: number, b?: number)  First sentence.` under the name it is called by; brief without the sentence.
    pub fn line(&self, name: &str, brief: bool) -> String {
        let mut line = line::line(name, self.definition(), brief);
        if let Standing::Down(why) = &self.standing {
            line.push_str("  [down: ");
            line.push_str(&line::shown(why, WHY_SHOWN_CHARS_MAX));
            line.push(']');
        }
        line
    }
}
