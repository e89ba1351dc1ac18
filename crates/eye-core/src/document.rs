//! A parsed JSON document with its size, and JSON Patch on it under a budget: depth, bytes and steps are checked before
//! each operation is done, and a patch that does not fit changes nothing.
//!
//! The operations are those of `json-patch`. It does not apply them, because it can be given no budget: `copy` doubles
//! a document with every operation, and `add` at the front of a long array moves all of it. Each operation is parsed
//! only when its turn comes, so that a patch that does not fit costs no more than the operations before.

mod items;
mod operation;
mod paced;
mod size;
mod undo;

use crate::heavy::Heavy;
use eye_protocol::limits::{STATE_BYTES_MAX, STATE_DEPTH_MAX, STATE_PARSED_BYTES_MAX};
use eye_protocol::scan::{self, Pause};
use eye_protocol::{Code, Error};
use items::{find, find_mut, index, insert, remove};
use json_patch::PatchOperation;
use json_patch::jsonptr::{Pointer, PointerBuf};
use serde_json::Value;
use size::parsed_bytes;
pub use size::{Meter, Size, Unfit};
use undo::Undo;

#[derive(Debug, Default)]
pub struct Document {
    value: Value,
    parsed_bytes: usize,
    text_bytes: usize,
}

impl Document {
    /// Parses text. The limits are checked before it is parsed.
    pub fn parse(text: &str, pause: Pause) -> Result<Self, Error> {
        let limit = |is: usize, limit: usize, how: &str| {
            let message =
                format!("the state is {} KiB{how}, over the limit of {} MiB", is.div_ceil(1 << 10), limit >> 20);
            Error::new(Code::PARAMS, message).hint("publish less of it")
        };
        if text.len() > STATE_BYTES_MAX {
            return Err(limit(text.len(), STATE_BYTES_MAX, ""));
        }
        let parsed_bytes = parsed_bytes(text, pause);
        if parsed_bytes > STATE_PARSED_BYTES_MAX {
            return Err(limit(parsed_bytes, STATE_PARSED_BYTES_MAX, " in memory"));
        }
        let value = paced::parse(text, pause)
            .map_err(|error| Error::new(Code::PARAMS, format!("the state is no JSON: {error}")))?;
        Ok(Self { value, parsed_bytes, text_bytes: text.len() })
    }

    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Estimated bytes in memory.
    pub fn parsed_bytes(&self) -> usize {
        self.parsed_bytes
    }

    /// Estimated bytes as text.
    pub fn text_bytes(&self) -> usize {
        self.text_bytes
    }

    /// Applies a patch, all of it or nothing.
    pub fn patch(&mut self, patch: &str, meter: &mut Meter) -> Result<(), Unfit> {
        if patch.len() > STATE_BYTES_MAX {
            return Err(Unfit::TooLarge);
        }
        let operations = scan::elements(patch, meter.pauses()).ok_or(Unfit::Wrong)?;
        let before = (self.parsed_bytes, self.text_bytes);
        let mut undo = Vec::new();
        for text in operations {
            let operation = operation::read(text, meter.pauses()).ok_or(Unfit::Wrong);
            if let Err(unfit) = operation.and_then(|operation| self.apply(operation, meter, &mut undo)) {
                // Taking back is not limited by the budget: it costs no more than what was done within it.
                let mut meter = meter.unbounded();
                while let Some(step) = undo.pop() {
                    step.take_back(&mut self.value, &mut meter);
                }
                (self.parsed_bytes, self.text_bytes) = before;
                return Err(unfit);
            }
        }
        for step in undo {
            step.forget(meter);
        }
        Ok(())
    }

