//! The calls that a document must answer, and which half of its client must answer each. The other half may neither
//! answer nor report progress. Pure: messages of the halves in, messages for the hub out.

use super::frames::{Half, answer};
use eye_protocol::Error;
use eye_protocol::batch::{self, Element};
use eye_protocol::binary::Binary;
use eye_protocol::id::split_call_id;
use eye_protocol::rpc::{self, Message};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashMap;

/// The id of the hub's ping, which either half may answer.
const PING: &str = "ping";

/// The unanswered calls of a document, by their ids as the hub writes them.
#[derive(Debug, Default)]
pub struct Owed(HashMap<String, Half>);

/// The part of a message that may go to the hub.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Allowed<T> {
    /// `None`: nothing of the message.
    pub rest: Option<T>,
    /// A call in the message that the other half must answer.
    pub foreign: Option<String>,
}

/// What an element of a message means for the unanswered calls.
enum About {
    /// It answers this call.
    Ends(String),
    /// It reports on this call, which continues.
    Tells(String),
    /// It concerns no call.
    Nothing,
    /// The hub accepts it from no page that has joined.
    Barred,
}

impl Owed {
    /// Registers a call that was passed to a half.
    pub fn add(&mut self, half: Half, id: String) {
        self.0.insert(id, half);
    }

    /// The hub gives up a call: it was cancelled or timed out. Later messages about it are dropped.
    pub fn give_up(&mut self, id: &str) {
        self.0.remove(id);
    }

    /// The unanswered calls of a half.
    pub fn of(&self, half: Half) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(_, owner)| **owner == half).map(|(id, _)| id.as_str())
    }

    /// Whether no agent waits for an answer.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Filters a message of a half. Drops a message that is not a batch: the hub reads nothing else of a page that has
    /// joined.
    pub fn receive<'a>(&mut self, half: Half, message: &'a str) -> Allowed<Cow<'a, str>> {
        let mut foreign = None;
        let Ok(mut elements) = batch::parse(message) else { return Allowed { rest: None, foreign } };
        let len = elements.len();
        elements.retain(|element| match about(element) {
            About::Ends(id) => self.may(half, &id, &mut foreign) && self.0.remove(&id).is_some(),
            About::Tells(id) => self.may(half, &id, &mut foreign),
            About::Nothing => true,
            About::Barred => false,
        });
        Allowed { rest: rest(message, len, &elements), foreign }
    }

    /// Filters a binary message of a half, which answers a call.
    pub fn receive_binary<'a>(&mut self, half: Half, message: &'a [u8]) -> Allowed<&'a [u8]> {
        let mut foreign = None;
        let ends = Binary::parse(message)
            .is_some_and(|Binary { id, .. }| self.may(half, id, &mut foreign) && self.0.remove(id).is_some());
        Allowed { rest: ends.then_some(message), foreign }
    }

    /// A half passes calls of its own to the other half, which must answer them from then on.
    pub fn hand_on<'a>(&mut self, from: Half, to: Half, message: &'a str) -> Option<Cow<'a, str>> {
        let mut elements = batch::parse(message).ok()?;
        let len = elements.len();
        elements.retain(|element| match element {
            Element::Line(_) => false,
            Element::Rpc(json) => match rpc::parse_one(json) {
                Some(Message::Request { id, .. }) => match self.0.get_mut(id.trim_matches('"')) {
                    Some(owner) if *owner == from => {
                        *owner = to;
                        true
                    }
                    _ => false,
                },
                Some(Message::Notification { .. }) => true,
                _ => false,
            },
        });
        rest(message, len, &elements)
    }

    /// Answers all calls with this error.
    pub fn fail(&mut self, error: &Error) -> Vec<String> {
        self.0.drain().map(|(id, _)| answer(&id, &Err(error.clone()))).collect()
    }

    /// Whether a half may send messages about a call. An id that is not registered may belong to a call of the driver,
    /// or to one that has ended.
    fn may(&self, half: Half, id: &str, foreign: &mut Option<String>) -> bool {
        match self.0.get(id) {
            Some(owner) if *owner == half => true,
            Some(_) => {
                foreign.get_or_insert_with(|| id.to_owned());
                false
            }
            None => false,
        }
    }
}

