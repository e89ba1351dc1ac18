//! The command line: distinguishes verbs from expressions, and defines the flags common to both.

use crate::env::Var;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::{Options, TokenFor};
use crate::{help, near, ui, verbs};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use eye_protocol::limits::CALL_TIMEOUT_MAX_MS;
use eye_protocol::operations::{self, Faces, Operation};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "eye", version, about = "eye: eyes and hands for agents in live web pages")]
struct Cli {
    #[command(flatten)]
    common: Common,
    /// Take the code from a file; - is stdin
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// An expression
    #[arg(value_name = "EXPR", hide = true)]
    words: Vec<String>,
    #[command(subcommand)]
    verb: Option<Verb>,
}

/// Flags that may stand before or after any verb.
#[expect(clippy::struct_excessive_bools, reason = "flags, each for itself")]
#[derive(Debug, clap::Args)]
struct Common {
    /// The page: an id, an alias, or part of a title or URL
    #[arg(short, long, global = true, value_name = "PAGE", help_heading = "Flags")]
    page: Option<String>,
    /// The frame in it: a selector, a name, an index, or part of a URL
    #[arg(long, global = true, value_name = "FRAME", help_heading = "Flags")]
    frame: Option<String>,
    /// How long a call may take (30)
    #[arg(long, global = true, value_name = "SECONDS", value_parser = parse_seconds, help_heading = "Flags")]
    timeout: Option<u64>,
    /// Print exact JSON
    #[arg(long, global = true, help_heading = "Flags")]
    json: bool,
    /// Print the value only, as is done anyway
    #[arg(short, long, global = true, help_heading = "Flags")]
    quiet: bool,
    /// Print errors only
    #[arg(long, global = true, help_heading = "Flags")]
    errors: bool,
    /// Print the change of state that the call caused, too
    #[arg(long, global = true, help_heading = "Flags")]
    delta: bool,
    /// Do it only if the page's state has this revision
    #[arg(long, global = true, value_name = "REVISION", help_heading = "Flags")]
    if_revision: Option<u64>,
    /// Cut the printed value to so many bytes
    #[arg(long, global = true, value_name = "BYTES", help_heading = "Flags")]
    max_bytes: Option<usize>,
}

/// Every verb that is not the page's own; each lives in a file of its own. Those of the page come from the table.
#[derive(Debug, Subcommand)]
enum Verb {
    Eval(verbs::eval::Args),
    Fire(verbs::fire::Args),
    Async(verbs::r#async::Args),
    Collect(verbs::collect::Args),
    Batch(verbs::batch::Args),
    Repl(verbs::repl::Args),
    #[command(alias = "tabs")]
    Pages(verbs::pages::Args),
    Use(verbs::r#use::Args),
    Open(verbs::open::Args),
    Browse(verbs::browse::Args),
    Extension(verbs::extension::Args),
    Join(verbs::join::Args),
    State(verbs::state::Args),
    Save(verbs::save::SaveArgs),
    Saved(verbs::save::SavedArgs),
    Restore(verbs::save::RestoreArgs),
    Watch(verbs::watch::Args),
    Pub(verbs::message::PubArgs),
    Sub(verbs::message::SubArgs),
    Read(verbs::message::ReadArgs),
    Tools(verbs::tools::Args),
    Call(verbs::call::Args),
    Discover(verbs::discover::Args),
    Rpc(verbs::rpc::Args),
    Mcp(verbs::mcp::Args),
    Servers(verbs::servers::Args),
    Up(verbs::up::Args),
    Down(verbs::down::Args),
    Status(verbs::status::Args),
    Connect(verbs::connect::Args),
    Disconnect(verbs::disconnect::Args),
    Token(verbs::token::Args),
    Tls(verbs::tls::Args),
    Allow(verbs::allow::Args),
    Deny(verbs::deny::Args),
    Audit(verbs::audit::Args),
    Console(verbs::console::Args),
    Doctor(verbs::doctor::Args),
    Skill(verbs::skill::Args),
    Completions(verbs::completions::Args),
    Man(verbs::man::Args),
    Upgrade(verbs::upgrade::Args),
    Version(verbs::version::Args),
}

/// The expression, when the only argument is neither a flag nor a verb. The fast path: no clap.
pub fn lone_expression(args: &[OsString]) -> Option<&str> {
    let [only] = args else {
        return None;
    };
    only.to_str().filter(|text| !text.starts_with('-') && !help::is_verb(text))
}

/// Parses the command line with clap and runs the verb or the expression.
pub fn run(args: Vec<OsString>) -> Result<Exit, Failure> {
    let bare = args.is_empty();
    if let [help, word] = &args[..]
        && help == "help"
        && let Some(word) = word.to_str().filter(|word| !help::is_verb(word))
    {
        return Err(not_a_verb(word));
    }
    let verb = args.iter().filter_map(|word| word.to_str()).find(|word| help::is_verb(word)).map(str::to_owned);
    let args = std::iter::once(OsString::from("eye")).chain(args);
    let parsed = command().try_get_matches_from(args).and_then(|found| Ok((Cli::from_arg_matches(&found)?, found)));
    let (cli, found) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return not_parsed(&error, verb.as_deref()),
    };
    if bare && std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return dispatch(Verb::Repl(verbs::repl::Args {}), &cli.common.into_options());
    }
    if bare {
        ui::aside(&command().render_help().to_string());
        return Ok(Exit::Usage);
    }
    let options = cli.common.into_options();
    let in_page = found.subcommand().and_then(|(name, words)| Some((page_verb(name)?, words)));
    if let (Some((operation, words)), [], None) = (in_page, &cli.words[..], &cli.file) {
        return verbs::page::run_words(operation, words, &options);
    }
    match (cli.verb, &cli.words[..]) {
        (Some(verb), []) if cli.file.is_none() => dispatch(verb, &options),
        (Some(_), []) => Err(Failure::usage("-f goes with an expression's verb", "write eye eval -f FILE")),
        (None, []) if found.subcommand().is_some() => {
            Err(Failure::usage("-f goes with an expression's verb", "write eye eval -f FILE"))
        }
        (None, [] | [_]) => verbs::eval::run(verbs::eval::Args::new(cli.words.into_iter().next(), cli.file), &options),
        (_, [first, ..]) => Err(several(first)),
    }
}

