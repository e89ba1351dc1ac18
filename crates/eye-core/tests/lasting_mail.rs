//! Letters that outlive their hub: written when they come, removed before an agent gets them, and recalled once.

use crate::elsewhere;
use eye_core::elsewhere::Listed;
use eye_core::handover::{Handover, Heir};
use eye_core::lasting::{Found, GivenMail, Lasting, LastingLetter, Recalled};
use eye_core::{Conn, Effect, Input, Newcomer, PageEvent, Policy, Reply, ReplyForm, Switchboard};
use eye_protocol::SessionId;
use eye_protocol::limits::{LASTING_LETTER_BYTES_MAX, LASTING_LETTERS_MAX};
use eye_protocol::messages::PageInfo;
use serde_json::Value;
use std::sync::Arc;

const AGENT: Conn = Conn(1);
const PAGE: Conn = Conn(2);
const ORIGIN: &str = "http://shop.test";

fn id() -> SessionId {
    SessionId::parse("s1").expect("an id")
}

/// One hub, and the letters that are written where they outlive it.
struct Hub {
    board: Switchboard,
    requests: u64,
    stream: Vec<LastingLetter>,
    /// Letters for agents that wait until the written letters are removed.
    given: Vec<GivenMail>,
    /// The messages that agents got, and how many were dropped.
    answers: Vec<(Vec<Value>, u64)>,
}

impl Hub {
    fn alone() -> Self {
        let (stream, given, answers) = (Vec::new(), Vec::new(), Vec::new());
        let mut hub = Self { board: Switchboard::default(), requests: 0, stream, given, answers };
        hub.on(Input::AgentJoined { agent: AGENT });
        hub
    }

    /// A hub that has other hubs beside it.
    fn new() -> Self {
        let mut hub = Self::alone();
        hub.board.want_rows();
        hub
    }

    /// A hub to which the page has come from a hub that is gone.
    fn after() -> Self {
        let mut hub = Self::new();
        hub.on(Input::Listed(vec![Listed::There(Arc::new(elsewhere::page(id(), ORIGIN)))]));
        hub.on(Input::Listed(vec![Listed::Gone(id())]));
        hub.join();
        hub
    }

    fn on(&mut self, input: Input) -> Option<Handover> {
        let (mut out, mut handover) = (Vec::new(), None);
        self.board.on(10_000, input, &mut out);
        for effect in out {
            match effect {
                Effect::Lasting(Lasting::Letter(letter)) => self.stream.push(*letter),
                Effect::Lasting(Lasting::Mail { letters, .. }) => self.stream = letters,
                Effect::Lasting(Lasting::Given(given)) => {
                    self.stream.clear();
                    self.given.push(*given);
                }
                Effect::Result { result: Ok(text), .. } => {
                    let answer: Value = serde_json::from_str(&text).expect("JSON");
                    let letters = answer["messages"].as_array().expect("letters");
                    let messages = letters.iter().map(|letter| letter["msg"].clone()).collect();
                    self.answers.push((messages, answer["dropped"].as_u64().expect("a number")));
                }
                Effect::HandOver(given) => handover = Some(*given),
                _ => {}
            }
        }
        handover
    }

    fn join(&mut self) {
        let info = PageInfo { title: Some("Shop".into()), ..PageInfo::default() };
        let who = Newcomer { origin: ORIGIN.into(), info, policy: Policy::default(), ask_first: false, driven: false };
        self.on(Input::PageJoined { page: PAGE, session: id(), who: Box::new(who) });
    }

    fn put(&mut self, message: &str) {
        self.on(Input::page(PAGE, PageEvent::Puts { message: message.into(), wall_ms: 7 }));
    }

    fn read(&mut self, timeout_ms: Option<u64>) {
        self.requests += 1;
        let reply = Reply { agent: AGENT, form: ReplyForm::Rpc(self.requests.to_string().into()) };
        self.on(Input::ReadMail { reply, page: Some("s1".into()), timeout_ms });
    }

    /// The written letters are removed, so agents get the letters that wait.
    fn removed(&mut self) {
        for given in std::mem::take(&mut self.given) {
            self.on(Input::MailGiven(Box::new(given)));
        }
    }

    fn recalled(&mut self, letters: &[LastingLetter]) {
        self.found(Some(letters.to_vec()));
    }

    fn found(&mut self, letters: Option<Vec<LastingLetter>>) {
        let recalled = Recalled { session: id(), found: Found::Nothing, letters };
        self.on(Input::Recalled(Box::new(recalled)));
    }

    fn numbers(&self) -> Vec<u64> {
        self.stream.iter().map(|letter| letter.number).collect()
    }

    /// The messages that agents got, in short.
    fn got(&self) -> Vec<(String, u64)> {
        let one = |(messages, dropped): &(Vec<Value>, u64)| {
            (messages.iter().map(Value::to_string).collect::<Vec<_>>().join(" "), *dropped)
        };
        self.answers.iter().map(one).collect()
    }
}

