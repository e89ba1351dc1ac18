//! `eye servers approve NAME`: shows which tools of a server are not as the user approved them, and approves them.

use crate::env;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::places;
use crate::ui;
use eye_mcp::gateway::{Unapproved, approve, review};
use eye_mcp::{Project, Settings};
use eye_protocol::visible;
use eye_protocol::{Code, Error};
use serde_json::json;
use std::fmt::Write;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Its name in the config
    name: String,
    /// Do not ask: approve what is shown
    #[arg(long)]
    yes: bool,
}

pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let found = review(settings()?, &args.name).map_err(Failure::of_rpc)?;
    if found.is_empty() {
        if !options.errors {
            ui::note(format_args!("every tool of {} is as you approved it", args.name));
        }
        return Ok(Exit::Success);
    }
    if options.json {
        ui::line(json!(found))?;
    } else {
        ui::text_out(&picture(&found))?;
    }
    if !args.yes {
        if !ui::can_ask() {
            let message =
                format!("{} tools of {} are not approved: there is no terminal to ask on", found.len(), args.name);
            let hint = format!("without a terminal: eye servers approve --yes {}", args.name);
            return Err(Failure::Call(Error::new(Code::DENIED, message).hint(hint)));
        }
        if !ui::ask("approve them? [y/N] ")? {
            let message = format!("the tools of {} stay as they were", args.name);
            return Err(Failure::Call(Error::new(Code::DENIED, message).hint("nothing was changed")));
        }
    }
    let count = approve(settings()?, &args.name).map_err(Failure::of_rpc)?;
    if !options.errors {
        ui::note(format_args!("{count} tools of {} are approved", args.name));
    }
    Ok(Exit::Success)
}

pub fn settings() -> Result<Settings, Failure> {
    let cwd = env::current_folder().unwrap_or_default();
    Ok(Settings {
        project: Project { cwd, env: env::everything() },
        user_config: Some(places::config_file()?),
        state_folder: Some(places::gateway_folder()?),
        login_folder: Some(places::login_folder()?),
        ..Settings::default()
    })
}

fn picture(found: &[Unapproved]) -> String {
    let mut text = String::new();
    for tool in found {
        let what = if tool.changed { "changed" } else { "new" };
        let _ = writeln!(text, "{} ({what})", visible::line(&tool.name));
        for line in &tool.difference {
            let _ = writeln!(text, "  {}", visible::line(line));
        }
    }
    text
}
