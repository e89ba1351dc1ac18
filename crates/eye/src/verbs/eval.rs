//! `eye eval`, and `eye EXPR`, which is the same.

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::{near, results, ui};
use eye_protocol::{Code, Error, Kind};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Evaluate code in a page and print its value
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye eval -f measure.js --json\n         echo 'document.links.length' | eye eval -")]
pub struct Args {
    /// The code; - is stdin
    code: Option<String>,
    /// Take the code from a file; - is stdin
    #[arg(short, long, value_name = "FILE", conflicts_with = "code")]
    file: Option<PathBuf>,
}

impl Args {
    /// For `eye EXPR`, `eye -` and `eye -f FILE`.
    pub fn new(code: Option<String>, file: Option<PathBuf>) -> Self {
        Self { code, file }
    }
}

/// Reads the code from the arguments, a file or stdin, and evaluates it.
pub fn run(args: Args, options: &Options) -> Result<Exit, Failure> {
    let code = match (args.code, args.file) {
        (Some(code), None) if code == "-" => read_stdin()?,
        (Some(code), None) => code,
        (None, Some(file)) if file == Path::new("-") => read_stdin()?,
        (None, Some(file)) => {
            std::fs::read_to_string(&file).map_err(Failure::io(format!("read {}", file.display())))?
        }
        (Some(_), Some(_)) => {
            return Err(Failure::usage("both an expression and a file", "give one of the two"));
        }
        (None, None) => {
            return Err(Failure::usage(
                "no code was given",
                "write eye eval CODE, eye eval -f FILE, or eye eval - for stdin",
            ));
        }
    };
    evaluate(&code, options)
}

/// Evaluates code and prints its value.
pub fn evaluate(code: &str, options: &Options) -> Result<Exit, Failure> {
    if options.delta || options.if_revision.is_some() {
        return results::show(&client::eval_in_full(code, options)?, options);
    }
    match client::eval(code, options)? {
        Ok(value) => ui::value(&value, options).map(|()| Exit::Success),
        Err(error) => Err(match near::verb_for_unknown(code, &error.message) {
            Some(verb) => Failure::NearVerb { error, verb },
            None => without_page(code, error),
        }),
    }
}

/// Without a page, a bare word that resembles a verb is reported as a misspelt verb.
fn without_page(code: &str, error: Error) -> Failure {
    match near::verb(code).filter(|_| error.kind == Kind::Own && error.code == Code::SESSION) {
        Some(verb) => {
            let message = format!("`{code}` is not a verb, and {}", error.message);
            Failure::usage(message, format!("did you mean eye {verb}?"))
        }
        None => error.into(),
    }
}

pub fn read_stdin() -> Result<String, Failure> {
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text).map_err(Failure::io("read stdin"))?;
    Ok(text)
}
