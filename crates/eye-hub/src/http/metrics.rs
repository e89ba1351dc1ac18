//! `/metrics` in Prometheus' text format: counters and gauges.

use crate::hub::state::Hub;
use eye_core::tally::LATENCY_EDGES_MS;
use std::fmt::Write;

pub fn text(hub: &Hub) -> String {
    let (tally, traffic, tools) = hub.counts();
    let status = hub.status();
    let mut out = String::new();
    let mut one = |name: &str, kind: &str, help: &str, value: u64| {
        let _ = writeln!(out, "# HELP eye_{name} {help}\n# TYPE eye_{name} {kind}\neye_{name} {value}");
    };
    one("calls_total", "counter", "Calls that ended.", tally.calls);
    one("received_bytes_total", "counter", "Bytes that peers sent.", traffic.bytes_in);
    one("sent_bytes_total", "counter", "Bytes that were written to peers.", traffic.bytes_out);
    one("dropped_peers_total", "counter", "Peers closed because they did not keep up.", traffic.closed_slow);
    one("uptime_seconds", "gauge", "Since the hub began.", status.uptime_ms / 1000);
    one("sessions", "gauge", "Sessions, connected or not.", status.sessions as u64);
    one("pages", "gauge", "Connected pages.", status.pages as u64);
    one("agents", "gauge", "Connected agents.", status.agents as u64);
    one("tools", "gauge", "Tools that pages offer.", tools as u64);
    one("calls_pending", "gauge", "Calls under way.", status.pending as u64);
    let _ = writeln!(
        out,
        "# HELP eye_errors_total Calls that ended in an error, by code.\n# TYPE eye_errors_total counter"
    );
    for (code, count) in &tally.errors {
        let _ = writeln!(out, "eye_errors_total{{code=\"{code}\"}} {count}");
    }
    let _ = writeln!(out, "# HELP eye_call_seconds How long calls took.\n# TYPE eye_call_seconds histogram");
    let mut below = 0;
    for (at, edge_ms) in LATENCY_EDGES_MS.iter().enumerate() {
        below += tally.latency[at];
        let (seconds, millis) = (edge_ms / 1000, edge_ms % 1000);
        let _ = writeln!(out, "eye_call_seconds_bucket{{le=\"{seconds}.{millis:03}\"}} {below}");
    }
    let sum_ms = tally.latency_ms_sum;
    let _ = writeln!(out, "eye_call_seconds_bucket{{le=\"+Inf\"}} {}", tally.calls);
    let _ = writeln!(
        out,
        "eye_call_seconds_sum {}.{:03}\neye_call_seconds_count {}",
        sum_ms / 1000,
        sum_ms % 1000,
        tally.calls
    );
    out
}
