//! `eye console`: opens the console in the user's browser, by a link that works once.

use super::open::open_in_browser;
use crate::client::{self, Absent};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

/// Open the console: what agents do, as it happens, and the means to stop it
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye console
         eye console --print
         eye console --expires 8h

The console is a page of the hub under a name of its own, http://console.localhost:PORT. The link works once, within two minutes; the \
tab then holds a key of its own, which ends an hour after the tab was closed. With --json, the link is printed as {\"url\"}.")]
pub struct Args {
    /// Print the link instead of opening it
    #[arg(long)]
    print: bool,
    /// How long the tab may be closed before it needs a new link (1h)
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    expires: Option<Duration>,
}

#[derive(Debug, Deserialize)]
struct ConsoleLink {
    url: String,
}

pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let expires = args.expires.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    let params = expires.map_or_else(|| json!({}), |ms| json!({ "expiresMs": ms }));
    let ConsoleLink { url } = client::call("console/link", &params, options, Absent::Start)?;
    if options.json {
        ui::line(json!({ "url": url }).to_string())?;
    } else if args.print {
        ui::line(&url)?;
    } else {
        open_in_browser(&url)?;
        ui::note(format_args!("the console opens in your browser; if it does not: eye console --print"));
    }
    Ok(Exit::Success)
}
