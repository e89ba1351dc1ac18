//! Samples of the last hour: a ring of a fixed length, the oldest gives way.

use serde::Serialize;
use serde::ser::SerializeSeq;
use std::collections::VecDeque;

/// What was counted in one span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// When it ended, Unix time in s.
    pub at_s: u64,
    /// Calls that ended.
    pub calls: u32,
    /// Of them, those that ended in an error.
    pub errors: u32,
    /// 50th, 95th and 99th percentile of their time, in µs.
    pub percentiles_us: [u32; 3],
    /// Bytes of requests.
    pub asked_bytes: u64,
    /// Bytes of answers.
    pub answered_bytes: u64,
    /// What was there at its end.
    pub gauges: Gauges,
}

/// What is not counted but looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauges {
    /// Memory of the hub's process, in bytes; 0 where the system does not say.
    pub memory_bytes: u64,
    /// Connected pages.
    pub pages: u32,
    /// Connected agents.
    pub agents: u32,
}

impl Serialize for Sample {
    /// As an array: there are thousands of them in one answer.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Gauges { memory_bytes, pages, agents } = self.gauges;
        let [p50, p95, p99] = self.percentiles_us.map(u64::from);
        let (calls, errors) = (u64::from(self.calls), u64::from(self.errors));
        let members = [
            self.at_s,
            calls,
            errors,
            p50,
            p95,
            p99,
            self.asked_bytes,
            self.answered_bytes,
            memory_bytes,
            u64::from(pages),
            u64::from(agents),
        ];
        let mut seq = serializer.serialize_seq(Some(members.len()))?;
        for member in members {
            seq.serialize_element(&member)?;
        }
        seq.end()
    }
}

/// The latest samples.
#[derive(Clone, Debug)]
pub struct Ring {
    samples: VecDeque<Sample>,
    len_max: usize,
}

impl Ring {
    /// An empty ring of at most so many samples.
    pub fn new(len_max: usize) -> Self {
        Self { samples: VecDeque::new(), len_max }
    }

    /// Adds one; the oldest gives way.
    pub fn push(&mut self, sample: Sample) {
        if self.samples.len() >= self.len_max {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
    }

    /// All of them, oldest first.
    pub fn samples(&self) -> &VecDeque<Sample> {
        &self.samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_gives_way_at_the_limit() {
        let mut ring = Ring::new(3);
        for at_s in 1..=3 {
            ring.push(Sample { at_s, ..Sample::default() });
        }
        assert_eq!((ring.samples().len(), ring.samples()[0].at_s), (3, 1));
        ring.push(Sample { at_s: 4, ..Sample::default() });
        assert_eq!((ring.samples().len(), ring.samples()[0].at_s), (3, 2));
    }

    #[test]
    fn a_sample_is_an_array() {
        let gauges = Gauges { memory_bytes: 9, pages: 10, agents: 11 };
        let sample = Sample {
            at_s: 1,
            calls: 2,
            errors: 3,
            percentiles_us: [4, 5, 6],
            asked_bytes: 7,
            answered_bytes: 8,
            gauges,
        };
        assert_eq!(serde_json::to_string(&sample).unwrap(), "[1,2,3,4,5,6,7,8,9,10,11]");
    }
}
