//! `eye browse`: opens pages in a browser that the hub starts and drives.

use crate::client::{self, Absent};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use eye_protocol::limits::CALL_TIMEOUT_DEFAULT_MS;
use eye_protocol::messages::{SessionRow, Sessions, Use};
use serde::Deserialize;
use serde_json::json;
use std::time::{Duration, Instant};

/// How often to check whether the page has a title.
const LOOK: Duration = Duration::from_millis(20);
/// How long to wait for the title of a page that has joined.
const TITLE: Duration = Duration::from_secs(2);

/// Open a page in eye's own browser, where every verb has real hands
#[expect(clippy::struct_excessive_bools, reason = "flags, each for itself")]
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye browse https://example.com
         eye browse localhost:5173 --headless
         eye browse example.com --profile work
         eye browse --attach auto
         eye browse --list
         eye browse --stop

A Chromium, Chrome, Edge or Brave of this machine is started by the hub, without a debug port, and ends with it or after 15 idle \
minutes. Any page works, whatever its policy, and input is a person's to it. Profiles keep their logins. The page is then the one \
that your next commands mean.")]
pub struct Args {
    /// Which page; http:// may be left out for localhost, https:// elsewhere
    url: Option<String>,
    /// Your own browser, which allows it: auto, or its endpoint
    #[arg(long, value_name = "auto|URL", conflicts_with_all = ["profile", "private", "headless"])]
    attach: Option<String>,
    /// Whose logins: a name (default)
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// A profile that is thrown away
    #[arg(long, conflicts_with = "profile")]
    private: bool,
    /// Without a window
    #[arg(long)]
    headless: bool,
    /// It does not end after 15 idle minutes
    #[arg(long)]
    keep: bool,
    /// List the browsers that run
    #[arg(long, conflicts_with_all = ["url", "stop"])]
    list: bool,
    /// End the browser of --profile, or all
    #[arg(long, conflicts_with = "url")]
    stop: bool,
}

#[derive(Debug, Deserialize, serde::Serialize)]
struct Browser {
    profile: String,
    product: String,
    pid: Option<u32>,
    headless: bool,
    pages: usize,
    /// The session ids that `eye pages` shows.
    #[serde(default)]
    tabs: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Opened {
    Page {
        id: String,
    },
    /// The pages of a browser that ran before.
    Tabs {
        pages: Vec<String>,
    },
}

pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    if args.list {
        return list(options);
    }
    if args.stop {
        #[derive(Deserialize)]
        struct Stopped {
            stopped: usize,
        }
        let params = json!({ "profile": args.profile });
        let Stopped { stopped } = client::call("browser/stop", &params, options, Absent::Report)?;
        return ui::done(options, &format!("stopped {stopped}"));
    }
    if args.url.is_none() && args.attach.is_none() {
        return Err(Failure::usage("which page?", "write eye browse URL, or --attach auto, or --list, or --stop"));
    }
    let params = json!({
        "url": args.url.as_deref().map(as_url),
        "attach": args.attach,
        "profile": args.profile,
        "private": args.private,
        "headless": args.headless,
        "keep": args.keep,
    });
    let (opened, mut hub): (Opened, _) = client::ask("browser/open", &params, options)?;
    let opened = match opened {
        Opened::Page { id } => id,
        Opened::Tabs { pages } => {
            let now: Sessions = hub.ask("session/list", &json!({}))?;
            for row in now.sessions.into_iter().filter(|row| pages.contains(&row.id)) {
                let (title, url) = (ui::one_line(&row.title, 80), ui::one_line(&row.url, 200));
                ui::done(options, format!("{} {title} {url}", row.id).trim())?;
            }
            return Ok(Exit::Success);
        }
    };
    let _: SessionRow = hub.ask("session/use", &Use { page: opened.clone(), name: None })?;
    let wait = options.timeout_ms.unwrap_or(CALL_TIMEOUT_DEFAULT_MS);
    let ends = Instant::now() + TITLE.min(Duration::from_millis(wait));
    loop {
        let now: Sessions = hub.ask("session/list", &json!({}))?;
        let row = now.sessions.into_iter().find(|row| row.id == opened);
        match row {
            Some(row) if !row.title.is_empty() || Instant::now() >= ends => {
                let shown = format!("{} {}", ui::one_line(&row.title, 80), ui::one_line(&row.url, 200));
                return ui::done(options, shown.trim());
            }
            None if Instant::now() >= ends => return ui::done(options, &opened),
            Some(_) | None => std::thread::sleep(LOOK),
        }
    }
}

fn list(options: &Options) -> Result<Exit, Failure> {
    #[derive(Deserialize)]
    struct Browsers {
        browsers: Vec<Browser>,
    }
    let Browsers { browsers } = client::call("browser/list", &json!({}), options, Absent::Report)?;
    if options.json {
        ui::line(serde_json::to_string(&browsers).map_err(|error| Failure::Garbled(error.to_string()))?)?;
        return Ok(Exit::Success);
    }
    for Browser { profile, product, pid, headless, pages, tabs } in browsers {
        let pid = pid.map_or_else(String::new, |pid| format!(" pid {pid}"));
        let window = if headless { " headless" } else { "" };
        let which = if tabs.is_empty() { String::new() } else { format!(": {}", tabs.join(" ")) };
        ui::done(options, &format!("{profile} {product}{window}{pid}, {pages} pages{which}"))?;
    }
    Ok(Exit::Success)
}

/// Adds the scheme that is missing: http for this machine, https elsewhere.
fn as_url(text: &str) -> String {
    let local = ["localhost", "127.0.0.1", "[::1]"].iter().any(|host| {
        text.strip_prefix(host).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/', '?', '#']))
    });
    let scheme = text.split_once(':').is_some_and(|(scheme, rest)| {
        (rest.starts_with("//") || matches!(scheme, "about" | "data" | "file" | "blob"))
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    });
    match (scheme, local) {
        (true, _) => text.to_owned(),
        (false, true) => format!("http://{text}"),
        (false, false) => format!("https://{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_scheme_gets_one() {
        for (text, want) in [
            ("localhost:5173", "http://localhost:5173"),
            ("localhost", "http://localhost"),
            ("127.0.0.1/a", "http://127.0.0.1/a"),
            ("localhost.example.com", "https://localhost.example.com"),
            ("example.com/a:b", "https://example.com/a:b"),
            ("http://example.com", "http://example.com"),
            ("about:blank", "about:blank"),
            ("data:text/html,a", "data:text/html,a"),
        ] {
            assert_eq!(as_url(text), want);
        }
    }
}
