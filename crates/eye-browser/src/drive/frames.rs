//! Sorts the hub's messages for a document: which half of the client gets each, and what the driver does itself. Pure.

use eye_protocol::answer::write_typed;
use eye_protocol::batch::{self, Element};
use eye_protocol::id::split_call_id;
use eye_protocol::messages::{CancelPage, Hello};
use eye_protocol::operations::{World, world_of};
use eye_protocol::rpc::{self, Message};
use eye_protocol::{Ending, Error};
use serde_json::value::RawValue;

/// A call that the driver answers itself.
#[derive(Debug, PartialEq, Eq)]
pub struct Own {
    /// The id that the hub gave the call.
    pub id: String,
    pub method: String,
    /// JSON text.
    pub params: String,
}

/// The id of a document's hello.
const HELLO: &str = "hello";

impl Own {
    /// The call as a message for the page.
    pub fn message(&self) -> String {
        let params: Option<&RawValue> = serde_json::from_str(&self.params).ok();
        format!("[{}]", rpc::request(&rpc::json(&self.id), &self.method, &params))
    }

    /// The half of the page client that handles the call if the browser does not.
    pub fn half(&self) -> Half {
        Half::of(&self.method)
    }
}

/// The half of the page client that a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The half in the page's own world.
    Page,
    /// The half that looks and acts.
    Hands,
    /// Both halves, if the second one exists: used to cancel a call.
    Both,
}

impl Half {
    /// The half that handles a method.
    fn of(method: &str) -> Self {
        match world_of(method) {
            World::Beside | World::Browser => Self::Hands,
            World::Page => Self::Page,
        }
    }
}

/// The contents of a message from the hub, sorted.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sorted {
    /// Messages for the page, in this order.
    pub for_page: Vec<(Half, String)>,
    /// The calls in those messages, and the half that each is for.
    pub calls: Vec<(Half, String)>,
    /// The calls that the hub cancels.
    pub cancelled: Vec<String>,
    /// Calls for the driver.
    pub own: Vec<Own>,
    /// Pings of the hub: their ids, as JSON.
    pub pings: Vec<String>,
    /// The hub's answer to the document's hello. It is also given to a half that starts later.
    pub welcome: Option<String>,
}

/// Sorts a message of the hub. A message that is for one half only stays unchanged. `crashed`: the driver also handles
/// reloading.
pub fn sort(message: String, crashed: bool) -> Sorted {
    let mut sorted = Sorted::default();
    let Ok(elements) = batch::parse(&message) else {
        sorted.for_page.push((Half::Page, message));
        return sorted;
    };
    let mut rest: Vec<(Half, Vec<String>)> = Vec::new();
    let mut add = |half: Half, json: String| match rest.last_mut() {
        Some((last, jsons)) if *last == half => jsons.push(json),
        _ => rest.push((half, vec![json])),
    };
    for element in &elements {
        match element {
            Element::Line(line) => {
                sorted.calls.extend(split_call_id(line, b":").map(|(id, _, _)| (Half::Page, id.to_owned())));
                add(Half::Page, rpc::json(line.as_ref()));
            }
            Element::Rpc(json) => {
                let half = match rpc::parse_one(json) {
                    Some(Message::Request { id, method, params }) => {
                        let call = id.trim_matches('"').to_owned();
                        let browsers = world_of(&method) == World::Browser;
                        if browsers || (crashed && method == "page/reload") {
                            sorted.own.push(Own { id: call, method: method.into_owned(), params: params.into_owned() });
                            continue;
                        }
                        if method == "ping" {
                            sorted.pings.push(id.into_owned());
                        } else {
                            sorted.calls.push((Half::of(&method), call));
                        }
                        Half::of(&method)
                    }
                    Some(Message::Notification { method, params }) if method == "call/cancel" => {
                        sorted.cancelled.extend(rpc::params(&params).ok().map(|CancelPage { id }| id));
                        Half::Both
                    }
                    Some(Message::Response { id, .. }) if id.trim_matches('"') == HELLO => {
                        sorted.welcome = Some(format!("[{json}]"));
                        Half::Page
                    }
                    _ => Half::Page,
                };
                add(half, (*json).to_owned());
            }
        }
    }
    sorted.for_page = match rest.as_slice() {
        [(half, _)] if sorted.own.is_empty() => vec![(*half, message)],
        _ => rest.into_iter().map(|(half, jsons)| (half, format!("[{}]", jsons.join(",")))).collect(),
    };
    sorted
}

/// Whether a message is the hello of a document. A hello without typed and batched answers is rejected: the messages of
/// the halves can be distinguished in that form only.
pub fn is_hello(message: &str) -> bool {
    message.starts_with(r#"{"jsonrpc""#)
        && match rpc::parse_one(message) {
            Some(Message::Request { method, params, .. }) if method == "hello" => {
                rpc::params(&params).is_ok_and(|Hello { typed, batch, .. }| typed && batch)
            }
            _ => false,
        }
}

/// The ids of the calls that a message of the page answers.
pub fn answered(message: &str) -> Vec<String> {
    let Ok(elements) = batch::parse(message) else { return Vec::new() };
    let id = |element: &Element<'_>| match element {
        Element::Line(line) => split_call_id(line, b":=~!").map(|(id, _, _)| id.to_owned()),
        Element::Rpc(json) => match rpc::parse_one(json) {
            Some(Message::Response { id, .. }) => Some(id.trim_matches('"').to_owned()),
            _ => None,
        },
    };
    elements.iter().filter_map(id).collect()
}

