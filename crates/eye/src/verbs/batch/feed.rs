//! From stdin to the hub, in as few writes as the lines come in.

use super::flight::Flight;
use super::{END, Line};
use crate::client;
use crate::failure::Failure;
use crate::options::Options;
use eye_protocol::limits::FRAME_BYTES_MAX;
use eye_protocol::{rpc, stream};
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, sync_channel};

/// What is gathered before it is written although more lines are there.
const WRITE_BYTES: usize = 64 << 10;
/// Lines read ahead of a WebSocket.
const AHEAD_MAX: usize = 256;

/// Sends every line to the hub, and a ping after the last. A failure is left in the flight.
pub fn to_socket(mut lines: BufReader<impl Read>, mut hub: UnixStream, flight: &Flight, options: &Options) {
    let mut bytes = Vec::new();
    if let Err(failure) = send_all(&mut lines, &mut hub, flight, &mut bytes, options) {
        flight.fail(failure);
    }
    stream::write(&rpc::request(END, "ping", &json!({})), &mut bytes);
    // A hub that is gone is noticed by whoever reads from it.
    let _ = hub.write_all(&bytes);
}

fn send_all(
    lines: &mut BufReader<impl Read>,
    hub: &mut UnixStream,
    flight: &Flight,
    bytes: &mut Vec<u8>,
    options: &Options,
) -> Result<(), Failure> {
    let mut number = 0;
    while let Some(line) = next(lines, options)? {
        number += 1;
        if !flight.has_room() {
            flush(hub, bytes)?;
            flight.wait_for_room();
        }
        let frame = line.frame(number);
        client::check_length(&frame)?;
        flight.depart(number, line.label);
        stream::write(&frame, bytes);
        if bytes.len() >= WRITE_BYTES || lines.buffer().is_empty() {
            flush(hub, bytes)?;
        }
    }
    Ok(())
}

fn flush(hub: &mut UnixStream, bytes: &mut Vec<u8>) -> Result<(), Failure> {
    hub.write_all(bytes).map_err(|_| Failure::HubGone)?;
    bytes.clear();
    Ok(())
}

/// The lines of stdin, read by a thread of their own.
pub struct Lines {
    channel: Receiver<Result<Line, Failure>>,
    number: u64,
}

impl Lines {
    /// Begins to read.
    pub fn from_stdin(options: &Options) -> Self {
        let (sender, channel) = sync_channel(AHEAD_MAX);
        let options = options.clone();
        std::thread::spawn(move || {
            let mut lines = BufReader::new(std::io::stdin());
            while let Some(line) = next(&mut lines, &options).transpose() {
                let failed = line.is_err();
                if sender.send(line).is_err() || failed {
                    return;
                }
            }
        });
        Self { channel, number: 0 }
    }

    /// The frames of the lines that are there; waits for one when nothing is under way. None then: stdin has ended.
    pub fn take(&mut self, flight: &Flight) -> Result<Vec<String>, Failure> {
        let mut frames = Vec::new();
        while flight.has_room() {
            let next = if flight.is_empty() { self.channel.recv().ok() } else { self.channel.try_recv().ok() };
            let Some(line) = next.transpose()? else { break };
            self.number += 1;
            let frame = line.frame(self.number);
            client::check_length(&frame)?;
            flight.depart(self.number, line.label);
            frames.push(frame);
        }
        Ok(frames)
    }
}

/// The next line that holds something. No line may be longer than a frame.
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
