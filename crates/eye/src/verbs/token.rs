//! `eye token`: the hub's own token, and named tokens with fewer rights.

use crate::env::Var;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::verbs::status;
use crate::{places, ui};
use eye_hub::Token;
use eye_hub::gate::tokens::{self, Found, Row, Tokens, TokensError, Wish};
use eye_protocol::operations::Class;
use serde_json::json;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Show or replace the hub's own token; make, list or revoke named ones that may do less
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: EYE_SERVER=wss://box.local:8765 EYE_TOKEN=$(ssh box.local eye token show) eye pages
         eye token new ci --may read --pages https://shop.example --expires 30d
         eye token new shop --may join --origin https://shop.example --expires 1h
         eye token revoke ci

The hub's own token may do everything. A named one may do what --may says: read (see pages), act (click, fill, tools), eval (run \
code), servers (MCP servers), admin (everything but being a page), join (be a page of --origin). act and servers contain read, eval \
contains act. With --pages, pages of other origins do not exist for it. Its secret is printed once. EYE_TOKEN=SECRET lowers the \
commands of this shell to it.")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Print the hub's own token
    Show,
    /// Make a named token and print it once; without a name, replace the hub's own
    New(New),
    /// List the named tokens
    List,
    /// Take a named token back
    Revoke {
        /// Which
        name: String,
    },
}

#[derive(Debug, clap::Args)]
struct New {
    /// Its name: 1 to 64 letters, digits, _, . or -
    name: Option<String>,
    /// What it may do; several with commas
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = parse_class, requires = "name", default_value = "read")]
    may: Vec<Class>,
    /// Only pages of this origin exist for it; may be repeated
    #[arg(long, value_name = "ORIGIN", requires = "name", conflicts_with = "origin")]
    pages: Vec<String>,
    /// The origin whose page it is, for --may join
    #[arg(long, value_name = "ORIGIN", requires = "name")]
    origin: Option<String>,
    /// How long it is good: 90m, 12h, 30d; for good if not given
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, requires = "name")]
    expires: Option<Duration>,
}

/// The error for an unknown word in `--may`.
#[derive(Debug, thiserror::Error)]
#[error("one of read, act, eval, servers, join, admin")]
struct NotAClass;

fn parse_class(word: &str) -> Result<Class, NotAClass> {
    Class::parse(word).ok_or(NotAClass)
}

pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    match &args.action {
        Action::Show => ui::line(current()?.reveal())?,
        Action::New(New { name: None, .. }) => replace(options)?,
        Action::New(new) => ui::line(create(new)?.reveal())?,
        Action::List => list(options)?,
        Action::Revoke { name } => {
            named()?.revoke(name, now_ms()).map_err(failed)?;
            ui::note("what it opened ends within a second, calls that are under way too");
        }
    }
    Ok(Exit::Success)
}

fn replace(options: &Options) -> Result<(), Failure> {
    let file = places::token_file()?;
    let token = Token::rotate(&file).map_err(Failure::io(format!("write {}", file.display())))?;
    ui::line(token.reveal())?;
    if Var::Token.get().is_some() {
        ui::note("EYE_TOKEN is set and goes before the file");
    }
    if Var::Server.get().is_none() && status::ask(options).is_ok() {
        ui::note("the hub that runs takes the old one until it is restarted: eye down");
    }
    Ok(())
}

fn create(new: &New) -> Result<Token, Failure> {
    let name = new.name.clone().unwrap_or_default();
    let now_ms = now_ms();
    let lasts = new.expires.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    let pages = new.origin.iter().chain(&new.pages).map(|page| page.trim_end_matches('/').to_owned()).collect();
    let wish = Wish { name, may: new.may.clone(), pages, expires_at: lasts.map(|lasts| now_ms.saturating_add(lasts)) };
    named()?.create(wish, now_ms).map_err(failed)
}

fn list(options: &Options) -> Result<(), Failure> {
    let now_ms = now_ms();
    for row in named()?.list().map_err(failed)? {
        let Row { name, may, pages, created_at, expires_at, .. } = &row;
        if options.json {
            let row =
                json!({ "name": name, "may": may, "pages": pages, "createdAt": created_at, "expiresAt": expires_at });
            ui::line(row)?;
            continue;
        }
        let pages = if pages.is_empty() { "all pages".to_owned() } else { pages.join(" ") };
        let until = match expires_at {
            None => "for good".to_owned(),
            Some(at) if *at <= now_ms => "expired".to_owned(),
            Some(at) => format!("for {}", humantime::format_duration(Duration::from_secs((at - now_ms) / 1000))),
        };
        ui::line(format_args!("{name}  {}  {pages}  {until}", may.join(",")))?;
    }
    Ok(())
}

fn named() -> Result<Tokens, Failure> {
    Ok(Tokens::new(tokens::beside(&places::origins_file()?)))
}

fn failed(error: TokensError) -> Failure {
    let reason = error.to_string();
    let hint = match error {
        TokensError::Known(name) => format!("eye token revoke {name} takes it back"),
        TokensError::Unknown(_) => "eye token list names them".into(),
        TokensError::Join => "eye token new NAME --may join --origin https://shop.example".into(),
        TokensError::Full => "eye token revoke NAME makes room".into(),
        TokensError::Name(_) | TokensError::Origin(_) | TokensError::File { .. } | TokensError::Io { .. } => {
            "see eye help token".into()
        }
    };
    Failure::usage(reason, hint)
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The token for a hub that starts here. If the shell is restricted to a named token, that one must not become the
/// hub's own.
pub fn of_hub() -> Result<Token, Failure> {
    match Var::Token.text() {
        Some(text) if named()?.rows().find(text.trim(), now_ms()) == Found::Unknown => Ok(Token::new(&text)),
        Some(_) | None => from_file(),
    }
}

fn from_file() -> Result<Token, Failure> {
    let file = places::token_file()?;
    Token::load_or_create(&file).map_err(Failure::io(format!("use {}", file.display())))
}

/// The token in force: `EYE_TOKEN`, or the file's, which is created if it is missing.
pub fn current() -> Result<Token, Failure> {
    if let Some(text) = Var::Token.text() {
        return Ok(Token::new(&text));
    }
    from_file()
}