/// Whether an element of a page's message is the answer to this id: a typed line or a response.
pub fn is_of(element: &serde_json::Value, id: &str) -> bool {
    match element.as_str() {
        Some(line) => line.strip_prefix(id).is_some_and(|rest| rest.starts_with([':', '=', '~', '!'])),
        None => element["id"] == id,
    }
}

/// Writes an answer as the page would. A hint is an id of `eye_protocol::page_hint`, because the hub accepts no other
/// hints.
pub fn answer(id: &str, ending: &Ending) -> String {
    let mut line = String::new();
    write_typed(id, ending, &mut line);
    rpc::json(&[line])
}

pub fn params<T: serde::de::DeserializeOwned>(own: &Own) -> Result<T, Error> {
    rpc::params(&own.params)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_driver_does_is_taken_out_and_the_rest_stays() {
        let plain = r#"["7:1+1",{"jsonrpc":"2.0","id":"8","method":"page/logs","params":{}}]"#;
        let sorted = sort(plain.to_owned(), false);
        assert_eq!(sorted.for_page, [(Half::Page, plain.to_owned())]);
        assert_eq!(sorted.calls, [(Half::Page, "7".to_owned()), (Half::Page, "8".to_owned())]);
        let mixed = r#"["7:1",{"jsonrpc":"2.0","id":"8","method":"page/shot","params":{"full":true}}]"#;
        let sorted = sort(mixed.to_owned(), false);
        assert_eq!(sorted.for_page, [(Half::Page, r#"["7:1"]"#.to_owned())]);
        assert_eq!((sorted.own[0].id.as_str(), sorted.own[0].params.as_str()), ("8", r#"{"full":true}"#));
        let back = r#"[{"jsonrpc":"2.0","id":"9","method":"page/back","params":{"agent":"a"}}]"#;
        assert_eq!(sort(back.to_owned(), false).own[0].message(), back);
        let reload = r#"[{"jsonrpc":"2.0","id":"9","method":"page/reload","params":{}}]"#;
        assert_eq!(sort(reload.to_owned(), false).own, []);
        assert_eq!(sort(reload.to_owned(), true).for_page, []);
    }

    #[test]
    fn the_table_of_operations_says_who_does_a_verb() {
        let sorted = |method: &str| {
            let sorted = sort(format!(r#"[{{"jsonrpc":"2.0","id":"8","method":"{method}","params":{{}}}}]"#), false);
            sorted.for_page.first().map(|(half, _)| *half)
        };
        for method in ["page/look", "page/click", "page/wait", "page/goto", "page/reload", "page/highlight"] {
            assert_eq!(sorted(method), Some(Half::Hands), "{method}");
        }
        for method in ["page/logs", "page/requests", "page/open", "eval", "tools/call", "state/get", "page/unheard-of"]
        {
            assert_eq!(sorted(method), Some(Half::Page), "{method}");
        }
        for method in ["page/shot", "page/cookies", "page/close", "page/stop-script"] {
            assert_eq!(sorted(method), None, "{method}");
        }
    }

    #[test]
    fn first_words_are_taken_in_the_form_of_the_client_alone() {
        let hello = |params: &str| format!(r#"{{"jsonrpc":"2.0","id":"hello","method":"hello","params":{params}}}"#);
        assert!(is_hello(&hello(r#"{"typed":true,"batch":true,"page":{}}"#)));
        for other in [hello("{}"), hello(r#"{"typed":true}"#), hello(r#"{"batch":true}"#), "[]".to_owned()] {
            assert!(!is_hello(&other), "{other}");
        }
    }

    #[test]
    fn each_half_gets_its_own_in_the_order_in_which_it_came() {
        let look = r#"{"jsonrpc":"2.0","id":"8","method":"page/look","params":{}}"#;
        let click = r#"{"jsonrpc":"2.0","id":"9","method":"page/click","params":{}}"#;
        let cancel = r#"{"jsonrpc":"2.0","method":"call/cancel","params":{"id":"9"}}"#;
        let batch = format!("[{look},{click}]");
        assert_eq!(sort(batch.clone(), false).for_page, [(Half::Hands, batch)]);
        let sorted = sort(format!(r#"["7:1",{look},{click},"10:2",{cancel}]"#), false);
        let expected = [
            (Half::Page, r#"["7:1"]"#.to_owned()),
            (Half::Hands, format!("[{look},{click}]")),
            (Half::Page, r#"["10:2"]"#.to_owned()),
            (Half::Both, format!("[{cancel}]")),
        ];
        assert_eq!(sorted.for_page, expected);
        let calls = [("7", Half::Page), ("8", Half::Hands), ("9", Half::Hands), ("10", Half::Page)];
        assert_eq!(sorted.calls, calls.map(|(id, half)| (half, id.to_owned())));
        assert_eq!(sorted.cancelled, ["9"]);
    }
}
