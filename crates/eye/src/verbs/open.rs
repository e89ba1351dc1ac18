//! `eye open`: opens an app of the page, a URL in the user's browser, or a file served with the client added.

use crate::client::{self, Absent, Conversation};
use crate::env::Var;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use crate::verbs::page;
use eye_platform::process;
use eye_protocol::limits::CALL_TIMEOUT_DEFAULT_MS;
use eye_protocol::messages::{Presence, Serve, SessionRow, Sessions, Use};
use serde::Deserialize;
use serde_json::json;
use std::collections::HashSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a page that has joined may take to show something or to load.
const SHOWN_MS: u64 = 10_000;
/// How often to check whether the page has joined.
const LOOK: Duration = Duration::from_millis(50);

/// Open an app of the page, a URL in your browser, or a file or folder
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye open chat
         eye open http://localhost:5173
         eye open ./index.html
         eye open .

A URL is opened in your browser (BROWSER names another), and eye waits until the page has joined, which it does if it loads \
eye.js, and shows something or has loaded (at most 10 s more); it is then the page that your next commands mean. A file or folder is served with eye.js added, on this machine only. \
Everything else is an app of the page; without a name, eye open lists them.")]
pub struct Args {
    /// An app's name, a URL, or a file or folder
    #[arg(value_name = "APP|URL|FILE")]
    what: Option<String>,
}

pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let Some(what) = args.what.as_deref() else {
        return page::run("apps", json!({}), options);
    };
    if let Some(url) = as_url(what) {
        return browse(&url, options);
    }
    match Path::new(what).canonicalize() {
        Ok(path) if what.contains(['/', '.']) => {
            #[derive(Deserialize)]
            struct Served {
                url: String,
            }
            let path = path.to_string_lossy().into_owned();
            let Served { url } = client::call("hub/serve", &Serve { path }, options, Absent::Start)?;
            browse(&url, options)
        }
        Err(_) if is_file_name(what) => Err(Failure::usage(
            format!("there is no file {what} here"),
            "name a file or folder that is there, a URL, or an app of the page; eye open lists its apps",
        )),
        Ok(_) | Err(_) => page::run("open", json!({ "app": what }), options),
    }
}

/// Whether the text can only be a file: no app has such a name.
fn is_file_name(what: &str) -> bool {
    let ending = Path::new(what).extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
    what.contains('/') || ending.is_some_and(|ending| ["html", "htm", "xhtml", "svg"].contains(&ending.as_str()))
}

/// The text as a URL, if it is one; a port of this machine needs no scheme.
fn as_url(what: &str) -> Option<String> {
    let local = ["localhost:", "127.0.0.1:", "[::1]:"].iter().any(|host| what.starts_with(host));
    match what.split_once("://") {
        Some((scheme, _)) if !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_alphanumeric()) => {
            Some(what.to_owned())
        }
        _ if local => Some(format!("http://{what}")),
        _ => None,
    }
}

/// Opens a URL in the user's browser, and waits until the page has joined.
fn browse(url: &str, options: &Options) -> Result<Exit, Failure> {
    let (before, mut hub): (Sessions, _) = client::ask("session/list", &json!({}), options)?;
    let known: HashSet<String> = connected(before).map(|row| row.id).collect();
    let mut opener = open_in_browser(url)?;
    let wait = Duration::from_millis(options.timeout_ms.unwrap_or(CALL_TIMEOUT_DEFAULT_MS));
    let Some(row) = joined(&mut hub, &known, url, wait, &mut opener)? else {
        return Err(Failure::NotJoined { url: url.to_owned(), seconds: wait.as_secs() });
    };
    // A page that does not support outlines, or shows nothing within that time, has joined all the same.
    let first = json!({ "page": row.id, "loaded": true, "timeout": SHOWN_MS });
    let _: Result<serde_json::Value, Failure> = hub.ask("page/look", &first);
    let row: SessionRow = hub.ask("session/use", &Use { page: row.id, name: None })?;
    if !options.errors {
        ui::line(format_args!("{} {}", ui::one_line(&row.title, 80), ui::one_line(&row.url, 200)))?;
    }
    Ok(Exit::Success)
}

/// The page that joined after the browser opened the URL. A page of another origin counts if no better one joined.
fn joined(
    hub: &mut Conversation,
    known: &HashSet<String>,
    url: &str,
    wait: Duration,
    opener: &mut Child,
) -> Result<Option<SessionRow>, Failure> {
    let ends = Instant::now() + wait;
    let origin = origin_of(url);
    loop {
        let now: Sessions = hub.ask("session/list", &json!({}))?;
        let fresh: Vec<SessionRow> = connected(now).filter(|row| !known.contains(&row.id)).collect();
        let fits = |row: &&SessionRow| origin_of(&row.url) == origin && !row.title.is_empty();
        if let Some(row) = fresh.iter().find(fits).or_else(|| fresh.iter().find(|row| origin_of(&row.url) == origin)) {
            return Ok(Some(row.clone()));
        }
        if Instant::now() >= ends {
            return Ok(fresh.into_iter().next());
        }
        // An opener without a browser fails at once.
        if fresh.is_empty() && opener.try_wait().is_ok_and(|ended| ended.is_some_and(|status| !status.success())) {
            return Err(Failure::NoBrowser { url: url.to_owned() });
        }
        std::thread::sleep(LOOK);
    }
}

fn connected(sessions: Sessions) -> impl Iterator<Item = SessionRow> {
    sessions.sessions.into_iter().filter(|row| row.state == Presence::Connected && !row.frame)
}

fn origin_of(url: &str) -> &str {
    let after = url.find("://").map_or(0, |at| at + 3);
    url[after..].find(['/', '?', '#']).map_or(url, |end| &url[..after + end])
}

/// Opens the URL in the user's browser.
pub fn open_in_browser(url: &str) -> Result<Child, Failure> {
    let own = Var::Browser.text();
    for opener in own.iter().map(String::as_str).chain(process::OPENERS) {
        let spawned =
            Command::new(opener).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        match spawned {
            // Not waited for: the opener may run as long as the browser.
            Ok(child) => return Ok(child),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(Failure::io(format!("start {opener}"))(error)),
        }
    }
    Err(Failure::NoBrowser { url: url.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_distinguished_from_apps_and_files() {
        assert_eq!(as_url("https://a.test/x").as_deref(), Some("https://a.test/x"));
        assert_eq!(as_url("localhost:5173/x").as_deref(), Some("http://localhost:5173/x"));
        for what in ["chat", "./index.html", "a b://c", "localhost", "://x"] {
            assert_eq!(as_url(what), None, "{what}");
        }
    }

    #[test]
    fn files_are_distinguished_from_apps() {
        assert!(["nothing.html", "./chat", "a/b", "X.HTM"].iter().all(|what| is_file_name(what)));
        assert!(!["chat", "notes.app", "html"].iter().any(|what| is_file_name(what)));
    }

    #[test]
    fn origins_end_where_paths_begin() {
        for (url, want) in [
            ("http://localhost:5173/a/b", "http://localhost:5173"),
            ("http://localhost:5173", "http://localhost:5173"),
            ("http://a.test?x", "http://a.test"),
            ("about:blank", "about:blank"),
        ] {
            assert_eq!(origin_of(url), want);
        }
    }
}