    fn apply(&mut self, operation: PatchOperation, meter: &mut Meter, undo: &mut Vec<Undo>) -> Result<(), Unfit> {
        meter.spend(1)?;
        match operation {
            PatchOperation::Add(add) => {
                let size = Size::of(&add.value, meter)?;
                self.add(add.path, size, add.value, meter, undo)
            }
            PatchOperation::Remove(removed) => self.remove(removed.path, false, meter, undo).map(|_| ()),
            PatchOperation::Replace(replace) => {
                let size = Size::of(&replace.value, meter)?;
                let old = Size::of(find(&self.value, &replace.path, meter)?, meter)?;
                self.admit(&replace.path, old, size)?;
                let target = find_mut(&mut self.value, &replace.path, meter)?;
                let value = std::mem::replace(target, replace.value);
                undo.push(Undo::Replaced { path: replace.path, value });
                self.resize(old, size);
                Ok(())
            }
            PatchOperation::Move(moved) => {
                if moved.path.starts_with(&moved.from) && moved.path != moved.from {
                    return Err(Unfit::Wrong);
                }
                let (value, size) = self.remove(moved.from, true, meter, undo)?;
                self.add(moved.path, size, value, meter, undo)
            }
            PatchOperation::Copy(copy) => {
                let size = Size::of(find(&self.value, &copy.from, meter)?, meter)?;
                // Before it is copied: a document that doubles with every operation stops here.
                self.admit(&copy.path, Size::default(), size)?;
                let value = paced::copy(find(&self.value, &copy.from, meter)?, meter.pauses());
                self.add(copy.path, size, value, meter, undo)
            }
            PatchOperation::Test(test) => {
                Size::of(&test.value, meter)?;
                let is_so = find(&self.value, &test.path, meter).map(|target| *target == test.value);
                paced::free(test.value, meter.pauses());
                if is_so? { Ok(()) } else { Err(Unfit::Wrong) }
            }
        }
    }

    /// Whether the document may gain the value `more` and lose the value `less`.
    fn admit(&self, path: &Pointer, less: Size, more: Size) -> Result<(), Unfit> {
        let fits = path.count() + more.depth <= STATE_DEPTH_MAX
            && (self.parsed_bytes + more.parsed_bytes).saturating_sub(less.parsed_bytes) <= STATE_PARSED_BYTES_MAX
            && (self.text_bytes + more.text_bytes).saturating_sub(less.text_bytes) <= STATE_BYTES_MAX;
        if fits { Ok(()) } else { Err(Unfit::TooLarge) }
    }

    fn resize(&mut self, less: Size, more: Size) {
        self.parsed_bytes = (self.parsed_bytes + more.parsed_bytes).saturating_sub(less.parsed_bytes);
        self.text_bytes = (self.text_bytes + more.text_bytes).saturating_sub(less.text_bytes);
    }

