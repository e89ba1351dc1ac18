//! `eye pages`: lists the pages.

use crate::client::{self, Absent};
use crate::env::Var;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use crate::verbs::status;
use eye_protocol::limits::NAME_BYTES_MAX;
use eye_protocol::messages::{Forget, Presence, SessionRow, Sessions};
use eye_protocol::rpc;
use serde::Deserialize;
use serde_json::json;

/// The longest title or URL in a line.
const CELL_CHARS_MAX: usize = 60;
/// The longest agent name in a line.
const WHO_CHARS_MAX: usize = 32;

/// List the pages, with who sees them and when they were last asked; * marks the one that is asked
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye pages
         eye pages --json
         eye pages forget shop

A session belongs to the origin of its page for as long as the hub remembers it. `eye pages forget PAGE` drops its state, its mail and its \
name, and gives its id free.")]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Forget a page that is not there: its state, its mail and its origin
    Forget {
        /// An id, an alias, an origin, or part of a title or URL
        page: String,
    },
}

/// Lists the pages, or forgets one.
pub fn run(args: Args, options: &Options) -> Result<Exit, Failure> {
    if let Some(Action::Forget { page }) = args.action {
        let Forgotten { forgotten } = client::call("session/forget", &Forget { page }, options, Absent::Start)?;
        if !options.errors {
            ui::line(format_args!("forgot {forgotten}"))?;
        }
        return Ok(Exit::Success);
    }
    let Sessions { sessions, partial } = client::call("session/list", &json!({}), options, Absent::Start)?;
    if options.errors {
        return Ok(Exit::Success);
    }
    if options.json {
        ui::line(rpc::json(&sessions))?;
    } else if sessions.is_empty() {
        ui::note("no page has joined; eye join says how one does");
    } else {
        ui::text_out(&rows(&sessions))?;
    }
    if partial {
        ui::note(status::NOT_ALL);
    }
    Ok(Exit::Success)
}

#[derive(Deserialize)]
struct Forgotten {
    forgotten: String,
}

/// One aligned line per session: mark, name, title, URL, visibility and anything unusual, last use.
pub fn rows(sessions: &[SessionRow]) -> String {
    let me = client::agent(Var::Server.get().is_some());
    table(sessions, me.as_deref())
}

fn table(sessions: &[SessionRow], me: Option<&str>) -> String {
    let cells: Vec<[String; 5]> = sessions.iter().map(|session| cells(session, sessions, me)).collect();
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (names, titles, urls, states) = (width(0), width(1), width(2), width(3));
    let mut text = String::new();
    for (session, [name, title, url, state, used]) in sessions.iter().zip(&cells) {
        let mark = if session.current { '*' } else { ' ' };
        let line = format!("{mark} {name:names$}  {title:titles$}  {url:urls$}  {state:states$}  {used}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn cells(session: &SessionRow, all: &[SessionRow], me: Option<&str>) -> [String; 5] {
    let mut state = vec![match (session.state, session.visible) {
        (Presence::Connected, true) => "visible".to_owned(),
        (Presence::Connected, false) => "hidden".to_owned(),
        (Presence::Away, _) => "away".to_owned(),
        (Presence::Gone, _) => "gone".to_owned(),
    }];
    let clean = |text: &str| ui::one_line(text, CELL_CHARS_MAX);
    state.extend(session.hub.as_deref().map(|hub| format!("at {}", clean(hub))));
    if session.frame {
        let parent = session.parent.as_ref().and_then(|id| all.iter().find(|row| row.id == *id));
        state.push(parent.map_or_else(|| "frame".to_owned(), |page| format!("frame of {}", clean(name(page)))));
    }
    state.extend(session.browser.as_deref().map(|browser| format!("in {}", clean(browser))));
    state.extend(session.window.map(|window| format!("window {window}")));
    if !session.eval {
        state.push("no eval".to_owned());
    }
    [clean(name(session)), clean(&session.title), clean(&session.url), state.join(", "), used(session, me)]
}

fn name(session: &SessionRow) -> &str {
    session.name.as_deref().or(session.alias.as_deref()).unwrap_or(&session.id)
}

/// When the page was last used and by which agent; `me` is the agent of this command.
fn used(session: &SessionRow, me: Option<&str>) -> String {
    let Some(ms) = session.used_ms else { return String::new() };
    let when = if ms < 1000 { "used now".to_owned() } else { format!("used {} ago", status::duration(ms)) };
    match session.used_by.as_deref() {
        None => when,
        by if by == me => format!("{when} from here"),
        // The end of a path says more than its beginning.
        Some(by) => format!("{when} by {}", end(&ui::one_line(by, NAME_BYTES_MAX))),
    }
}

fn end(text: &str) -> String {
    let over = text.chars().count().saturating_sub(WHO_CHARS_MAX);
    if over == 0 { text.to_owned() } else { format!("…{}", text.chars().skip(over + 1).collect::<String>()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, title: &str) -> SessionRow {
        SessionRow {
            hub: None,
            id: id.into(),
            name: None,
            alias: None,
            title: title.into(),
            url: "http://localhost:5173/".into(),
            origin: "http://localhost:5173".into(),
            state: Presence::Connected,
            visible: true,
            frame: false,
            parent: None,
            browser: None,
            window: None,
            eval: true,
            pending: 0,
            idle_ms: 0,
            used_ms: None,
            used_by: None,
            tools: 0,
            current: false,
        }
    }

    #[test]
    fn rows_tell_a_person_which_is_which() {
        let used = |ms, by: &str, row| SessionRow { used_ms: Some(ms), used_by: Some(by.into()), ..row };
        let shop = SessionRow { alias: Some("shop".into()), current: true, ..row("s1", "Shop") };
        let away = SessionRow { state: Presence::Away, visible: false, ..row("s2-long", "Über uns") };
        let hidden = SessionRow { visible: false, eval: false, ..row("s3", "a\u{1b}[2Jb\nc") };
        let frame = SessionRow { frame: true, parent: Some("s1".into()), ..row("s4", "Cart") };
        let ad = SessionRow {
            frame: true,
            parent: Some("elsewhere".into()),
            browser: Some("work".into()),
            window: Some(2),
            ..row("s5", "Ad")
        };
        let long = format!("/srv/{}/shop", "x".repeat(50));
        let all =
            [used(125_000, "/srv/shop", shop), used(10, "/srv/mail", away), used(5_000, &long, hidden), frame, ad];
        insta::assert_snapshot!(table(&all, Some("/srv/mail")), @r"
        * shop     Shop      http://localhost:5173/  visible                            used 2 min ago by /srv/shop
          s2-long  Über uns  http://localhost:5173/  away                               used now from here
          s3       a [2Jb c  http://localhost:5173/  hidden, no eval                    used 5 s ago by …xxxxxxxxxxxxxxxxxxxxxxxxxx/shop
          s4       Cart      http://localhost:5173/  visible, frame of shop
          s5       Ad        http://localhost:5173/  visible, frame, in work, window 2
        ");
    }
}
