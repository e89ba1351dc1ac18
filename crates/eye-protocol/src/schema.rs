//! The parts of a tool's JSON Schema that a signature and a command line need: its parameters and their types. Does not
//! decide whether arguments fit.

use serde_json::{Map, Value};

/// How deep arrays and unions are followed; a page's schema may refer to itself, and often.
const DEPTH_MAX: usize = 4;
/// How many choices of a union are looked at.
const CHOICES_MAX: usize = 16;
/// How many references are followed in a row.
const REFERENCES_MAX: usize = 8;

/// A part of a tool's schema, with the whole that its references point into.
#[derive(Clone, Copy, Debug)]
pub struct Schema<'a> {
    root: &'a Value,
    part: &'a Value,
    depth: usize,
}

impl<'a> Schema<'a> {
    /// A tool's whole input schema.
    pub fn new(root: &'a Value) -> Self {
        Self { root, part: root, depth: 0 }.resolved()
    }

    /// The schema of a parameter. A parameter that is not listed has that of `additionalProperties`.
    pub fn parameter(&self, name: &str) -> Option<Self> {
        let properties = self.part.get("properties").and_then(Value::as_object);
        let part = properties.and_then(|known| known.get(name));
        part.or_else(|| self.part.get("additionalProperties").filter(|schema| schema.is_object()))
            .map(|part| self.below(part))
    }

    /// Its parameters by name, in their order.
    pub fn parameters(&self) -> Option<&'a Map<String, Value>> {
        self.part.get("properties").and_then(Value::as_object)
    }

    /// Whether a parameter must be given.
    pub fn requires(&self, name: &str) -> bool {
        let required = self.part.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|required| required == name))
    }

    /// The values it allows, when it lists them.
    pub fn listed(&self) -> Option<&'a [Value]> {
        match (self.part.get("const"), self.part.get("enum")) {
            (Some(only), _) => Some(std::slice::from_ref(only)),
            (None, Some(Value::Array(values))) => Some(values),
            (None, _) => None,
        }
    }

    /// The names of its types.
    pub fn types(&self) -> Vec<&'a str> {
        match self.part.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            Some(_) | None => Vec::new(),
        }
    }

    /// The schemas of which one or more must hold.
    pub fn choices(&self) -> Vec<Self> {
        if self.depth >= DEPTH_MAX {
            return Vec::new();
        }
        let choices = ["anyOf", "oneOf"].iter().find_map(|word| self.part.get(word)).and_then(Value::as_array);
        choices.into_iter().flatten().take(CHOICES_MAX).map(|part| self.below(part)).collect()
    }

    /// What an array holds.
    pub fn items(&self) -> Option<Self> {
        let part = self.part.get("items").filter(|part| part.is_object())?;
        (self.depth < DEPTH_MAX).then(|| self.below(part))
    }

    /// A part of it, with its reference followed.
    #[must_use]
    pub fn below(&self, part: &'a Value) -> Self {
        Self { root: self.root, part, depth: self.depth + 1 }.resolved()
    }

    /// Follows references inside the schema; others are ignored.
    fn resolved(mut self) -> Self {
        for _ in 0..REFERENCES_MAX {
            let pointer = self.part.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix('#'));
            let Some(part) = pointer.and_then(|pointer| self.root.pointer(pointer)) else { break };
            self.part = part;
        }
        self
    }
}
