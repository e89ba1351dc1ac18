//! The tools that a session's page offers: registered within limits, found by name, with the schemas of their
//! arguments.

use crate::heavy::Heavy;
use crate::schema::{Estimate, Schema};
use eye_protocol::limits::{
    LIGHT_TOOLS_BYTES_MAX, LIGHT_TOOLS_STEPS_MAX, TOOLS_BYTES_MAX, TOOLS_MAX, TOOLS_NODES_MAX, TOOLS_PATTERNS_MAX,
};
use eye_protocol::scan::Pause;
use eye_protocol::tools::{Registered, Rejected, Tool};
use eye_protocol::{Code, Error};
use indexmap::IndexMap;
use std::collections::HashSet;
use std::sync::Arc;

/// How many near names an error names.
const NEAR_SHOWN_MAX: usize = 3;

#[derive(Debug)]
struct Offered {
    tool: Tool,
    schema: Option<Arc<Schema>>,
}

impl Offered {
    fn size(&self) -> Sizes {
        let schema = self.schema.as_deref();
        let definition = self.tool.definition.get().len();
        Sizes {
            definitions: definition,
            // The text is kept twice: as it came, and in parts.
            parsed: 2 * definition + schema.map_or(0, Schema::parsed_bytes),
            patterns: schema.map_or(0, Schema::patterns),
            nodes: schema.map_or(0, Schema::nodes),
        }
    }
}

/// Totals of what tools take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sizes {
    definitions: usize,
    parsed: usize,
    patterns: usize,
    nodes: u64,
}

impl Sizes {
    fn with(self, more: Self, less: Self) -> Self {
        Self {
            definitions: self.definitions + more.definitions - less.definitions,
            parsed: self.parsed + more.parsed - less.parsed,
            patterns: self.patterns + more.patterns - less.patterns,
            nodes: self.nodes + more.nodes - less.nodes,
        }
    }
}

/// Tools whose schemas are compiled, and tools that were refused.
#[derive(Debug)]
pub struct Prepared(Vec<Result<Offered, Rejected>>);

/// Tools that were replaced. Freeing their compiled schemas takes long.
#[derive(Debug, Default)]
pub struct Replaced(Vec<Offered>);

impl Replaced {
    /// Whether they are quickly freed.
    pub fn is_light(&self) -> bool {
        self.0.iter().map(|offered| offered.size().definitions).sum::<usize>() <= LIGHT_TOOLS_BYTES_MAX
    }
}

impl Heavy for Replaced {
    fn free(self: Box<Self>, pause: Pause) {
        const TOOLS_A_PAUSE: usize = 16;
        for (number, tool) in self.0.into_iter().enumerate() {
            drop(tool);
            if number % TOOLS_A_PAUSE == 0 {
                pause();
            }
        }
    }
}

/// Whether tools are quickly prepared.
pub fn is_light(definitions: &[Box<str>]) -> bool {
    let bytes: usize = definitions.iter().map(|definition| definition.len()).sum();
    if bytes > LIGHT_TOOLS_BYTES_MAX {
        return false;
    }
    let steps = |definition: &str| {
        let tool = Tool::parse(definition).ok()?;
        Some(Estimate::of(&tool.name, tool.input_schema.as_deref()?).ok()?.steps())
    };
    definitions.iter().filter_map(|definition| steps(definition)).sum::<u64>() <= LIGHT_TOOLS_STEPS_MAX
}

/// Reads and compiles tools.
pub fn prepare(definitions: Vec<Box<str>>, pause: Pause) -> Prepared {
    let mut steps_left = TOOLS_NODES_MAX;
    let one = |definition: Box<str>| {
        pause();
        let name = name_of(&definition);
        prepare_one(&definition, &mut steps_left).map_err(|error| Rejected { name, error: error.message })
    };
    Prepared(definitions.into_iter().map(one).collect())
}

fn prepare_one(definition: &str, steps_left: &mut u64) -> Result<Offered, Error> {
    let tool = Tool::parse(definition)?;
    let Some(schema) = &tool.input_schema else { return Ok(Offered { tool, schema: None }) };
    let estimate = Estimate::of(&tool.name, schema)?;
    let Some(left) = steps_left.checked_sub(estimate.steps()) else { return Err(too_much()) };
    *steps_left = left;
    let schema = Some(Arc::new(estimate.compile(&tool.name)?));
    Ok(Offered { tool, schema })
}

fn too_much() -> Error {
    let message = format!("the schemas of a session's tools have at most {TOOLS_NODES_MAX} subschemas");
    Error::new(Code::PARAMS, message)
}

/// The tools of one session, in the order they were offered.
#[derive(Debug, Default)]
pub struct Toolbox {
    /// Pages choose the names, so they are hashed with a key.
    tools: IndexMap<Box<str>, Offered>,
    sizes: Sizes,
    /// The page has come back and not registered yet: its first registration replaces all tools.
    stale: bool,
}

