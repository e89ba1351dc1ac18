//! Server-sent events of MCP servers: the events do not depend on how the stream is cut, and none exceeds the limit.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/eye-mcp/src/upstream/lines.rs"]
#[allow(dead_code, reason = "the gateway uses the rest")]
mod lines;
#[path = "../../crates/eye-mcp/src/upstream/sse.rs"]
#[allow(dead_code, reason = "the gateway uses the rest")]
mod sse;

use sse::Events;

const EVENT_BYTES_MAX: usize = 512;

fn events(bytes: &[u8], piece: usize) -> Vec<String> {
    let mut events = Events::new(EVENT_BYTES_MAX);
    let mut all = Vec::new();
    for part in bytes.chunks(piece) {
        for event in events.feed(part) {
            if let Ok(event) = &event {
                assert!(event.data.len() <= EVENT_BYTES_MAX);
            }
            all.push(format!("{event:?}"));
        }
    }
    all
}

fuzz_target!(|bytes: &[u8]| {
    let at_once = events(bytes, usize::MAX);
    assert_eq!(at_once, events(bytes, 1));
    assert_eq!(at_once, events(bytes, 13));
});
