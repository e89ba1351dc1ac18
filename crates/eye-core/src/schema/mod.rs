//! A tool's schema: refused by an estimate before it is compiled, and applied to a call's arguments under a budget.

mod graph;
mod refused;

use crate::document::{Meter, Unfit};
use eye_protocol::limits::PATTERN_BYTES_MAX;
use eye_protocol::{Code, Error};
use graph::Graph;
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;
use serde_json::value::RawValue;

/// How many faults of a call's arguments an error names.
const FAULTS_SHOWN_MAX: usize = 3;
/// Characters of each fault that an error shows.
const FAULT_CHARS_MAX: usize = 300;
/// Faults are looked for one by one only where that takes few steps: each may hold a copy of what it is about.
const FAULTS_STEPS_MAX: u64 = 20_000;
/// Bytes of one compiled subschema, by estimate.
const NODE_BYTES: usize = 512;
/// Bytes of one compiled pattern, by estimate.
const COMPILED_PATTERN_BYTES: usize = 32 << 10;
/// Bytes of a pattern's table while it is matched.
const PATTERN_TABLE_BYTES_MAX: usize = 256 << 10;

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    validator: Validator,
    graph: Graph,
}

/// A schema that was read and found small enough, and is not compiled yet.
#[derive(Debug)]
pub struct Estimate {
    schema: Value,
    graph: Graph,
}

impl Estimate {
    /// Reads a tool's schema, or refuses it.
    pub fn of(tool: &str, schema: &RawValue) -> Result<Self, Error> {
        let schema = serde_json::from_str(schema.get()).map_err(|error| wrong(tool, &error.to_string()))?;
        let graph = Graph::of(&schema).map_err(|why| wrong(tool, &why.to_string()))?;
        Ok(Self { schema, graph })
    }

    /// Steps that compiling it takes at most.
    pub fn steps(&self) -> u64 {
        self.graph.written_out.saturating_add(self.graph.patterns as u64 * 1_000)
    }

    /// Compiles it. References stay inside the schema, and patterns run in linear time.
    pub fn compile(self, tool: &str) -> Result<Schema, Error> {
        let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES_MAX).dfa_size_limit(PATTERN_TABLE_BYTES_MAX);
        let validator = jsonschema::options()
            .offline()
            .should_validate_formats(false)
            .with_pattern_options(patterns)
            .build(&self.schema)
            .map_err(|error| wrong(tool, &cut(&error.to_string())))?;
        Ok(Schema { validator, graph: self.graph })
    }
}

impl Schema {
    /// Estimated bytes in memory.
    pub fn parsed_bytes(&self) -> usize {
        self.graph.len() * NODE_BYTES + self.graph.patterns * COMPILED_PATTERN_BYTES
    }

    pub fn patterns(&self) -> usize {
        self.graph.patterns
    }

    /// Subschemas in it, with references written out.
    pub fn nodes(&self) -> u64 {
        self.graph.written_out
    }

    /// Checks a call's arguments; the inner error says where they do not fit. Fails when that takes more steps than the
    /// budget.
    pub fn check(&self, tool: &str, arguments: &Value, steps_max: u64) -> Result<Result<(), Error>, Unfit> {
        let steps = self.graph.steps(arguments, &mut Meter::new(steps_max))?;
        if self.validator.is_valid(arguments) {
            return Ok(Ok(()));
        }
        let fault = |error: jsonschema::ValidationError<'_>| {
            let path = error.instance_path().to_string();
            let path = if path.is_empty() { "the arguments".to_owned() } else { path };
            cut(&format!("{path}: {error}"))
        };
        let faults: Vec<String> = if steps <= FAULTS_STEPS_MAX {
            self.validator.iter_errors(arguments).take(FAULTS_SHOWN_MAX).map(fault).collect()
        } else {
            vec!["they are too many to say where".into()]
        };
        let message = format!("the arguments do not fit {tool}: {}", faults.join("; "));
        Ok(Err(Error::new(Code::SCHEMA, message).hint(format!("`eye tools {tool} --schema` shows what it takes"))))
    }
}

