//! `eye batch`: sends many expressions from stdin without waiting; prints the answers as they come or in order.

mod feed;
mod flight;
mod line;
mod print;
mod words;

use crate::client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::results;
use eye_client::connection::Connection;
use eye_protocol::rpc::{self, Message};
use eye_protocol::{Ending, answer};
use flight::Flight;
use line::END;
use print::Printer;
use std::io::BufReader;
use std::sync::Arc;

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

pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let mut printer = Printer::new(args.ordered, options);
    exchange(client::open(options)?, &mut printer, options)?;
    printer.flush()?;
    Ok(if printer.failed() { Exit::Threw } else { Exit::Success })
}

/// A second thread sends to the hub while this one prints, so that neither waits for the other.
fn exchange(connection: Connection, printer: &mut Printer, options: &Options) -> Result<(), Failure> {
    connection.set_patience(None)?;
    let (mut reader, writer) = connection.split();
    let flight = Arc::new(Flight::default());
    let (shared, options) = (Arc::clone(&flight), options.clone());
    // The thread is not joined: it may still wait for stdin when this thread has finished.
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
        match parse_frame(&frame) {
            BatchFrame::Answer(number, ending) => {
                if let Some(label) = flight.arrive(number) {
                    flight.hold(printer.ended(number, &label, ending)?);
                }
            }
            BatchFrame::End => flight.end(),
            BatchFrame::Other => {}
        }
    }
    flight.failure().map_or(Ok(()), Err)
}

enum BatchFrame {
    Answer(u64, Ending),
    End,
    Other,
}

fn parse_frame(frame: &str) -> BatchFrame {
    if let Some((id, ending)) = answer::parse_typed(frame)
        && let Ok(number) = id.parse()
    {
        return BatchFrame::Answer(number, ending);
    }
    match rpc::parse_one(frame) {
        Some(Message::Response { id, .. }) if &*id == END => BatchFrame::End,
        Some(Message::Response { id, outcome }) => match id.parse() {
            Ok(number) => BatchFrame::Answer(number, outcome.and_then(|result| results::ending(&result))),
            Err(_) => BatchFrame::Other,
        },
        _ => BatchFrame::Other,
    }
}
