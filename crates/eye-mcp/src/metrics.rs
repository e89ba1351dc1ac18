//! Counters of upstreams: calls, errors, times, bytes, tokens; by server and tool, and in Prometheus format.

mod tokens;

use crate::limits::COUNTED_TOOLS_MAX;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokens::Counting;

/// Upper bounds of the time buckets, in µs; the last bucket has none.
pub const BUCKETS_US: [u64; 12] =
    [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000, 10_000_000];
/// The name that tools beyond the limit are counted under.
const OTHERS: &str = "(others)";

/// Sums since the gateway started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Counters {
    /// Finished calls.
    pub calls: u64,
    /// Calls that failed, `isError` included.
    pub errors: u64,
    /// Calls that were answered from the cache.
    pub cached: u64,
    /// Total time in µs.
    pub time_us: u64,
    pub bytes_in: u64,
    pub bytes_out: u64,
    /// Tokens of params (`o200k_base`).
    pub tokens_in: u64,
    /// Tokens of results.
    pub tokens_out: u64,
    /// Bytes whose tokens were not counted, because too much text was waiting.
    pub uncounted_bytes: u64,
    /// The number of calls that took at most the time at the same index of [`BUCKETS_US`].
    pub buckets: [u64; BUCKETS_US.len()],
}

impl Counters {
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        self.calls += other.calls;
        self.errors += other.errors;
        self.cached += other.cached;
        self.time_us += other.time_us;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
        self.tokens_in += other.tokens_in;
        self.tokens_out += other.tokens_out;
        self.uncounted_bytes += other.uncounted_bytes;
        for (sum, more) in self.buckets.iter_mut().zip(other.buckets) {
            *sum += more;
        }
        self
    }

    /// The average time of a call, in µs.
    pub fn mean_us(&self) -> u64 {
        self.time_us.checked_div(self.calls).unwrap_or(0)
    }
}

/// A finished call.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'a> {
    pub server: &'a str,
    /// The instance of the server: each project has its own.
    pub instance: u64,
    /// The tool, or the method of another request.
    pub tool: &'a str,
    pub took: Duration,
    pub ok: bool,
    /// Whether the cache answered it.
    pub cached: bool,
    pub params: &'a str,
    /// The result; empty if there is none.
    pub result: &'a str,
}

type Table = BTreeMap<String, BTreeMap<String, Counters>>;

/// All counters of a gateway. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    table: Arc<Mutex<Table>>,
    instances: Arc<Mutex<BTreeMap<u64, Counters>>>,
    counting: Arc<Counting>,
}

impl Metrics {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn count(&self, ended: Ended<'_>) {
        let took_us = u64::try_from(ended.took.as_micros()).unwrap_or(u64::MAX);
        let add = |counters: &mut Counters| {
            counters.calls += 1;
            counters.errors += u64::from(!ended.ok);
            counters.cached += u64::from(ended.cached);
            counters.time_us = counters.time_us.saturating_add(took_us);
            counters.bytes_in += ended.params.len() as u64;
            counters.bytes_out += ended.result.len() as u64;
            for (bucket, end_us) in counters.buckets.iter_mut().zip(BUCKETS_US) {
                *bucket += u64::from(took_us <= end_us);
            }
        };
        let tool = self.with(ended.server, ended.tool, add);
        self.with_instance(ended.instance, add);
        let instance = ended.instance;
        let (metrics, server) = (self.clone(), ended.server.to_owned());
        let counted = self.counting.submit(ended.params, ended.result, move |tokens_in, tokens_out| {
            let add = |counters: &mut Counters| {
                counters.tokens_in += tokens_in;
                counters.tokens_out += tokens_out;
            };
            metrics.with(&server, &tool, add);
            metrics.with_instance(instance, add);
        });
        if !counted {
            let bytes = (ended.params.len() + ended.result.len()) as u64;
            self.with(ended.server, ended.tool, |counters| counters.uncounted_bytes += bytes);
        }
    }

    /// Changes a tool's counters, and returns the name that it is counted under.
    fn with(&self, server: &str, tool: &str, change: impl FnOnce(&mut Counters)) -> String {
        let mut table = self.table();
        let tools = table.entry(server.to_owned()).or_default();
        let name = if tools.contains_key(tool) || tools.len() < COUNTED_TOOLS_MAX { tool } else { OTHERS };
        change(tools.entry(name.to_owned()).or_default());
        name.to_owned()
    }

    fn with_instance(&self, instance: u64, change: impl FnOnce(&mut Counters)) {
        change(self.instances.lock().unwrap_or_else(PoisonError::into_inner).entry(instance).or_default());
    }

    /// The sums of one instance, which is one server in one project.
    pub fn of_instance(&self, instance: u64) -> Counters {
        self.instances.lock().unwrap_or_else(PoisonError::into_inner).get(&instance).copied().unwrap_or_default()
    }

    /// Drops the sums of an instance that has ended for good.
    pub fn forget_instance(&self, instance: u64) {
        self.instances.lock().unwrap_or_else(PoisonError::into_inner).remove(&instance);
    }

