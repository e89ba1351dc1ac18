//! `eye connect`: keeps a link to a remote hub behind the local socket, or ensures that the local hub runs.

use crate::client;
use crate::env::Var;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::{Options, TokenFor};
use crate::start::{self, Report};
use crate::token_file::read_token;
use crate::verbs::{status, up};
use crate::{places, trust, ui};
use clap::ValueEnum;
use eye_client::Server;
use eye_hub::{HubError, LockedSocket, stop_signal};
use eye_platform::process;
use eye_remote::relay::{self, RelayConfig, RelayError, RelayNews, RelayStatus, Taken, Transport};
use eye_remote::{Remote, Secret};
use std::path::{Path, PathBuf};

/// Keep a link to a remote hub, so that every verb goes there; without a URL, use the local hub
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: EYE_TOKEN=$(ssh box.local eye token show) eye connect wss://box.local:8765\n         eye connect https://box.local --token-file box.token\n         eye connect\n\nReturns when the link is up; it then stays in the background and comes back by itself. eye disconnect ends it.\nThe token comes from EYE_TOKEN or --token-file."
)]
pub struct Args {
    /// Where it is: `wss://box.local:8765`, or box.local
    url: Option<String>,
    /// The file with the remote hub's token
    #[arg(long, value_name = "FILE", requires = "url")]
    token_file: Option<PathBuf>,
    /// Use this way only: ws, events (SSE + POST) or post; else the first that gets through
    #[arg(long, value_enum, hide_possible_values = true, value_name = "WAY", requires = "url")]
    transport: Option<Way>,
    /// Stop the local hub first, if it is idle
    #[arg(long, requires = "url")]
    replace: bool,
    /// Stay here until interrupted
    #[arg(long, requires = "url")]
    foreground: bool,
    /// Leave the terminal and report in JSON; how eye starts relays
    #[arg(long, hide = true, requires = "foreground")]
    detached: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Way {
    /// WebSocket
    Ws,
    /// SSE + POST
    Events,
    /// Plain POST
    Post,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::Ws => "ws",
            Self::Events => "events",
            Self::Post => "post",
        }
    }

    fn transport(self) -> Transport {
        match self {
            Self::Ws => Transport::Ws,
            Self::Events => Transport::Events,
            Self::Post => Transport::Post,
        }
    }
}

pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let options = &Options { token_for: TokenFor::Elsewhere, ..options.clone() };
    if args.detached {
        return run_detached(args, options);
    }
    if let Some(server) = Var::Server.text() {
        let why = format!("EYE_SERVER is set to {server} and goes before any connection");
        return Err(Failure::usage(why, "unset EYE_SERVER"));
    }
    let Some(url) = &args.url else { return up::run(up::Args::default(), options) };
    let address = Server::parse(url)?;
    address.check_token(args.token()?.as_ref().map(Secret::reveal))?;
    if args.foreground {
        return run_here(args, options);
    }
    match status::relay(options) {
        Ok(Some(relay)) => return already(&relay, &address, args, options),
        Ok(None) => make_sure_of_room(args, options)?,
        Err(Failure::NoHub) => {}
        Err(failure) => return Err(failure),
    }
    match start::in_background(&["connect", "--foreground", "--detached"], &args.flags())? {
        Report::Connected { url, transport } => connected(options, &url, transport),
        // Another process took the socket in the meantime.
        Report::Running | Report::Ready { .. } => match status::relay(options)? {
            Some(relay) => already(&relay, &address, args, options),
            None => Err(Failure::HubInTheWay { what: "it was started just now".into() }),
        },
        Report::Failed { message, hint, exit } => {
            Err(Failure::NotConnected { message, hint, exit: Exit::from_code(exit).unwrap_or(Exit::Absent) })
        }
    }
}

fn connected(options: &Options, url: &str, transport: Transport) -> Result<Exit, Failure> {
    ui::done(options, &format!("connected to {url} by {}", transport.name()))
}

fn already(relay: &RelayStatus, address: &Server, args: &Args, options: &Options) -> Result<Exit, Failure> {
    let other = args.transport.is_some_and(|way| way.transport() != relay.transport);
    if relay.url != address.base() || other {
        return Err(Failure::Elsewhere { url: relay.url.clone(), transport: relay.transport.name() });
    }
    connected(options, &relay.url, relay.transport)
}

