//! `eye use`: chooses the page for the following commands.

use crate::client::{self, Absent};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use crate::verbs::pages;
use eye_protocol::messages::{SessionRow, Use};
use eye_protocol::rpc;

/// Choose the page to ask from here on, in this folder
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye use shop
         eye use http://localhost:5173 --as till

Pages choose their titles and aliases themselves. A name given by --as means this page alone, in every folder and for every agent, until \
the hub forgets the page.")]
pub struct Args {
    /// An id, an alias, an origin, or part of a title or URL
    page: String,
    /// A name for it, which no page can take; empty takes it back
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
}

/// Chooses the page and prints its row.
pub fn run(args: Args, options: &Options) -> Result<Exit, Failure> {
    let row: SessionRow =
        client::call("session/use", &Use { page: args.page, name: args.name }, options, Absent::Start)?;
    if options.json {
        ui::line(rpc::json(&row))?;
    } else if !options.errors {
        ui::text_out(&pages::rows(&[row]))?;
    }
    Ok(Exit::Success)
}