impl Toolbox {
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// A new page has the session; the tools of the page before stay known until it registers its own.
    pub fn page_came(&mut self) {
        self.stale = true;
    }

    /// Whether the page has come and not registered yet.
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    pub fn has(&self, name: &str) -> bool {
        self.tools.contains_key(name)
    }

    /// Estimated bytes in memory.
    pub fn parsed_bytes(&self) -> usize {
        self.sizes.parsed
    }

    /// Registers tools that fit into `room_bytes`. A tool of a known name is replaced, so that hot reload never fails.
    pub fn register(&mut self, prepared: Prepared, room_bytes: usize) -> (Result<Registered, Error>, Replaced) {
        let mut replaced = Replaced::default();
        if std::mem::take(&mut self.stale) {
            replaced.0.extend(self.tools.drain(..).map(|(_, offered)| offered));
            self.sizes = Sizes::default();
        }
        let (mut registered, mut rejected) = (0, Vec::new());
        let room_bytes = room_bytes + self.sizes.parsed;
        for offered in prepared.0 {
            let taken = offered.and_then(|offered| {
                let name = offered.tool.name.to_string();
                let before = self.take(offered, room_bytes);
                before.map_err(|error| Rejected { name, error: error.message })
            });
            match taken {
                Ok(before) => {
                    registered += 1;
                    replaced.0.extend(before);
                }
                Err(one) => rejected.push(one),
            }
        }
        let result = match rejected.first() {
            Some(first) if registered == 0 => Err(Error::new(Code::PARAMS, first.error.clone())),
            _ => Ok(Registered { success: true, registered, rejected }),
        };
        (result, replaced)
    }

    /// Takes one tool. Returns the one that had its name.
    fn take(&mut self, offered: Offered, room_bytes: usize) -> Result<Option<Offered>, Error> {
        let name = &offered.tool.name;
        let known = self.tools.get(name);
        if known.is_none() && self.tools.len() >= TOOLS_MAX {
            return Err(Error::new(Code::PARAMS, format!("a session offers at most {TOOLS_MAX} tools")));
        }
        let sizes = self.sizes.with(offered.size(), known.map(Offered::size).unwrap_or_default());
        if sizes.definitions > TOOLS_BYTES_MAX {
            let message = format!("a session's tools take at most {} MiB", TOOLS_BYTES_MAX >> 20);
            return Err(Error::new(Code::PARAMS, message));
        }
        if sizes.patterns > TOOLS_PATTERNS_MAX {
            let message = format!("the schemas of a session's tools have at most {TOOLS_PATTERNS_MAX} patterns");
            return Err(Error::new(Code::PARAMS, message));
        }
        if sizes.nodes > TOOLS_NODES_MAX {
            return Err(too_much());
        }
        if sizes.parsed > room_bytes {
            return Err(Error::new(Code::PARAMS, "the tools of all pages together take too much memory"));
        }
        self.sizes = sizes;
        Ok(self.tools.insert(name.clone(), offered))
    }

