//! `eye up`: runs a hub, in the background or in this process.

mod guests;
mod host;

use crate::env::Var;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::log::{self, Beside, LogLevel};
use crate::options::Options;
use crate::start::{self, Report, STARTS_MAX, Started};
use crate::verbs::{status, tls, token};
use crate::{memory, places, ui};
use clap::ValueEnum;
use eye_hub::{AuditMode, Auth, Config, HubError, RATE_DEFAULT, Rate, Ready, Tls, random_first_calls};
use eye_mcp::config;
use eye_platform::process;
use eye_protocol::rpc;
use eye_protocol::status::Status;
use host::parse_host;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PORT_DEFAULT: u16 = 8765;

/// Run a hub; verbs that need one do it by themselves
#[expect(clippy::struct_excessive_bools, reason = "flags, each for itself")]
#[derive(Debug, Default, clap::Args)]
#[command(
    after_help = "Example: eye up\n         eye up --port 9000\n         eye up --tls\n         eye up --listen 0.0.0.0 --tls-cert cert.pem --tls-key key.pem --host box.local\n         eye up --foreground --listen 0.0.0.0 --published   # in a container, with -p 127.0.0.1:8765:8765"
)]
pub struct Args {
    /// Stay here until interrupted
    #[arg(long)]
    foreground: bool,
    /// The port; 0 takes a free one
    #[arg(long)]
    port: Option<u16>,
    /// Who may be an agent over TCP: token, or none: this user's programs, and pages of loopback and allowed origins
    #[arg(long, value_enum, hide_possible_values = true)]
    auth: Option<AuthKind>,
    /// The address to listen on (127.0.0.1)
    #[arg(long, value_name = "ADDR")]
    listen: Option<IpAddr>,
    /// The port is published to loopback only, by a container: no TLS is needed beyond loopback
    #[arg(long, requires = "listen")]
    published: bool,
    /// A user whose programs pass pages on to this hub, such as www-data for nginx
    #[arg(long, value_name = "NAME", hide = cfg!(not(target_os = "linux")))]
    proxy_user: Vec<String>,
    /// A host name that pages and agents may use for this hub, beside localhost
    #[arg(long, value_name = "NAME", value_parser = parse_host)]
    host: Vec<String>,
    /// HTTPS and wss beside HTTP, with the certificate of eye tls
    #[arg(long, conflicts_with_all = ["tls_cert", "tls_key"])]
    tls: bool,
    /// HTTPS and wss beside HTTP, with this certificate chain, PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its key, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    #[command(flatten)]
    guests: guests::Args,
    /// What the audit log holds: off, on (a row for each call), or full (with arguments)
    #[arg(long, value_enum, hide_possible_values = true)]
    audit: Option<AuditKind>,
    /// How much the hub logs: off, error, warn, info, debug or trace (info)
    #[arg(long, value_enum, hide_possible_values = true, value_name = "LEVEL")]
    log: Option<LogLevel>,
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    cluster: crate::cluster::Args,
    /// Leave the terminal and report in JSON; how eye starts hubs
    #[arg(long, hide = true, requires = "foreground")]
    detached: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AuthKind {
    /// Programs that have the token
    Token,
    /// Programs of this user, and pages of loopback and allowed origins
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AuditKind {
    /// Nothing
    Off,
    /// A row for each call
    On,
    /// Rows with arguments
    Full,
}

impl From<AuditKind> for AuditMode {
    fn from(kind: AuditKind) -> Self {
        match kind {
            AuditKind::Off => Self::Off,
            AuditKind::On => Self::On,
            AuditKind::Full => Self::Full,
        }
    }
}

impl AuthKind {
    fn name(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::None => "none",
        }
    }
}

pub fn run(args: Args, options: &Options) -> Result<Exit, Failure> {
    if args.detached || args.foreground {
        memory::give_back();
    }
    if args.detached {
        return run_detached(args);
    }
    if args.foreground {
        warn_open(&args);
        let _log = log::begin(LogLevel::chosen(args.log)?, places::log_file()?, Beside::Stderr)?;
        let config = args.into_config()?;
        let socket = config.socket.display().to_string();
        let mut printed = Ok(());
        eye_hub::run(config, |ready| printed = ui::line(format_args!("ready {} {socket}", url(ready))))?;
        return printed.map(|()| Exit::Success);
    }
    run_in_background(&args, options)
}

fn run_in_background(args: &Args, options: &Options) -> Result<Exit, Failure> {
    for round in 0..STARTS_MAX {
        // A hub elsewhere cannot be started here.
        let here = if Var::Server.get().is_some() { Err(Failure::NoHub) } else { hub_here(options) };
        match here {
            Ok(status) => return already(args, options, &status),
            Err(Failure::NoHub) => {}
            Err(failure) => return Err(failure),
        }
        match start::hub_in_round(round, &args.flags())? {
            Started::Ready { url, socket } => {
                warn_open(args);
                return ui::done(options, &format!("ready {url} {socket}"));
            }
            // Another process started it first; the next round asks that hub.
            Started::Running if Var::Server.get().is_some() => return ui::done(options, "running"),
            Started::Running => {}
        }
    }
    Err(places::socket().not_reached())
}

/// The hub of this machine. Fails if a relay has its socket.
fn hub_here(options: &Options) -> Result<Status, Failure> {
    match status::relay(options)? {
        Some(relay) => Err(Failure::Elsewhere { url: relay.url, transport: relay.transport.name() }),
        None => status::ask(options),
    }
}

fn already(args: &Args, options: &Options, running: &Status) -> Result<Exit, Failure> {
    if let Some(what) = args.differs(running)? {
        return Err(Failure::RunsOtherwise { what });
    }
    args.guests.note_running();
    let kept = args.kept_by_running();
    if !kept.is_empty() {
        ui::note(format_args!("the hub that runs takes no other {} now; `eye down` first", kept.join(", ")));
    }
    if running.version != env!("CARGO_PKG_VERSION") {
        ui::note(format_args!("it is version {}; the next call replaces it when it is idle", running.version));
    }
    ui::done(options, &format!("running {} {}", status::url(running), running.socket))
}

/// Runs the hub as a background process. It reports to its starter with one line and then detaches.
fn run_detached(args: Args) -> Result<Exit, Failure> {
    process::detach();
    let log = LogLevel::chosen(args.log).and_then(|level| log::begin(level, places::log_file()?, Beside::Nothing));
    let outcome = log.and_then(|log| Ok((log, args.into_config()?))).and_then(|(_log, config)| {
        let socket = config.socket.display().to_string();
        let ready = |ready: &Ready| {
            report(&Report::Ready { url: url(ready), socket });
            // The pipe to the starter.
            process::leave_stdout();
        };
        eye_hub::run(config, ready).map_err(Failure::from)
    });
    report_end(outcome)
}

/// Reports to the starter of a background process that the process ends.
pub fn report_end(outcome: Result<(), Failure>) -> Result<Exit, Failure> {
    match outcome {
        Ok(()) => Ok(Exit::Success),
        Err(Failure::Hub(HubError::Running { .. })) => {
            report(&Report::Running);
            Ok(Exit::Success)
        }
        Err(failure) => {
            let hint = failure.hint().map(std::borrow::Cow::into_owned);
            report(&Report::Failed { message: failure.to_string(), hint, exit: failure.exit().code() });
            Err(failure)
        }
    }
}

/// Reports the state of a background process to its starter.
pub fn report(report: &Report) {
    // An interrupted starter reads no more; the hub continues.
    let _ = ui::line(rpc::json(report));
}

fn warn_open(args: &Args) {
    if args.auth == Some(AuthKind::None) {
        ui::note(
            "with --auth none your programs on this machine, and pages of loopback and allowed origins, may evaluate code in \
             your pages without a token",
        );
    }
}

/// The rate limit for BTCP clients from the user's config. The gateway reports errors in that file.
fn rate(config_file: &Path) -> Rate {
    let Ok(text) = std::fs::read_to_string(config_file) else { return RATE_DEFAULT };
    let rate = config::parse(&text, config_file).ok().and_then(|config| config.rate).unwrap_or_default();
    Rate {
        per_s: rate.per_second.map_or(RATE_DEFAULT.per_s, NonZeroU64::get),
        burst: rate.burst.map_or(RATE_DEFAULT.burst, NonZeroUsize::get),
    }
}

/// The numeric id of a user, given by name or number.
fn uid_of(user: &str) -> Result<u32, Failure> {
    if let Ok(uid) = user.parse() {
        return Ok(uid);
    }
    let output = Command::new("id").args(["-u", "--", user]).stderr(Stdio::null()).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    text.parse().map_err(|_| Failure::usage(format!("there is no user `{user}`"), "`getent passwd` lists them"))
}

fn url(ready: &Ready) -> String {
    format!("{}://{}", if ready.tls { "https" } else { "http" }, ready.listen)
}

impl Args {
    fn into_config(self) -> Result<Config, Failure> {
        let auth = match self.auth.unwrap_or(AuthKind::Token) {
            AuthKind::Token => Auth::Token(token::of_hub()?),
            AuthKind::None => Auth::None,
        };
        let listen = self.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        if self.published && listen.is_loopback() {
            let why = format!("--published is for a port beyond loopback, and {listen} is not");
            return Err(Failure::usage(why, "leave --published out, or write --listen 0.0.0.0 in a container"));
        }
        let port = self.port()?.unwrap_or(PORT_DEFAULT);
        let audit = self.audit()?;
        let tls = match self.tls_cert.zip(self.tls_key) {
            Some((cert, key)) => Some(Tls { cert, key }),
            None if self.tls => {
                let place = tls::in_use(&self.host)?;
                Some(Tls { cert: place.cert(), key: place.key() })
            }
            None => None,
        };
        #[cfg_attr(not(feature = "cluster"), expect(unused_mut, reason = "the cluster is a guest too"))]
        let mut guests = self.guests.mounted()?;
        #[cfg(feature = "cluster")]
        guests.extend(crate::cluster::guest(self.cluster, port)?);
        Ok(Config {
            socket: places::socket().path,
            listen: SocketAddr::new(listen, port),
            published: self.published,
            proxy_users: self.proxy_user.iter().map(|user| uid_of(user)).collect::<Result<_, _>>()?,
            hosts: self.host,
            auth,
            tls,
            origins_file: places::origins_file()?,
            state_dir: places::state_folder()?,
            wide_folders: places::wide_folders(),
            audit,
            rate: rate(&places::config_file()?),
            first_calls: random_first_calls(),
            guests,
        })
    }

