//! Idle pages: memory of the hub per connection, and the hub's start-up time.

use crate::error::{BenchError, Doing};
use crate::hub::MeasuredHub;
use crate::report::Report;
use crate::stats::{Series, micros};
use eye_client::connection::{Connection, Opening};
use eye_client::{Address, Trust};
use std::path::Path;

/// Measures start-up, and memory with each of these numbers of idle pages.
pub fn measure(report: &mut Report, eye: &Path, counts: &[usize]) -> Result<(), BenchError> {
    let group = "the hub itself";
    let mut start = Series::default();
    for _ in 0..7 {
        let hub = MeasuredHub::start(eye);
        start.0.push(micros(hub.start) / 1000.0);
    }
    report.figure(group, "start-up, from spawn to ready", start.median(), "ms").budget(5.0);
    for &count in counts {
        let hub = MeasuredHub::start(eye);
        let empty = hub.resident_kib()?;
        let pages: Result<Vec<_>, _> = (0..count).map(|n| idle_page(hub.port, n)).collect();
        let pages = pages?;
        hub.wait_for_pages(count)?;
        let full = hub.resident_kib()?;
        let each = (full - empty) / count as f64;
        let row = report.figure(group, format!("memory per idle page, {count} of them"), each, "KiB");
        row.budget(14.0).note(format!("{:.1} MiB empty, {:.1} MiB full", empty / 1024.0, full / 1024.0));
        drop(pages);
    }
    Ok(())
}

/// A page that joins and does nothing more.
pub fn idle_page(port: u16, number: usize) -> Result<Connection, BenchError> {
    let mut page = join(port, &format!("idle{number}"))?;
    let hello = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":\"hello\",\"method\":\"hello\",\"params\":{{\"clientType\":\"browser\",\"typed\":true,\"batch\":true,\
         \"page\":{{\"title\":\"idle {number}\",\"url\":\"http://localhost:5173/{number}\",\"visible\":false}}}}}}"
    );
    page.send(&[&hello]).doing("saying hello")?;
    page.receive().doing("waiting for the welcome")?;
    Ok(page)
}

/// Connects as a page of this session.
pub fn join(port: u16, session: &str) -> Result<Connection, BenchError> {
    let query = format!("sessionId={session}&clientType=browser");
    let opening = Opening { query: &query, origin: Some("http://localhost:5173") };
    let address = Address::Server { url: format!("ws://127.0.0.1:{port}"), token: None, trust: Trust::default() };
    Connection::open(&address, &opening).doing("connecting a page")
}
