//! Sends lines from stdin to the hub, in as few writes as possible.

use super::flight::Flight;
use super::line::{END, Line};
use crate::client;
use crate::failure::Failure;
use crate::options::Options;
use eye_client::connection::Writer;
use eye_protocol::limits::FRAME_BYTES_MAX;
use eye_protocol::rpc;
use serde_json::json;
use std::io::{BufRead, BufReader, Read};

/// A write is sent at this size even if more lines are ready.
const WRITE_BYTES: usize = 64 << 10;

/// Sends every line to the hub, and a ping after the last. Stores a failure in `flight`.
pub fn to_hub(mut lines: BufReader<impl Read>, hub: &Writer, flight: &Flight, options: &Options) {
    let mut waiting = Waiting::default();
    if let Err(failure) = send_all(&mut lines, hub, flight, &mut waiting, options) {
        flight.fail(failure);
    }
    waiting.add(rpc::request(END, "ping", &json!({})));
    // The thread that reads from the hub notices when the hub is gone.
    let _ = waiting.send(hub);
}

fn send_all(
    lines: &mut BufReader<impl Read>,
    hub: &Writer,
    flight: &Flight,
    waiting: &mut Waiting,
    options: &Options,
) -> Result<(), Failure> {
    let mut number = 0;
    while let Some(line) = next(lines, options)? {
        number += 1;
        if !flight.has_room() {
            waiting.send(hub)?;
            flight.wait_for_room();
        }
        let frame = line.frame(number);
        client::check_length(&frame)?;
        flight.depart(number, line.label);
        waiting.add(frame);
        if waiting.bytes >= WRITE_BYTES || lines.buffer().is_empty() {
            waiting.send(hub)?;
        }
    }
    Ok(())
}

/// Frames for one write.
#[derive(Default)]
struct Waiting {
    frames: Vec<String>,
    bytes: usize,
}

impl Waiting {
    fn add(&mut self, frame: String) {
        self.bytes += frame.len();
        self.frames.push(frame);
    }

    fn send(&mut self, hub: &Writer) -> Result<(), Failure> {
        let frames: Vec<&str> = self.frames.iter().map(String::as_str).collect();
        hub.send(&frames).map_err(|_| Failure::HubGone)?;
        *self = Self::default();
        Ok(())
    }
}

/// The next line that is not empty. No line may be longer than a frame.
fn next(lines: &mut BufReader<impl Read>, options: &Options) -> Result<Option<Line>, Failure> {
    loop {
        let mut text = String::new();
        let limit = FRAME_BYTES_MAX as u64 + 1;
        let bytes = lines.take(limit).read_line(&mut text).map_err(Failure::io("read stdin"))?;
        if bytes == 0 {
            return Ok(None);
        }
        if bytes > FRAME_BYTES_MAX {
            return Err(Failure::CodeTooLong { bytes });
        }
        if let Some(line) = Line::parse(&text, options)? {
            return Ok(Some(line));
        }
    }
}
