//! The tools a session's page offers, and whether a call of one fits: its name, its capabilities, its arguments.

use eye_protocol::limits::{TOOLS_BYTES_MAX, TOOLS_MAX};
use eye_protocol::tools::{Registered, Rejected, Tool};
use eye_protocol::{Code, Error};
use indexmap::IndexMap;
use jsonschema::{PatternOptions, Validator};
use serde_json::value::RawValue;
use std::collections::HashSet;

/// How many faults of a call's arguments an error names.
const FAULTS_SHOWN_MAX: usize = 3;
/// How many near names an error names.
const NEAR_SHOWN_MAX: usize = 3;
/// A compiled pattern of a page's schema may take this much memory.
const PATTERN_BYTES_MAX: usize = 1 << 20;

#[derive(Debug)]
struct Offered {
    tool: Tool,
    validator: Option<Validator>,
}

/// The tools of one session, in the order they were offered.
#[derive(Debug, Default)]
pub struct Toolbox {
    /// Pages choose the names, so they are hashed with a key.
    tools: IndexMap<Box<str>, Offered>,
    bytes: usize,
    /// The page has come back and not registered yet: what it registers first replaces all.
    stale: bool,
}

impl Toolbox {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// A new page has the session; the tools of the one before are known until it registers its own.
    pub fn page_came(&mut self) {
        self.stale = true;
    }

    /// Takes tools. A name that is there is replaced, so that hot reload never fails.
    pub fn register(&mut self, definitions: Vec<Box<RawValue>>) -> Result<Registered, Error> {
        if std::mem::take(&mut self.stale) {
            self.tools.clear();
            self.bytes = 0;
        }
        let (mut registered, mut rejected) = (0, Vec::new());
        let offered = definitions.len();
        for definition in definitions {
            let name = name_of(&definition);
            match self.take(definition) {
                Ok(()) => registered += 1,
                Err(error) => rejected.push(Rejected { name, error: error.message }),
            }
        }
        match rejected.first() {
            Some(first) if registered == 0 && offered > 0 => Err(Error::new(Code::PARAMS, first.error.clone())),
            _ => Ok(Registered { success: true, registered, rejected }),
        }
    }

    fn take(&mut self, definition: Box<RawValue>) -> Result<(), Error> {
        let tool = Tool::parse(definition)?;
        let validator = tool.input_schema.as_ref().map(|schema| compile(&tool.name, schema)).transpose()?;
        let size = tool.definition.get().len();
        let known = self.tools.get(&tool.name);
        let freed = known.map_or(0, |offered| offered.tool.definition.get().len());
        if known.is_none() && self.tools.len() >= TOOLS_MAX {
            return Err(Error::new(Code::PARAMS, format!("a session offers at most {TOOLS_MAX} tools")));
        }
        if self.bytes - freed + size > TOOLS_BYTES_MAX {
            let message = format!("a session's tools take at most {} MiB", TOOLS_BYTES_MAX >> 20);
            return Err(Error::new(Code::PARAMS, message));
        }
        self.bytes = self.bytes - freed + size;
        self.tools.insert(tool.name.clone(), Offered { tool, validator });
        Ok(())
    }

    /// Withdraws tools, and says how many were there.
    pub fn unregister(&mut self, names: &[String]) -> usize {
        let before = self.tools.len();
        let gone: HashSet<&str> = names.iter().map(String::as_str).collect();
        let bytes = &mut self.bytes;
        self.tools.retain(|name, offered| {
            let stays = !gone.contains(&**name);
            if !stays {
                *bytes -= offered.tool.definition.get().len();
            }
            stays
        });
        before - self.tools.len()
    }

    /// The definitions, as a JSON array.
    pub fn list(&self, filter: Option<&str>) -> String {
        let wanted = self.tools.values().filter(|offered| filter.is_none_or(|filter| offered.tool.fits(filter)));
        let texts: Vec<&str> = wanted.map(|offered| offered.tool.definition.get()).collect();
        format!("[{}]", texts.join(","))
    }

    /// One tool, or an error that names the nearest.
    pub fn get(&self, name: &str) -> Result<&Tool, Error> {
        self.find(name).map(|offered| &offered.tool)
    }

    /// Whether the arguments fit the tool's schema; says where they do not.
    pub fn check(&self, name: &str, arguments: &str) -> Result<(), Error> {
        let offered = self.find(name)?;
        let value = serde_json::from_str(arguments)
            .map_err(|error| Error::new(Code::PARAMS, format!("the arguments are no JSON: {error}")))?;
        let Some(validator) = &offered.validator else { return Ok(()) };
        let fault = |error: jsonschema::ValidationError<'_>| {
            let path = error.instance_path().to_string();
            let path = if path.is_empty() { "the arguments".to_owned() } else { path };
            format!("{path}: {error}")
        };
        let faults: Vec<String> = validator.iter_errors(&value).take(FAULTS_SHOWN_MAX).map(fault).collect();
        if faults.is_empty() {
            return Ok(());
        }
        let message = format!("the arguments do not fit {name}: {}", faults.join("; "));
        Err(Error::new(Code::SCHEMA, message).hint(format!("`eye tools {name} --schema` shows what it takes")))
    }

    fn find(&self, name: &str) -> Result<&Offered, Error> {
        if let Some(offered) = self.tools.get(name) {
            return Ok(offered);
        }
        let error = Error::new(Code::TOOL, format!("Tool not found: {name}"));
        if self.tools.is_empty() {
            return Err(error.hint("the page offers no tools"));
        }
        let mut near: Vec<(usize, &str)> = self
            .tools
            .values()
            .map(|offered| (strsim::damerau_levenshtein(name, &offered.tool.name), &*offered.tool.name))
            .filter(|(distance, other)| *distance <= name.len().max(other.len()) / 2 || other.contains(name))
            .collect();
        near.sort_unstable();
        let near: Vec<&str> = near.into_iter().take(NEAR_SHOWN_MAX).map(|(_, name)| name).collect();
        if near.is_empty() {
            return Err(error.hint("`eye tools` lists what there is"));
        }
        Err(error.hint(format!("did you mean {}?", near.join(", "))))
    }
}

