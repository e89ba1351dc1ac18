//! One tool of one provider, with the parts that a search reads.

use super::line;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::{Arc, OnceLock};

/// The provider name of eye's own verbs.
pub const OWN: &str = "eye";
/// Characters of the reason why a provider is down that a line shows.
const WHY_SHOWN_CHARS_MAX: usize = 120;

/// Whether a tool can be called now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The provider runs.
    Ready,
    /// The provider has not started yet; a call starts it.
    Known,
    /// The provider is down, for this reason.
    Down(Arc<str>),
}

/// A tool as its author wrote it. Parsed on first use, at most once.
#[derive(Debug)]
struct Definition {
    raw: Box<RawValue>,
    parsed: OnceLock<Value>,
}

/// One tool. Its provider is an upstream's name, `page:ALIAS`, or `eye`.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The provider's name.
    pub server: Box<str>,
    /// The tool's name at its provider.
    pub name: Box<str>,
    pub standing: Standing,
    definition: Arc<Definition>,
}

impl Entry {
    pub fn new(
        server: impl Into<Box<str>>,
        name: impl Into<Box<str>>,
        tool: Box<RawValue>,
        standing: Standing,
    ) -> Self {
        let definition = Arc::new(Definition { raw: tool, parsed: OnceLock::new() });
        Self { server: server.into(), name: name.into(), standing, definition }
    }

    /// The same tool with another standing.
    #[must_use]
    pub fn standing(&self, standing: Standing) -> Self {
        Self { standing, ..self.clone() }
    }

    /// The definition, byte for byte as the author wrote it.
    pub fn tool(&self) -> &RawValue {
        &self.definition.raw
    }

    /// The definition as a JSON value. Parsed once.
    pub fn definition(&self) -> &Value {
        self.definition.parsed.get_or_init(|| serde_json::from_str(self.tool().get()).unwrap_or_default())
    }

    /// Whether the tool declares `readOnlyHint`.
    pub fn only_reads(&self) -> bool {
        self.definition()["annotations"]["readOnlyHint"] == true
    }

    /// `add(a: number, b?: number)  First sentence.` under the callable name `name`. `brief` leaves the sentence out.
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
