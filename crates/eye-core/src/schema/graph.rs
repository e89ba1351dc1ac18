//! The subschemas of a schema as a graph: how large it is with its references written out, and how many steps it takes
//! to check a value against it. Both are known before anything is compiled or checked.

use super::refused::Refused;
use crate::document::{Meter, Unfit};
use eye_protocol::limits::{SCHEMA_DEPTH_MAX, SCHEMA_NODES_MAX, SCHEMA_PATTERNS_MAX};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// Resources (`$id`) inside one schema: a reference is looked for in each.
const RESOURCES_MAX: usize = 16;
/// Keywords whose subschemas apply to the value itself and not to one of its members.
const IN_PLACE_LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const IN_PLACE: [&str; 4] = ["not", "if", "then", "else"];
const EVERY_MEMBER: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];
const EVERY_ITEM: [&str; 4] = ["items", "additionalItems", "unevaluatedItems", "contains"];

/// One subschema, and which others it applies to which parts of the value.
#[derive(Debug, Default)]
struct Node {
    /// Steps that it takes without the others: its keywords, and the values of an `enum`.
    own: u64,
    /// Bytes of its pattern.
    pattern_bytes: u64,
    /// Bytes of the patterns that each name of a member is matched with.
    name_pattern_bytes: u64,
    in_place: Vec<u32>,
    /// Pages choose the names, so they are hashed with a key.
    members: HashMap<Box<str>, u32>,
    every_member: Vec<u32>,
    prefix: Vec<u32>,
    every_item: Vec<u32>,
    names: Vec<u32>,
    /// It has an `unevaluated…` keyword: it checks for each member whether the others look at it, and so applies them
    /// once more to each member.
    unevaluated: bool,
    /// Its place in an order in which no subschema applies an earlier one to the same value.
    rank: u32,
}

#[derive(Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    /// Subschemas with references written out; one that leads back to itself counts once.
    pub written_out: u64,
    pub patterns: usize,
}

impl Graph {
    /// Reads a schema, or returns why it is refused.
    pub fn of(schema: &Value) -> Result<Self, Refused> {
        let mut builder = Builder::new(schema)?;
        builder.node(schema);
        while let Some((at, schema)) = builder.todo.pop() {
            let node = builder.read(schema)?;
            builder.nodes[at as usize] = node;
        }
        let patterns = builder.patterns;
        let mut graph = Self { nodes: builder.nodes, written_out: 0, patterns };
        if patterns > SCHEMA_PATTERNS_MAX {
            return Err(Refused::Patterns(patterns));
        }
        graph.rank()?;
        let mut known = vec![Weight::Unknown; graph.nodes.len()];
        let (written_out, _) = graph.weigh(0, 1, &mut known)?;
        if written_out > SCHEMA_NODES_MAX {
            return Err(Refused::Subschemas(written_out));
        }
        graph.written_out = written_out;
        Ok(graph)
    }

    /// Subschemas, each once.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Orders the nodes so that each comes before those that it applies to the same value.
    fn rank(&mut self) -> Result<(), Refused> {
        let mut waits_for = vec![0_u32; self.nodes.len()];
        for to in self.nodes.iter().flat_map(|node| &node.in_place) {
            waits_for[*to as usize] += 1;
        }
        let mut ready: Vec<usize> = (0..self.nodes.len()).filter(|at| waits_for[*at] == 0).collect();
        let mut rank = 0;
        while let Some(at) = ready.pop() {
            self.nodes[at].rank = rank;
            rank += 1;
            for to in &self.nodes[at].in_place {
                waits_for[*to as usize] -= 1;
                if waits_for[*to as usize] == 0 {
                    ready.push(*to as usize);
                }
            }
        }
        if (rank as usize) < self.nodes.len() {
            return Err(Refused::Circle);
        }
        Ok(())
    }

    /// How many subschemas a node is with references written out, and how deep.
    fn weigh(&self, at: u32, depth: usize, known: &mut [Weight]) -> Result<(u64, usize), Refused> {
        match known[at as usize] {
            Weight::Known(weight, below) if depth + below <= SCHEMA_DEPTH_MAX => return Ok((weight, below)),
            Weight::Known(..) => return Err(Refused::Deep),
            Weight::Open => return Ok((1, 0)),
            Weight::Unknown if depth > SCHEMA_DEPTH_MAX => return Err(Refused::Deep),
            Weight::Unknown => {}
        }
        known[at as usize] = Weight::Open;
        let node = &self.nodes[at as usize];
        // A subschema with `unevaluated…` is compiled with its own copy of the others.
        let copies = if node.unevaluated { 2 } else { 1 };
        let (mut weight, mut below) = (node.own, 0);
        let below_it: Vec<(u32, u64)> = node
            .in_place
            .iter()
            .map(|to| (*to, copies))
            .chain(node.members.values().map(|to| (*to, 1)))
            .chain(
                [&node.every_member, &node.prefix, &node.every_item, &node.names]
                    .into_iter()
                    .flatten()
                    .map(|to| (*to, 1)),
            )
            .collect();
        for (to, copies) in below_it {
            let (inner, inner_below) = self.weigh(to, depth + 1, known)?;
            weight = weight.saturating_add(inner.saturating_mul(copies));
            below = below.max(inner_below + 1);
        }
        known[at as usize] = Weight::Known(weight, below);
        Ok((weight, below))
    }