    /// The requested port: the flag, else `EYE_PORT`.
    fn port(&self) -> Result<Option<u16>, Failure> {
        if self.port.is_some() {
            return Ok(self.port);
        }
        let Some(text) = Var::Port.text() else {
            return Ok(None);
        };
        let wrong = |_| Failure::usage(format!("EYE_PORT `{text}` is no port"), "write a number up to 65535");
        text.parse().map(Some).map_err(wrong)
    }

    /// The requested mode of the audit log: the flag, else `EYE_AUDIT`.
    fn audit(&self) -> Result<AuditMode, Failure> {
        let kind = match (self.audit, Var::Audit.text()) {
            (None, Some(text)) => Some(
                AuditKind::from_str(&text, false)
                    .map_err(|_| Failure::usage(format!("EYE_AUDIT `{text}` is not known"), "write off, on or full"))?,
            ),
            (kind, _) => kind,
        };
        Ok(kind.map_or_else(AuditMode::default, AuditMode::from))
    }

    /// The same flags for the hub in the background. It runs in another folder, so paths are made absolute.
    fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        let mut flag = |name: &str, value: Option<String>| flags.extend(value.map(|value| format!("--{name}={value}")));
        flag("port", self.port.map(|port| port.to_string()));
        flag("auth", self.auth.map(|auth| auth.name().to_owned()));
        flag("listen", self.listen.map(|listen| listen.to_string()));
        flag("tls-cert", self.tls_cert.as_deref().map(places::absolute));
        flag("tls-key", self.tls_key.as_deref().map(places::absolute));
        flag("log", self.log.map(|level| level.word().to_owned()));
        flag("audit", self.audit.map(|audit| AuditMode::from(audit).word().to_owned()));
        for host in &self.host {
            flag("host", Some(host.clone()));
        }
        for user in &self.proxy_user {
            flag("proxy-user", Some(user.clone()));
        }
        flags.extend(self.guests.flags());
        #[cfg(feature = "cluster")]
        flags.extend(self.cluster.flags());
        flags.extend(self.published.then(|| "--published".into()));
        flags.extend(self.tls.then(|| "--tls".into()));
        flags
    }

