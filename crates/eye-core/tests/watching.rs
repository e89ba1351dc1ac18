//! A watch follows its page from hub to hub: the agent's own hub renews it, once, where the page is.

use crate::elsewhere;
use eye_core::elsewhere::{Back, Listed, PageElsewhere};
use eye_core::handover::{HandedState, Heir};
use eye_core::lasting::{Found, LastingState, Recalled};
use eye_core::{Asker, Conn, Effect, Input, Newcomer, News, PageEvent, Policy, Reply, ReplyForm, Switchboard};
use eye_protocol::limits::{GRACE_MS, RECALL_MS, SESSION_KEPT_MS};
use eye_protocol::messages::PageInfo;
use eye_protocol::operations::Class;
use eye_protocol::scope::{Limits, Scope};
use eye_protocol::state::WholeState;
use eye_protocol::{Code, Error, SessionId};
use std::sync::Arc;

const AGENT: Conn = Conn(1);
const PAGE: Conn = Conn(2);
const ORIGIN: &str = "http://shop.test";

fn id() -> SessionId {
    SessionId::parse("s1").expect("an id")
}

fn reply(id: &str) -> Reply {
    Reply { agent: AGENT, form: ReplyForm::Rpc(id.into()) }
}

struct Hub {
    board: Switchboard,
    now: u64,
}

impl Hub {
    fn new() -> Self {
        let mut hub = Self { board: Switchboard::default(), now: 10_000 };
        hub.board.want_rows();
        hub.on(Input::AgentJoined { agent: AGENT });
        hub
    }

    /// A hub with an agent that watches the page at the hub `a`.
    fn watching() -> Self {
        let mut hub = Self::new();
        hub.listed_at("a");
        assert_eq!(hub.watch(true), ["asks a hub"]);
        hub
    }

    /// The effects on watches, in short.
    fn on(&mut self, input: Input) -> Vec<String> {
        let mut out = Vec::new();
        self.board.on(self.now, input, &mut out);
        let message = |effect| match effect {
            Effect::PassOn(passed) => match (&passed.asker, &passed.input) {
                (Asker::Fired { .. }, Input::Watch { wanted: true, renewed: true, .. }) => Some("renews".to_owned()),
                (Asker::Agent(_), Input::Watch { renewed: false, .. } | Input::Join { .. }) => {
                    Some("asks a hub".to_owned())
                }
                (Asker::Fired { .. }, Input::Join { .. }) => Some("joins".to_owned()),
                other => panic!("{other:?}"),
            },
            Effect::News { agent: AGENT, news: News::State { revision, patch: false, json }, .. } => {
                Some(format!("{json} at {revision}"))
            }
            Effect::News { agent: AGENT, news: News::PageBack, .. } => Some("back".to_owned()),
            Effect::News { agent: AGENT, news: News::Tools(tools), .. } => Some(tools),
            _ => None,
        };
        out.into_iter().filter_map(message).collect()
    }

    fn listed_at(&mut self, hub: &str) -> Vec<String> {
        let page = PageElsewhere { hub: hub.into(), ..elsewhere::page(id(), ORIGIN) };
        self.on(Input::Listed(vec![Listed::There(Arc::new(page))]))
    }

    fn gone(&mut self) -> Vec<String> {
        self.on(Input::Listed(vec![Listed::Gone(id())]))
    }

    fn ask(&mut self, id: &str, wanted: bool, renewed: bool) -> Vec<String> {
        self.on(Input::Watch { reply: reply(id), page: Some("s1".into()), wanted, renewed })
    }

    /// An agent watches, and the hub that is asked, if another one is, grants it.
    fn watch(&mut self, wanted: bool) -> Vec<String> {
        let seen = self.ask("1", wanted, false);
        self.answer("1", true);
        seen
    }

    /// An agent asks to watch, or to watch no more, and another hub refuses.
    fn watch_in_vain(&mut self, wanted: bool) {
        assert_eq!(self.ask("1", wanted, false), ["asks a hub"]);
        self.answer("1", false);
    }

    /// Another hub answers a request.
    fn answer(&mut self, id: &str, is_granted: bool) {
        let result = if is_granted { Ok("null".into()) } else { Err(Error::new(Code::CONNECTION, "the link is down")) };
        assert_eq!(self.on(Input::Back(Box::new(Back::Result { reply: reply(id), result }))), [""; 0]);
    }

    fn join(&mut self, origin: &str) -> Vec<String> {
        let info = PageInfo { title: Some("Shop".into()), ..PageInfo::default() };
        let who = Newcomer { origin: origin.into(), info, policy: Policy::default(), ask_first: false, driven: false };
        self.on(Input::PageJoined { page: PAGE, session: id(), who: Box::new(who) })
    }

