//! The hub's frames for a document: which half of its client gets each, and what the driver does itself. Pure.

use eye_protocol::answer::write_typed;
use eye_protocol::batch::{self, Element};
use eye_protocol::id::split_call_id;
use eye_protocol::messages::{CancelPage, Hello};
use eye_protocol::operations::{World, world_of};
use eye_protocol::rpc::{self, Message};
use eye_protocol::{Ending, Error};
use serde_json::value::RawValue;

/// A call that the driver itself answers.
#[derive(Debug, PartialEq, Eq)]
pub struct Own {
    /// The hub's id of it.
    pub id: String,
    /// Its method.
    pub method: String,
    /// Its params, as JSON text.
    pub params: String,
}

/// The id of a document's first words.
const HELLO: &str = "hello";

impl Own {
    /// The message that it came in, for the page.
    pub fn message(&self) -> String {
        let params: Option<&RawValue> = serde_json::from_str(&self.params).ok();
        format!("[{}]", rpc::request(&rpc::json(&self.id), &self.method, &params))
    }

    /// The half of the page client that does it, where the browser does not.
    pub fn half(&self) -> Half {
        Half::of(&self.method)
    }
}

/// Which half of the page client a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The one in the page's own world.
    Page,
    /// The one that looks and acts.
    Hands,
    /// Both, if the second is there: a call is given up.
    Both,
}

impl Half {
    /// The one that takes a method.
    fn of(method: &str) -> Self {
        match world_of(method) {
            World::Beside | World::Browser => Self::Hands,
            World::Page => Self::Page,
        }
    }
}

/// What a message of the hub holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sorted {
    /// For the page, in this order.
    pub for_page: Vec<(Half, String)>,
    /// Its calls, and the half that each is for.
    pub calls: Vec<(Half, String)>,
    /// The calls that the hub gives up.
    pub cancelled: Vec<String>,
    /// For the driver.
    pub own: Vec<Own>,
    /// The hub asks whether the page is alive: the id, as JSON.
    pub pings: Vec<String>,
    /// The hub's answer to the document's first words, which it hands to a half that begins later.
    pub welcome: Option<String>,
}

/// Sorts a message of the hub. Where all of it is for one half, the message stays as it is. `crashed`: reloading is the
/// driver's too.
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

/// Whether a document says its first words. One that asks for another form of answers than the client does is not
/// taken: what the halves say is told apart in that form alone.
pub fn is_hello(message: &str) -> bool {
    message.starts_with(r#"{"jsonrpc""#)
        && match rpc::parse_one(message) {
            Some(Message::Request { method, params, .. }) if method == "hello" => {
                rpc::params(&params).is_ok_and(|Hello { typed, batch, .. }| typed && batch)
            }
            _ => false,
        }
}

/// The calls that a message of the page answers.
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

/// Whether an element of a page's message is the answer of this id: a typed line, or a response.
pub fn is_of(element: &serde_json::Value, id: &str) -> bool {
    match element.as_str() {
        Some(line) => line.strip_prefix(id).is_some_and(|rest| rest.starts_with([':', '=', '~', '!'])),
        None => element["id"] == id,
    }
}

/// An answer, as the page would give it: a hint is an id of `eye_protocol::page_hint`, for the hub takes no other
/// words.
pub fn answer(id: &str, ending: &Ending) -> String {
    let mut line = String::new();
    write_typed(id, ending, &mut line);
    rpc::json(&[line])
}

/// Reads the params of a verb.
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
        let whole = format!("[{look},{click}]");
        assert_eq!(sort(whole.clone(), false).for_page, [(Half::Hands, whole)]);
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
