//! The state a page publishes: one document with a revision, what changed lately, and how it is read.

use crate::event::Millis;
use eye_protocol::limits::{STATE_BYTES_MAX, STATE_HISTORY_BYTES_MAX, STATE_HISTORY_LEN_MAX};
use eye_protocol::rpc::json;
use eye_protocol::state::StateAnswer;
use eye_protocol::{Code, Error};
use jsonpath_rfc9535::JsonPath;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::VecDeque;
use std::time::{Duration, UNIX_EPOCH};

/// When something came in: by the hub's own clock, and by the calendar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct When {
    /// Monotonic.
    pub now: Millis,
    /// Since 1970.
    pub wall_ms: u64,
}

/// What of the state is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateQuery {
    /// Which part; all when absent.
    pub path: Option<String>,
    /// Only what changed after this revision.
    pub since: Option<u64>,
}

/// A patch that does not follow the last revision: the whole document is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap;

/// What a session's page has published, if anything.
#[derive(Debug, Default)]
pub struct Published {
    /// The document.
    pub state: Option<State>,
    /// The calendar when the page last published.
    pub wall_ms: u64,
    /// The whole document was asked for, to heal a gap.
    pub healing: bool,
}

impl Published {
    /// The page went, or another came: what is known is old until it is published again.
    pub fn grow_stale(&mut self) {
        self.healing = false;
        if let Some(state) = &mut self.state {
            state.current = false;
        }
    }
}

/// One session's state.
#[derive(Debug)]
pub struct State {
    document: Value,
    /// The session's own: it only grows, whatever page publishes.
    revision: u64,
    /// The page's: what its next patch follows.
    page_revision: u64,
    came: When,
    bytes: usize,
    /// Patches, each with the revision it leads to; the oldest are forgotten first.
    history: VecDeque<(u64, Box<str>)>,
    history_bytes: usize,
    /// The page that published it is the one that is there.
    current: bool,
}

impl State {
    /// Takes a whole document in place of what was known before.
    pub fn new(document: &RawValue, page_revision: u64, came: When, before: Option<&Self>) -> Result<Self, Error> {
        let bytes = document.get().len();
        if bytes > STATE_BYTES_MAX {
            return Err(too_large(bytes));
        }
        let document = serde_json::from_str(document.get())
            .map_err(|error| Error::new(Code::PARAMS, format!("the state is no JSON: {error}")))?;
        let revision = match before {
            // The same page told again what it had published: nothing changed.
            Some(known) if known.current && known.page_revision == page_revision => known.revision,
            Some(known) => known.revision + 1,
            None => 1,
        };
        let history = VecDeque::new();
        Ok(Self { document, revision, page_revision, came, bytes, history, history_bytes: 0, current: true })
    }

    /// Its revision.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Takes a change that leads to a revision of the page.
    pub fn patch(&mut self, patch: &RawValue, page_revision: u64, came: When) -> Result<(), Gap> {
        if !self.current || page_revision != self.page_revision + 1 || self.bytes + patch.get().len() > STATE_BYTES_MAX
        {
            return Err(Gap);
        }
        let operations: json_patch::Patch = serde_json::from_str(patch.get()).map_err(|_| Gap)?;
        json_patch::patch(&mut self.document, &operations).map_err(|_| Gap)?;
        self.page_revision = page_revision;
        self.revision += 1;
        let revision = self.revision;
        self.came = came;
        // An estimate that only grows: once it reaches the limit, the whole document is asked for and counted anew.
        self.bytes += patch.get().len();
        self.history_bytes += patch.get().len();
        self.history.push_back((revision, patch.get().into()));
        while self.history.len() > STATE_HISTORY_LEN_MAX || self.history_bytes > STATE_HISTORY_BYTES_MAX {
            let Some((_, forgotten)) = self.history.pop_front() else { break };
            self.history_bytes -= forgotten.len();
        }
        Ok(())
    }

    /// The document as JSON text.
    pub fn text(&self) -> String {
        json(&self.document)
    }

