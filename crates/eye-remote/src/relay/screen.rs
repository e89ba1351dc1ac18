//! Filters what passes between an agent and the remote hub. Frames pass unchanged, except for the agent's hello. Calls
//! in progress are remembered, so that each gets an error when the link is lost. Pure.

use eye_protocol::answer::{write_plain, write_typed};
use eye_protocol::compact::Form;
use eye_protocol::frame::MCP_ANNOUNCEMENT;
use eye_protocol::id::split_call_id;
use eye_protocol::limits::NAME_BYTES_MAX;
use eye_protocol::line::Line;
use eye_protocol::messages::Hello;
use eye_protocol::rpc::{self, Message, RpcId};
use eye_protocol::{Code, Error, Frame};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// What to do with an agent's frame.
#[derive(Debug, PartialEq, Eq)]
pub enum Route {
    /// Send it to the remote hub.
    Pass(String),
    /// Send this answer to the agent.
    Answer(String),
    /// The agent requests the relay's status.
    Status(RpcId),
    /// The agent ends the relay.
    Stop(RpcId),
}

/// The state of one agent's connection.
pub struct Screen {
    machine: String,
    typed: bool,
    under_way: HashMap<CallForm, usize>,
    bare: usize,
}

/// A call in progress, by the form of its answer. Ids are as the agent wrote them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum CallForm {
    Line(String),
    Rpc(RpcId),
    Object(String),
    Pair(String),
}

impl Screen {
    /// For an agent of this machine.
    pub fn new(machine: &str) -> Self {
        Self { machine: machine.to_owned(), typed: false, under_way: HashMap::new(), bare: 0 }
    }

    /// Handles an agent's frame; calls `routes` for each part.
    pub fn take_from_agent(&mut self, frame: &str, mut take: impl FnMut(Route)) {
        if frame.starts_with(MCP_ANNOUNCEMENT) {
            // The announcement holds this machine's environment, and the remote hub would take it for code.
            let error = Error::new(Code::REQUEST, "MCP is not relayed")
                .hint("give your client the URL of that hub with /mcp, and its token as a bearer token");
            return take(Route::Answer(rpc::response("null", Err(&error))));
        }
        match Frame::parse(frame) {
            None => {}
            Some(Frame::Line(Line::Fire { .. })) => take(Route::Pass(frame.to_owned())),
            Some(Frame::Line(Line::Ask { id, .. })) => {
                self.note(CallForm::Line(id.to_owned()));
                take(Route::Pass(frame.to_owned()));
            }
            Some(Frame::Compact(compact)) => {
                match compact.form {
                    Form::Object(id) => self.note(CallForm::Object(id)),
                    Form::Pair(id) => self.note(CallForm::Pair(id)),
                    Form::Bare => self.bare += 1,
                }
                take(Route::Pass(frame.to_owned()));
            }
            // An array is split: one of its requests may be for the relay.
            Some(Frame::Rpc(messages)) => {
                let raws = || serde_json::from_str::<Vec<&RawValue>>(frame).unwrap_or_default();
                let parts: Vec<&str> = match messages.len() {
                    1 if frame.trim_start().starts_with('{') => vec![frame],
                    len => Some(raws())
                        .filter(|raws| raws.len() == len)
                        .map_or_else(|| vec![frame], |raws| raws.into_iter().map(RawValue::get).collect()),
                };
                for (message, part) in messages.into_iter().zip(parts) {
                    take(self.message(message, part));
                }
            }
        }
    }

    fn message(&mut self, message: Message<'_>, frame: &str) -> Route {
        match message {
            Message::Request { id, method, params } => match &*method {
                "hub/stop" => {
                    let error = Error::new(Code::DENIED, "this is a relay to a remote hub, which others may use")
                        .hint("end the relay with eye disconnect; stop the hub on its own machine");
                    Route::Answer(rpc::response(&id, Err(&error)))
                }
                "relay/status" => Route::Status(id.into()),
                "relay/stop" => Route::Stop(id.into()),
                "hello" => {
                    self.note(CallForm::Rpc((&*id).into()));
                    let hello = self.hello(&params);
                    Route::Pass(hello.map_or_else(|| frame.to_owned(), |hello| rpc::request(&id, "hello", &hello)))
                }
                gateway if gateway.starts_with("gateway/") => {
                    self.note(CallForm::Rpc((&*id).into()));
                    Route::Pass(without_surroundings(&id, gateway, &params).unwrap_or_else(|| frame.to_owned()))
                }
                _ => {
                    self.note(CallForm::Rpc(id.into()));
                    Route::Pass(frame.to_owned())
                }
            },
            Message::Notification { method, params } if method == "hello" => {
                let hello = self.hello(&params);
                Route::Pass(hello.map_or_else(|| frame.to_owned(), |hello| rpc::notification("hello", &hello)))
            }
            Message::Invalid { id, .. } => {
                self.note(CallForm::Rpc(id.into()));
                Route::Pass(frame.to_owned())
            }
            Message::Notification { .. } | Message::Response { .. } => Route::Pass(frame.to_owned()),
        }
    }

