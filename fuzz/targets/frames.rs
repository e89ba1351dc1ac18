//! Frames of agents and pages: lines, compact JSON, JSON-RPC. A line is parsed into code, or an id and code, unchanged.
#![no_main]

use eye_protocol::Frame;
use eye_protocol::frame::{answers_to, is_answer};
use eye_protocol::line::Line;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Frame::parse(text) {
        Some(Frame::Line(Line::Fire { code })) => assert!(text.ends_with(code)),
        Some(Frame::Line(Line::Ask { id, code })) => assert_eq!(text, format!("{id}:{code}")),
        Some(Frame::Compact(compact)) => assert!(compact.code.len() <= text.len() * 3),
        Some(Frame::Rpc(messages)) => assert!(!messages.is_empty()),
        None => {}
    }
    let _ = (answers_to(text), is_answer(text));
});
