//! Groups failures by page, code and message, so that a right refusal can be distinguished from a wrong one.

use serde_json::Value as Json;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failures of one kind within this time of each other count as one stretch: an agent that retries at once makes many.
const STRETCH: Duration = Duration::from_secs(1);
/// How long after a hub or NATS is back its callers may still notice.
pub const AFTERMATH: Duration = Duration::from_secs(3);

/// A group of failures.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reason {
    /// Whether the page is one that answers at once.
    steady: bool,
    code: i64,
    message: String,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    calls: u64,
    stretches: u64,
    /// Calls among them that failed long after the last harm.
    calm: u64,
}

#[derive(Debug, Default)]
pub struct Reasons {
    all: Mutex<BTreeMap<Reason, Count>>,
    /// When the last harm ended; `None` during a harm, and before the first.
    harm: Mutex<Option<Instant>>,
}

/// When one agent last saw each kind of failure.
pub type Seen = HashMap<Reason, Instant>;

impl Reasons {
    /// Marks that something is killed or hangs from now on.
    pub fn harm_begins(&self) {
        *self.harm.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Marks that it is back.
    pub fn harm_ends(&self) {
        *self.harm.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Counts a failed call.
    pub fn add(&self, frame: &str, steady: bool, seen: &mut Seen) {
        let (code, message) = reason(frame);
        let reason = Reason { steady, code, message };
        let now = Instant::now();
        let harm = *self.harm.lock().unwrap_or_else(PoisonError::into_inner);
        let is_calm = harm.is_some_and(|over| now - over > AFTERMATH);
        let before = seen.insert(reason.clone(), now);
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let count = all.entry(reason).or_default();
        count.calls += 1;
        count.calm += u64::from(is_calm);
        count.stretches += u64::from(before.is_none_or(|before| now - before > STRETCH));
    }

    /// Prints the groups, the most frequent first.
    pub fn print(&self) {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rows: Vec<_> = all.iter().collect();
        rows.sort_by_key(|(_, count)| std::cmp::Reverse(count.calls));
        println!(
            "failures: calls, stretches of one agent, calls more than {AFTERMATH:?} after the last harm; pages, code, message"
        );
        for (reason, count) in rows {
            let pages = if reason.steady { "steady" } else { "odd" };
            let Count { calls, stretches, calm } = count;
            println!("{calls:>9} {stretches:>7} {calm:>7}  {pages:<6} {:>6} {}", reason.code, reason.message);
        }
    }
}

/// The code and the message of a failure, without the parts that vary: numbers and quoted text.
fn reason(frame: &str) -> (i64, String) {
    let json: Json = serde_json::from_str(frame).unwrap_or_default();
    let (code, message) = if let Some(error) = json.get("error") {
        (error["code"].as_i64(), error["message"].as_str())
    } else {
        // A line: `id!code message`, then fields after a control character.
        let body = frame.split_once('!').map_or(frame, |(_, body)| body);
        let (code, message) = body.split_once(' ').unwrap_or(("", body));
        (code.parse().ok(), message.split(char::is_control).next())
    };
    let message = message.unwrap_or(frame);
    let mut plain = String::new();
    let mut quoted = false;
    for c in message.chars().take(160) {
        match c {
            '`' | '"' => quoted = !quoted,
            _ if quoted => {}
            '0'..='9' if plain.ends_with('#') => {}
            '0'..='9' => plain.push('#'),
            _ => plain.push(c),
        }
    }
    (code.unwrap_or(0), plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_one_kind_are_one_reason_in_both_forms() {
        let line = "7!-32001 the page `a 1` left after 250 ms\u{1f}repeat it";
        let rpc = r#"{"jsonrpc":"2.0","id":"r7","error":{"code":-32001,"message":"the page `b` left after 9 ms"}}"#;
        assert_eq!(reason(line), (-32001, "the page  left after # ms".into()));
        assert_eq!(reason(line), reason(rpc));
    }
}
