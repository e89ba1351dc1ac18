//! One tool of one provider, and what finding it needs.

use eye_protocol::signature::{sentence, signature_as};
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::{Arc, OnceLock};

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

/// One tool. Its provider is an upstream's name, `page:ALIAS`, or `eye`.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Whose.
    pub server: Box<str>,
    /// Its own name there.
    pub name: Box<str>,
    /// Its definition, untouched.
    pub tool: Box<RawValue>,
    /// Whether it can be called now.
    pub standing: Standing,
    parsed: OnceLock<Value>,
}

impl Entry {
    /// A tool of a provider.
    pub fn new(
        server: impl Into<Box<str>>,
        name: impl Into<Box<str>>,
        tool: Box<RawValue>,
        standing: Standing,
    ) -> Self {
        Self { server: server.into(), name: name.into(), tool, standing, parsed: OnceLock::new() }
    }

    /// Its definition as a value, parsed once.
    pub fn definition(&self) -> &Value {
        self.parsed.get_or_init(|| serde_json::from_str(self.tool.get()).unwrap_or_default())
    }

    /// `add(a: number, b?: number)  First sentence.` under the name it is called by.
    pub fn line(&self, name: &str) -> String {
        let definition = self.definition();
        let (signature, sentence) = (signature_as(name, definition), sentence(definition));
        let mut line = if sentence.is_empty() { signature } else { format!("{signature}  {sentence}") };
        if let Standing::Down(why) = &self.standing {
            line.push_str("  [down: ");
            line.push_str(why);
            line.push(']');
        }
        line
    }
}
