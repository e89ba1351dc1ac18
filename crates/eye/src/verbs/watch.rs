//! `eye watch`: what happens in the page, a line of JSON each, as it happens.

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use eye_protocol::rpc::{self, Message};
use serde_json::json;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// How long a watch lasts that nobody looks at and nobody bounded: a script must not hang on it.
const UNSEEN: Duration = Duration::from_secs(10);

/// Print every change of the page's state as it happens
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye watch state
         eye watch state --count 1
         eye watch state --for 30

A line is {\"revision\", \"patch\"}, or {\"revision\", \"state\"} when all of it is new. Ends after --count lines or --for \
seconds; without either on a terminal with Ctrl-C, elsewhere after 10 seconds.")]
pub struct Args {
    /// What to watch
    #[arg(value_parser = ["state"])]
    what: String,
    /// End after so many lines
    #[arg(long, value_name = "N")]
    count: Option<usize>,
    /// End after so many seconds
    #[arg(long = "for", value_name = "SECONDS")]
    seconds: Option<u64>,
}

/// Watches until the bound is reached.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let mut link = client::open(options)?;
    link.send(&[&rpc::request("\"watch\"", "state/watch", &json!({}))])?;
    let unbounded = args.count.is_none() && args.seconds.is_none();
    let lasts = match args.seconds {
        Some(seconds) => Some(Duration::from_secs(seconds)),
        None if unbounded && !std::io::stdout().is_terminal() => Some(UNSEEN),
        None => None,
    };
    let ends = lasts.map(|lasts| Instant::now() + lasts);
    let mut left = args.count.unwrap_or(usize::MAX);
    while left > 0 {
        let wait = ends.map(|ends| ends.saturating_duration_since(Instant::now()));
        if wait == Some(Duration::ZERO) {
            break;
        }
        link.set_patience(wait)?;
        let frame = match link.receive() {
            Ok(Some(frame)) => frame,
            Ok(None) => return Err(Failure::HubGone),
            Err(Failure::HubSilent) if ends.is_some() => break,
            Err(failure) => return Err(failure),
        };
        match rpc::parse_one(&frame) {
            Some(Message::Response { outcome: Err(error), .. }) => return Err(error.into()),
            Some(Message::Notification { method, params }) if method == "state/changed" => {
                if !options.errors {
                    ui::line(params)?;
                }
                left -= 1;
            }
            Some(_) | None => {}
        }
    }
    Ok(Exit::Success)
}
