//! The cost of a `JSONPath` query on a document, counted before it is run: the library that runs it has no limit.

use crate::limits::{QUERY_BYTES_MAX, QUERY_DEPTH_MAX};
use serde_json::Value;

/// Why a query is not run at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// It is too long.
    #[error("a JSONPath has at most {QUERY_BYTES_MAX} bytes")]
    Long,
    /// Brackets are nested too deep.
    #[error("a JSONPath has brackets in brackets at most {QUERY_DEPTH_MAX} times")]
    Deep,
}

/// The parts of a query that multiply its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Shape {
    /// Steps that look at everything below a value: `..`, and queries in filters that begin at the value.
    descents: u32,
    /// Queries in filters that begin at the root and look at more than one value.
    roots: u32,
    /// How often one value may be selected: `[0,0][0,0]` selects it four times. And patterns, which cost more than one
    /// look.
    times: u64,
}

/// An upper bound of the values that a query looks at.
pub fn path_steps(path: &str, document: &Value) -> Result<u64, PathFault> {
    let shape = shape_of(path)?;
    let (mut steps, mut values) = (0, 0);
    count(document, 0, shape.descents, &mut steps, &mut values);
    let roots = (0..shape.roots).fold(1_u64, |product, _| product.saturating_mul(values));
    Ok(steps.saturating_mul(roots).saturating_mul(shape.times))
}

fn shape_of(path: &str) -> Result<Shape, PathFault> {
    if path.len() > QUERY_BYTES_MAX {
        return Err(PathFault::Long);
    }
    let plain = without_texts(path);
    let broad = |rest: &str| rest.contains("..") || rest.contains(['*', '?', ':']);
    let mut shape = Shape { times: 1, ..Shape::default() };
    let (mut depth, mut commas) = (0_usize, 0_u64);
    for (at, byte) in plain.bytes().enumerate() {
        let rest = &plain[at + 1..];
        match byte {
            b'.' if rest.starts_with('.') => shape.descents += 1,
            b'@' if broad(rest) => shape.descents += 1,
            b'$' if at > 0 && broad(rest) => shape.roots += 1,
            b'[' | b'(' => depth += 1,
            b']' | b')' => {
                depth = depth.saturating_sub(1);
                shape.times = shape.times.saturating_mul(commas + 1);
                commas = 0;
            }
            b',' => commas += 1,
            _ => {}
        }
        if depth > QUERY_DEPTH_MAX {
            return Err(PathFault::Deep);
        }
    }
    let patterns = plain.matches("match(").count() + plain.matches("search(").count();
    for _ in 0..patterns {
        shape.times = shape.times.saturating_mul(PATTERN_STEPS);
    }
    Ok(shape)
}

/// Steps that matching a pattern counts for.
const PATTERN_STEPS: u64 = 8;

/// The path with a letter in place of every byte of a text in quotes, so that what texts hold does not count.
fn without_texts(path: &str) -> String {
    let mut plain = String::with_capacity(path.len());
    let mut quote = None;
    let mut escaped = false;
    for byte in path.bytes() {
        plain.push(match quote {
            Some(_) if escaped => {
                escaped = false;
                'x'
            }
            Some(open) => {
                escaped = byte == b'\\';
                quote = (byte != open).then_some(open);
                'x'
            }
            None if byte == b'\'' || byte == b'"' => {
                quote = Some(byte);
                'x'
            }
            None if byte.is_ascii() => char::from(byte),
            None => 'x',
        });
    }
    plain
}

/// Adds what `descents` steps look at. A value at depth `d` is reached by one step from each of its `d` ancestors and
/// itself, by a second one from each of those, and so on: by C(d + k - 1, k - 1) ways for `k` steps.
fn count(value: &Value, depth: u64, descents: u32, steps: &mut u64, values: &mut u64) {
    *values += 1;
    let mut ways = 1_u64;
    for step in 1..u64::from(descents.max(1)) {
        // A product that had overflowed would shrink again when it is divided.
        let Some(product) = ways.checked_mul(depth + step) else {
            ways = u64::MAX;
            break;
        };
        ways = product / step;
    }
    *steps = steps.saturating_add(ways);
    match value {
        Value::Array(items) => items.iter().for_each(|item| count(item, depth + 1, descents, steps, values)),
        Value::Object(members) => members.values().for_each(|item| count(item, depth + 1, descents, steps, values)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn chain(depth: usize) -> Value {
        (0..depth).fold(json!(1), |inner, _| json!([inner]))
    }

    #[test]
    fn plain_paths_cost_no_more_than_the_document() {
        let document = json!({"items": [{"id": 1, "t": ["a"]}, {"id": 2, "t": []}], "selected": 2});
        for path in ["$", "$.items[0].id", "$..id", "$.items[*]", "$.items[?@.id == $.selected]", "$['a..b,*?']"] {
            assert_eq!(path_steps(path, &document), Ok(10), "{path}");
        }
    }

    #[test]
    fn what_multiplies_is_counted() {
        let document = chain(20);
        let steps = |path: &str| path_steps(path, &document).unwrap();
        assert_eq!(steps("$..*"), 21);
        assert_eq!(steps("$..*..*"), 21 * 22 / 2);
        assert_eq!(steps("$..*..*..*"), 21 * 22 * 23 / 6);
        assert_eq!(steps("$..[?$..*]"), 21 * 22 / 2 * 21, "both descents, as if each followed the other, and the root");
        assert_eq!(steps("$[0,0][0,0]"), 21 * 4);
        assert_eq!(steps("$[?search(@.a,'x')]"), 21 * 2 * PATTERN_STEPS);
        assert_eq!(steps(&format!("${}", "[0,0]".repeat(80))), u64::MAX);
        assert_eq!(steps(&format!("${}", "..*".repeat(200))), u64::MAX);
    }

    #[test]
    fn length_and_nesting_have_limits() {
        let long = |bytes: usize| format!("$.{}", "a".repeat(bytes - 2));
        assert!(path_steps(&long(QUERY_BYTES_MAX), &json!(1)).is_ok());
        assert_eq!(path_steps(&long(QUERY_BYTES_MAX + 1), &json!(1)), Err(PathFault::Long));
        let deep = |depth: usize| format!("$[?{}@.a{}]", "(".repeat(depth - 1), ")".repeat(depth - 1));
        assert!(path_steps(&deep(QUERY_DEPTH_MAX), &json!(1)).is_ok());
        assert_eq!(path_steps(&deep(QUERY_DEPTH_MAX + 1), &json!(1)), Err(PathFault::Deep));
    }
}
