//! Histogram of call durations. Bucket sizes grow with the duration, so percentiles are accurate within an eighth and
//! no call is stored.

/// Buckets per doubling.
const STEPS: usize = 8;
/// Doublings: from 1 µs to more than an hour.
const DOUBLINGS: usize = 32;
const BUCKETS: usize = STEPS * DOUBLINGS;

/// Counts of one time span.
#[derive(Clone, Debug)]
pub struct Latency {
    buckets: Box<[u32; BUCKETS]>,
    count: u32,
}

impl Default for Latency {
    fn default() -> Self {
        Self { buckets: Box::new([0; BUCKETS]), count: 0 }
    }
}

impl Latency {
    /// Counts one call.
    pub fn add(&mut self, us: u64) {
        self.buckets[bucket(us)] += 1;
        self.count += 1;
    }

    /// Returns the 50th, 95th and 99th percentile in µs (zero without calls) and resets the counts.
    pub fn take(&mut self) -> [u32; 3] {
        if self.count == 0 {
            return [0; 3];
        }
        let percentiles = [50, 95, 99].map(|percent| self.percentile(percent));
        self.buckets.fill(0);
        self.count = 0;
        percentiles
    }

    fn percentile(&self, percent: u64) -> u32 {
        let rank = (u64::from(self.count) * percent).div_ceil(100);
        let mut below = 0;
        for (at, count) in self.buckets.iter().enumerate() {
            below += u64::from(*count);
            if below >= rank {
                return upper(at);
            }
        }
        u32::MAX
    }
}

/// Below eight, each number has a bucket; above, each doubling has eight.
fn bucket(us: u64) -> usize {
    let us = us.max(1);
    let doubling = us.ilog2() as usize;
    if doubling < 3 {
        return usize::try_from(us).unwrap_or(1);
    }
    let step = usize::try_from(us >> (doubling - 3)).unwrap_or(0) & (STEPS - 1);
    ((doubling - 2) * STEPS + step).min(BUCKETS - 1)
}

fn upper(at: usize) -> u32 {
    if at < STEPS {
        return u32::try_from(at).unwrap_or(u32::MAX);
    }
    let (doubling, step) = (at / STEPS - 1, at % STEPS);
    let edge = ((STEPS + step + 1) as u64) << doubling;
    u32::try_from(edge - 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn percentiles_are_those_of_the_calls() {
        let mut latency = Latency::default();
        assert_eq!(latency.take(), [0; 3]);
        for us in 1..=100 {
            latency.add(us);
        }
        let [p50, p95, p99] = latency.take();
        assert!(
            (50..=56).contains(&p50) && (95..=103).contains(&p95) && (99..=111).contains(&p99),
            "{p50} {p95} {p99}"
        );
        assert_eq!(latency.take(), [0; 3], "taken");
    }

    proptest! {
        #[test]
        fn a_time_is_within_its_bucket_and_an_eighth_of_its_edge(us in 1_u64..4_000_000_000) {
            let edge = u64::from(upper(bucket(us)));
            prop_assert!(us <= edge && edge <= us + us / 8 + 1, "{us} {edge}");
        }
    }

    #[test]
    fn the_longest_call_has_a_bucket() {
        for us in [0, u64::MAX, 1 << 40] {
            assert!(bucket(us) < BUCKETS);
        }
    }
}