    /// The agent's hello as the remote hub gets it.
    fn hello(&mut self, params: &str) -> Option<Hello> {
        let mut hello: Hello = rpc::params(params).ok()?;
        self.typed = hello.typed;
        hello.agent = hello.agent.map(|agent| {
            let name = format!("{}:{agent}", self.machine);
            // The end of a long path says more than its beginning.
            name[name.ceil_char_boundary(name.len().saturating_sub(NAME_BYTES_MAX))..].to_owned()
        });
        // A newer client makes an older hub of its own machine retire; a remote one would not be started again.
        hello.build = None;
        // The local socket carries single frames and no binary data: binary results come as base64.
        hello.batch = false;
        hello.binary = false;
        Some(hello)
    }

    /// Handles a frame from the remote hub. `false` if the hub is retiring, and has executed nothing.
    pub fn take_from_hub(&mut self, frame: &str) -> bool {
        #[derive(Deserialize)]
        struct Object<'a> {
            #[serde(borrow)]
            i: &'a RawValue,
        }
        let first = frame.trim_start().as_bytes().first();
        let answered = match first {
            Some(b'{') => match rpc::parse_one(frame) {
                Some(Message::Notification { method, .. }) if method == "hub/retiring" => return false,
                Some(Message::Notification { .. } | Message::Request { .. }) => return true,
                Some(Message::Response { id, .. } | Message::Invalid { id, .. }) => Some(CallForm::Rpc(id.into())),
                None => serde_json::from_str(frame).ok().map(|Object { i }| CallForm::Object(i.get().to_owned())),
            },
            Some(b'[') => serde_json::from_str::<Vec<&RawValue>>(frame)
                .ok()
                .and_then(|raws| raws.first().map(|raw| CallForm::Pair(raw.get().to_owned()))),
            _ => split_call_id(frame, b":=~!").map(|(id, _, _)| CallForm::Line(id.to_owned())),
        };
        if !answered.is_some_and(|call| self.settle(&call)) {
            self.bare = self.bare.saturating_sub(1);
        }
        true
    }

    /// Ends all calls in progress with this error.
    pub fn lost(&mut self, error: &Error) -> Vec<String> {
        let mut frames = Vec::new();
        let ending = Err(error.clone());
        for (call, times) in std::mem::take(&mut self.under_way) {
            let mut frame = String::new();
            match &call {
                CallForm::Line(id) if self.typed => write_typed(id, &ending, &mut frame),
                CallForm::Line(id) => write_plain(id, &ending, &mut frame),
                CallForm::Rpc(id) => frame = rpc::response(id, Err(error)),
                CallForm::Object(id) => Form::Object(id.clone()).write(&ending, &mut frame),
                CallForm::Pair(id) => Form::Pair(id.clone()).write(&ending, &mut frame),
            }
            frames.extend(std::iter::repeat_n(frame, times));
        }
        for _ in 0..std::mem::take(&mut self.bare) {
            let mut frame = String::new();
            Form::Bare.write(&ending, &mut frame);
            frames.push(frame);
        }
        frames
    }

    fn note(&mut self, call: CallForm) {
        *self.under_way.entry(call).or_default() += 1;
    }

    fn settle(&mut self, call: &CallForm) -> bool {
        let Some(times) = self.under_way.get_mut(call) else { return false };
        *times -= 1;
        if *times == 0 {
            self.under_way.remove(call);
        }
        true
    }
}

/// A gateway request without the folder and environment of this machine: the remote hub runs nothing for remote agents,
/// and secrets must not leave this machine.
fn without_surroundings(id: &str, method: &str, params: &str) -> Option<String> {
    let mut params: IndexMap<String, &RawValue> = serde_json::from_str(params).ok()?;
    params.shift_remove("cwd");
    params.shift_remove("env");
    Some(rpc::request(id, method, &params))
}

#[cfg(test)]
mod tests {
    use super::*;
    use eye_protocol::Value;
    use proptest::prelude::*;

    fn routes(screen: &mut Screen, frame: &str) -> Vec<Route> {
        let mut all = Vec::new();
        screen.take_from_agent(frame, |one| all.push(one));
        all
    }

    #[test]
    fn hello_says_the_machine_and_neither_build_nor_what_the_socket_cannot_carry() {
        let mut screen = Screen::new("box");
        let hello = r#"{"jsonrpc":"2.0","method":"hello","params":{"typed":true,"binary":true,"batch":true,"agent":"/home/a","target":"shop","build":"9.9.9"}}"#;
        let want = r#"{"jsonrpc":"2.0","method":"hello","params":{"typed":true,"batch":false,"binary":false,"agent":"box:/home/a","target":"shop"}}"#;
        assert_eq!(routes(&mut screen, hello), [Route::Pass(want.into())]);
        assert_eq!(routes(&mut screen, "1:x"), [Route::Pass("1:x".into())]);
        let error = Error::new(Code::CONNECTION, "gone").hint("look");
        assert_eq!(screen.lost(&error), ["1!-32000 gone\u{1f}look"]);
        let long = hello.replace("/home/a", &"ä".repeat(NAME_BYTES_MAX));
        let [Route::Pass(passed)] = &routes(&mut screen, &long)[..] else { panic!("it passes") };
        assert!(passed.contains(&"ä".repeat(NAME_BYTES_MAX / 2)) && !passed.contains("box"));
    }

