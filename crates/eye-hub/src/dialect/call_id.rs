//! Ids of calls on event streams. POSTs of pages of one origin that have no session id look alike, so the id also names
//! the stream.

use eye_core::{CallId, Conn};

/// The call's id as the page sees it.
pub fn call_id(page: Conn, call: CallId) -> String {
    format!("{}-{call}", page.0)
}

/// Parses such an id from JSON text.
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