    fn publish(&mut self, state: &str, revision: u64) -> Vec<String> {
        let whole = WholeState { state: state.into(), revision };
        self.on(Input::page(PAGE, PageEvent::State { whole, wall_ms: self.now }))
    }

    fn recalled(&mut self, revision: u64) -> Vec<String> {
        let state = HandedState { text: Some("0".into()), revision, age_ms: 0, wall_ms: 1 };
        let (name, alias, title, url) = (None, None, "Shop".into(), ORIGIN.into());
        let found = LastingState { session: id(), origin: ORIGIN.into(), name, alias, title, url, state };
        let recalled = Recalled { session: id(), found: Found::State(Box::new(found)), letters: Some(Vec::new()) };
        self.on(Input::Recalled(Box::new(recalled)))
    }
}

#[test]
fn a_watch_is_renewed_once_at_each_hub_that_its_page_comes_to() {
    let mut hub = Hub::watching();
    assert_eq!(hub.listed_at("a"), [""; 0], "its title may have changed");
    assert_eq!(hub.listed_at("c"), ["renews"]);
    assert_eq!(hub.listed_at("c"), [""; 0]);
    // That hub is killed and comes back under the same name.
    assert_eq!(hub.gone(), [""; 0]);
    assert_eq!(hub.listed_at("c"), ["renews"]);
    assert_eq!(hub.watch(false), ["asks a hub"]);
    assert_eq!(hub.listed_at("a"), [""; 0], "it is not wanted any more");
}

#[test]
fn a_watch_is_renewed_at_a_hub_that_has_forgotten_it() {
    let mut hub = Hub::watching();
    let unwatched = |hub: &mut Hub, name: &str| hub.on(Input::Listed(vec![Listed::Unwatched(name.into())]));
    assert_eq!(unwatched(&mut hub, "b"), [""; 0], "its page is at another");
    assert_eq!(unwatched(&mut hub, "a"), ["renews"]);
    assert_eq!(hub.listed_at("a"), [""; 0], "once");
    assert_eq!(unwatched(&mut hub, "a"), ["renews"]);
    assert_eq!(hub.watch(false), ["asks a hub"]);
    assert_eq!(unwatched(&mut hub, "a"), [""; 0], "it is not wanted any more");
}

#[test]
fn a_watch_that_was_refused_is_none() {
    let mut hub = Hub::new();
    hub.listed_at("a");
    hub.watch_in_vain(true);
    assert_eq!(hub.listed_at("c"), [""; 0]);
    assert_eq!(hub.watch(true), ["asks a hub"]);
    assert_eq!(hub.listed_at("a"), ["renews"]);
}

#[test]
fn what_is_refused_leaves_a_watch_as_it_was() {
    let mut hub = Hub::watching();
    hub.watch_in_vain(true);
    assert_eq!(hub.listed_at("c"), ["renews"]);
    hub.watch_in_vain(false);
    assert_eq!(hub.listed_at("a"), ["renews"], "it was not ended");
}

#[test]
fn of_requests_that_are_out_at_once_the_last_counts() {
    // Whether each is granted, in the order of the answers, and whether the agent watches then.
    for (answers, watches) in [
        ([("1", false), ("2", false)], false),
        ([("1", true), ("2", false)], true),
        ([("1", false), ("2", true)], true),
    ] {
        let mut hub = Hub::new();
        hub.listed_at("a");
        hub.ask("1", true, false);
        hub.ask("2", true, false);
        hub.answer(answers[0].0, answers[0].1);
        assert_eq!(hub.listed_at("c"), ["renews"], "{answers:?}: the other one is out");
        hub.answer(answers[1].0, answers[1].1);
        assert_eq!(hub.listed_at("a").len(), usize::from(watches), "{answers:?}");
    }
}

#[test]
fn a_watch_goes_on_when_what_was_kept_of_its_page_here_is_forgotten() {
    let mut hub = Hub::new();
    hub.join(ORIGIN);
    assert_eq!(hub.watch(true), [""; 0]);
    hub.listed_at("c");
    let heir = Some(Heir { origin: ORIGIN.into(), claim: 3 });
    assert_eq!(hub.on(Input::Released { session: id(), heir }), ["renews"]);
    hub.now += GRACE_MS;
    hub.on(Input::Tick);
    hub.now += SESSION_KEPT_MS;
    hub.on(Input::Tick);
    assert!(!hub.board.has_session(&id()));
    assert_eq!(hub.listed_at("a"), ["renews"]);
}