    pub fn of(&self, server: &str) -> Counters {
        let table = self.table();
        table.get(server).into_iter().flat_map(BTreeMap::values).fold(Counters::default(), Counters::plus)
    }

    /// All counters, by server and tool.
    pub fn snapshot(&self) -> BTreeMap<String, BTreeMap<String, Counters>> {
        self.table().clone()
    }

    /// Waits until the tokens of all calls so far are counted.
    pub fn settle(&self) {
        self.counting.settle();
    }

    /// All counters in the text format of Prometheus.
    pub fn prometheus(&self) -> String {
        let table = self.snapshot();
        let mut text = String::new();
        for (name, what, get) in SERIES {
            let _ = writeln!(text, "# HELP {name} {what}\n# TYPE {name} counter");
            for (server, tools) in &table {
                for (tool, counters) in tools {
                    let _ = writeln!(text, "{name}{{{}}} {}", labels(server, tool), get(counters));
                }
            }
        }
        let name = "eye_gateway_call_seconds";
        let _ = writeln!(text, "# HELP {name} How long calls of upstream tools take.\n# TYPE {name} histogram");
        for (server, tools) in &table {
            // By server only: by tool this would be thousands of lines.
            let sum = tools.values().fold(Counters::default(), Counters::plus);
            let server = escaped(server);
            for (end_us, count) in BUCKETS_US.iter().zip(sum.buckets) {
                let _ = writeln!(text, "{name}_bucket{{server=\"{server}\",le=\"{}\"}} {count}", seconds(*end_us));
            }
            let _ = writeln!(text, "{name}_bucket{{server=\"{server}\",le=\"+Inf\"}} {}", sum.calls);
            let _ = writeln!(text, "{name}_sum{{server=\"{server}\"}} {}", seconds(sum.time_us));
            let _ = writeln!(text, "{name}_count{{server=\"{server}\"}} {}", sum.calls);
        }
        text
    }
}

type Series = (&'static str, &'static str, fn(&Counters) -> u64);

const SERIES: [Series; 7] = [
    ("eye_gateway_calls_total", "Calls of upstream tools that ended.", |c| c.calls),
    ("eye_gateway_errors_total", "Calls of upstream tools that ended badly.", |c| c.errors),
    ("eye_gateway_cached_total", "Calls that a kept result answered.", |c| c.cached),
    ("eye_gateway_in_bytes_total", "Bytes of params.", |c| c.bytes_in),
    ("eye_gateway_out_bytes_total", "Bytes of results.", |c| c.bytes_out),
    ("eye_gateway_in_tokens_total", "Tokens of params, o200k_base.", |c| c.tokens_in),
    ("eye_gateway_out_tokens_total", "Tokens of results, o200k_base.", |c| c.tokens_out),
];

fn labels(server: &str, tool: &str) -> String {
    format!("server=\"{}\",tool=\"{}\"", escaped(server), escaped(tool))
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn seconds(us: u64) -> String {
    let text = format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &str, ok: bool) -> Ended<'_> {
        let lasted = Duration::from_micros(700);
        Ended {
            server: "a\"b",
            instance: 7,
            tool,
            took: lasted,
            ok,
            cached: false,
            params: "{\"x\":1}",
            result: "hello world",
        }
    }

    #[test]
    fn calls_are_counted_with_their_tokens() {
        let metrics = Metrics::default();
        metrics.count(call("t", true));
        metrics.count(call("t", false));
        metrics.settle();
        let sum = metrics.of("a\"b");
        assert_eq!((sum.calls, sum.errors, sum.bytes_in, sum.bytes_out, sum.mean_us()), (2, 1, 14, 22, 700));
        // `hello world` is two tokens, `{"x":1}` five.
        assert_eq!((sum.tokens_in, sum.tokens_out, sum.uncounted_bytes), (10, 4, 0));
        assert_eq!((sum.buckets[2], sum.buckets[3]), (0, 2));
        assert_eq!((metrics.of_instance(7), metrics.of_instance(8)), (sum, Counters::default()));
        metrics.forget_instance(7);
        assert_eq!(metrics.of_instance(7).calls, 0);
        let text = metrics.prometheus();
        for line in [
            "eye_gateway_calls_total{server=\"a\\\"b\",tool=\"t\"} 2",
            "eye_gateway_call_seconds_bucket{server=\"a\\\"b\",le=\"0.001\"} 2",
            "eye_gateway_call_seconds_sum{server=\"a\\\"b\"} 0.0014",
            "eye_gateway_call_seconds_count{server=\"a\\\"b\"} 2",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }

    #[test]
    fn tools_beyond_the_limit_are_counted_together() {
        let metrics = Metrics::default();
        for n in 0..COUNTED_TOOLS_MAX + 5 {
            metrics.count(call(&n.to_string(), true));
        }
        let tools = &metrics.snapshot()["a\"b"];
        assert_eq!((tools.len(), tools[OTHERS].calls), (COUNTED_TOOLS_MAX + 1, 5));
        assert_eq!(metrics.of("a\"b").calls, COUNTED_TOOLS_MAX as u64 + 5);
    }
}