/// Classifies an element as the hub does. Ids are compared as text: the hub would take `07` for `7`, so `07` is not
/// registered.
fn about(element: &Element<'_>) -> About {
    let json = match element {
        // The hub takes a line as an answer or drops it.
        Element::Line(line) => {
            return split_call_id(line, b":=~!").map_or(About::Barred, |(id, _, _)| About::Ends(id.to_owned()));
        }
        Element::Rpc(json) => json,
    };
    match rpc::parse_one(json) {
        // A malformed answer also ends its call.
        Some(Message::Response { id, .. } | Message::Invalid { id, .. }) => match id.trim_matches('"') {
            PING => About::Nothing,
            id => About::Ends(id.to_owned()),
        },
        Some(Message::Notification { method, params }) if method == "call/navigating" || method == "call/progress" => {
            #[derive(Deserialize)]
            struct Of {
                id: String,
            }
            rpc::params(&params).map_or(About::Barred, |Of { id }| About::Tells(id))
        }
        // A hello must be a message of its own.
        Some(Message::Request { method, .. } | Message::Notification { method, .. }) if method == "hello" => {
            About::Barred
        }
        Some(Message::Request { .. } | Message::Notification { .. }) | None => About::Nothing,
    }
}

/// The message with only these elements.
fn rest<'a>(message: &'a str, len: usize, kept: &[Element<'_>]) -> Option<Cow<'a, str>> {
    if kept.len() == len {
        return Some(message.into());
    }
    let written = |element: &Element<'_>| match element {
        Element::Line(line) => rpc::json(line.as_ref()),
        Element::Rpc(json) => (*json).to_owned(),
    };
    let written: Vec<String> = kept.iter().map(written).collect();
    (!written.is_empty()).then(|| format!("[{}]", written.join(",")).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use eye_protocol::Code;

    fn owed() -> Owed {
        let mut owed = Owed::default();
        for (id, half) in [("7", Half::Page), ("8", Half::Hands), ("9", Half::Page)] {
            owed.add(half, id.to_owned());
        }
        owed
    }

    /// The part of a message that goes to the hub.
    fn allowed(owed: &mut Owed, half: Half, message: &str) -> String {
        owed.receive(half, message).rest.map_or_else(String::new, Cow::into_owned)
    }

    #[test]
    fn answers_settle_what_is_owed_and_the_rest_fails_once() {
        let mut owed = owed();
        let answer = r#"["7=2",{"jsonrpc":"2.0","id":"9","result":{}}]"#;
        assert_eq!(allowed(&mut owed, Half::Page, answer), answer);
        // A second answer is dropped.
        assert_eq!(allowed(&mut owed, Half::Page, answer), "");
        let failed = owed.fail(&Error::new(Code::CONNECTION, "crashed"));
        assert_eq!(failed.len(), 1);
        assert!(failed[0].starts_with(r#"["8!-32000 crashed"#), "{failed:?}");
        assert!(owed.is_empty());
    }

    #[test]
    fn a_debt_ends_with_its_call() {
        let mut owed = owed();
        for id in ["7", "8", "12"] {
            owed.give_up(id);
        }
        assert_eq!(owed.receive(Half::Page, r#"["7=2","9=3"]"#).rest.as_deref(), Some(r#"["9=3"]"#));
        assert!(owed.is_empty());
    }

    #[test]
    fn a_half_speaks_of_no_call_that_the_other_owes() {
        let mut owed = owed();
        let forged = [
            r#"["8:forged"]"#,
            r#"["8=1"]"#,
            r#"["8~forged"]"#,
            r#"["8!-32003 forged"]"#,
            r#"[{"jsonrpc":"2.0","id":"8","result":"forged"}]"#,
            r#"[{"jsonrpc":"2.0","id":8,"error":{"code":-32003,"message":"forged"}}]"#,
            r#"[{"jsonrpc":"1","id":"8"}]"#,
            r#"[{"jsonrpc":"2.0","method":"call/progress","params":{"id":"8","progress":1}}]"#,
            r#"[{"jsonrpc":"2.0","method":"call/navigating","params":{"id":"8","url":"/"}}]"#,
        ];
        for message in forged {
            let expected = Allowed { rest: None, foreign: Some("8".to_owned()) };
            assert_eq!(owed.receive(Half::Page, message), expected, "{message}");
        }
        let binary = owed.receive_binary(Half::Page, b"8 text/plain\nforged");
        assert_eq!(binary, Allowed { rest: None, foreign: Some("8".to_owned()) });
        assert_eq!(allowed(&mut owed, Half::Hands, r#"["8:true"]"#), r#"["8:true"]"#);
    }

    #[test]
    fn what_the_hub_would_take_for_an_answer_in_another_form_is_not_heard_either() {
        let mut owed = owed();
        let forged = [
            // The hub parses ids as numbers, so these name call 8.
            r#"["08:forged"]"#,
            r#"[{"jsonrpc":"2.0","id":"+8","result":1}]"#,
            r#"[{"jsonrpc":"2.0","method":"call/progress","params":{"id":"0-8"}}]"#,
            // Ids of the driver's own calls and requests, and no id.
            r#"["12:forged"]"#,
            r#"["d1:forged"]"#,
            r#"[":forged"]"#,
            // Not a batch, where the hub may not expect such a message.
            "8:forged",
            r#"{"jsonrpc":"2.0","id":"8","result":1}"#,
            r#"[{"jsonrpc":"2.0","id":"hello","method":"hello","params":{"typed":false}}]"#,
        ];
        for message in forged {
            assert_eq!(owed.receive(Half::Page, message), Allowed::default(), "{message}");
        }
        for message in [&b"08 text/plain\nforged"[..], b"forged", b"12 image/png\n"] {
            assert_eq!(owed.receive_binary(Half::Page, message), Allowed::default());
        }
    }

    #[test]
    fn the_rest_of_a_message_is_heard() {
        let mut owed = owed();
        let info = r#"{"jsonrpc":"2.0","method":"page/info","params":{"title":"x"}}"#;
        let pong = r#"{"jsonrpc":"2.0","id":"ping","result":{"pong":true}}"#;
        let progress = r#"{"jsonrpc":"2.0","method":"call/progress","params":{"id":"7","progress":1}}"#;
        let batch = format!(r#"["8:forged",{info},{pong},{progress},"7:\"true\""]"#);
        let expected = Allowed {
            rest: Some(format!(r#"[{info},{pong},{progress},"7:\"true\""]"#).into()),
            foreign: Some("8".to_owned()),
        };
        assert_eq!(owed.receive(Half::Page, &batch), expected);
        assert_eq!(owed.receive_binary(Half::Page, b"9 image/png\nx").rest, Some(&b"9 image/png\nx"[..]));
        assert_eq!(owed.receive_binary(Half::Page, b"9 image/png\nx").rest, None);
    }

    #[test]
    fn a_debt_moves_by_the_word_of_the_half_that_owes_it() {
        let mut owed = owed();
        let wait = |id: &str| format!(r#"[{{"jsonrpc":"2.0","id":"{id}","method":"page/wait","params":{{}}}}]"#);
        // Answers, and calls that the other half or no half must answer, are not passed on.
        assert_eq!(owed.hand_on(Half::Hands, Half::Page, &wait("7")), None);
        assert_eq!(owed.hand_on(Half::Hands, Half::Page, &wait("12")), None);
        assert_eq!(owed.hand_on(Half::Hands, Half::Page, r#"["8:1"]"#), None);
        assert_eq!(allowed(&mut owed, Half::Page, r#"["8=5"]"#), "");
        assert_eq!(owed.hand_on(Half::Hands, Half::Page, &wait("8")), Some(wait("8").into()));
        assert_eq!(allowed(&mut owed, Half::Hands, r#"["8=5"]"#), "");
        assert_eq!(allowed(&mut owed, Half::Page, r#"["8=5"]"#), r#"["8=5"]"#);
    }
}
