//! The state that a page publishes: one document with a revision, its latest changes, and how it is read.

mod moved;

use crate::document::Document;
use crate::ids::Millis;
use crate::snapshots::Snapshots;
use eye_protocol::limits::{
    LIGHT_BYTES_MAX, LIGHT_STEPS_MAX, QUERY_STEPS_MAX, STATE_HISTORY_BYTES_MAX, STATE_HISTORY_LEN_MAX,
};
use eye_protocol::path_cost::path_steps;
use eye_protocol::rpc::json;
use eye_protocol::state::StateAnswer;
use eye_protocol::{Code, Error};
use jsonpath_rfc9535::JsonPath;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::VecDeque;
use std::time::{Duration, UNIX_EPOCH};

/// When something arrived, on two clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct When {
    /// On the hub's monotonic clock.
    pub now: Millis,
    /// Unix time in milliseconds.
    pub wall_ms: u64,
}

/// Which part of the state is requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateQuery {
    /// `None`: all of it.
    pub path: Option<String>,
    /// Only what changed after this revision.
    pub since: Option<u64>,
    /// Keep the state under this name instead of reading it.
    pub keep: Option<Box<str>>,
}

/// What a session's page has published, if anything.
#[derive(Debug, Default)]
pub struct Published {
    pub state: Option<State>,
    /// Unix time in milliseconds when the page last published.
    pub wall_ms: u64,
    /// The whole document was requested from the page, because a change was missed.
    pub healing: bool,
    /// The page does not publish every change, so it is asked first.
    pub ask_first: bool,
    pub snapshots: Snapshots,
}

impl Published {
    /// The page left, or another one joined: what is known is stale until the state is published again.
    pub fn grow_stale(&mut self) {
        self.healing = false;
        if let Some(state) = &mut self.state {
            state.grow_stale();
        }
    }
}

/// Where a state's document is.
#[derive(Debug)]
enum Holding {
    /// It can be read and patched here.
    Here(Document),
    /// A worker has it. Requests for it wait in the session's lane.
    AtWork {
        /// Its bytes, which are still counted.
        parsed_bytes: usize,
    },
    /// It was dropped to free memory. Its page can be asked for it.
    Dropped,
}

/// One session's state.
#[derive(Debug)]
pub struct State {
    document: Holding,
    /// The session's own revision: it only grows, whatever page publishes.
    revision: u64,
    /// The page's own revision, which its next patch follows.
    page_revision: u64,
    came: When,
    /// Patches, each with the revision it leads to; the oldest are forgotten first.
    history: VecDeque<(u64, Box<str>)>,
    history_bytes: usize,
    /// Whether the page that published it is the connected one.
    current: bool,
}

impl State {
    /// A whole document, in place of what was known before.
    pub fn new(document: Document, page_revision: u64, came: When, before: Option<&Self>) -> Self {
        let revision = match before {
            // The same page sent again what it had published: nothing changed.
            Some(known) if known.current && known.page_revision == page_revision => known.revision,
            Some(known) => known.revision + 1,
            None => 1,
        };
        let (history, document) = (VecDeque::new(), Holding::Here(document));
        Self { document, revision, page_revision, came, history, history_bytes: 0, current: true }
    }

    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The page's own number for its revision.
    pub fn page_revision(&self) -> u64 {
        self.page_revision
    }

    /// The whole document as text, if it is here.
    pub fn text(&self) -> Result<Option<Box<RawValue>>, Error> {
        match &self.document {
            Holding::Here(document) => select(document.value(), None).map(Some),
            Holding::AtWork { .. } | Holding::Dropped => Ok(None),
        }
    }

    /// The whole document as text, if it is small enough to be written at once.
    pub fn light_text(&self) -> Option<Box<RawValue>> {
        match &self.document {
            Holding::Here(document) if document.text_bytes() <= LIGHT_BYTES_MAX => select(document.value(), None).ok(),
            Holding::Here(_) | Holding::AtWork { .. } | Holding::Dropped => None,
        }
    }

    /// When it last changed, by the hub's clock.
    pub fn changed_at(&self) -> Millis {
        self.came.now
    }

    /// Whether the page that published it is the connected one.
    pub fn is_current(&self) -> bool {
        self.current
    }

    /// Whether there is a document, here or at a worker.
    pub fn is_known(&self) -> bool {
        !matches!(self.document, Holding::Dropped)
    }

    /// Estimated bytes in memory.
    pub fn parsed_bytes(&self) -> usize {
        let document_bytes = match &self.document {
            Holding::Here(document) => document.parsed_bytes(),
            Holding::AtWork { parsed_bytes } => *parsed_bytes,
            Holding::Dropped => 0,
        };
        document_bytes + self.history_bytes
    }