    #[test]
    fn the_remote_hub_is_not_stopped_however_it_is_asked() {
        let mut screen = Screen::new("box");
        let stop = r#"{"jsonrpc":"2.0","id":1,"method":"hub/stop"}"#;
        for frame in [stop.to_owned(), format!(" {stop}"), format!("[{stop}]"), stop.replace("hub", "\\u0068ub")] {
            let [Route::Answer(answer)] = &routes(&mut screen, &frame)[..] else { panic!("{frame}") };
            assert!(answer.contains("-32006") && answer.contains("eye disconnect"), "{answer}");
        }
        let ping = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
        let both = routes(&mut screen, &format!("[{ping},{stop}]"));
        assert!(matches!(&both[..], [Route::Pass(passed), Route::Answer(_)] if passed == ping), "{both:?}");
        assert_eq!(screen.lost(&Error::new(Code::CONNECTION, "gone")).len(), 1);
    }

    #[test]
    fn neither_folder_nor_environment_leaves_this_machine() {
        let mut screen = Screen::new("box");
        let [Route::Answer(answer)] = &routes(&mut screen, r#"mcp {"cwd":"/w","env":{"KEY":"secret"}}"#)[..] else {
            panic!("it is answered here")
        };
        assert!(answer.contains("MCP is not relayed") && !answer.contains("secret"), "{answer}");
        let request = r#"{"jsonrpc":"2.0","id":1,"method":"gateway/discover","params":{"cwd":"/w","env":{"KEY":"secret"},"query":"x"}}"#;
        let passed = r#"{"jsonrpc":"2.0","id":1,"method":"gateway/discover","params":{"query":"x"}}"#;
        assert_eq!(routes(&mut screen, request), [Route::Pass(passed.into())]);
        assert_eq!(routes(&mut screen, &format!("[{request}]")), [Route::Pass(passed.into())]);
    }

    #[test]
    fn a_hub_that_retires_is_noticed() {
        let mut screen = Screen::new("box");
        assert!(!screen.take_from_hub(r#"{"jsonrpc":"2.0","method":"hub/retiring","params":{"version":"1"}}"#));
        assert!(screen.take_from_hub("1:hub/retiring"));
    }

    /// A request in one of the forms, and its answer.
    fn questions() -> impl Strategy<Value = (String, String)> {
        let id = "[a-z0-9_]{1,4}";
        let value = || prop_oneof!["[a-z:!=\\[{]{0,6}".prop_map(Value::Text), Just(Value::Json("{\"i\":1}".into()))];
        prop_oneof![
            (id, value()).prop_map(|(id, value)| {
                let mut answer = String::new();
                write_plain(&id, &Ok(value), &mut answer);
                (format!("{id}:x"), answer)
            }),
            id.prop_map(|id| (rpc::request(&rpc::json(&id), "ping", &[1]), rpc::response(&rpc::json(&id), Ok("{}")))),
            (id, value()).prop_map(|(id, value)| {
                let mut answer = String::new();
                Form::Object(rpc::json(&id)).write(&Ok(value), &mut answer);
                (format!(r#"{{"i":"{id}","c":"x"}}"#), answer)
            }),
            (id, value()).prop_map(|(id, value)| {
                let mut answer = String::new();
                Form::Pair(rpc::json(&id)).write(&Ok(value), &mut answer);
                (format!(r#"["{id}","x"]"#), answer)
            }),
            Just(("\"x\"".to_owned(), "7".to_owned())),
        ]
    }

    proptest! {
        #[test]
        fn every_call_has_one_ending_its_answer_or_the_links(
            calls in proptest::collection::vec((questions(), any::<bool>()), 0..30),
        ) {
            let mut screen = Screen::new("box");
            for ((question, _), _) in &calls {
                prop_assert_eq!(routes(&mut screen, question), [Route::Pass(question.clone())]);
            }
            for ((_, answer), answered) in &calls {
                if *answered {
                    screen.take_from_hub(answer);
                }
            }
            let error = Error::new(Code::CONNECTION, "gone");
            let open = calls.iter().filter(|(_, answered)| !answered).count();
            prop_assert_eq!(screen.lost(&error).len(), open);
            prop_assert_eq!(screen.lost(&error).len(), 0);
        }

        #[test]
        fn no_text_panics_and_lines_pass_untouched(text in "(?s).*", line in "[a-z]{1,5}:[^\"{\\[]*") {
            let mut screen = Screen::new("box");
            let _ = routes(&mut screen, &text);
            screen.take_from_hub(&text);
            prop_assert_eq!(routes(&mut screen, &line), [Route::Pass(line.clone())]);
        }
    }
}
