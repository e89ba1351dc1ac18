//! Cached results of read-only tools, for as long as the config says.

use crate::limits::{RESULTS_BYTES_MAX, RESULTS_MAX};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The tool and its arguments, as written.
pub type Question = (Box<str>, Box<str>);

#[derive(Debug)]
struct Answer {
    until: Instant,
    result: Box<RawValue>,
}

/// The cache.
#[derive(Debug, Default)]
pub struct Results {
    answers: HashMap<Question, Answer>,
    bytes: usize,
}

impl Results {
    /// The cached result, if it has not expired.
    pub fn get(&self, question: &Question, now: Instant) -> Option<Box<RawValue>> {
        self.answers.get(question).filter(|answer| answer.until > now).map(|answer| answer.result.clone())
    }

    /// Caches a result; above the limits, the oldest are dropped.
    pub fn put(&mut self, question: Question, result: &RawValue, now: Instant, ttl: Duration) {
        let size = result.get().len() + question.1.len();
        if size > RESULTS_BYTES_MAX / 4 {
            return;
        }
        self.forget(&question);
        while self.answers.len() >= RESULTS_MAX || self.bytes + size > RESULTS_BYTES_MAX {
            let oldest =
                self.answers.iter().min_by_key(|(_, answer)| answer.until).map(|(question, _)| question.clone());
            let Some(oldest) = oldest else { break };
            self.forget(&oldest);
        }
        self.bytes += size;
        self.answers.insert(question, Answer { until: now + ttl, result: result.to_owned() });
    }

    fn forget(&mut self, question: &Question) {
        if let Some(answer) = self.answers.remove(question) {
            self.bytes -= answer.result.get().len() + question.1.len();
        }
    }

    /// Empties the cache: the server was restarted.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(n: usize) -> Question {
        ("t".into(), n.to_string().into())
    }

    #[test]
    fn answers_are_good_for_a_while_and_are_bounded() {
        let now = Instant::now();
        let ttl = Duration::from_secs(10);
        let raw = RawValue::from_string("{\"content\":[]}".into()).unwrap();
        let mut results = Results::default();
        results.put(question(0), &raw, now, ttl);
        assert!(results.get(&question(0), now + Duration::from_secs(9)).is_some());
        assert!(results.get(&question(0), now + ttl).is_none());
        for n in 1..=RESULTS_MAX {
            results.put(question(n), &raw, now + Duration::from_millis(n as u64), ttl);
        }
        assert_eq!(results.answers.len(), RESULTS_MAX);
        assert!(results.get(&question(0), now).is_none() && results.get(&question(RESULTS_MAX), now).is_some());
        let large = RawValue::from_string(format!("\"{}\"", "x".repeat(RESULTS_BYTES_MAX / 5))).unwrap();
        for n in 0..20 {
            results.put(question(n), &large, now, ttl);
            assert!(results.bytes <= RESULTS_BYTES_MAX);
        }
        let huge = RawValue::from_string(format!("\"{}\"", "x".repeat(RESULTS_BYTES_MAX / 4))).unwrap();
        results.put(question(9_999), &huge, now, ttl);
        assert!(results.get(&question(9_999), now).is_none());
    }
}
