//! Splits large results into pieces of at most [`ANSWER_CHARS_MAX`] characters, cut at a whole line or element, with a
//! cursor for the next piece. Cut results are kept in memory, within limits.

use super::limits::{ANSWER_CHARS_MAX, PIECES_BYTES_MAX, PIECES_MAX};
use super::outcome::{Outcome, error_mark};
use eye_protocol::rpc::json;
use eye_protocol::{Code, Error};
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Characters of the note that shows how to read on.
const NOTE_CHARS_MAX: usize = 200;
/// Characters of a piece's own content.
const PIECE_CHARS_MAX: usize = ANSWER_CHARS_MAX - NOTE_CHARS_MAX;

/// A result that did not fit.
#[derive(Debug)]
enum Rest {
    /// Text, cut at line ends.
    Text(String),
    /// The elements of a list, cut between two of them; `of` is the path of the list in the result.
    Elements { all: Vec<Value>, of: String },
}

#[derive(Debug)]
struct Kept {
    key: String,
    rest: Rest,
    bytes: usize,
}

/// Large results of all clients. Only the cursor gives access to one.
#[derive(Debug, Default)]
pub struct Pieces(Mutex<VecDeque<Arc<Kept>>>);

impl Pieces {
    /// The result unchanged if it fits, else its first piece.
    pub fn first(&self, result: Box<RawValue>) -> Outcome {
        if result.get().len() <= ANSWER_CHARS_MAX {
            return Outcome::Foreign(result);
        }
        let Ok(Value::Object(object)) = serde_json::from_str::<Value>(result.get()) else {
            return Outcome::Foreign(result);
        };
        let Some((rest, kept_parts, skeleton)) = taken_apart(&object) else { return Outcome::Foreign(result) };
        let is_error = object.get("isError") == Some(&Value::Bool(true));
        let bytes = result.get().len();
        let kept = Arc::new(Kept { key: key(), rest, bytes });
        let outcome = piece(&kept, 0, &kept_parts, skeleton, is_error);
        self.keep(kept);
        outcome
    }

    /// The piece that a cursor points to.
    pub fn at(&self, cursor: &str) -> Result<Outcome, Error> {
        let gone = || {
            Error::new(Code::PARAMS, "this cursor is no longer kept")
                .hint("call the tool again, or ask it for less; `select` takes a part of a result")
        };
        let (key, start) = cursor.rsplit_once('.').ok_or_else(gone)?;
        let start: usize = start.parse().map_err(|_| gone())?;
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = all.iter().find(|kept| kept.key == key).cloned().ok_or_else(gone)?;
        drop(all);
        Ok(piece(&kept, start, &[], None, false))
    }

    fn keep(&self, kept: Arc<Kept>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes: usize = all.iter().map(|kept| kept.bytes).sum::<usize>() + kept.bytes;
        all.push_back(kept);
        while all.len() > PIECES_MAX || (bytes > PIECES_BYTES_MAX && all.len() > 1) {
            bytes -= all.pop_front().map_or(0, |old| old.bytes);
        }
    }
}

/// 128 random bits: the cursor is also the permission to read the result.
fn key() -> String {
    let mut bytes = [0_u8; 16];
    // On failure the bytes would all be zero; creating the face's seal has already required random numbers.
    let _ = SystemRandom::new().fill(&mut bytes);
    format!("{:032x}", u128::from_be_bytes(bytes))
}

type Apart = (Rest, Vec<Value>, Option<(Value, String)>);

/// The part of a result that is split, its other content parts, and the structure around a list.
fn taken_apart(result: &Map<String, Value>) -> Option<Apart> {
    let content = result.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let (texts, others): (Vec<&Value>, Vec<&Value>) = content.iter().partition(|part| part["text"].is_string());
    let others: Vec<Value> = others.into_iter().cloned().collect();
    if let Some(structured) = result.get("structuredContent")
        && let Some((all, pointer)) = largest_list(structured)
    {
        let mut skeleton = structured.clone();
        if let Some(place) = skeleton.pointer_mut(&pointer) {
            *place = Value::Array(Vec::new());
        }
        let of = format!("structuredContent{pointer}");
        return Some((Rest::Elements { all, of }, others, Some((skeleton, pointer))));
    }
    let text = texts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n");
    if text.chars().count() <= PIECE_CHARS_MAX && result.get("structuredContent").is_none() {
        // Only the other content is large: a picture is not split.
        return None;
    }
    let parsed: Option<Value> = serde_json::from_str(&text).ok();
    if let Some((all, pointer)) = parsed.as_ref().and_then(largest_list) {
        return Some((Rest::Elements { all, of: format!("content{pointer}") }, others, None));
    }
    let text = match result.get("structuredContent") {
        Some(structured) if text.is_empty() => structured.to_string(),
        _ => text,
    };
    Some((Rest::Text(text), others, None))
}

