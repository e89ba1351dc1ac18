//! `eye allow`: the list of origins, beside the loopback ones, whose pages may join.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::{places, ui};
use eye_hub::origins::{Allowed, Origins, normalise, parse_topics};
use serde_json::json;

/// Let pages of an origin join, or list those that may
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: eye allow https://shop.example\n         eye allow --no-eval https://bank.example\n         eye allow --agent https://desk.example\n         eye allow --backends http://localhost:5173\n         eye allow https://shop.example --topics 'orders.*'\n         eye allow --remove https://shop.example\n\nPages of this machine (localhost) may always join. Pages hear and say topics among their own origin; those named by --topics they hear from \
and say to pages of every origin."
)]
#[allow(clippy::struct_excessive_bools, reason = "flags of a command line, each alone")]
pub struct Args {
    /// Scheme, host and port
    origin: Option<String>,
    /// Its pages may join, but no code is evaluated in them
    #[arg(long, requires = "origin")]
    no_eval: bool,
    /// Tools of its pages that cannot be undone need `eye call --yes`
    #[arg(long, requires = "origin")]
    confirm: bool,
    /// Its pages may not join, but agents in them may ask, with the token
    #[arg(long, requires = "origin", conflicts_with_all = ["no_eval", "confirm"])]
    agent: bool,
    /// Its pages may use evolution, area agents, cartridges and the LLM without the token
    #[arg(long, requires = "origin")]
    backends: bool,
    /// Topics that its pages share with every origin; * at the end stands for all that begin so
    #[arg(long, value_name = "TOPIC", value_delimiter = ',', requires = "origin", conflicts_with = "agent")]
    topics: Vec<String>,
    /// List the allowed origins
    #[arg(long, conflicts_with_all = ["origin", "remove"])]
    list: bool,
    /// Take an origin off the list
    #[arg(long, value_name = "ORIGIN", conflicts_with = "origin")]
    remove: Option<String>,
}

/// Changes or prints the list. The hub reads the list for every page that joins, and applies changes to existing
/// connections too.
pub fn run(args: Args, options: &Options) -> Result<Exit, Failure> {
    let file = places::origins_file()?;
    let origins = Origins::new(file.clone());
    let broken = || Failure::io(format!("use {}", file.display()));
    if let Some(text) = args.remove {
        let origin = parse(&text)?;
        if !origins.remove(&origin).map_err(broken())? {
            return Err(Failure::usage(format!("{origin} is not on the list"), "see eye allow --list"));
        }
        return ui::done(options, &format!("removed {origin}"));
    }
    if let Some(text) = args.origin {
        let origin = parse(&text)?;
        let topics = args.topics.into_iter().map(shared).collect::<Result<_, _>>()?;
        let (eval, confirm, pages) = (!args.no_eval, args.confirm, !args.agent);
        let allowed = Allowed { origin, eval, confirm, pages, backends: args.backends, topics };
        origins.allow(allowed.clone()).map_err(broken())?;
        return ui::done(options, &format!("allowed {}", words(&allowed)));
    }
    let list = origins.list().map_err(broken())?.allowed;
    if options.json {
        let rows: Vec<_> = list
            .iter()
            .map(|a| {
                let Allowed { origin, eval, confirm, pages, backends, topics } = a;
                json!({"origin": origin, "eval": eval, "confirm": confirm, "pages": pages, "backends": backends, "topics": topics})
            })
            .collect();
        ui::line(json!(rows))?;
    } else if !options.errors {
        let line = |a: &Allowed| format!("{}\n", words(a));
        ui::text_out(&list.iter().map(line).collect::<String>())?;
    }
    Ok(Exit::Success)
}

fn words(allowed: &Allowed) -> String {
    let eval = if allowed.eval { "" } else { " without eval" };
    let confirm = if allowed.confirm { " with confirmation" } else { "" };
    let pages = if allowed.pages { "" } else { " for agents only" };
    let backends = if allowed.backends { " with backends" } else { "" };
    let topics =
        if allowed.topics.is_empty() { String::new() } else { format!(" sharing {}", allowed.topics.join(", ")) };
    format!("{}{eval}{confirm}{pages}{backends}{topics}", allowed.origin)
}

/// Checks a topic that pages of several origins may share.
fn shared(topic: String) -> Result<Box<str>, Failure> {
    if parse_topics(&topic).is_none() {
        let message = format!("`{topic}` cannot be shared");
        return Err(Failure::usage(message, "a topic has no spaces and does not begin with _ (those are for agents)"));
    }
    Ok(topic.into())
}

fn parse(text: &str) -> Result<String, Failure> {
    normalise(text).map_err(|error| Failure::Usage { message: error.to_string(), hint: None })
}
