//! `eye batch`: many expressions from stdin, sent without waiting, their answers printed as they come or in order.

mod feed;
mod flight;
mod print;
mod words;

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::said;
use eye_client::connection::Connection;
use eye_protocol::id::split_call_id;
use eye_protocol::rpc::{self, Message};
use eye_protocol::{Ending, answer};
use flight::Flight;
use print::Printer;
use std::io::BufReader;
use std::sync::Arc;
use words::Request;

/// The id of the ping that follows the last expression.
const END: &str = "\"end\"";

/// Evaluate the lines of stdin, many at a time
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: printf 'document.title\\nlinks:document.links.length\\n' | eye batch

A line is an expression, a verb of the page with its words (`click e3`, `fill '#name' Ada`), either behind `id:`,
or a JSON string whose text is the code (for code with newlines). A line that begins with `:` is always code.
Answers are `id:value` and `id!:error` lines, as they come; lines without an id are numbered. With --ordered
they keep the order of the lines, and those without an id are printed as the value alone (`!:error`).
With --json each is an object. Exits with 1 if any failed.")]
pub struct Args {
    /// Print in the order of the lines
    #[arg(long)]
    ordered: bool,
}

/// Under which id an answer is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Label {
    /// The one its author gave it.
    Given(String),
    /// Its number, or none.
    Number,
}

/// One line of stdin.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    label: Label,
    ask: Ask,
}

/// What a line asks for.
#[derive(Clone, Debug, PartialEq)]
enum Ask {
    Code(String),
    Verb(Request),
}

impl Line {
    /// Reads a line. `None`: there is nothing in it.
    fn parse(text: &str, options: &Options) -> Result<Option<Self>, Failure> {
        let text = text.trim_end_matches(['\n', '\r']);
        if text.trim().is_empty() {
            return Ok(None);
        }
        let code = |code: &str| Self { label: Label::Number, ask: Ask::Code(code.to_owned()) };
        if text.starts_with('"')
            && let Ok(text) = serde_json::from_str::<String>(text)
        {
            return Ok(Some(code(&text)));
        }
        if let Some(text) = text.strip_prefix(':') {
            return Ok(Some(code(text)));
        }
        let (label, text) = match split_call_id(text, b":") {
            Some((id, _, text)) => (Label::Given(id.to_owned()), text),
            None => (Label::Number, text),
        };
        let ask = match words::request(text, options).transpose()? {
            Some(request) => Ask::Verb(request),
            None => Ask::Code(text.to_owned()),
        };
        Ok(Some(Self { label, ask }))
    }

    /// The frame that it is sent as.
    fn frame(&self, number: u64) -> String {
        match &self.ask {
            Ask::Code(code) => format!("{number}:{code}"),
            Ask::Verb(Request { method, params }) => rpc::request(&number.to_string(), method, params),
        }
    }
}

/// Evaluates the lines of stdin.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let mut printer = Printer::new(args.ordered, options);
    exchange(client::open(options)?, &mut printer, options)?;
    printer.flush()?;
    Ok(if printer.failed() { Exit::Threw } else { Exit::Success })
}

/// A thread feeds the hub while this one prints, so that neither waits for the other.
fn exchange(connection: Connection, printer: &mut Printer, options: &Options) -> Result<(), Failure> {
    connection.set_patience(None)?;
    let (mut reader, writer) = connection.split();
    let flight = Arc::new(Flight::default());
    let (shared, options) = (Arc::clone(&flight), options.clone());
    // The thread is left to itself: it may wait for stdin when this one has ended already.
    std::thread::spawn(move || {
        let lines = BufReader::with_capacity(64 << 10, std::io::stdin());
        feed::to_hub(lines, &writer, &shared, &options);
    });
    while !flight.landed() {
        let frame = if let Some(frame) = reader.buffered()? {
            frame
        } else {
            printer.flush()?;
            reader.receive()?.ok_or(Failure::HubGone)?
        };
        match heard(&frame) {
            Heard::Answer(number, ending) => {
                if let Some(label) = flight.arrive(number) {
                    flight.hold(printer.ended(number, &label, ending)?);
                }
            }
            Heard::End => flight.end(),
            Heard::Other => {}
        }
    }
    flight.failure().map_or(Ok(()), Err)
}

enum Heard {
    Answer(u64, Ending),
    End,
    Other,
}

fn heard(frame: &str) -> Heard {
    if let Some((id, ending)) = answer::parse_typed(frame)
        && let Ok(number) = id.parse()
    {
        return Heard::Answer(number, ending);
    }
    match rpc::parse_one(frame) {
        Some(Message::Response { id, .. }) if &*id == END => Heard::End,
        Some(Message::Response { id, outcome }) => match id.parse() {
            Ok(number) => Heard::Answer(number, outcome.and_then(|result| said::ending(&result))),
            Err(_) => Heard::Other,
        },
        _ => Heard::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_ids_codes_or_nothing() {
        let line = |label: Option<&str>, code: &str| {
            let label = label.map_or(Label::Number, |id| Label::Given(id.into()));
            Some(Line { label, ask: Ask::Code(code.into()) })
        };
        for (text, want) in [
            ("1+1\n", line(None, "1+1")),
            ("a:b()\r\n", line(Some("a"), "b()")),
            (":a:b()", line(None, "a:b()")),
            (r#""if (x)\n  y()""#, line(None, "if (x)\n  y()")),
            (r#""a" + "b""#, line(None, r#""a" + "b""#)),
            ("x ? a:b", line(None, "x ? a:b")),
            ("  \n", None),
            ("", None),
        ] {
            assert_eq!(Line::parse(text, &Options::default()).unwrap(), want, "{text:?}");
        }
        let verb = Line::parse("a:click e3", &Options::default()).unwrap().unwrap();
        assert_eq!(verb.frame(7), r#"{"jsonrpc":"2.0","id":7,"method":"page/click","params":{"target":"e3"}}"#);
        let code = Line::parse(":click", &Options::default()).unwrap().unwrap();
        assert_eq!(code.frame(7), "7:click");
    }
}