    /// Reads what is wanted.
    pub fn read(
        &self,
        now: Millis,
        query: &StateQuery,
        from_page: bool,
        warning: Option<&str>,
    ) -> Result<String, Error> {
        let changes = query.since.and_then(|since| self.changes_since(since));
        let value = match (&changes, &query.path) {
            (Some(_), _) => None,
            (None, None) => Some(self.text()),
            (None, Some(path)) => Some(select(&self.document, path)?),
        };
        let raw = |text: String| RawValue::from_string(text).ok();
        Ok(json(&StateAnswer {
            value: value.and_then(raw),
            patch: changes.and_then(raw),
            revision: self.revision,
            source: if from_page { "page" } else { "cache" },
            was_cached: !from_page,
            stale: !self.current,
            age_ms: now.saturating_sub(self.came.now),
            time: humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(self.came.wall_ms)).to_string(),
            warning: warning.map(str::to_owned),
        }))
    }

    /// What changed after a revision, for whoever caused it: the patch, or the whole where that is not known.
    pub fn delta(&self, since: u64) -> Option<Box<str>> {
        let (name, json) = match self.changes_since(since) {
            _ if !self.current => return None,
            Some(patch) => ("patch", patch),
            None => ("state", self.text()),
        };
        Some(format!(r#"{{"revision":{},"{name}":{json}}}"#, self.revision).into())
    }

    /// All changes after a revision as one patch. `None`: too long ago to know.
    fn changes_since(&self, since: u64) -> Option<String> {
        if since > self.revision {
            return None;
        }
        let first = self.history.front().map_or(self.revision + 1, |(revision, _)| *revision);
        if since + 1 < first {
            return None;
        }
        let wanted = self.history.iter().filter(|(revision, _)| *revision > since);
        let inner: Vec<&str> = wanted
            .map(|(_, patch)| patch.trim().trim_start_matches('[').trim_end_matches(']').trim())
            .filter(|patch| !patch.is_empty())
            .collect();
        Some(format!("[{}]", inner.join(",")))
    }
}

fn too_large(bytes: usize) -> Error {
    let limit = STATE_BYTES_MAX >> 20;
    let message = format!("the state is {} KiB, over the limit of {limit} MiB", bytes >> 10);
    Error::new(Code::PARAMS, message).hint("publish less of it")
}

/// A part of a document: `a.b`, a JSON Pointer, or `JSONPath`, whose answer is the list of what it selects.
fn select(document: &Value, path: &str) -> Result<String, Error> {
    if path.starts_with('$') {
        let query = JsonPath::parse(path)
            .map_err(|error| Error::new(Code::PARAMS, format!("`{path}` is no JSONPath: {error}")))?;
        return Ok(json(&query.query_values(document)));
    }
    let steps: Vec<String> = match path.strip_prefix('/') {
        Some(pointer) => pointer.split('/').map(|step| step.replace("~1", "/").replace("~0", "~")).collect(),
        // `items[0].title` is `items.0.title`, as a program would write it.
        None => path.split(['.', '[', ']']).filter(|step| !step.is_empty()).map(str::to_owned).collect(),
    };
    let mut at = document;
    for (depth, step) in steps.iter().enumerate() {
        let next = match at {
            Value::Object(members) => members.get(step),
            Value::Array(items) => step.parse().ok().and_then(|index: usize| items.get(index)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        };
        at = next.ok_or_else(|| no_such_path(&steps[..depth], step, at))?;
    }
    Ok(json(at))
}

fn no_such_path(reached: &[String], step: &str, at: &Value) -> Error {
    let place = if reached.is_empty() { "the state".to_owned() } else { reached.join(".") };
    let error = Error::new(Code::PARAMS, format!("{place} has no `{step}`"));
    match at {
        Value::Object(members) => {
            let names: Vec<&str> = members.keys().map(String::as_str).take(12).collect();
            error.hint(format!("it has: {}", names.join(", ")))
        }
        Value::Array(items) => error.hint(format!("it has {} items", items.len())),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => error.hint("it has no members at all"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.into()).unwrap()
    }

    fn at(now: Millis) -> When {
        When { now, wall_ms: 1_700_000_000_000 + now }
    }

    fn scene() -> State {
        State::new(&raw(r##"{"model":{"color":"#fff","tags":["a","b"]},"x.y":1}"##), 1, at(0), None).unwrap()
    }

    fn value(state: &State, path: &str) -> Result<Value, Error> {
        let query = StateQuery { path: Some(path.into()), since: None };
        state.read(0, &query, false, None).map(|text| serde_json::from_str::<Value>(&text).unwrap()["value"].clone())
    }

    #[test]
    fn parts_are_read_by_every_kind_of_path() {
        let state = scene();
        for (path, want) in [
            ("model.color", r##""#fff""##),
            ("/model/color", r##""#fff""##),
            ("$.model.color", r##"["#fff"]"##),
            ("model.tags.1", r#""b""#),
            ("model.tags[1]", r#""b""#),
            ("/x.y", "1"),
            ("$..tags[*]", r#"["a","b"]"#),
            ("$.nothing", "[]"),
        ] {
            assert_eq!(value(&state, path).unwrap(), serde_json::from_str::<Value>(want).unwrap(), "{path}");
        }
        let error = value(&state, "model.colour").unwrap_err();
        assert_eq!(error.message, "model has no `colour`");
        assert_eq!(error.hint.as_deref(), Some("it has: color, tags"));
        assert!(value(&state, "$[").is_err());
    }

    #[test]
    fn patches_follow_each_other_and_a_gap_is_noticed() {
        let mut state = scene();
        let patch = raw(r##"[{"op":"replace","path":"/model/color","value":"#000"}]"##);
        assert_eq!(state.patch(&patch, 3, at(5)), Err(Gap));
        assert_eq!(state.patch(&patch, 2, at(5)), Ok(()));
        assert_eq!(value(&state, "model.color").unwrap(), "#000");
        let wrong = raw(r#"[{"op":"remove","path":"/model/color"},{"op":"remove","path":"/nothing"}]"#);
        assert_eq!(state.patch(&wrong, 3, at(6)), Err(Gap));
        assert_eq!(value(&state, "model.color").unwrap(), "#000", "half a patch changes nothing");
        state.current = false;
        assert_eq!(state.patch(&patch, 3, at(7)), Err(Gap));
    }

    #[test]
    fn what_changed_since_is_one_patch_or_the_whole() {
        let mut state = scene();
        for revision in 2..=(STATE_HISTORY_LEN_MAX as u64 + 10) {
            let patch = raw(&format!(r#"[{{"op":"add","path":"/n","value":{revision}}}]"#));
            state.patch(&patch, revision, at(revision)).unwrap();
        }
        let last = state.revision();
        let read = |since| {
            let text = state.read(0, &StateQuery { path: None, since: Some(since) }, false, None).unwrap();
            serde_json::from_str::<Value>(&text).unwrap()
        };
        assert_eq!(read(last)["patch"], serde_json::json!([]));
        assert_eq!(read(last - 2)["patch"].as_array().unwrap().len(), 2);
        assert!(read(1)["patch"].is_null() && read(1)["value"].is_object());
    }

    #[test]
    fn a_revision_never_goes_back_whatever_page_publishes() {
        let mut state = scene();
        state.patch(&raw("[]"), 2, at(1)).unwrap();
        let again = State::new(&raw("{}"), 2, at(2), Some(&state)).unwrap();
        assert_eq!(again.revision(), 2, "the same, told again");
        state.current = false;
        let next = State::new(&raw("{}"), 1, at(3), Some(&state)).unwrap();
        assert_eq!(next.revision(), 3);
        let whole = next.read(0, &StateQuery { path: None, since: Some(1) }, false, None).unwrap();
        assert!(whole.contains("\"value\":{}"), "what changed across pages is not known");
    }

    #[test]
    fn a_document_has_a_limit() {
        let text = |bytes: usize| raw(&format!("\"{}\"", "x".repeat(bytes - 2)));
        assert!(State::new(&text(STATE_BYTES_MAX), 1, at(0), None).is_ok());
        assert!(
            State::new(&text(STATE_BYTES_MAX + 1), 1, at(0), None)
                .unwrap_err()
                .message
                .contains("over the limit of 4 MiB")
        );
    }
}