/// The command as clap knows it, with our own help.
pub fn command() -> clap::Command {
    let in_page = operations::shown_by(Faces::CLI).filter(|operation| operation.in_page());
    let command = Cli::command().subcommands(in_page.map(verbs::page::line::command));
    command.help_template(help::template())
}

fn page_verb(name: &str) -> Option<&'static Operation> {
    operations::command_named(name).filter(|operation| operation.in_page())
}

fn dispatch(verb: Verb, options: &Options) -> Result<Exit, Failure> {
    match verb {
        Verb::Eval(args) => verbs::eval::run(args, options),
        Verb::Fire(args) => verbs::fire::run(args, options),
        Verb::Async(args) => verbs::r#async::run(args, options),
        Verb::Collect(args) => verbs::collect::run(args, options),
        Verb::Batch(args) => verbs::batch::run(&args, options),
        Verb::Repl(args) => verbs::repl::run(&args, options),
        Verb::Pages(args) => verbs::pages::run(args, options),
        Verb::Use(args) => verbs::r#use::run(args, options),
        Verb::State(args) => verbs::state::run(args, options),
        Verb::Save(args) => verbs::save::save(args, options),
        Verb::Saved(args) => verbs::save::saved(&args, options),
        Verb::Restore(args) => verbs::save::restore(args, options),
        Verb::Watch(args) => verbs::watch::run(&args, options),
        Verb::Open(args) => verbs::open::run(&args, options),
        Verb::Browse(args) => verbs::browse::run(&args, options),
        Verb::Extension(args) => verbs::extension::run(&args, options),
        Verb::Join(args) => verbs::join::run(&args, options),
        Verb::Pub(args) => verbs::message::publish(&args, options),
        Verb::Sub(args) => verbs::message::subscribe(&args, options),
        Verb::Read(args) => verbs::message::read(&args, options),
        Verb::Tools(args) => verbs::tools::run(args, options),
        Verb::Call(args) => verbs::call::run(&args, options),
        Verb::Discover(args) => verbs::discover::run(&args, options),
        Verb::Rpc(args) => verbs::rpc::run(&args, options),
        Verb::Mcp(args) => verbs::mcp::run(&args, options),
        Verb::Servers(args) => verbs::servers::run(args, options),
        Verb::Up(args) => verbs::up::run(args, options),
        Verb::Down(args) => verbs::down::run(&args, options),
        Verb::Status(args) => verbs::status::run(&args, options),
        Verb::Connect(args) => verbs::connect::run(&args, options),
        Verb::Disconnect(args) => verbs::disconnect::run(&args, options),
        Verb::Token(args) => verbs::token::run(&args, options),
        Verb::Tls(args) => verbs::tls::run(&args, options),
        Verb::Allow(args) => verbs::allow::run(args, options),
        Verb::Deny(args) => verbs::deny::run(args, options),
        Verb::Audit(args) => verbs::audit::run(&args, options),
        Verb::Console(args) => verbs::console::run(&args, options),
        Verb::Doctor(args) => verbs::doctor::run(&args, options),
        Verb::Skill(args) => verbs::skill::run(&args),
        Verb::Man(args) => verbs::man::run(&args),
        Verb::Completions(args) => verbs::completions::run(&args),
        Verb::Upgrade(args) => verbs::upgrade::run(&args, options),
        Verb::Version(args) => verbs::version::run(&args),
    }
}

impl Common {
    fn into_options(self) -> Options {
        Options {
            page: self.page.or_else(|| Var::Page.text()),
            frame: self.frame,
            timeout_ms: self.timeout,
            json: self.json,
            errors: self.errors,
            delta: self.delta,
            if_revision: self.if_revision,
            bytes_max: self.max_bytes,
            token_for: TokenFor::Asked,
        }
    }
}