    /// Steps that checking a value takes at most. Fails beyond the meter's budget, which also limits the counting
    /// itself.
    pub fn steps(&self, value: &Value, meter: &mut Meter) -> Result<u64, Unfit> {
        let mut total = 0;
        self.hold(&BTreeMap::from([((self.nodes[0].rank, 0), 1)]), &Against::Value(value), &mut total, meter)?;
        Ok(total)
    }

    fn hold(&self, start: &Held, against: &Against<'_>, total: &mut u64, meter: &mut Meter) -> Result<(), Unfit> {
        let parts = match against {
            Against::Value(Value::Array(items)) => items.len() as u64,
            Against::Value(Value::Object(members)) => members.len() as u64,
            Against::Value(_) | Against::Name(_) => 0,
        };
        let text_bytes = match against {
            Against::Value(Value::String(text)) => text.len() as u64,
            Against::Name(name) => name.len() as u64,
            Against::Value(_) => 0,
        };
        let mut open = start.clone();
        let mut held: Vec<(&Node, u64)> = Vec::with_capacity(start.len());
        while let Some(((_, at), times)) = open.pop_first() {
            meter.spend(1)?;
            let node = &self.nodes[at as usize];
            let once = node.own + node.pattern_bytes * text_bytes / 64 + if node.unevaluated { parts } else { 0 };
            *total = total.saturating_add(once.saturating_mul(times));
            if *total > meter.left() {
                return Err(Unfit::TooMuchWork);
            }
            let again = if node.unevaluated { parts + 1 } else { 1 };
            for to in &node.in_place {
                *open.entry((self.nodes[*to as usize].rank, *to)).or_default() += times.saturating_mul(again);
            }
            held.push((node, times.saturating_mul(again)));
        }
        match against {
            Against::Value(Value::Object(members)) => {
                for (name, member) in members {
                    let (mut inner, mut names) = (Held::new(), Held::new());
                    for (node, times) in &held {
                        meter.spend(1)?;
                        let patterns = node.name_pattern_bytes * name.len() as u64 / 64;
                        *total = total.saturating_add(patterns.saturating_mul(*times));
                        self.add(&mut inner, node.members.get(&**name).into_iter().chain(&node.every_member), *times);
                        self.add(&mut names, &node.names, *times);
                    }
                    self.hold(&names, &Against::Name(name), total, meter)?;
                    self.hold(&inner, &Against::Value(member), total, meter)?;
                }
            }
            Against::Value(Value::Array(items)) => {
                for (at, item) in items.iter().enumerate() {
                    let mut inner = Held::new();
                    for (node, times) in &held {
                        meter.spend(1)?;
                        self.add(&mut inner, node.prefix.get(at).into_iter().chain(&node.every_item), *times);
                    }
                    self.hold(&inner, &Against::Value(item), total, meter)?;
                }
            }
            Against::Value(_) | Against::Name(_) => {}
        }
        Ok(())
    }

    fn add<'n>(&self, held: &mut Held, nodes: impl IntoIterator<Item = &'n u32>, times: u64) {
        for at in nodes {
            let count = held.entry((self.nodes[*at as usize].rank, *at)).or_default();
            *count = count.saturating_add(times);
        }
    }
}

/// How often each node is applied to a value, by rank.
type Held = BTreeMap<(u32, u32), u64>;