/// A hub in use is never stopped; an idle one only with `--replace`.
fn make_sure_of_room(args: &Args, options: &Options) -> Result<(), Failure> {
    let hub = status::ask(options)?;
    let busy = hub.pages > 0 || hub.pending > 0;
    match (busy, args.replace) {
        (true, _) => Err(Failure::HubInTheWay { what: format!("it serves {}", status::count(hub.pages, "page")) }),
        (false, false) => Err(Failure::HubInTheWay { what: "it is idle; --replace stops it".into() }),
        (false, true) => Ok(()),
    }
}

fn run_here(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let config = args.config()?;
    let url = config.remote.url();
    let mut printed = Ok(());
    relay::run(
        config,
        |socket| take_socket(args, options, socket),
        stop_signal(),
        |news| match news {
            RelayNews::Ready(transport) => printed = connected(options, &url, *transport).map(|_| ()),
            RelayNews::Lost(_) | RelayNews::Back => log(&url, news),
        },
    )
    .map_err(failure)?;
    printed.map(|()| Exit::Success)
}

/// Runs the relay as a background process. It reports to its starter with one line and then detaches.
fn run_detached(args: &Args, options: &Options) -> Result<Exit, Failure> {
    process::detach();
    let outcome = args.config().and_then(|config| {
        let url = config.remote.url();
        relay::run(
            config,
            |socket| take_socket(args, options, socket),
            stop_signal(),
            |news| match news {
                RelayNews::Ready(transport) => {
                    up::report(&Report::Connected { url: url.clone(), transport: *transport });
                    process::leave_stdout();
                }
                RelayNews::Lost(_) | RelayNews::Back => log(&url, news),
            },
        )
        .map_err(failure)
    });
    up::report_end(outcome)
}

fn log(url: &str, news: &RelayNews<'_>) {
    match news {
        RelayNews::Ready(_) => {}
        RelayNews::Lost(why) => ui::note(format_args!("the link to {url} is lost: {why}")),
        RelayNews::Back => ui::note(format_args!("the link to {url} is back")),
    }
}

/// Takes the socket once the relay is connected, after the hub that held it was stopped if requested.
fn take_socket(args: &Args, options: &Options, socket: &Path) -> Result<Taken<impl FnMut() + use<>>, HubError> {
    args.make_room(options);
    let (locked, listener) = LockedSocket::take(socket)?;
    Ok((listener, move || locked.withdraw()))
}

fn failure(error: RelayError<HubError>) -> Failure {
    let message = error.to_string();
    match error {
        RelayError::Unreachable { url, why } => Failure::Unreachable { url, why },
        RelayError::Refused { hint, .. } => Failure::NotConnected { message, hint, exit: Exit::Denied },
        RelayError::Socket(error) => Failure::Hub(error),
        RelayError::Runtime(error) => Failure::io("start the runtime")(error),
    }
}

impl Args {
    fn config(&self) -> Result<RelayConfig, Failure> {
        let address = Server::parse(self.url.as_deref().unwrap_or_default())?;
        let token = self.token()?;
        address.check_token(token.as_ref().map(Secret::reveal))?;
        let tls = if address.tls { Some(trust::of_this_machine()?.config()?) } else { None };
        let Server { host, port, prefix, .. } = address;
        Ok(RelayConfig {
            socket: places::socket().path,
            remote: Remote { host, port, prefix, tls, token },
            transport: self.transport.map(Way::transport),
            machine: process::machine(),
        })
    }

    /// The local hub's own token is never offered: it would go to an unknown server.
    fn token(&self) -> Result<Option<Secret>, Failure> {
        match &self.token_file {
            Some(file) => read_token(file).map(Some),
            None => Ok(Var::Token.text().map(|text| Secret::new(&text))),
        }
    }

    fn make_room(&self, options: &Options) {
        if self.replace {
            // Idleness was checked before. A hub that does not stop keeps the socket, and taking the socket then fails.
            let _ = client::stop(None, options);
        }
    }

    /// The same flags for the relay in the background. It runs in another folder, so paths are made absolute.
    fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        flags.extend(self.token_file.as_ref().map(|file| format!("--token-file={}", places::absolute(file))));
        flags.extend(self.transport.map(|way| format!("--transport={}", way.name())));
        if self.replace {
            flags.push("--replace".into());
        }
        flags.extend(self.url.clone());
        flags
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Connect {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn flags_reach_the_relay_in_the_background_and_the_token_does_not() {
        let line = ["connect", "--token-file=/t", "--transport=events", "--replace", "wss://box"];
        let args = Connect::try_parse_from(line).unwrap().args;
        assert_eq!(args.flags(), line[1..]);
        assert!(Connect::try_parse_from(["connect", "--replace"]).is_err());
    }
}
