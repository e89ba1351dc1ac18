//! `eye watch`: prints events as they happen, one line of JSON each.

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::stream::{self, Bound};
use crate::ui;
use crate::verbs::{logs, message};
use eye_protocol::rpc;
use serde_json::json;

/// Print every change of the page's state, every message of a topic, or every log entry as it happens
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Example: eye watch state --count 1
         eye watch topic chat
         eye watch logs --for 30

A line of state is {{\"revision\", \"patch\"}}, or {{\"revision\", \"state\"}} when all of it is new; of a topic \
{{\"topic\", \"message\", \"from\", \"time\"}}; of logs {{\"level\", \"text\", \"at\"}}. {}", stream::ENDS))]
pub struct Args {
    /// What to watch
    #[arg(value_parser = ["state", "topic", "logs"])]
    what: String,
    /// Which topic
    #[arg(required_if_eq("what", "topic"))]
    topic: Option<String>,
    #[command(flatten)]
    bound: Bound,
}

pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let print = |params: &str| if options.errors { Ok(()) } else { ui::line(params) };
    match (args.what.as_str(), &args.topic) {
        ("topic", Some(topic)) => message::follow(topic, args.bound, options, print),
        ("logs", _) => logs::follow(args.bound, options, print),
        _ => {
            let mut link = client::open(options)?;
            link.send(&[&rpc::request("\"watch\"", "state/watch", &json!({}))])?;
            args.bound.follow(&mut link, "state/changed", None, print)?;
            Ok(Exit::Success)
        }
    }
}