enum Against<'v> {
    Value(&'v Value),
    Name(&'v str),
}

#[derive(Clone, Copy)]
enum Weight {
    Unknown,
    /// Being weighed: a subschema that leads here leads back to itself.
    Open,
    Known(u64, usize),
}

struct Builder<'s> {
    root: &'s Value,
    nodes: Vec<Node>,
    known: FxHashMap<*const Value, u32>,
    todo: Vec<(u32, &'s Value)>,
    anchors: HashMap<&'s str, Vec<&'s Value>>,
    resources: Vec<(&'s str, &'s Value)>,
    patterns: usize,
}

impl<'s> Builder<'s> {
    fn new(root: &'s Value) -> Result<Self, Refused> {
        let mut builder = Self {
            root,
            nodes: Vec::new(),
            known: FxHashMap::default(),
            todo: Vec::new(),
            anchors: HashMap::default(),
            resources: Vec::new(),
            patterns: 0,
        };
        builder.find_anchors(root);
        if builder.resources.len() > RESOURCES_MAX {
            return Err(Refused::Resources(RESOURCES_MAX));
        }
        Ok(builder)
    }

    fn find_anchors(&mut self, value: &'s Value) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    match (name.as_str(), member) {
                        ("$anchor" | "$dynamicAnchor", Value::String(anchor)) => {
                            self.anchors.entry(anchor).or_default().push(value);
                        }
                        ("$id", Value::String(id)) => self.resources.push((id, value)),
                        // Values, not schemas.
                        ("enum" | "const" | "default" | "examples", _) => {}
                        _ => self.find_anchors(member),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.find_anchors(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn node(&mut self, schema: &'s Value) -> u32 {
        if let Some(known) = self.known.get(&std::ptr::from_ref(schema)) {
            return *known;
        }
        let at = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(Node::default());
        self.known.insert(std::ptr::from_ref(schema), at);
        self.todo.push((at, schema));
        at
    }

    fn read(&mut self, schema: &'s Value) -> Result<Node, Refused> {
        let mut node = Node { own: 1, ..Node::default() };
        let Value::Object(keywords) = schema else { return Ok(node) };
        node.own += keywords.len() as u64;
        if let Some(Value::Array(values)) = keywords.get("enum") {
            node.own += values.len() as u64;
        }
        if let Some(Value::String(pattern)) = keywords.get("pattern") {
            node.pattern_bytes = self.pattern(pattern);
        }
        for name in IN_PLACE_LISTS {
            node.in_place.extend(self.all(keywords.get(name)));
        }
        for name in IN_PLACE {
            node.in_place.extend(keywords.get(name).map(|one| self.node(one)));
        }
        for name in ["dependentSchemas", "dependencies"] {
            let schemas = object(keywords, name).filter(|(_, one)| !one.is_array());
            node.in_place.extend(schemas.map(|(_, one)| self.node(one)));
        }
        for name in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(Value::String(reference)) = keywords.get(name) {
                for target in self.targets(reference)? {
                    node.in_place.push(self.node(target));
                }
            }
        }
        node.members = object(keywords, "properties").map(|(name, one)| (name.into(), self.node(one))).collect();
        for (pattern, one) in object(keywords, "patternProperties") {
            node.name_pattern_bytes += self.pattern(pattern);
            node.every_member.push(self.node(one));
        }
        for name in EVERY_MEMBER {
            node.every_member.extend(keywords.get(name).map(|one| self.node(one)));
        }
        node.prefix.extend(self.all(keywords.get("prefixItems")));
        for name in EVERY_ITEM {
            match keywords.get(name) {
                Some(list @ Value::Array(_)) => node.prefix.extend(self.all(Some(list))),
                one => node.every_item.extend(one.map(|one| self.node(one))),
            }
        }
        node.names.extend(keywords.get("propertyNames").map(|one| self.node(one)));
        node.unevaluated =
            ["unevaluatedProperties", "unevaluatedItems"].iter().any(|name| keywords.contains_key(*name));
        Ok(node)
    }

    fn pattern(&mut self, pattern: &str) -> u64 {
        self.patterns += 1;
        pattern.len() as u64
    }

    fn all(&mut self, list: Option<&'s Value>) -> Vec<u32> {
        let list = list.and_then(Value::as_array).into_iter().flatten();
        list.map(|one| self.node(one)).collect()
    }

    /// Everything that a reference may mean. If this is too much, the estimate is larger, never smaller.
    fn targets(&self, reference: &str) -> Result<Vec<&'s Value>, Refused> {
        let (resource, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let named = |id: &str| id == reference || id.trim_end_matches('#') == resource;
        let roots: Vec<&'s Value> = if resource.is_empty() {
            let resources = self.resources.iter().map(|(_, value)| *value);
            std::iter::once(self.root).chain(resources).collect()
        } else {
            self.resources.iter().filter(|(id, _)| named(id)).map(|(_, value)| *value).collect()
        };
        if roots.is_empty() {
            return Err(Refused::Outside(reference.into()));
        }
        let fragment = decoded(fragment);
        let mut seen = FxHashSet::default();
        let targets = if fragment.is_empty() || fragment.starts_with('/') {
            roots.into_iter().filter_map(|root| root.pointer(&fragment)).collect()
        } else {
            self.anchors.get(&*fragment).cloned().unwrap_or_default()
        };
        Ok(targets.into_iter().filter(|target| seen.insert(std::ptr::from_ref(*target))).collect())
    }
}

fn object<'s>(keywords: &'s Map<String, Value>, name: &str) -> impl Iterator<Item = (&'s str, &'s Value)> {
    let members = keywords.get(name).and_then(Value::as_object).into_iter().flatten();
    members.map(|(name, value)| (name.as_str(), value))
}

/// Decodes the percent signs of a fragment.
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [byte, tail @ ..] = rest {
        let code = (*byte == b'%').then(|| tail.get(..2)).flatten();
        let code =
            code.and_then(|code| std::str::from_utf8(code).ok()).and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(code.unwrap_or(*byte));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
