//! Several calls of one request; it is answered when the last of them has ended.

use crate::task::Reply;
use eye_protocol::error::ErrorObject;
use eye_protocol::rpc::json;
use eye_protocol::{Ending, Value, tools};

#[derive(Debug)]
pub(crate) struct CallBatch {
    reply: Reply,
    slots: Vec<Option<Ending>>,
    left: usize,
}

impl CallBatch {
    /// A batch of `calls` calls, none of which has ended.
    pub fn new(reply: Reply, calls: usize) -> Self {
        Self { reply, slots: vec![None; calls], left: calls }
    }

    pub fn reply(&self) -> &Reply {
        &self.reply
    }

    /// Records the ending of a call. `true`: all calls have ended.
    pub fn end(&mut self, at: usize, ending: Ending) -> bool {
        if let Some(slot @ None) = self.slots.get_mut(at) {
            *slot = Some(ending);
            self.left -= 1;
        }
        self.left == 0
    }

    /// The reply, and all endings in the order of the calls as JSON text.
    pub fn into_results(self) -> (Reply, String) {
        (self.reply, results(&self.slots))
    }
}

fn results(slots: &[Option<Ending>]) -> String {
    let one = |slot: &Option<Ending>| match slot {
        Some(Ok(value @ Value::Bytes(bytes))) => format!(r#"{{"result":{}}}"#, tools::result(value, &bytes.origin)),
        Some(Ok(value)) => format!(r#"{{"result":{}}}"#, value.to_json()),
        Some(Err(error)) => format!(r#"{{"error":{}}}"#, json(&ErrorObject::from(error))),
        None => "null".to_owned(),
    };
    let texts: Vec<String> = slots.iter().map(one).collect();
    format!(r#"{{"results":[{}]}}"#, texts.join(","))
}
