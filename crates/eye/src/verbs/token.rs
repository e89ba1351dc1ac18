//! `eye token`: the secret that makes a TCP client an agent.

use crate::env::Var;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::verbs::status;
use crate::{places, ui};
use clap::ValueEnum;
use eye_hub::Token;

/// Show the token that agents elsewhere need, or make a new one
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: EYE_SERVER=wss://box.local:8765 EYE_TOKEN=$(ssh box.local eye token show) eye pages")]
pub struct Args {
    /// Print it, or replace it by a new one and print that
    #[arg(value_enum, value_name = "show|new", hide_possible_values = true)]
    what: What,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum What {
    /// Print the token
    Show,
    /// Replace it by a new one, and print that
    New,
}

/// Prints the token.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    match args.what {
        What::Show => ui::line(current()?.reveal())?,
        What::New => {
            let file = places::token_file()?;
            let token = Token::rotate(&file).map_err(Failure::io(format!("write {}", file.display())))?;
            ui::line(token.reveal())?;
            if Var::Token.get().is_some() {
                ui::note("EYE_TOKEN is set and goes before the file");
            }
            if Var::Server.get().is_none() && status::ask(options).is_ok() {
                ui::note("the hub that runs takes the old one until it is restarted: eye down");
            }
        }
    }
    Ok(Exit::Success)
}

/// The token in force: `EYE_TOKEN`, or the file's, which is made when it is missing.
pub fn current() -> Result<Token, Failure> {
    if let Some(text) = Var::Token.text() {
        return Ok(Token::new(&text));
    }
    let file = places::token_file()?;
    Token::load_or_create(&file).map_err(Failure::io(format!("use {}", file.display())))
}
