//! Finds places in a document, and inserts and removes items of arrays.

use super::size::{BYTES_A_STEP, Meter, Unfit};
use json_patch::jsonptr::Pointer;
use serde_json::Value;

/// Items that are shifted between two pauses.
const ITEMS_A_PIECE: usize = 4_096;

/// Inserts an item: appends it, then moves it to its place piece by piece.
pub(super) fn insert(items: &mut Vec<Value>, at: usize, value: Value, meter: &Meter) {
    items.push(value);
    let mut end = items.len();
    while end > at + 1 {
        let start = at.max(end.saturating_sub(ITEMS_A_PIECE));
        items[start..end].rotate_right(1);
        end = start + 1;
        meter.pause();
    }
}

/// Removes an item: moves it to the end piece by piece, then pops it.
pub(super) fn remove(items: &mut Vec<Value>, at: usize, meter: &Meter) -> Option<Value> {
    let mut start = at;
    while start + 1 < items.len() {
        let end = items.len().min(start + ITEMS_A_PIECE);
        items[start..end].rotate_left(1);
        start = end - 1;
        meter.pause();
    }
    items.pop()
}

pub(super) fn find<'v>(root: &'v Value, path: &Pointer, meter: &mut Meter) -> Result<&'v Value, Unfit> {
    meter.spend(path.count() + path.len() / BYTES_A_STEP)?;
    path.tokens().try_fold(root, |at, token| {
        match at {
            Value::Object(members) => members.get(&*token.decoded()),
            Value::Array(items) => items.get(index(&token.decoded())?),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
        .ok_or(Unfit::Wrong)
    })
}

pub(super) fn find_mut<'v>(root: &'v mut Value, path: &Pointer, meter: &mut Meter) -> Result<&'v mut Value, Unfit> {
    meter.spend(path.count() + path.len() / BYTES_A_STEP)?;
    path.tokens().try_fold(root, |at, token| {
        match at {
            Value::Object(members) => members.get_mut(&*token.decoded()),
            Value::Array(items) => items.get_mut(index(&token.decoded())?),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
        .ok_or(Unfit::Wrong)
    })
}

/// An array's index as RFC 6901 writes it: digits, without leading zeros.
pub(super) fn index(name: &str) -> Result<usize, Unfit> {
    let digits = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    if digits { name.parse().map_err(|_| Unfit::Wrong) } else { Err(Unfit::Wrong) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_moved_in_pieces_and_stay_in_order() {
        for len in [0, 1, 2, ITEMS_A_PIECE - 1, ITEMS_A_PIECE, ITEMS_A_PIECE + 1, 3 * ITEMS_A_PIECE] {
            let meter = Meter::new(1);
            for at in [0, 1, len / 2, len.saturating_sub(1), len].into_iter().filter(|at| *at <= len) {
                let before: Vec<Value> = (0..len).map(Value::from).collect();
                let (mut items, mut expected) = (before.clone(), before.clone());
                expected.insert(at, Value::Null);
                insert(&mut items, at, Value::Null, &meter);
                assert_eq!(items, expected, "at {at} of {len}");
                assert_eq!(remove(&mut items, at, &meter), Some(Value::Null));
                assert_eq!(items, before, "at {at} of {len}");
            }
        }
    }
}