fn page_hub(letters: &[&str]) -> Hub {
    let mut hub = Hub::new();
    hub.join();
    for letter in letters {
        hub.put(letter);
    }
    hub
}

#[test]
fn letters_are_written_when_they_come_and_removed_before_an_agent_gets_them() {
    let mut hub = page_hub(&["1", "2"]);
    assert_eq!(hub.numbers(), [1, 2]);
    hub.read(None);
    assert_eq!((hub.stream.len(), hub.given.len(), hub.answers.len()), (0, 1, 0), "not before they are removed");
    hub.removed();
    assert_eq!(hub.got(), [("1 2".to_owned(), 0)]);
    hub.read(None);
    assert_eq!(hub.got()[1], (String::new(), 0), "there is nothing to be removed");
    // An agent that waits for a letter gets it at once, and it is not written.
    hub.read(Some(60_000));
    hub.put("3");
    assert_eq!((hub.got()[2].0.as_str(), hub.stream.len()), ("3", 0));
}

#[test]
fn an_agent_that_left_gets_nothing() {
    let mut hub = page_hub(&["1"]);
    hub.read(None);
    hub.on(Input::AgentLeft { agent: AGENT });
    hub.removed();
    assert_eq!(hub.got(), []);
}

#[test]
fn a_hub_without_others_writes_nothing() {
    let mut hub = Hub::alone();
    hub.join();
    hub.put("1");
    hub.read(None);
    assert_eq!((hub.stream.len(), hub.given.len()), (0, 0));
    assert_eq!(hub.got(), [("1".to_owned(), 0)]);
}

#[test]
fn a_page_that_comes_back_from_a_hub_that_is_gone_has_its_letters_once() {
    let written = page_hub(&["1", "2"]).stream;
    let mut hub = Hub::after();
    hub.put("3");
    hub.read(None);
    assert_eq!(hub.got(), [], "it waits for them");
    // Letters that this hub has written itself are read back, too.
    let all: Vec<_> = written.iter().cloned().chain(hub.stream.clone()).collect();
    hub.recalled(&all);
    hub.removed();
    assert_eq!(hub.got(), [("1 2 3".to_owned(), 0)]);
    // Letters that are found again have no effect. Nor have the letters of the hub before, if it was only hung and
    // hands them over.
    hub.recalled(&all);
    let late = page_hub(&["1", "2", "4"])
        .on(Input::Released { session: id(), heir: Some(Heir { origin: ORIGIN.into(), claim: 2 }) });
    hub.on(Input::HandedOver(Box::new(late.expect("a handover"))));
    hub.read(None);
    hub.removed();
    assert_eq!(hub.got()[1].0, "4");
}

#[test]
fn what_was_asked_before_the_page_came_does_not_end_the_wait_for_its_letters() {
    let written = page_hub(&["1"]).stream;
    let mut hub = Hub::after();
    hub.read(None);
    hub.found(None);
    assert_eq!((hub.given.len(), hub.got()), (0, Vec::new()));
    hub.recalled(&written);
    hub.removed();
    assert_eq!(hub.got(), [("1".to_owned(), 0)]);
}

#[test]
fn letters_of_another_origin_are_not_taken() {
    let mut written = page_hub(&["1"]).stream;
    written[0].origin = "http://evil.test".into();
    let mut hub = Hub::after();
    hub.recalled(&written);
    hub.read(None);
    assert_eq!(hub.got(), [(String::new(), 0)]);
}

#[test]
fn what_was_dropped_is_counted() {
    let large = format!("\"{}\"", "x".repeat(LASTING_LETTER_BYTES_MAX));
    let written = page_hub(&["1", &large, "3"]).stream;
    assert_eq!(written.iter().map(|letter| letter.text.is_some()).collect::<Vec<_>>(), [true, false, true]);
    let mut hub = Hub::after();
    hub.recalled(&written[1..]);
    hub.read(None);
    hub.removed();
    assert_eq!(hub.got(), [("3".to_owned(), 2)], "one is too large, and one was the oldest");
}

#[test]
fn what_is_written_is_lost_and_is_written_again() {
    let mut hub = page_hub(&["0"]);
    hub.read(None);
    for number in 1..=LASTING_LETTERS_MAX + 1 {
        hub.put(&number.to_string());
    }
    hub.stream.clear();
    hub.on(Input::StatesWanted);
    assert_eq!(hub.numbers(), (2..=LASTING_LETTERS_MAX as u64 + 1).collect::<Vec<_>>(), "as many as are kept");
    hub.read(None);
    // The written letters could not be removed when they were read, so they are removed now.
    hub.stream.clone_from(&page_hub(&["1"]).stream);
    hub.on(Input::StatesWanted);
    assert_eq!(hub.stream, []);
}