/// References stay inside the schema, and patterns run in linear time: a page must not make the hub fetch or hang.
fn compile(name: &str, schema: &RawValue) -> Result<Validator, Error> {
    let wrong = |why: String| Error::new(Code::PARAMS, format!("the inputSchema of {name} cannot be used: {why}"));
    let schema = serde_json::from_str(schema.get()).map_err(|error| wrong(error.to_string()))?;
    jsonschema::options()
        .offline()
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_BYTES_MAX))
        .build(&schema)
        .map_err(|error| wrong(error.to_string()))
}

fn name_of(definition: &RawValue) -> String {
    let value: serde_json::Value = serde_json::from_str(definition.get()).unwrap_or_default();
    value["name"].as_str().unwrap_or("?").chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.into()).unwrap()
    }

    fn adder() -> Toolbox {
        let mut toolbox = Toolbox::default();
        let add = r#"{"name":"add","inputSchema":{"type":"object","required":["a"],"properties":{"a":{"type":"number"},"b":{"type":"object","properties":{"c":{"enum":[1,2]}}}}}}"#;
        toolbox.register(vec![raw(add), raw(r#"{"name":"subtract"}"#)]).unwrap();
        toolbox
    }

    #[test]
    fn arguments_that_do_not_fit_name_the_path() {
        let toolbox = adder();
        assert_eq!(toolbox.check("add", r#"{"a":1,"b":{"c":2}}"#), Ok(()));
        assert_eq!(toolbox.check("subtract", "{}"), Ok(()));
        for (arguments, words) in [
            ("{}", "\"a\" is a required property"),
            (r#"{"a":"1"}"#, "/a: \"1\" is not of type \"number\""),
            (r#"{"a":1,"b":{"c":3}}"#, "/b/c: 3 is not one of"),
            ("7", "the arguments: 7 is not of type \"object\""),
        ] {
            let error = toolbox.check("add", arguments).unwrap_err();
            assert_eq!(error.code, Code::SCHEMA);
            assert!(error.message.contains(words), "{}", error.message);
        }
    }

    #[test]
    fn an_unknown_tool_names_the_nearest() {
        let error = adder().check("ad", "{}").unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (Code::TOOL, "Tool not found: ad"));
        assert_eq!(error.hint.as_deref(), Some("did you mean add?"));
    }

    #[test]
    fn a_name_that_is_there_is_replaced_and_a_page_that_came_back_replaces_all() {
        let mut toolbox = adder();
        toolbox.register(vec![raw(r#"{"name":"add","title":"New"}"#)]).unwrap();
        assert_eq!(toolbox.list(None), r#"[{"name":"add","title":"New"},{"name":"subtract"}]"#);
        toolbox.page_came();
        assert_eq!(toolbox.len(), 2);
        toolbox.register(vec![raw(r#"{"name":"add"}"#)]).unwrap();
        assert_eq!(toolbox.list(None), r#"[{"name":"add"}]"#);
        assert_eq!(toolbox.unregister(&["add".into(), "x".into()]), 1);
        assert_eq!((toolbox.len(), toolbox.bytes), (0, 0));
    }

    #[test]
    fn a_bad_tool_is_named_and_the_others_are_taken() {
        let mut toolbox = Toolbox::default();
        let bad = raw(r#"{"name":"bad","inputSchema":{"type":"nonsense"}}"#);
        let taken = toolbox.register(vec![bad.clone(), raw(r#"{"name":"good"}"#)]).unwrap();
        assert_eq!((taken.registered, taken.rejected[0].name.as_str()), (1, "bad"));
        assert_eq!(toolbox.register(vec![bad]).unwrap_err().code, Code::PARAMS);
        let remote = raw(r#"{"name":"remote","inputSchema":{"$ref":"http://localhost:1/x.json"}}"#);
        assert!(toolbox.register(vec![remote]).is_err());
        assert!(toolbox.register(vec![]).unwrap().success);
    }

    #[test]
    fn a_pattern_that_explodes_elsewhere_is_checked_in_linear_time() {
        let mut toolbox = Toolbox::default();
        let tool = raw(r#"{"name":"t","inputSchema":{"properties":{"s":{"pattern":"^(a+)+$"}}}}"#);
        toolbox.register(vec![tool]).unwrap();
        let arguments = format!(r#"{{"s":"{}!"}}"#, "a".repeat(50_000));
        assert_eq!(toolbox.check("t", &arguments).unwrap_err().code, Code::SCHEMA);
    }

    #[test]
    fn tools_are_bounded_in_count_and_bytes() {
        let mut toolbox = Toolbox::default();
        let many = (0..=TOOLS_MAX).map(|n| raw(&format!(r#"{{"name":"t{n}"}}"#))).collect();
        let taken = toolbox.register(many).unwrap();
        assert_eq!((taken.registered, taken.rejected.len()), (TOOLS_MAX, 1));
        let mut toolbox = Toolbox::default();
        let big = |name: &str| raw(&format!(r#"{{"name":"{name}","x":"{}"}}"#, "x".repeat(TOOLS_BYTES_MAX / 2)));
        assert_eq!(toolbox.register(vec![big("a"), big("b")]).unwrap().registered, 1);
        assert_eq!(toolbox.register(vec![big("a")]).unwrap().registered, 1);
    }
}
