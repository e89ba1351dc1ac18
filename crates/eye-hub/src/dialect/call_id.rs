//! The ids of calls on streams of events. Pages of one origin that have no session id post alike, so the id names the
//! stream too.

use eye_core::{CallId, Conn};

/// The id of a call on its way to a page.
pub fn call_id(page: Conn, call: CallId) -> String {
    format!("{}-{call}", page.0)
}

/// Reads such an id, as JSON text.
pub fn read_call_id(id: &str) -> Option<(Conn, CallId)> {
    let (page, call) = id.trim_matches('"').split_once('-')?;
    Some((Conn(page.parse().ok()?), call.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use eye_protocol::rpc::json;

    #[test]
    fn the_id_of_a_call_names_its_stream() {
        assert_eq!(read_call_id(&json(&call_id(Conn(17), 5))), Some((Conn(17), 5)));
        for odd in ["\"5\"", "\"-5\"", "\"17-\"", "\"17-x\"", "null", "\"1-2-3\""] {
            assert_eq!(read_call_id(odd), None, "{odd}");
        }
    }
}