    /// The given options that a hub takes only at its start, and whose values a running hub does not report.
    fn kept_by_running(&self) -> Vec<&'static str> {
        let given = [
            ("--audit", self.audit.is_some()),
            ("--log", self.log.is_some()),
            ("--host", !self.host.is_empty()),
            ("--published", self.published),
            ("--proxy-user", !self.proxy_user.is_empty()),
            ("--tls-cert", self.tls_cert.is_some()),
        ];
        given.into_iter().filter_map(|(name, is_given)| is_given.then_some(name)).collect()
    }

    #[cfg(feature = "cluster")]
    fn wants_cluster(&self) -> bool {
        !self.cluster.cluster.is_empty()
    }

    #[cfg(not(feature = "cluster"))]
    #[expect(clippy::unused_self, reason = "it is asked in the same way where there is a cluster")]
    fn wants_cluster(&self) -> bool {
        false
    }

    /// How the running hub differs from the given address, port, TLS, auth and cluster.
    fn differs(&self, running: &Status) -> Result<Option<String>, Failure> {
        let listen = running.listen.rsplit("://").next().unwrap_or(&running.listen);
        let Ok(listen) = listen.parse::<SocketAddr>() else {
            return Err(Failure::Garbled(format!("`{}` is no address", running.listen)));
        };
        let port = self.port()?.filter(|&port| port != 0 && port != listen.port());
        let address = self.listen.filter(|&address| address != listen.ip());
        let auth = self.auth.filter(|auth| auth.name() != running.auth);
        let plain = (self.tls || self.tls_cert.is_some()) && !running.listen.starts_with("https");
        Ok(if port.is_some() || address.is_some() {
            Some(format!("{listen} as its address"))
        } else if plain {
            Some("no TLS".into())
        } else if self.wants_cluster() && running.cluster.is_none() {
            Some("no cluster".into())
        } else {
            auth.map(|_| format!("--auth {}", running.auth))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Up {
        #[command(flatten)]
        args: Args,
    }

    fn args(line: &[&str]) -> Args {
        Up::try_parse_from(std::iter::once("up").chain(line.iter().copied())).unwrap().args
    }

    #[test]
    fn flags_reach_the_hub_in_the_background() {
        let line = [
            "--port=9",
            "--auth=none",
            "--listen=::1",
            "--tls-cert=/c",
            "--tls-key=/k",
            "--log=debug",
            "--audit=full",
            "--host=a",
            "--host=b",
            "--llm=http://l:1",
            "--cluster=nats://a:4222,nats://b:4222",
            "--cluster-name=c",
            "--cluster-creds=/c",
            "--hub-name=h",
            "--cluster-pages=7",
            "--published",
        ];
        assert_eq!(args(&line).flags(), line);
        assert!(args(&["--tls-cert=c", "--tls-key=k"]).flags()[0].starts_with("--tls-cert=/"));
        assert_eq!(args(&["--tls"]).flags(), ["--tls"]);
    }

    #[test]
    fn a_hub_that_runs_with_other_settings_is_reported() {
        let running = Status {
            version: "0.1.0".into(),
            pid: 1,
            uptime_ms: 0,
            listen: "127.0.0.1:8765".into(),
            socket: String::new(),
            auth: "token".into(),
            pages: 0,
            sessions: 0,
            agents: 0,
            pending: 0,
            problems: Vec::new(),
            cluster: None,
        };
        for (line, want) in [
            (&["--port=8765", "--auth=token"][..], None),
            (&["--port=1"], Some("127.0.0.1:8765 as its address")),
            #[cfg(feature = "cluster")]
            (&["--cluster=nats://a"], Some("no cluster")),
            (&["--listen=::1"], Some("127.0.0.1:8765 as its address")),
            (&["--auth=none"], Some("--auth token")),
            (&["--tls"], Some("no TLS")),
        ] {
            assert_eq!(args(line).differs(&running).unwrap().as_deref(), want, "{line:?}");
        }
    }

    #[test]
    fn options_that_a_running_hub_does_not_take_are_named() {
        assert_eq!(args(&["--log=debug", "--host=a", "--port=1"]).kept_by_running(), ["--log", "--host"]);
        assert!(args(&["--port=1", "--tls"]).kept_by_running().is_empty());
    }
}
