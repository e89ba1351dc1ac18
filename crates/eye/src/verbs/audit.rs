//! `eye audit`: prints the requests of agents, one per line.

use crate::client::{self, Absent};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::stream::Bound;
use crate::ui::{self, Lines};
use eye_client::connection::Connection;
use eye_protocol::audit::{Read, Row, Rows};
use eye_protocol::{rpc, visible};
use serde_json::json;
use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The id of the `audit/watch` request.
const ID: &str = "\"audit\"";
/// A followed row is compared with at most this many of the last rows read.
const OVERLAP_ROWS_MAX: usize = 256;
/// Characters of a hash in a line; --json prints the whole hash.
const HASH_SHOWN_CHARS: usize = 8;

/// Print what agents asked of pages, servers and the hub
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye audit --since 10m
         eye audit -f
         eye audit --json | jq 'select(.ending != \"ok\")'

Prints time, ending, milliseconds, who asked, what, and the page; with --json, the rows as the log has them.
With -f it ends after --count lines or --for seconds; without either on a terminal with Ctrl-C, elsewhere after 10 seconds.")]
pub struct Args {
    /// Only what was asked within this time, such as 10m or 2h
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    since: Option<Duration>,
    /// Go on with every row as it is written
    #[arg(short, long)]
    follow: bool,
    #[command(flatten)]
    bound: Bound,
}

/// Prints the rows in the log, and with `--follow` the rows to come.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    // A follower subscribes before it reads the log, so that no row is missed.
    let watching = args.follow.then(|| watch(options)).transpose()?;
    let since = args.since.map(|time| {
        let at = SystemTime::now().checked_sub(time).unwrap_or(UNIX_EPOCH);
        u64::try_from(at.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()).unwrap_or(0)
    });
    let read: Rows = client::call("audit/read", &Read { since, limit: None }, options, Absent::Start)?;
    if read.mode == "off" {
        ui::note("this hub keeps no audit log: it was started with --audit off");
    }
    if read.cut {
        ui::note("older rows are left out; --since shows a shorter time, the files have them all");
    }
    let mut lines = Lines::new();
    for row in read.rows.iter().filter(|_| !options.errors) {
        lines.line(line(row.get(), options)?)?;
    }
    lines.flush()?;
    let Some(mut link) = watching else { return Ok(Exit::Success) };
    args.bound.follow(&mut link, "audit/row", None, |row| {
        // A row written between the two is in both.
        let printed = read.rows.iter().rev().take(OVERLAP_ROWS_MAX).any(|known| known.get() == row);
        if options.errors || printed { Ok(()) } else { ui::line(line(row, options)?) }
    })?;
    Ok(Exit::Success)
}

fn watch(options: &Options) -> Result<Connection, Failure> {
    let link = client::open(options)?;
    link.send(&[&rpc::request(ID, "audit/watch", &json!({}))])?;
    Ok(link)
}

fn line(row: &str, options: &Options) -> Result<String, Failure> {
    if options.json { Ok(row.to_owned()) } else { client::read_result(row).map(|row| readable(&row)) }
}

/// One row for people. Names in it come from agents and pages, so control characters are escaped.
fn readable(row: &Row) -> String {
    if let Some(dropped) = row.dropped {
        return visible::line(&format!(
            "{}  {dropped} rows are missing: {}",
            row.time,
            row.why.as_deref().unwrap_or_default()
        ))
        .into_owned();
    }
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    let mut line = format!("{}  {}  {} ms  ", row.time, text(&row.ending), row.ms.unwrap_or(0));
    let agent = row.agent.as_deref().unwrap_or("-");
    let _ = write!(line, "{}  {agent}", text(&row.face));
    if let Some(token) = &row.token {
        let _ = write!(line, " (token {token})");
    }
    let _ = write!(line, "  {}", text(&row.op));
    for name in [&row.server, &row.tool].into_iter().flatten() {
        let _ = write!(line, " {name}");
    }
    if let Some(page) = &row.page {
        let _ = write!(line, "  {} {page}", text(&row.origin));
    }
    let hash: String = row.hash.iter().flat_map(|hash| hash.chars()).take(HASH_SHOWN_CHARS).collect();
    let _ = write!(line, "  {} bytes #{hash}", row.bytes.unwrap_or(0));
    if let Some(args) = &row.args {
        let _ = write!(line, "  {args}");
    }
    visible::line(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_one_line_whatever_its_names_hold() {
        let row = Row {
            time: "2026-11-15T21:00:00.000Z".into(),
            agent: Some("a\u{1b}]0;x\u{7}".into()),
            token: Some("ci".into()),
            face: Some("ws".into()),
            page: Some("s1".into()),
            origin: Some("http://shop".into()),
            op: Some("tools/call".into()),
            tool: Some("buy\nforged".into()),
            bytes: Some(7),
            hash: Some("0123456789abcdef".into()),
            ending: Some("ok".into()),
            ms: Some(3),
            ..Row::default()
        };
        assert_eq!(
            readable(&row),
            "2026-11-15T21:00:00.000Z  ok  3 ms  ws  a\\x1b]0;x\\x07 (token ci)  tools/call buy\\nforged  http://shop s1  \
             7 bytes #01234567"
        );
        let missing = Row { dropped: Some(3), why: Some("full\u{9b}".into()), ..Row::default() };
        assert_eq!(readable(&missing), "  3 rows are missing: full\\u009b");
    }
}