    /// Drops the document and its history to free memory. The revision stays.
    pub fn drop_document(&mut self) -> Option<Document> {
        self.history.clear();
        self.history_bytes = 0;
        match std::mem::replace(&mut self.document, Holding::Dropped) {
            Holding::Here(document) => Some(document),
            Holding::AtWork { .. } | Holding::Dropped => None,
        }
    }

    /// The page that published it has left, or another one has joined.
    pub fn grow_stale(&mut self) {
        self.current = false;
    }

    /// Whether a change that leads to this revision of the page follows what is known.
    pub fn is_followed_by(&self, page_revision: u64) -> bool {
        self.current && page_revision == self.page_revision + 1
    }

    /// The document, if it is here and can be worked with.
    pub fn document_mut(&mut self) -> Option<&mut Document> {
        match &mut self.document {
            Holding::Here(document) => Some(document),
            Holding::AtWork { .. } | Holding::Dropped => None,
        }
    }

    /// Lends the document to a worker.
    pub fn lend(&mut self) -> Option<Document> {
        match std::mem::replace(&mut self.document, Holding::Dropped) {
            Holding::Here(document) => {
                self.document = Holding::AtWork { parsed_bytes: document.parsed_bytes() };
                Some(document)
            }
            other => {
                self.document = other;
                None
            }
        }
    }

    /// Takes the document back from a worker. `false`: the state was replaced or dropped meanwhile, and this document
    /// is not used.
    pub fn take_back(&mut self, document: Option<Document>) -> bool {
        let expected = matches!(self.document, Holding::AtWork { .. });
        if expected {
            self.document = document.map_or(Holding::Dropped, Holding::Here);
        }
        expected
    }

    /// Records a change that was applied to the document.
    pub fn changed(&mut self, patch: &str, page_revision: u64, came: When) {
        self.page_revision = page_revision;
        self.revision += 1;
        self.came = came;
        if patch.len() > STATE_HISTORY_BYTES_MAX {
            self.history.clear();
            self.history_bytes = 0;
            return;
        }
        self.history_bytes += patch.len();
        self.history.push_back((self.revision, patch.into()));
        while self.history.len() > STATE_HISTORY_LEN_MAX || self.history_bytes > STATE_HISTORY_BYTES_MAX {
            let Some((_, forgotten)) = self.history.pop_front() else { break };
            self.history_bytes -= forgotten.len();
        }
    }

    /// Whether reading this is cheap enough for the hub's own thread.
    pub fn is_light(&self, query: &StateQuery) -> bool {
        match &self.document {
            Holding::Here(document) => {
                let path = query.path.as_deref().filter(|path| path.starts_with('$'));
                let light = document.text_bytes() <= LIGHT_BYTES_MAX
                    && path.is_none_or(|path| {
                        // A query that is going to be refused is refused at once.
                        path_steps(path, document.value())
                            .is_ok_and(|steps| steps <= LIGHT_STEPS_MAX || steps > QUERY_STEPS_MAX)
                    });
                light || query.since.is_some_and(|since| self.knows_since(since))
            }
            Holding::AtWork { .. } | Holding::Dropped => true,
        }
    }

    /// Answers a query.
    pub fn read(
        &self,
        now: Millis,
        query: &StateQuery,
        from_page: bool,
        warning: Option<&str>,
    ) -> Result<String, Error> {
        let changes = query.since.and_then(|since| self.changes_since(since));
        let value = match (&changes, &self.document) {
            (Some(_), _) => None,
            (None, Holding::Here(document)) => Some(select(document.value(), query.path.as_deref())?),
            (None, Holding::AtWork { .. } | Holding::Dropped) => {
                return Err(Error::new(Code::SESSION, "the state is not at hand").hint("ask again"));
            }
        };
        Ok(self.answer(now, value, changes, from_page, warning))
    }