    /// Withdraws tools, and returns how many were there.
    pub fn unregister(&mut self, names: &[String]) -> usize {
        let before = self.tools.len();
        let gone: HashSet<&str> = names.iter().map(String::as_str).collect();
        let sizes = &mut self.sizes;
        self.tools.retain(|name, offered| {
            let stays = !gone.contains(&**name);
            if !stays {
                *sizes = sizes.with(Sizes::default(), offered.size());
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

    /// The schema that a tool's arguments are checked against.
    pub fn schema(&self, name: &str) -> Option<Arc<Schema>> {
        self.tools.get(name)?.schema.clone()
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

fn name_of(definition: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(definition).unwrap_or_default();
    value["name"].as_str().unwrap_or("?").chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::Check;
    use eye_protocol::limits::LIGHT_STEPS_MAX;

    fn raw(json: &str) -> Box<str> {
        json.into()
    }

    fn register(toolbox: &mut Toolbox, tools: Vec<Box<str>>) -> Result<Registered, Error> {
        toolbox.register(prepare(tools, || {}), usize::MAX / 2).0
    }

    fn check(toolbox: &Toolbox, tool: &str, arguments: &str) -> Result<(), Error> {
        let schema = toolbox.schema(tool);
        Check { tool: tool.into(), schema, arguments: arguments.into() }.run(LIGHT_STEPS_MAX).unwrap()
    }

    fn adder() -> Toolbox {
        let mut toolbox = Toolbox::default();
        let add = r#"{"name":"add","inputSchema":{"type":"object","required":["a"],"properties":{"a":{"type":"number"},"b":{"type":"object","properties":{"c":{"enum":[1,2]}}}}}}"#;
        register(&mut toolbox, vec![raw(add), raw(r#"{"name":"subtract"}"#)]).unwrap();
        toolbox
    }

    #[test]
    fn arguments_that_do_not_fit_name_the_path() {
        let toolbox = adder();
        assert_eq!(check(&toolbox, "add", r#"{"a":1,"b":{"c":2}}"#), Ok(()));
        assert_eq!(check(&toolbox, "subtract", "{}"), Ok(()));
        for (arguments, words) in [
            ("{}", "\"a\" is a required property"),
            (r#"{"a":"1"}"#, "/a: \"1\" is not of type \"number\""),
            (r#"{"a":1,"b":{"c":3}}"#, "/b/c: 3 is not one of"),
            ("7", "the arguments: 7 is not of type \"object\""),
        ] {
            let error = check(&toolbox, "add", arguments).unwrap_err();
            assert_eq!(error.code, Code::SCHEMA);
            assert!(error.message.contains(words), "{}", error.message);
        }
    }

    #[test]
    fn an_unknown_tool_names_the_nearest() {
        let error = adder().get("ad").err().unwrap();
        assert_eq!((error.code, error.message.as_str()), (Code::TOOL, "Tool not found: ad"));
        assert_eq!(error.hint.as_deref(), Some("did you mean add?"));
    }

    #[test]
    fn a_name_that_is_there_is_replaced_and_a_page_that_came_back_replaces_all() {
        let mut toolbox = adder();
        register(&mut toolbox, vec![raw(r#"{"name":"add","title":"New"}"#)]).unwrap();
        assert_eq!(toolbox.list(None), r#"[{"name":"add","title":"New"},{"name":"subtract"}]"#);
        toolbox.page_came();
        assert_eq!(toolbox.len(), 2);
        register(&mut toolbox, vec![raw(r#"{"name":"add"}"#)]).unwrap();
        assert_eq!(toolbox.list(None), r#"[{"name":"add"}]"#);
        assert_eq!(toolbox.unregister(&["add".into(), "x".into()]), 1);
        assert_eq!((toolbox.len(), toolbox.sizes), (0, Sizes::default()));
    }

    #[test]
    fn a_bad_tool_is_named_and_the_others_are_taken() {
        let mut toolbox = Toolbox::default();
        let bad = raw(r#"{"name":"bad","inputSchema":{"type":"nonsense"}}"#);
        let taken = register(&mut toolbox, vec![bad.clone(), raw(r#"{"name":"good"}"#)]).unwrap();
        assert_eq!((taken.registered, taken.rejected[0].name.as_str()), (1, "bad"));
        assert_eq!(register(&mut toolbox, vec![bad]).unwrap_err().code, Code::PARAMS);
        let remote = raw(r#"{"name":"remote","inputSchema":{"$ref":"http://localhost:1/x.json"}}"#);
        assert!(register(&mut toolbox, vec![remote]).is_err());
        assert!(register(&mut toolbox, vec![]).unwrap().success);
    }

    #[test]
    fn a_page_may_check_arguments_itself() {
        let mut toolbox = Toolbox::default();
        let of_page = r#"{"name":"t","checkedBy":"page","inputSchema":{"required":["a"]}}"#;
        register(&mut toolbox, vec![raw(of_page)]).unwrap();
        assert_eq!(check(&toolbox, "t", "{}"), Ok(()));
        assert_eq!(toolbox.list(None), format!("[{of_page}]"));
    }

    #[test]
    fn a_pattern_that_explodes_elsewhere_is_checked_in_linear_time() {
        let mut toolbox = Toolbox::default();
        let tool = raw(r#"{"name":"t","inputSchema":{"properties":{"s":{"pattern":"^(a+)+$"}}}}"#);
        register(&mut toolbox, vec![tool]).unwrap();
        let arguments = format!(r#"{{"s":"{}!"}}"#, "a".repeat(50_000));
        assert_eq!(check(&toolbox, "t", &arguments).unwrap_err().code, Code::SCHEMA);
    }

    #[test]
    fn tools_are_bounded_in_count_and_bytes() {
        let mut toolbox = Toolbox::default();
        let many = (0..=TOOLS_MAX).map(|n| raw(&format!(r#"{{"name":"t{n}"}}"#))).collect();
        let taken = register(&mut toolbox, many).unwrap();
        assert_eq!((taken.registered, taken.rejected.len()), (TOOLS_MAX, 1));
        let mut toolbox = Toolbox::default();
        let big = |name: &str| raw(&format!(r#"{{"name":"{name}","x":"{}"}}"#, "x".repeat(TOOLS_BYTES_MAX / 2)));
        assert_eq!(register(&mut toolbox, vec![big("a"), big("b")]).unwrap().registered, 1);
        assert_eq!(register(&mut toolbox, vec![big("a")]).unwrap().registered, 1);
    }
}