#[test]
fn a_page_that_comes_to_the_agents_own_hub_is_watched_there_with_the_revisions_that_go_on() {
    let mut hub = Hub::watching();
    hub.gone();
    assert_eq!(hub.join(ORIGIN), [""; 0]);
    assert_eq!(hub.publish("1", 1), [""; 0], "its revision is not known yet");
    assert_eq!(hub.recalled(7), ["1 at 8"]);
    assert_eq!(hub.publish("2", 2), ["2 at 9"]);
    // The page goes on to another hub.
    assert_eq!(hub.listed_at("c"), [""; 0]);
    let heir = Some(Heir { origin: ORIGIN.into(), claim: 3 });
    assert_eq!(hub.on(Input::Released { session: id(), heir }), ["renews"]);
}

#[test]
fn nothing_is_waited_for_too_long() {
    let mut hub = Hub::watching();
    hub.gone();
    hub.join(ORIGIN);
    hub.publish("1", 1);
    hub.now += RECALL_MS;
    assert!(hub.board.next_wake().is_some_and(|at| at <= hub.now), "{:?}", hub.board.next_wake());
    assert_eq!(hub.on(Input::Tick), ["1 at 1"]);
}

#[test]
fn an_agent_that_renews_a_watch_learns_what_it_may_have_missed() {
    let mut hub = Hub::new();
    hub.join(ORIGIN);
    assert_eq!(hub.ask("1", true, true), [""; 0], "nothing was published");
    hub.publish("1", 1);
    assert_eq!(hub.ask("1", true, true), ["1 at 1"]);
    assert_eq!(hub.ask("1", true, false), [""; 0]);
}

#[test]
fn an_agent_of_another_hub_renews_its_watch_itself() {
    let mut hub = Hub::new();
    hub.board.mark_guest(AGENT);
    hub.join(ORIGIN);
    hub.watch(true);
    hub.on(Input::page(PAGE, PageEvent::Left));
    assert_eq!(hub.listed_at("c"), [""; 0]);
}

#[test]
fn a_page_of_an_origin_that_the_token_does_not_cover_is_not_reported() {
    let mut hub = Hub::new();
    let pages = vec![ORIGIN.into()];
    let limits = Limits { name: "ci".into(), id: "1".into(), may: vec![Class::Read], pages, void: None };
    hub.on(Input::AgentScoped { agent: AGENT, scope: Scope::limited(limits) });
    hub.listed_at("a");
    assert_eq!(hub.watch(true), ["asks a hub"]);
    hub.gone();
    hub.join("http://evil.test");
    assert_eq!(hub.publish("1", 1), [""; 0]);
}

fn join_of(id: &str, renewed: bool) -> Input {
    Input::Join { agent: AGENT, form: Some(reply(id).form), session: "s1".into(), renewed }
}

#[test]
fn an_agent_that_joined_a_page_joins_it_at_each_hub_that_it_comes_to() {
    let mut hub = Hub::new();
    hub.listed_at("a");
    assert_eq!(hub.on(join_of("1", false)), ["asks a hub"]);
    assert_eq!(hub.listed_at("a"), [""; 0]);
    assert_eq!(hub.listed_at("c"), ["joins"]);
    let news = |news| Input::Back(Box::new(Back::News { agent: AGENT, session: id(), news }));
    assert_eq!(hub.on(news(News::Tools("[]".into()))), ["[]"]);
    hub.board.on(hub.now, Input::Leave { reply: reply("2") }, &mut Vec::new());
    assert_eq!(hub.on(news(News::Tools("[]".into()))), [""; 0], "it has left");
    assert_eq!(hub.listed_at("a"), [""; 0]);
    // From its own hub to another one, where the page goes on after this hub has forgotten it.
    let mut hub = Hub::new();
    hub.join(ORIGIN);
    hub.on(join_of("1", false));
    hub.listed_at("c");
    let heir = Some(Heir { origin: ORIGIN.into(), claim: 3 });
    assert_eq!(hub.on(Input::Released { session: id(), heir }), ["joins"]);
    hub.now += GRACE_MS;
    hub.on(Input::Tick);
    hub.now += SESSION_KEPT_MS;
    hub.on(Input::Tick);
    assert!(!hub.board.has_session(&id()));
    assert_eq!(hub.listed_at("a"), ["joins"]);
}

#[test]
fn an_agent_that_joins_anew_learns_what_it_may_have_missed() {
    let mut hub = Hub::new();
    hub.board.mark_guest(AGENT);
    assert_eq!(hub.on(join_of("1", true)), [""; 0], "there is no page");
    hub.join(ORIGIN);
    assert_eq!(hub.on(join_of("1", true)), ["back", "[]"]);
    assert_eq!(hub.on(join_of("1", false)), [""; 0], "its answer says it");
}
