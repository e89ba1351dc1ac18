//! Reads one frame from an agent and distinguishes JSON-RPC, compact JSON and lines.

use crate::compact::Compact;
use crate::line::Line;
use crate::rpc::{self, Message};
use crate::scan::Pause;

#[derive(Debug)]
pub enum Frame<'a> {
    /// Code with an id, or code to fire and forget.
    Line(Line<'a>),
    /// One of the compact JSON forms.
    Compact(Compact),
    /// A JSON-RPC message, or several in an array.
    Rpc(Vec<Message<'a>>),
}

impl<'a> Frame<'a> {
    /// Reads a frame. `None`: it is empty, and ignored.
    pub fn parse(text: &'a str) -> Option<Self> {
        Self::parse_paced(text, || {})
    }

    /// [`Self::parse`] for a frame that may be large.
    pub fn parse_paced(text: &'a str, pause: Pause) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        if matches!(text.trim_start().as_bytes().first(), Some(b'{' | b'[' | b'"')) {
            if let Some(messages) = rpc::parse(text, pause) {
                return Some(Self::Rpc(messages));
            }
            if let Some(compact) = Compact::parse(text) {
                return Some(Self::Compact(compact));
            }
        }
        Some(Self::Line(Line::parse(text)))
    }
}

/// How a connection on the Unix socket announces that it speaks MCP: a line that begins with this, and is a JSON object
/// from the brace on. No code begins so.
pub const MCP_ANNOUNCEMENT: &str = "mcp {";

/// How many answers a frame of an agent has.
pub fn answers_to(text: &str) -> usize {
    match Frame::parse(text) {
        None | Some(Frame::Line(Line::Fire { .. })) => 0,
        Some(Frame::Line(Line::Ask { .. }) | Frame::Compact(_)) => 1,
        Some(Frame::Rpc(messages)) => {
            messages.iter().filter(|m| matches!(m, Message::Request { .. } | Message::Invalid { .. })).count()
        }
    }
}

/// Whether a frame for an agent is an answer; all other frames are notifications.
pub fn is_answer(frame: &str) -> bool {
    !matches!(rpc::parse_one(frame), Some(Message::Notification { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kind(text: &str) -> &'static str {
        match Frame::parse(text) {
            None => "nothing",
            Some(Frame::Line(Line::Ask { .. })) => "ask",
            Some(Frame::Line(Line::Fire { .. })) => "fire",
            Some(Frame::Compact(_)) => "compact",
            Some(Frame::Rpc(_)) => "rpc",
        }
    }

    #[test]
    fn a_frame_is_json_only_if_all_of_it_is() {
        for (text, want) in [
            ("", "nothing"),
            ("a:x", "ask"),
            ("x", "fire"),
            (r#""x""#, "compact"),
            (r#""x" + 1"#, "fire"),
            (r#"{"c":"x"}"#, "compact"),
            (r#"{c:"x"}"#, "compact"),
            (r#"{c:"x"}.c"#, "fire"),
            (r#"{"c":1}"#, "fire"),
            (r#"["a","x"]"#, "compact"),
            (r#"["a","x"].length"#, "fire"),
            ("[1,2]", "fire"),
            ("[]", "fire"),
            (r#"{"jsonrpc":"2.0","method":"ping","id":1}"#, "rpc"),
            (r#"[{"jsonrpc":"2.0","method":"ping","id":1}]"#, "rpc"),
            (r#"a:{"jsonrpc":"2.0"}"#, "ask"),
        ] {
            assert_eq!(kind(text), want, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_text_is_some_frame(text in ".+") {
            prop_assert!(Frame::parse(&text).is_some());
        }
    }
}