    fn add(
        &mut self,
        path: PointerBuf,
        mut size: Size,
        value: Value,
        meter: &mut Meter,
        undo: &mut Vec<Undo>,
    ) -> Result<(), Unfit> {
        let Some((parent, name)) = path.split_back() else {
            let old = Size::of(&self.value, meter)?;
            self.admit(&path, old, size)?;
            undo.push(Undo::Replaced { path, value: std::mem::replace(&mut self.value, value) });
            self.resize(old, size);
            return Ok(());
        };
        let name = name.decoded();
        let mut less = Size::default();
        match find(&self.value, parent, meter)? {
            Value::Object(members) => match members.get(&*name) {
                Some(old) => less = Size::of(old, meter)?,
                None => size.name(&name),
            },
            Value::Array(items) => {
                let at = if name == "-" { items.len() } else { index(&name)? };
                meter.spend(items.len().checked_sub(at).ok_or(Unfit::Wrong)?)?;
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return Err(Unfit::Wrong),
        }
        self.admit(&path, less, size)?;
        match find_mut(&mut self.value, parent, meter)? {
            Value::Object(members) => {
                let name = name.into_owned();
                undo.push(match members.insert(name.clone(), value) {
                    Some(value) => Undo::Replaced { path, value },
                    None => Undo::AddedMember { path, name },
                });
            }
            Value::Array(items) => {
                let at = if name == "-" { items.len() } else { index(&name)? };
                insert(items, at, value, meter);
                undo.push(Undo::AddedItem { path, at });
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return Err(Unfit::Wrong),
        }
        self.resize(less, size);
        Ok(())
    }

    /// Removes a value into the undo log. Returns a copy of it if it `moves_on`, and null otherwise.
    fn remove(
        &mut self,
        path: PointerBuf,
        moves_on: bool,
        meter: &mut Meter,
        undo: &mut Vec<Undo>,
    ) -> Result<(Value, Size), Unfit> {
        let (parent, name) = path.split_back().ok_or(Unfit::Wrong)?;
        let (name, pause) = (name.decoded(), meter.pauses());
        let given = |value: &Value| if moves_on { paced::copy(value, pause) } else { Value::Null };
        match find_mut(&mut self.value, parent, meter)? {
            Value::Object(members) => {
                meter.spend(members.len())?;
                let at = members.keys().position(|key| **key == *name).ok_or(Unfit::Wrong)?;
                let size = Size::of(members.get(&*name).ok_or(Unfit::Wrong)?, meter)?;
                let (name, value) = members.shift_remove_entry(&*name).ok_or(Unfit::Wrong)?;
                let mut member = size;
                member.name(&name);
                self.resize(member, Size::default());
                let given = given(&value);
                undo.push(Undo::RemovedMember { path, at, name, value });
                Ok((given, size))
            }
            Value::Array(items) => {
                let at = index(&name)?;
                let size = Size::of(items.get(at).ok_or(Unfit::Wrong)?, meter)?;
                meter.spend(items.len() - at)?;
                let value = remove(items, at, meter).ok_or(Unfit::Wrong)?;
                self.resize(size, Size::default());
                let given = given(&value);
                undo.push(Undo::RemovedItem { path, at, value });
                Ok((given, size))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Err(Unfit::Wrong),
        }
    }
}

impl Heavy for Document {
    fn free(self: Box<Self>, pause: Pause) {
        paced::free(self.value, pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eye_protocol::limits::PATCH_STEPS_MAX;
    use serde_json::json;
    use size::VALUE_BYTES;

    fn document(text: &str) -> Document {
        Document::parse(text, || {}).unwrap()
    }

    fn patch(document: &mut Document, patch: &Value) -> Result<(), Unfit> {
        document.patch(&patch.to_string(), &mut Meter::new(PATCH_STEPS_MAX))
    }

    #[test]
    fn copies_that_double_stop_at_the_limit_and_change_nothing() {
        let mut doc = document(r#"{"a":{}}"#);
        let double: Vec<Value> = (0..26).map(|n| json!({"op":"copy","from":"/a","path":format!("/a/{n}")})).collect();
        assert_eq!(patch(&mut doc, &Value::Array(double)), Err(Unfit::TooLarge));
        assert_eq!(doc.value(), &json!({"a":{}}));
    }

    #[test]
    fn copies_into_their_own_depth_stop_at_the_limit() {
        let mut doc = document(r#"{"a":[[]]}"#);
        let deeper = |n: usize| {
            let path = format!("/a{}/-", "/0".repeat((2 << n) - 1));
            json!({"op":"copy","from":"/a","path":path})
        };
        let unfit = (0..16).find_map(|n| patch(&mut doc, &json!([deeper(n)])).err());
        assert_eq!(unfit, Some(Unfit::TooLarge));
        let depth = Size::of(doc.value(), &mut Meter::new(u64::MAX)).unwrap().depth;
        assert!(depth <= STATE_DEPTH_MAX, "{depth}");
    }

    #[test]
    fn items_that_move_are_steps() {
        let mut doc = document(&format!("[{}]", vec!["0"; 100_000].join(",")));
        let front = vec![json!({"op":"add","path":"/0","value":1}); 200];
        assert_eq!(patch(&mut doc, &Value::Array(front.clone())), Err(Unfit::TooMuchWork));
        assert_eq!(doc.value().as_array().unwrap().len(), 100_000);
        assert_eq!(doc.value()[0], 0, "what was done is taken back");
        assert_eq!(patch(&mut doc, &Value::Array(front[..90].to_vec())), Ok(()));
    }

    #[test]
    fn depth_and_bytes_have_an_edge() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Document::parse(&nested(STATE_DEPTH_MAX), || {}).is_ok());
        assert!(Document::parse(&nested(STATE_DEPTH_MAX + 1), || {}).is_err());
        let mut doc = document(&nested(STATE_DEPTH_MAX - 1));
        let innermost = "/0".repeat(STATE_DEPTH_MAX - 2);
        let add = |value: Value| json!([{"op":"add","path":format!("{innermost}/-"),"value":value}]);
        assert_eq!(patch(&mut doc, &add(json!([[]]))), Err(Unfit::TooLarge));
        assert_eq!(patch(&mut doc, &add(json!([]))), Ok(()));
        assert!(Document::parse(&serde_json::to_string(doc.value()).unwrap(), || {}).is_ok());

        let text = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2));
        assert!(Document::parse(&text(STATE_BYTES_MAX), || {}).is_ok());
        let over = Document::parse(&text(STATE_BYTES_MAX + 1), || {}).unwrap_err();
        assert_eq!(over.message, "the state is 4097 KiB, over the limit of 4 MiB");
        let values = |count: usize| format!("[{}]", vec!["0"; count].join(","));
        let most = STATE_PARSED_BYTES_MAX / VALUE_BYTES - 2;
        assert!(Document::parse(&values(most), || {}).is_ok());
        assert!(Document::parse(&values(most + 2), || {}).unwrap_err().message.contains("in memory"));
    }

    #[test]
    fn the_estimate_before_parsing_is_that_of_the_parsed_value() {
        for text in ["0", "[]", "[1,2,[3]]", r#"{"a":"b","c":{"d":[true,null]}}"#, r#"["\"[,",{"\\":{}}]"#] {
            let estimate = document(text).parsed_bytes();
            let is = Size::of(document(text).value(), &mut Meter::new(1_000)).unwrap().parsed_bytes;
            assert!(estimate >= is && estimate <= is + text.len() * VALUE_BYTES, "{text}: {estimate} for {is}");
        }
    }

    #[test]
    fn every_operation_does_what_the_standard_says() {
        let mut doc = document(r#"{"a":[1,2],"b":{"c":"x"}}"#);
        for (change, want) in [
            (json!({"op":"add","path":"/a/1","value":9}), json!({"a":[1,9,2],"b":{"c":"x"}})),
            (json!({"op":"remove","path":"/a/0"}), json!({"a":[9,2],"b":{"c":"x"}})),
            (json!({"op":"replace","path":"/b/c","value":null}), json!({"a":[9,2],"b":{"c":null}})),
            (json!({"op":"move","from":"/a/1","path":"/b/d"}), json!({"a":[9],"b":{"c":null,"d":2}})),
            (json!({"op":"copy","from":"/b","path":"/a/-"}), json!({"a":[9,{"c":null,"d":2}],"b":{"c":null,"d":2}})),
            (json!({"op":"test","path":"/b/d","value":2}), json!({"a":[9,{"c":null,"d":2}],"b":{"c":null,"d":2}})),
            (json!({"op":"replace","path":"","value":[1]}), json!([1])),
        ] {
            assert_eq!(patch(&mut doc, &json!([change])), Ok(()), "{change}");
            assert_eq!(doc.value(), &want, "{change}");
        }
        for wrong in [
            json!({"op":"add","path":"/3","value":0}),
            json!({"op":"add","path":"/01","value":0}),
            json!({"op":"remove","path":"/2"}),
            json!({"op":"remove","path":""}),
            json!({"op":"test","path":"/0","value":2}),
            json!({"op":"move","from":"/0","path":"/0/a"}),
            json!({"op":"replace","path":"/9","value":0}),
        ] {
            assert_eq!(
                patch(&mut doc, &json!([{"op":"add","path":"/0","value":0}, wrong])),
                Err(Unfit::Wrong),
                "{wrong}"
            );
            assert_eq!(doc.value(), &json!([1]), "{wrong}");
        }
    }
}
