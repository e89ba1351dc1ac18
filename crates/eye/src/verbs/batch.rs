//! `eye batch`: many expressions from stdin, sent without waiting, their answers printed as they come or in order.

mod feed;
mod flight;
mod print;

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::link::{Link, ServerLink, SocketLink};
use crate::options::Options;
use eye_protocol::id::split_call_id;
use eye_protocol::rpc::{self, Message};
use eye_protocol::{Ending, answer};
use flight::Flight;
use print::Printer;
use std::io::BufReader;
use std::sync::Arc;

/// The id of the ping that follows the last expression.
const END: &str = "\"end\"";

/// Evaluate the lines of stdin, many at a time
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: printf 'document.title\\nlinks:document.links.length\\n' | eye batch

A line is an expression, `id:expression`, or a JSON string whose text is the code (for code with newlines).
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
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    label: Label,
    code: String,
}

impl Line {
    /// Reads a line. `None`: there is nothing in it.
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim_end_matches(['\n', '\r']);
        if text.trim().is_empty() {
            return None;
        }
        if text.starts_with('"')
            && let Ok(code) = serde_json::from_str(text)
        {
            return Some(Self { label: Label::Number, code });
        }
        if let Some(code) = text.strip_prefix(':') {
            return Some(Self { label: Label::Number, code: code.to_owned() });
        }
        Some(match split_call_id(text, b":") {
            Some((id, _, code)) => Self { label: Label::Given(id.to_owned()), code: code.to_owned() },
            None => Self { label: Label::Number, code: text.to_owned() },
        })
    }
}

/// Evaluates the lines of stdin.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let mut printer = Printer::new(args.ordered, options);
    match client::open(options)? {
        Link::Socket(link) => over_socket(link, &mut printer)?,
        Link::Server(link) => over_server(*link, &mut printer)?,
    }
    printer.flush()?;
    Ok(if printer.failed() { Exit::Threw } else { Exit::Success })
}

/// A thread feeds the hub while this one prints, so that neither waits for the other.
fn over_socket(mut link: SocketLink, printer: &mut Printer) -> Result<(), Failure> {
    link.set_patience(None)?;
    let flight = Arc::new(Flight::default());
    let (writer, shared) = (link.writer()?, Arc::clone(&flight));
    // The thread is left to itself: it may wait for stdin when this one has ended already.
    std::thread::spawn(move || feed::to_socket(BufReader::with_capacity(64 << 10, std::io::stdin()), writer, &shared));
    while !flight.landed() {
        let frame = if let Some(frame) = link.buffered()? {
            frame
        } else {
            printer.flush()?;
            link.receive()?.ok_or(Failure::HubGone)?
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

/// A WebSocket cannot be read and written at once: expressions that are there leave before each wait for an answer.
fn over_server(mut link: ServerLink, printer: &mut Printer) -> Result<(), Failure> {
    let mut lines = feed::Lines::from_stdin();
    let flight = Flight::default();
    link.set_patience(None)?;
    loop {
        let frames = lines.take(&flight)?;
        link.send(&frames.iter().map(String::as_str).collect::<Vec<_>>())?;
        if flight.is_empty() {
            return Ok(());
        }
        let frame = link.receive()?.ok_or(Failure::HubGone)?;
        if let Heard::Answer(number, ending) = heard(&frame)
            && let Some(label) = flight.arrive(number)
        {
            flight.hold(printer.ended(number, &label, ending)?);
            printer.flush()?;
        }
    }
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
            Some(Line { label, code: code.into() })
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
            assert_eq!(Line::parse(text), want, "{text:?}");
        }
    }
}