fn wrong(tool: &str, why: &str) -> Error {
    Error::new(Code::PARAMS, format!("the inputSchema of {tool} cannot be used: {why}"))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(FAULT_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eye_protocol::limits::{CHECK_STEPS_MAX, LIGHT_STEPS_MAX, SCHEMA_DEPTH_MAX, SCHEMA_PATTERNS_MAX};
    use serde_json::json;

    fn compile(schema: &Value) -> Result<Schema, String> {
        let raw = RawValue::from_string(schema.to_string()).unwrap();
        Estimate::of("t", &raw).and_then(|estimate| estimate.compile("t")).map_err(|error| error.message)
    }

    fn chain(length: usize, link: impl Fn(Value) -> Value) -> Value {
        let next = |n: usize| json!({"$ref": format!("#/$defs/d{n}")});
        let mut defs = serde_json::Map::new();
        for n in 0..length {
            defs.insert(format!("d{n}"), link(next(n + 1)));
        }
        defs.insert(format!("d{length}"), json!({"type":"object"}));
        json!({"$ref":"#/$defs/d0","$defs":defs})
    }

    #[test]
    fn references_that_double_are_refused_before_they_are_compiled() {
        let unevaluated = |next: Value| json!({"unevaluatedProperties":false,"allOf":[next.clone(), next]});
        assert!(compile(&chain(20, unevaluated)).unwrap_err().contains("subschemas, over the limit"));
        let single = |next: Value| json!({"unevaluatedProperties":false,"allOf":[next]});
        assert!(compile(&chain(30, single)).unwrap_err().contains("subschemas, over the limit"));
        let one_of = |next: Value| json!({"oneOf":[next.clone(), next]});
        assert!(compile(&chain(20, one_of)).unwrap_err().contains("subschemas, over the limit"));
        assert!(compile(&chain(5, one_of)).is_ok());
        assert!(compile(&chain(SCHEMA_DEPTH_MAX, |next| json!({"not":next}))).unwrap_err().contains("deep"));
    }

    #[test]
    fn a_schema_as_deep_as_the_limit_compiles_and_checks() {
        let schema = compile(&chain(SCHEMA_DEPTH_MAX / 2 - 2, |next| json!({"allOf":[next]}))).unwrap();
        assert_eq!(schema.check("t", &json!({}), CHECK_STEPS_MAX), Ok(Ok(())));
    }

    #[test]
    fn a_schema_that_multiplies_with_the_depth_of_a_value_is_given_up() {
        let tree = json!({"items":{"oneOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}]}});
        let schema = compile(&tree).unwrap();
        let nested = |depth: usize| (0..depth).fold(json!([]), |inner, _| json!([inner]));
        assert!(schema.check("t", &nested(3), CHECK_STEPS_MAX).is_ok());
        assert_eq!(schema.check("t", &nested(40), CHECK_STEPS_MAX), Err(Unfit::TooMuchWork));
    }

    #[test]
    fn a_tree_refers_to_itself_and_is_light() {
        let tree = json!({"$id":"tree","type":"object","properties":{
            "left":{"$ref":"#"},"right":{"$ref":"tree"},"value":{"type":"number"}},"additionalProperties":false});
        let schema = compile(&tree).unwrap();
        let grown = (0..50).fold(json!({"value":1}), |inner, _| json!({"left":inner,"right":{"value":2}}));
        assert_eq!(schema.check("t", &grown, LIGHT_STEPS_MAX), Ok(Ok(())));
        let wrong = json!({"left":{"right":{"value":"x"}}});
        let error = schema.check("t", &wrong, LIGHT_STEPS_MAX).unwrap().unwrap_err();
        assert!(error.message.contains("/left/right/value"), "{}", error.message);
    }

    #[test]
    fn what_goes_in_circles_or_leads_outside_is_refused() {
        for (schema, words) in [
            (json!({"$ref":"#"}), "refers to itself"),
            (json!({"allOf":[{"anyOf":[{"$ref":"#/allOf/0"}]}]}), "refers to itself"),
            (json!({"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}), "itself"),
            (json!({"$ref":"http://localhost:1/x.json"}), "leads out of the schema"),
            (json!({"$ref":"https://json-schema.org/draft/2020-12/schema"}), "leads out of the schema"),
        ] {
            let error = compile(&schema).unwrap_err();
            assert!(error.contains(words), "{schema}: {error}");
        }
        let anchored = json!({"$defs":{"n":{"$anchor":"num","type":"number"}},"items":{"$ref":"#num"}});
        assert!(compile(&anchored).unwrap().check("t", &json!(["x"]), LIGHT_STEPS_MAX).unwrap().is_err());
    }

    #[test]
    fn patterns_are_counted() {
        let with = |count: usize| {
            let patterns: serde_json::Map<String, Value> = (0..count).map(|n| (format!("^p{n}$"), json!({}))).collect();
            json!({"patternProperties":patterns})
        };
        assert!(compile(&with(SCHEMA_PATTERNS_MAX)).is_ok());
        assert!(compile(&with(SCHEMA_PATTERNS_MAX + 1)).unwrap_err().contains("129 patterns"));
    }

    #[test]
    fn a_long_fault_is_cut() {
        let schema = compile(&json!({"type":"number"})).unwrap();
        let error = schema.check("t", &json!("x".repeat(100_000)), LIGHT_STEPS_MAX).unwrap().unwrap_err();
        assert!(error.message.len() < 500, "{}", error.message.len());
    }
}