fn not_a_verb(word: &str) -> Failure {
    let hint = near::verb(word).map_or("eye --help lists the verbs".into(), |verb| format!("did you mean eye {verb}?"));
    Failure::usage(format!("`{word}` is not a verb"), hint)
}

fn several(first: &str) -> Failure {
    match near::verb(first) {
        Some(_) => not_a_verb(first),
        None => Failure::usage("more than one argument, and the first is no verb", "quote the expression: eye 'a + b'"),
    }
}

/// The error for a `--timeout` that is not a number of seconds.
#[derive(Debug, thiserror::Error)]
#[error("write seconds, such as 5 or 0.5, up to {}", CALL_TIMEOUT_MAX_MS / 1000)]
struct NotSeconds;

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the number is checked to lie between 0 and a day of milliseconds"
)]
fn parse_seconds(text: &str) -> Result<u64, NotSeconds> {
    let ms = text.parse::<f64>().map_err(|_| NotSeconds)? * 1000.0;
    if ms > 0.0 && ms <= CALL_TIMEOUT_MAX_MS as f64 { Ok((ms.ceil()) as u64) } else { Err(NotSeconds) }
}

/// Help and version are not errors; every other clap error becomes a [`Failure`] with our hint.
fn not_parsed(error: &clap::Error, verb: Option<&str>) -> Result<Exit, Failure> {
    let text = error.to_string();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        ui::text_out(&text)?;
        return Ok(Exit::Success);
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        ui::aside(&text);
        return Ok(Exit::Usage);
    }
    Err(in_our_form(&text, error.kind(), verb))
}

fn in_our_form(text: &str, kind: ErrorKind, verb: Option<&str>) -> Failure {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let mut parts = text.split("\n\n");
    let message = parts.next().unwrap_or_default().trim_end().to_owned();
    let tip = parts.find_map(|part| part.trim().strip_prefix("tip: ").map(str::to_owned));
    let hint = match (tip, kind) {
        // clap's tip repeats the whole argument; ours is shorter.
        (Some(tip), ErrorKind::UnknownArgument) if tip.contains("'-- ") => match verb {
            Some(verb) => format!("eye help {verb} lists its options"),
            None => "put -- before an expression that begins with a hyphen".into(),
        },
        (Some(tip), _) => tip.lines().next().unwrap_or_default().to_owned(),
        (None, _) => "see eye --help, or eye help VERB".into(),
    };
    Failure::usage(message, hint)
}

#[cfg(test)]
#[path = "args/parity.rs"]
mod parity;

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &[&str]) -> Vec<OsString> {
        text.iter().map(OsString::from).collect()
    }

    #[test]
    fn every_verb_has_an_example() {
        for verb in command().get_subcommands() {
            let after = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.starts_with("Example"), "{}", verb.get_name());
        }
    }

    #[test]
    fn one_argument_that_is_no_verb_and_no_flag_is_an_expression() {
        for (args, want) in [
            (&["1+1"][..], Some("1+1")),
            (&[""], Some("")),
            (&["status of"], Some("status of")),
            (&["status"], None),
            (&["tabs"], None),
            (&["help"], None),
            (&["-1"], None),
            (&["-"], None),
            (&["a", "b"], None),
            (&[], None),
        ] {
            assert_eq!(lone_expression(&words(args)), want, "{args:?}");
        }
    }

    #[test]
    fn flags_stand_before_or_after() {
        for line in [
            &["eye", "-p", "shop", "--timeout", "1.5", "--json", "x"][..],
            &["eye", "x", "-p", "shop", "--timeout", "1.5", "--json"],
            &["eye", "-p", "shop", "eval", "--json", "x", "--timeout", "1.5"],
        ] {
            let options = Cli::try_parse_from(line).unwrap().common.into_options();
            assert_eq!(options.page.as_deref(), Some("shop"), "{line:?}");
            assert_eq!((options.timeout_ms, options.json), (Some(1500), true), "{line:?}");
        }
    }

    #[test]
    fn after_two_hyphens_all_is_expression() {
        let cli = Cli::try_parse_from(["eye", "--", "-1"]).unwrap();
        assert_eq!(cli.words, ["-1"]);
        let cli = Cli::try_parse_from(["eye", "--", "status"]).unwrap();
        assert!(cli.verb.is_none());
        assert_eq!(cli.words, ["status"]);
    }

    #[test]
    fn seconds_may_have_fractions_and_have_an_end() {
        assert_eq!(parse_seconds("5").unwrap(), 5000);
        assert_eq!(parse_seconds("0.0001").unwrap(), 1);
        assert_eq!(parse_seconds("86400").unwrap(), CALL_TIMEOUT_MAX_MS);
        for text in ["0", "-1", "86401", "x", "", "inf", "nan"] {
            assert!(parse_seconds(text).is_err(), "{text}");
        }
    }
}
