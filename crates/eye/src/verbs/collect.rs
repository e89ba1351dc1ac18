//! `eye collect`: prints the values of calls that `eye async` started.

use crate::client::{self, Absent};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::ui::Lines;
use eye_protocol::Ending;
use eye_protocol::messages::{Collect, Collected, Kept};
use eye_protocol::rpc;

/// Print what async calls came to, waiting for those under way
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: eye collect k1 k2 --timeout 5\n\nPrints id:value or id!:error, a line each; with --json, objects."
)]
pub struct Args {
    /// Which; all when none is named
    ids: Vec<String>,
}

pub fn run(args: Args, options: &Options) -> Result<Exit, Failure> {
    let params = Collect { ids: args.ids, timeout: options.timeout_ms };
    let collected: Collected = client::call("collect", &params, options, Absent::Start)?;
    let mut lines = Lines::new();
    let mut exit = Exit::Success;
    for kept in collected.results {
        let id = kept.id.clone();
        let ending = kept.into_ending();
        if ending.is_err() {
            exit = Exit::Threw;
        } else if options.errors {
            continue;
        }
        lines.line(result_line(&id, &ending, options))?;
    }
    lines.flush()?;
    if collected.pending.is_empty() { Ok(exit) } else { Err(Failure::Pending(collected.pending)) }
}

/// `id:value` or `id!:error`; with `--json` an object.
pub fn result_line(id: &str, ending: &Ending, options: &Options) -> String {
    if options.json {
        return rpc::json(&Kept::new(id.to_owned(), ending));
    }
    match ending {
        Ok(value) => format!("{id}:{}", value.as_text()),
        Err(error) => format!("{id}!:{}", error.one_line()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eye_protocol::{Code, Error, Value};

    #[test]
    fn results_are_lines_or_objects() {
        let text = Options::default();
        let json = Options { json: true, ..Options::default() };
        let five = Ok(Value::Text("5".into()));
        let gone = Err(Error::new(Code::SESSION, "no page").hint("open one"));
        assert_eq!(result_line("a", &five, &text), "a:5");
        assert_eq!(result_line("a", &five, &json), r#"{"id":"a","value":"5"}"#);
        assert_eq!(result_line("a", &gone, &text), "a!:no page; open one");
        let object = r#"{"id":"a","error":{"code":-32002,"message":"no page","data":{"hint":"open one"}}}"#;
        assert_eq!(result_line("a", &gone, &json), object);
    }
}
