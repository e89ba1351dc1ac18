//! `eye servers login NAME` and `logout NAME`: logs in through the user's browser, and stores the tokens for the
//! gateway.

use super::approve;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui;
use crate::verbs::open::open_in_browser;
use eye_mcp::gateway::{self, LoginOptions};
use serde_json::json;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye servers login wiki
         eye servers login wiki --scope files:write
         eye servers login wiki --no-browser

Opens the page of the server's authorization server in your browser, and waits until it sends the browser back to this \
machine. On a machine without a browser, forward the port of the printed redirect_uri with ssh -L and open the URL on yours. \
The tokens are kept in a file of your own, renewed when they end, and sent to this server's address alone.")]
pub struct Args {
    /// Its name in the config
    name: String,
    /// A right to ask for besides those that the server names; may be given several times
    #[arg(long, value_name = "SCOPE")]
    scope: Vec<String>,
    /// Print the URL only, and open no browser
    #[arg(long)]
    no_browser: bool,
    /// A client that you registered yourself, for an authorization server that registers none
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// The port of the redirect URI http://127.0.0.1:PORT/callback that it was registered with
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
}

pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let name = &args.name;
    let scopes = args.scope.iter().flat_map(|scope| scope.split_ascii_whitespace()).map(str::to_owned).collect();
    let wanted = LoginOptions { scopes, client_id: args.client_id.clone(), port: args.port };
    let show = |address: &str| {
        ui::note(format_args!("log in to {name} in your browser; eye waits for it (Ctrl-C ends this):"));
        ui::note(address);
        if !args.no_browser && open_in_browser(address).is_err() {
            ui::note("no browser was found here: open the URL yourself");
        }
    };
    let scopes = gateway::login(approve::settings()?, name, wanted, show).map_err(Failure::of_rpc)?;
    if options.json {
        ui::line(json!({ "server": name, "scopes": scopes }))?;
    } else if !options.errors {
        let with = if scopes.is_empty() { String::new() } else { format!(", with {}", scopes.join(" ")) };
        ui::note(format_args!("logged in to {name}{}", ui::one_line(&with, 300)));
    }
    Ok(Exit::Success)
}

pub fn end(name: &str, options: &Options) -> Result<Exit, Failure> {
    let was = gateway::logout(approve::settings()?, name).map_err(Failure::of_rpc)?;
    if !options.errors {
        ui::note(if was { format!("logged out of {name}") } else { format!("there is no login of {name}") });
    }
    Ok(Exit::Success)
}
