//! `eye pages`: which pages there are.

use crate::client::{self, Absent};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use eye_protocol::messages::{Presence, SessionRow, Sessions};
use eye_protocol::rpc;
use serde_json::json;

/// What a title or URL is cut to in a line.
const CELL_CHARS_MAX: usize = 60;

/// List the pages; * marks the one that is asked
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye pages\n         eye pages --json")]
pub struct Args {}

/// Lists the pages.
pub fn run(_: &Args, options: &Options) -> Result<Exit, Failure> {
    let Sessions { sessions } = client::call("session/list", &json!({}), options, Absent::Start)?;
    if options.errors {
        return Ok(Exit::Success);
    }
    if options.json {
        ui::line(rpc::json(&sessions))?;
    } else if sessions.is_empty() {
        ui::note("no page has joined; add the script tag that eye status names to one");
    } else {
        ui::text_out(&rows(&sessions))?;
    }
    Ok(Exit::Success)
}

/// One aligned line per session: mark, name, title, URL, and what is unusual about it.
pub fn rows(sessions: &[SessionRow]) -> String {
    let cells: Vec<[String; 4]> = sessions.iter().map(cells).collect();
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (names, titles, urls) = (width(0), width(1), width(2));
    let mut text = String::new();
    for (session, [name, title, url, unusual]) in sessions.iter().zip(&cells) {
        let mark = if session.current { '*' } else { ' ' };
        let line = format!("{mark} {name:names$}  {title:titles$}  {url:urls$}  {unusual}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn cells(session: &SessionRow) -> [String; 4] {
    let mut unusual = Vec::new();
    match session.state {
        Presence::Connected => {}
        Presence::Away => unusual.push("away"),
        Presence::Gone => unusual.push("gone"),
    }
    if session.state == Presence::Connected && !session.visible {
        unusual.push("hidden");
    }
    if session.frame {
        unusual.push("frame");
    }
    if !session.eval {
        unusual.push("no eval");
    }
    let name = session.alias.as_deref().unwrap_or(&session.id);
    let clean = |text: &str| ui::one_line(text, CELL_CHARS_MAX);
    [clean(name), clean(&session.title), clean(&session.url), unusual.join(", ")]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, title: &str) -> SessionRow {
        SessionRow {
            id: id.into(),
            alias: None,
            title: title.into(),
            url: "http://localhost:5173/".into(),
            origin: "http://localhost:5173".into(),
            state: Presence::Connected,
            visible: true,
            frame: false,
            eval: true,
            pending: 0,
            idle_ms: 0,
            tools: 0,
            current: false,
        }
    }

    #[test]
    fn rows_are_aligned_and_say_what_is_unusual() {
        let shop = SessionRow { alias: Some("shop".into()), current: true, ..row("s1", "Shop") };
        let away = SessionRow { state: Presence::Away, visible: false, ..row("s2-long", "Über uns") };
        let hidden = SessionRow { visible: false, eval: false, ..row("s3", "a\u{1b}[2Jb\nc") };
        insta::assert_snapshot!(rows(&[shop, away, hidden]), @r"
        * shop     Shop      http://localhost:5173/
          s2-long  Über uns  http://localhost:5173/  away
          s3       a [2Jb c  http://localhost:5173/  hidden, no eval
        ");
    }
}
