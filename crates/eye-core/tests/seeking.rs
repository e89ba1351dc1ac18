//! Pages of other hubs that are not listed here: looked up before any answer, and once for all agents that request
//! them.

use crate::elsewhere;
use eye_core::elsewhere::Listed;
use eye_core::{Conn, Effect, Input, Millis, Mode, Reply, ReplyForm, Switchboard, Task, Terms};
use eye_protocol::limits::{LOOK_UPS_BYTES_MAX, LOOKED_UP_MS, RECALL_MS, RECALLS_LEN_MAX};
use eye_protocol::messages::Hello;
use eye_protocol::{Error, SessionId};
use std::sync::Arc;

const AGENT: Conn = Conn(1);
const OTHER: Conn = Conn(2);
const ORIGIN: &str = "http://shop.test";

/// A hub with two agents. It lists the page `near` of another hub, but not all pages of that hub.
struct Hub(Switchboard, Millis);

impl Hub {
    fn new() -> Self {
        let mut hub = Self(Switchboard::default(), 5);
        hub.on(Input::AgentJoined { agent: AGENT });
        hub.on(Input::AgentJoined { agent: OTHER });
        hub.on(Input::Listed(vec![there("near", ORIGIN), Listed::All(false)]));
        hub
    }

    fn on(&mut self, input: Input) -> Vec<Effect> {
        let mut out = Vec::new();
        self.0.on(self.1, input, &mut out);
        out
    }

    fn ask(&mut self, agent: Conn, id: &str, page: Option<&str>) -> Vec<String> {
        self.ask_with(agent, id, page, "1")
    }

    fn ask_with(&mut self, agent: Conn, id: &str, page: Option<&str>, code: &str) -> Vec<String> {
        let task = Task::Eval { code: code.into(), frame: None, terms: Terms::default() };
        let (form, page) = (Some(ReplyForm::Rpc(id.into())), page.map(Into::into));
        lines_of(&self.on(Input::Ask { agent, form, task, page, timeout_ms: None, mode: Mode::Answer }))
    }

    fn found(&mut self, word: &str, pages: Vec<Listed>) -> Vec<String> {
        self.on(Input::Listed(pages));
        lines_of(&self.on(Input::LookedUp { word: word.into(), known: true }))
    }
}

fn there(id: &str, origin: &str) -> Listed {
    Listed::There(Arc::new(elsewhere::page(SessionId::parse(id).expect("an id"), origin)))
}

/// The effects, each in a line.
fn lines_of(effects: &[Effect]) -> Vec<String> {
    let error = |error: &Error| error.message.split(';').next().unwrap_or_default().to_owned();
    let one = |effect: &Effect| match effect {
        Effect::LookUp { word } => format!("look up {word}"),
        Effect::PassOn(passed) => format!("ask {}", passed.session),
        Effect::Ended { reply, ending: Err(why), .. } | Effect::Result { reply, result: Err(why) } => {
            format!("{:?}: {}", reply.form, error(why))
        }
        other => format!("{other:?}"),
    };
    effects.iter().map(one).collect()
}

#[test]
fn a_page_that_is_not_listed_is_looked_up_once_and_asked_then() {
    let mut hub = Hub::new();
    assert_eq!(hub.ask(AGENT, "0", Some("near")), ["ask near"], "what is listed is not looked up");
    assert_eq!(hub.ask(AGENT, "1", Some("far")), ["look up far"]);
    assert_eq!(hub.ask(AGENT, "2", Some("far")), [""; 0], "it is looked up already");
    assert_eq!(hub.ask(OTHER, "3", Some("far")), [""; 0]);
    assert_eq!(hub.0.pending(), 3);
    assert_eq!(hub.found("far", vec![there("far", ORIGIN)]), ["ask far"; 3]);
    assert_eq!((hub.0.pending(), hub.ask(AGENT, "4", Some("far"))), (0, vec!["ask far".into()]));
    // The page is no longer listed, and is looked up as the page used last.
    hub.on(Input::Listed(vec![Listed::LeftOut(SessionId::parse("far").expect("an id"))]));
    hub.1 += LOOKED_UP_MS;
    assert_eq!(hub.ask(AGENT, "5", None), ["look up far"]);
    assert_eq!(hub.found("far", vec![there("far", ORIGIN)]), ["ask far"]);
}

#[test]
fn a_word_that_fits_a_listed_page_is_looked_up_too_because_it_may_fit_others() {
    let mut hub = Hub::new();
    assert_eq!(hub.ask(AGENT, "1", Some("Shop")), ["look up Shop"]);
    let evil = there("evil", "http://evil.test");
    let ended = hub.found("Shop", vec![evil]);
    assert!(ended[0].contains("`Shop` fits pages of several origins"), "{ended:?}");
    // A lookup is valid for a moment.
    assert!(hub.ask(AGENT, "2", Some("Shop"))[0].contains("several origins"));
    hub.1 += LOOKED_UP_MS;
    assert_eq!(hub.ask(AGENT, "3", Some("Shop")), ["look up Shop"]);
}

