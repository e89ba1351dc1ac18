//! `eye man`: prints the manual page, generated from the same definitions as `--help`.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{args, ui};

/// Print the manual page
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: eye man | man -l -\n         eye man > ~/.local/share/man/man1/eye.1\n         eye man click"
)]
pub struct Args {
    /// Of this verb alone
    verb: Option<String>,
}

pub fn run(args: &Args) -> Result<Exit, Failure> {
    let command = args::command();
    let page = match &args.verb {
        None => command,
        Some(verb) => {
            let found = command.get_subcommands().find(|known| known.get_name() == verb).cloned();
            let found = found.ok_or_else(|| Failure::usage(format!("`{verb}` is no verb"), "see eye --help"))?;
            found.display_name(format!("eye-{verb}"))
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).map_err(Failure::io("write the manual page"))?;
    ui::text_out(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Success)
}
