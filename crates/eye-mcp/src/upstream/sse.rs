//! Parses server-sent events from a stream of bytes, with a limit on each. Pure.

use super::lines::{Line, Lines};

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The data lines, joined by newlines.
    pub data: Vec<u8>,
    pub id: Option<String>,
    /// The event type, if set.
    pub kind: Option<String>,
}

/// The parser of a stream of events.
#[derive(Debug)]
pub struct Events {
    lines: Lines,
    bytes_max: usize,
    current: Event,
    has_data: bool,
    /// The server's reconnection delay, in milliseconds.
    pub retry_ms: Option<u64>,
}

/// An event over the limit, whose data is dropped.
#[derive(Debug, PartialEq, Eq)]
pub struct TooLong {
    pub head: Vec<u8>,
    pub tail: Vec<u8>,
}

impl Events {
    /// `bytes_max` is the limit for one event.
    pub fn new(bytes_max: usize) -> Self {
        Self { lines: Lines::new(bytes_max), bytes_max, current: Event::default(), has_data: false, retry_ms: None }
    }

    /// Takes bytes, and returns the events that they complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Result<Event, TooLong>> {
        let mut events = Vec::new();
        for line in self.lines.feed(bytes) {
            match line {
                Line::TooLong { head, tail } => {
                    self.current = Event::default();
                    self.has_data = false;
                    events.push(Err(TooLong { head, tail }));
                }
                Line::Whole(mut line) => {
                    if line.last() == Some(&b'\r') {
                        line.pop();
                    }
                    if line.is_empty() {
                        let event = std::mem::take(&mut self.current);
                        // An event without data is not dispatched, but its id counts: it is the position to resume
                        // from.
                        if std::mem::take(&mut self.has_data) || event.id.is_some() {
                            events.push(Ok(event));
                        }
                    } else if let Some(too_long) = self.field(&line) {
                        events.push(Err(too_long));
                    }
                }
            }
        }
        events
    }

    fn field(&mut self, line: &[u8]) -> Option<TooLong> {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &line[..colon] {
            b"data" => {
                // Lines are joined by a newline.
                if self.current.data.len() + usize::from(self.has_data) + value.len() > self.bytes_max {
                    let head = std::mem::take(&mut self.current).data;
                    self.has_data = false;
                    return Some(TooLong { head, tail: value.to_vec() });
                }
                if self.has_data {
                    self.current.data.push(b'\n');
                }
                self.current.data.extend_from_slice(value);
                self.has_data = true;
            }
            b"event" => self.current.kind = String::from_utf8(value.to_vec()).ok(),
            b"id" => self.current.id = String::from_utf8(value.to_vec()).ok().filter(|id| !id.contains('\0')),
            b"retry" => {
                let text = std::str::from_utf8(value).unwrap_or_default();
                self.retry_ms = text.parse().ok().or(self.retry_ms);
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(data: &str, id: Option<&str>) -> Event {
        Event { data: data.into(), id: id.map(str::to_owned), kind: None }
    }

    #[test]
    fn events_are_read_as_the_standard_says() {
        let text = b": hi\r\nid: 7\r\nevent: message\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\ndata:x\n\nid: 8\ndata:\n\nretry: 20\n\n\n";
        let mut events = Events::new(100);
        let mut found = Vec::new();
        for byte in text {
            found.extend(events.feed(&[*byte]));
        }
        let first = Event { kind: Some("message".into()), ..event("{\"a\":\n1}", Some("7")) };
        let want = [first, event("x", None), event("", Some("8"))];
        assert_eq!(found, want.map(Ok));
        assert_eq!(events.retry_ms, Some(20));
    }

    #[test]
    fn the_newline_between_data_lines_counts() {
        let of_two_lines = |limit| Events::new(limit).feed(b"data: 1234567\ndata: 1234567\n\n");
        assert_eq!(of_two_lines(15), [Ok(event("1234567\n1234567", None))]);
        assert!(matches!(of_two_lines(14)[..], [Err(_)]));
    }

    #[test]
    fn an_event_over_the_limit_is_reported_and_the_next_is_read() {
        let mut events = Events::new(20);
        let found =
            events.feed(b"data: 12345678901\ndata: 12345678901\n\ndata: 1234567890123456789012345\n\ndata: y\n\n");
        assert!(matches!(found[..], [Err(_), Err(_), Ok(_)]), "{found:?}");
    }
}
