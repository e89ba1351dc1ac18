//! Samples of the last hour in a ring of fixed length: a new sample replaces the oldest.

use serde::Serialize;
use serde::ser::SerializeSeq;
use std::collections::VecDeque;

/// Counts of one time span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// End of the span, Unix time in s.
    pub at_s: u64,
    /// Calls that ended.
    pub calls: u32,
    /// Calls that ended in an error.
    pub errors: u32,
    /// 50th, 95th and 99th percentile of call durations, in µs.
    pub percentiles_us: [u32; 3],
    pub asked_bytes: u64,
    pub answered_bytes: u64,
    /// Measured at the end of the span.
    pub gauges: Gauges,
}

/// Current values, measured instead of counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauges {
    /// Memory of the hub's process; 0 if the system does not report it.
    pub memory_bytes: u64,
    pub pages: u32,
    pub agents: u32,
}

impl Serialize for Sample {
    /// Serializes as an array, which is shorter: one answer holds thousands of samples.
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

#[derive(Clone, Debug)]
pub struct Ring {
    samples: VecDeque<Sample>,
    len_max: usize,
}

impl Ring {
    pub fn new(len_max: usize) -> Self {
        Self { samples: VecDeque::new(), len_max }
    }

    /// Adds a sample; drops the oldest if the ring is full.
    pub fn push(&mut self, sample: Sample) {
        if self.samples.len() >= self.len_max {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
    }

    /// All samples, oldest first.
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
