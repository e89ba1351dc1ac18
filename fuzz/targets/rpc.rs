//! JSON-RPC: the response to a message has the message's id, and is JSON that parses.
#![no_main]

use eye_protocol::rpc::{self, Message};
use eye_protocol::{Code, Error};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for message in rpc::parse(text, || {}).into_iter().flatten() {
        let (id, params) = match message {
            Message::Request { id, params, .. } => (id, Some(params)),
            Message::Notification { params, .. } => ("null".into(), Some(params)),
            Message::Response { id, .. } | Message::Invalid { id, .. } => (id, None),
        };
        if let Some(params) = params {
            serde_json::from_str::<&serde_json::value::RawValue>(&params).expect("params are JSON");
        }
        for answer in [rpc::response(&id, Ok("1")), rpc::response(&id, Err(&Error::new(Code::PARSE, text)))] {
            let again = rpc::parse_one(&answer);
            let same = matches!(&again, Some(Message::Response { id: same, .. }) if *same == id);
            // A response without an id concerns the connection, and is always an error.
            assert!(same || &*id == "null", "{answer}: {again:?}");
        }
    }
    let _ = Error::from_raw(text);
});