#[test]
fn no_page_is_answered_only_after_a_search_and_not_known_where_none_is_possible() {
    let mut hub = Hub::new();
    hub.ask(AGENT, "1", Some("far"));
    assert!(hub.found("far", Vec::new())[0].contains("no page fits `far`"));
    hub.1 += LOOKED_UP_MS;
    let unknown = |id: &str| {
        format!("Rpc({id:?}): it is not known whether another hub holds `far`: the directory does not answer")
    };
    hub.ask(AGENT, "2", Some("far"));
    assert_eq!(lines_of(&hub.on(Input::LookedUp { word: "far".into(), known: false })), [unknown("2")]);
    assert_eq!(hub.ask(AGENT, "3", Some("far")), ["look up far"], "that is not remembered");
    hub.1 += RECALL_MS;
    assert_eq!(lines_of(&hub.on(Input::Tick)), [unknown("3")], "nor is it waited for");
    assert_eq!(lines_of(&hub.on(Input::LookedUp { word: "far".into(), known: true })), [""; 0], "too late");
    assert_eq!(hub.ask(AGENT, "4", None), ["look up "], "no page was used: the only one is meant");
    assert!(hub.found("", Vec::new())[0].contains("there are more pages than this hub lists"));
    hub.1 += LOOKED_UP_MS;
    hub.ask(AGENT, "4", None);
    hub.on(Input::Listed(vec![Listed::All(true)]));
    assert_eq!(
        lines_of(&hub.on(Input::LookedUp { word: "".into(), known: false })),
        ["ask near"],
        "as far as is known"
    );
    assert!(hub.ask(AGENT, "5", Some("far2"))[0].contains("no page fits"), "all are listed");
}

#[test]
fn what_waits_for_a_look_up_ends_once() {
    let mut hub = Hub::new();
    let reply = Reply { agent: AGENT, form: ReplyForm::Rpc("2".into()) };
    hub.ask(AGENT, "1", Some("far"));
    hub.on(Input::Use { reply, page: "far".into(), name: None });
    hub.ask(OTHER, "3", Some("far"));
    assert_eq!(lines_of(&hub.on(Input::Cancel { agent: AGENT, id: "1".into() })), [r#"Rpc("1"): cancelled"#]);
    assert_eq!(lines_of(&hub.on(Input::Cancel { agent: AGENT, id: "2".into() })), [r#"Rpc("2"): cancelled"#]);
    let error = Error::new(eye_protocol::Code::DENIED, "revoked");
    assert_eq!(lines_of(&hub.on(Input::AgentRevoked { agent: OTHER, error })), [r#"Rpc("3"): revoked"#]);
    assert_eq!(hub.found("far", vec![there("far", ORIGIN)]), [""; 0]);
    // If an agent chooses another page meanwhile, its request still goes to the page before.
    let target = |word: &str| Box::new(Hello { target: Some(word.into()), ..Hello::default() });
    hub.on(Input::AgentHello { agent: AGENT, hello: target("mid") });
    assert_eq!(hub.ask(AGENT, "4", None), ["look up mid"]);
    hub.on(Input::AgentHello { agent: AGENT, hello: target("near") });
    assert_eq!(hub.found("mid", vec![there("mid", ORIGIN)]), ["ask mid"]);
    hub.ask(AGENT, "5", Some("away"));
    assert_eq!(lines_of(&hub.on(Input::Shutdown)).len(), 1);
    assert!(hub.ask(AGENT, "6", Some("away"))[0].contains("too many pages"), "nothing waits any more");
}

#[test]
fn so_much_waits_for_look_ups_and_no_more() {
    let mut hub = Hub::new();
    for number in 0..RECALLS_LEN_MAX {
        assert_eq!(hub.ask(AGENT, &number.to_string(), Some(&format!("p{number}"))).len(), 1);
    }
    assert!(hub.ask(AGENT, "x", Some("one-more"))[0].contains("too many pages are looked up at once"));
    assert_eq!(hub.ask(AGENT, "y", Some("p1")), [""; 0]);
    let long = "1".repeat(LOOK_UPS_BYTES_MAX / 2);
    assert_eq!(hub.ask_with(AGENT, "z", Some("p1"), &long), [""; 0]);
    assert!(hub.ask_with(AGENT, "z", Some("p1"), &long)[0].contains("too many pages"));
}
