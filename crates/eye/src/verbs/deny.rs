//! `eye deny`: the list of sites that agents neither see nor act on.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::{places, ui};
use eye_hub::origins::Origins;
use eye_hub::pattern::Pattern;
use serde_json::json;

/// Keep agents from sites, or list those that they are kept from
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: eye deny bank.example\n         eye deny '*.bank.example'\n         eye deny '*'\n         eye deny --list\n         eye deny --remove bank.example\n\nPages of such a site neither join nor are seen in eye's own browser; those that are there leave within a second. \
A pattern is a host with or without its scheme and port, *.HOST for all below it, or * for every site. The list is that of \
eye allow, and the most specific wins: an origin that eye allow names is allowed whatever a pattern says."
)]
pub struct Args {
    /// Which sites
    pattern: Option<String>,
    /// List the denied sites
    #[arg(long, conflicts_with_all = ["pattern", "remove"])]
    list: bool,
    /// Take a pattern off the list
    #[arg(long, value_name = "PATTERN", conflicts_with = "pattern")]
    remove: Option<String>,
}

/// Changes or prints the list. The hub reads the list for every page that joins, and applies changes to existing
/// connections too.
pub fn run(args: Args, options: &Options) -> Result<Exit, Failure> {
    let file = places::origins_file()?;
    let origins = Origins::new(file.clone());
    let broken = || Failure::io(format!("use {}", file.display()));
    if let Some(text) = args.remove {
        let pattern = parse(&text)?;
        if !origins.undeny(&pattern).map_err(broken())? {
            return Err(Failure::usage(format!("{pattern} is not on the list"), "see eye deny --list"));
        }
        return ui::done(options, &format!("removed {pattern}"));
    }
    if let Some(text) = args.pattern {
        let pattern = parse(&text)?;
        let stay = origins.deny(pattern.clone()).map_err(broken())?;
        if !stay.is_empty() {
            ui::note(format_args!(
                "still allowed, by name: {}; eye allow --remove ORIGIN takes one back",
                stay.join(", ")
            ));
        }
        return ui::done(options, &format!("denied {pattern}"));
    }
    let list = origins.list().map_err(broken())?.denied;
    if options.json {
        ui::line(json!(list.iter().map(Pattern::as_str).collect::<Vec<_>>()))?;
    } else if !options.errors {
        for pattern in list {
            ui::line(pattern)?;
        }
    }
    Ok(Exit::Success)
}

fn parse(text: &str) -> Result<Pattern, Failure> {
    Pattern::parse(text).map_err(|error| Failure::Usage { message: error.to_string(), hint: None })
}
