//! `eye completions`: prints the completion script for a shell.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{args, ui};

/// Print completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye completions bash > ~/.local/share/bash-completion/completions/eye")]
pub struct Args {
    /// Which shell
    shell: clap_complete::Shell,
}

pub fn run(args: &Args) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "eye", &mut script);
    ui::text_out(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Success)
}