/// The list with the longest JSON text in a value, if its elements fit into pieces and it is most of the value.
fn largest_list(value: &Value) -> Option<(Vec<Value>, String)> {
    fn walk<'a>(value: &'a Value, pointer: &str, depth: usize, best: &mut Option<(usize, &'a Vec<Value>, String)>) {
        const DEPTH_MAX: usize = 4;
        match value {
            Value::Array(all) => {
                let size = value.to_string().len();
                if best.as_ref().is_none_or(|(known, ..)| size > *known) {
                    *best = Some((size, all, pointer.to_owned()));
                }
            }
            Value::Object(members) if depth < DEPTH_MAX => {
                for (name, member) in members {
                    let name = name.replace('~', "~0").replace('/', "~1");
                    walk(member, &format!("{pointer}/{name}"), depth + 1, best);
                }
            }
            Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut best = None;
    walk(value, "", 0, &mut best);
    let (size, all, pointer) = best?;
    let rest = value.to_string().len() - size;
    let fits = all.iter().all(|element| element.to_string().chars().count() + rest < PIECE_CHARS_MAX / 2);
    (fits && all.len() > 1).then(|| (all.clone(), pointer))
}

fn piece(kept: &Kept, start: usize, others: &[Value], skeleton: Option<(Value, String)>, is_error: bool) -> Outcome {
    let (text, structured, end, of) = match &kept.rest {
        Rest::Text(all) => {
            let start = floor(all, start);
            let end = text_end(all, start);
            (all[start..end].to_owned(), None, end, format!("{} bytes of text", all.len()))
        }
        Rest::Elements { all, of } => {
            let start = start.min(all.len());
            let room = skeleton.as_ref().map_or(0, |(skeleton, _)| skeleton.to_string().chars().count());
            let end = elements_end(all, start, PIECE_CHARS_MAX.saturating_sub(room));
            let elements = Value::from(all[start..end].to_vec());
            let shown = match skeleton {
                Some((mut skeleton, pointer)) => {
                    if let Some(place) = skeleton.pointer_mut(&pointer) {
                        *place = elements;
                    }
                    skeleton
                }
                None => elements,
            };
            let structured = of.starts_with("structured").then(|| structured_member(&shown));
            (shown.to_string(), structured, end, format!("{} elements of {of}", all.len()))
        }
    };
    let length = match &kept.rest {
        Rest::Text(all) => all.len(),
        Rest::Elements { all, .. } => all.len(),
    };
    let note = if end < length {
        format!(r#"[{start} to {end} of {of}; the rest: mcp_call {{"cursor":"{}.{end}"}}]"#, kept.key)
    } else {
        format!("[{start} to {end} of {of}; this is the end]")
    };
    let mut parts: Vec<String> = others.iter().map(Value::to_string).collect();
    parts.extend([text, note].iter().map(|text| format!(r#"{{"type":"text","text":{}}}"#, json(text))));
    let structured = structured.unwrap_or_default();
    Outcome::ours(format!(r#""content":[{}]{structured}{}"#, parts.join(","), error_mark(is_error)))
}

/// `structuredContent` must be an object in MCP.
fn structured_member(value: &Value) -> String {
    if value.is_object() {
        format!(r#","structuredContent":{value}"#)
    } else {
        format!(r#","structuredContent":{{"elements":{value}}}"#)
    }
}

/// The largest character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The end of a piece of text: after the last whole line that fits, or after the last character if lines are very long.
fn text_end(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    let Some((most, _)) = rest.char_indices().nth(PIECE_CHARS_MAX) else { return text.len() };
    let line = rest[..most].rfind('\n').map(|at| at + 1).filter(|end| *end > most / 2);
    start + line.unwrap_or(most)
}

/// The end of a piece of a list: after the last element that fits, but after one element at least.
fn elements_end(all: &[Value], start: usize, room: usize) -> usize {
    let mut chars = 2;
    for (at, element) in all.iter().enumerate().skip(start) {
        chars += element.to_string().chars().count() + 1;
        if chars > room && at > start {
            return at;
        }
    }
    all.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::era::Era;
    use serde_json::json;

    fn raw(value: &Value) -> Box<RawValue> {
        serde_json::value::to_raw_value(value).unwrap()
    }

    fn rendered(outcome: &Outcome) -> Value {
        serde_json::from_str(&outcome.render(Era::Legacy, "tools/call", "{}")).unwrap()
    }

    /// Reads a result to its end by cursors.
    fn read(pieces: &Pieces, result: &Value) -> Vec<Value> {
        let mut all = vec![rendered(&pieces.first(raw(result)))];
        loop {
            let last = all.last().unwrap()["content"].as_array().unwrap().last().unwrap()["text"].as_str().unwrap();
            let Some((_, rest)) = last.split_once(r#"{"cursor":""#) else { return all };
            let cursor = rest.split('"').next().unwrap();
            all.push(rendered(&pieces.at(cursor).unwrap()));
        }
    }

    fn text(part: &Value) -> &str {
        part["text"].as_str().unwrap()
    }

    #[test]
    fn a_result_that_fits_passes_to_the_letter() {
        let text = format!(r#"{{"content":[{{"type":"text","text":"{}"}}],"z":1.0}}"#, "x".repeat(39_900));
        let result = RawValue::from_string(text.clone()).unwrap();
        assert_eq!(Pieces::default().first(result).render(Era::Legacy, "tools/call", "{}"), text);
    }

    #[test]
    fn long_text_is_cut_at_lines_and_read_to_its_end() {
        let long = (0..9_000).map(|n| format!("line {n} ä")).collect::<Vec<_>>().join("\n") + "\n";
        let all = read(&Pieces::default(), &json!({ "content": [{ "type": "text", "text": long }] }));
        assert!(all.len() > 2);
        for piece in &all {
            let parts = piece["content"].as_array().unwrap();
            assert!(text(&parts[0]).ends_with('\n'));
            assert!(parts.iter().map(|part| text(part).chars().count()).sum::<usize>() <= ANSWER_CHARS_MAX);
        }
        assert_eq!(all.iter().map(|piece| text(&piece["content"][0])).collect::<String>(), long);
    }

    #[test]
    fn lists_are_cut_between_elements_in_text_and_in_structure() {
        let rows: Vec<Value> = (0..3_000).map(|n| json!({ "id": n, "name": format!("row {n}") })).collect();
        let in_text = json!({ "content": [{ "type": "text", "text": json!(rows).to_string() }] });
        let structured = json!({ "content": [], "structuredContent": { "total": 3_000, "rows": rows } });
        for result in [in_text, structured] {
            let all = read(&Pieces::default(), &result);
            let mut found = Vec::new();
            for (at, piece) in all.iter().enumerate() {
                let shown: Value = serde_json::from_str(text(&piece["content"][0])).unwrap();
                let list = shown.get("rows").unwrap_or(&shown);
                found.extend(list.as_array().unwrap().clone());
                if at == 0 && result.get("structuredContent").is_some() {
                    assert_eq!(piece["structuredContent"]["total"], 3_000);
                }
            }
            assert_eq!(found, rows);
        }
    }

    #[test]
    fn pictures_stay_whole_beside_text_that_is_cut() {
        let picture = json!({ "type": "image", "data": "A".repeat(90_000), "mimeType": "image/png" });
        let alone = json!({ "content": [picture] });
        assert_eq!(rendered(&Pieces::default().first(raw(&alone))), alone);
        let both = json!({ "content": [picture, { "type": "text", "text": "x".repeat(90_000) }] });
        let first = rendered(&Pieces::default().first(raw(&both)));
        assert_eq!((&first["content"][0]["type"], first["content"].as_array().unwrap().len()), (&json!("image"), 3));
    }

    #[test]
    fn what_is_kept_has_an_end_and_a_cursor_cannot_be_guessed() {
        let pieces = Pieces::default();
        let result = json!({ "content": [{ "type": "text", "text": "x".repeat(50_000) }] });
        let cursor = |outcome: &Outcome| {
            let text = rendered(outcome)["content"][1]["text"].as_str().unwrap().to_owned();
            text.split_once(r#""cursor":""#).unwrap().1.split('"').next().unwrap().to_owned()
        };
        let first = cursor(&pieces.first(raw(&result)));
        assert!(pieces.at(&first).is_ok() && pieces.at("0.5").is_err() && pieces.at("x").is_err());
        assert_eq!(first.split('.').next().unwrap().len(), 32);
        for _ in 0..PIECES_MAX {
            pieces.first(raw(&result));
        }
        assert!(pieces.at(&first).is_err());
        assert_eq!(pieces.0.lock().unwrap().len(), PIECES_MAX);
    }
}