    /// The answer to an agent, as JSON text.
    pub fn answer(
        &self,
        now: Millis,
        value: Option<Box<RawValue>>,
        changes: Option<String>,
        from_page: bool,
        warning: Option<&str>,
    ) -> String {
        json(&StateAnswer {
            value,
            patch: changes.and_then(|text| RawValue::from_string(text).ok()),
            revision: self.revision,
            source: if from_page { "page" } else { "cache" },
            was_cached: !from_page,
            stale: !self.current,
            age_ms: now.saturating_sub(self.came.now),
            time: humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(self.came.wall_ms)).to_string(),
            warning: warning.map(str::to_owned),
        })
    }

    /// The changes after a revision, for the agent that caused them: the patch, or the whole document if the patch is
    /// not known and the document is small.
    pub fn delta(&self, since: u64) -> Option<Box<str>> {
        let delta = match (self.changes_since(since), &self.document) {
            _ if !self.current => return None,
            (Some(patch), _) => format!(r#","patch":{patch}"#),
            (None, Holding::Here(document)) if document.text_bytes() <= LIGHT_BYTES_MAX => {
                format!(r#","state":{}"#, json(document.value()))
            }
            (None, _) => r#","omitted":"the state is large: read it with state/get""#.to_owned(),
        };
        Some(format!(r#"{{"revision":{}{delta}}}"#, self.revision).into())
    }

    fn knows_since(&self, since: u64) -> bool {
        let first = self.history.front().map_or(self.revision + 1, |(revision, _)| *revision);
        since <= self.revision && since + 1 >= first
    }

    /// All changes after a revision as one patch. `None`: the history does not go back that far.
    fn changes_since(&self, since: u64) -> Option<String> {
        if !self.knows_since(since) {
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

/// A part of a document, by `a.b`, a JSON Pointer, or `JSONPath`, whose answer is the list of the values that it
/// selects.
pub(crate) fn select(document: &Value, path: Option<&str>) -> Result<Box<RawValue>, Error> {
    let raw = |value: Result<Box<RawValue>, serde_json::Error>| {
        value.map_err(|error| Error::new(Code::INTERNAL, error.to_string()))
    };
    let Some(path) = path else { return raw(to_raw_value(document)) };
    if path.starts_with('$') {
        check_cost(path, document)?;
        let query = JsonPath::parse(path)
            .map_err(|error| Error::new(Code::PARAMS, format!("`{path}` is no JSONPath: {error}")))?;
        return raw(to_raw_value(&query.query_values(document)));
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
    raw(to_raw_value(at))
}

/// Refuses a query that would take too long.
fn check_cost(path: &str, document: &Value) -> Result<(), Error> {
    match path_steps(path, document) {
        Ok(steps) if steps <= QUERY_STEPS_MAX => Ok(()),
        Ok(_) => {
            let message = format!("this JSONPath could look at more than {QUERY_STEPS_MAX} values");
            Err(Error::new(Code::PARAMS, message).hint("name the members on the way in place of `..`, `*` and lists"))
        }
        Err(fault) => {
            Err(Error::new(Code::PARAMS, fault.to_string()).hint("write a shorter one, such as $.items[*].id"))
        }
    }
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
    use crate::document::Meter;

    fn at(now: Millis) -> When {
        When { now, wall_ms: 1_700_000_000_000 + now }
    }

    fn document(text: &str) -> Document {
        Document::parse(text, || {}).unwrap()
    }

    fn scene() -> State {
        State::new(document(r##"{"model":{"color":"#fff","tags":["a","b"]},"x.y":1}"##), 1, at(0), None)
    }

    fn patch(state: &mut State, patch: &str, page_revision: u64) -> bool {
        let fits = state.is_followed_by(page_revision)
            && state.document_mut().unwrap().patch(patch, &mut Meter::new(1_000)).is_ok();
        if fits {
            state.changed(patch, page_revision, at(page_revision));
        }
        fits
    }

    fn value(state: &State, path: &str) -> Result<Value, Error> {
        let query = StateQuery { path: Some(path.into()), ..StateQuery::default() };
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
        let black = r##"[{"op":"replace","path":"/model/color","value":"#000"}]"##;
        assert!(!patch(&mut state, black, 3));
        assert!(patch(&mut state, black, 2));
        assert_eq!(value(&state, "model.color").unwrap(), "#000");
        let wrong = r#"[{"op":"remove","path":"/model/color"},{"op":"remove","path":"/nothing"}]"#;
        assert!(!patch(&mut state, wrong, 3));
        assert_eq!(value(&state, "model.color").unwrap(), "#000", "half a patch changes nothing");
        state.grow_stale();
        assert!(!patch(&mut state, black, 3));
    }

    #[test]
    fn what_changed_since_is_one_patch_or_the_whole() {
        let mut state = scene();
        for revision in 2..=(STATE_HISTORY_LEN_MAX as u64 + 10) {
            let change = format!(r#"[{{"op":"add","path":"/n","value":{revision}}}]"#);
            assert!(patch(&mut state, &change, revision));
        }
        let last = state.revision();
        let read = |since| {
            let text = state.read(0, &StateQuery { since: Some(since), ..StateQuery::default() }, false, None).unwrap();
            serde_json::from_str::<Value>(&text).unwrap()
        };
        assert_eq!(read(last)["patch"], serde_json::json!([]));
        assert_eq!(read(last - 2)["patch"].as_array().unwrap().len(), 2);
        assert!(read(1)["patch"].is_null() && read(1)["value"].is_object());
    }

    #[test]
    fn a_revision_never_goes_back_whatever_page_publishes() {
        let mut state = scene();
        assert!(patch(&mut state, "[]", 2));
        let again = State::new(document("{}"), 2, at(2), Some(&state));
        assert_eq!(again.revision(), 2, "the same, told again");
        state.grow_stale();
        let next = State::new(document("{}"), 1, at(3), Some(&state));
        assert_eq!(next.revision(), 3);
        let answer = next.read(0, &StateQuery { since: Some(1), ..StateQuery::default() }, false, None).unwrap();
        assert!(answer.contains("\"value\":{}"), "what changed across pages is not known");
    }
}
